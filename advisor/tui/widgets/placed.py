"""A widget whose size is a matter of the layout alone."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import Reactive
from textual.widget import Widget


class Placed(Widget):
    """Given another size it is drawn once.

    As Textual has it, each widget that the layout gives another size asks for a layout and a drawing more.
    """

    virtual_size = Reactive(Size(0, 0), repaint=False)
