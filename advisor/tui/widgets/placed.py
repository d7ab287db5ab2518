"""Widgets whose size is a matter of the layout alone."""

from __future__ import annotations

from textual.containers import Container, VerticalScroll
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widget import Widget


class Placed(Widget):
    """Given another size it is drawn once.

    As Textual has it, each widget that the layout gives another size asks for a layout and a drawing more. Among bases
    it stands last, as style sheets are inherited from the first.
    """

    virtual_size = Reactive(Size(0, 0), repaint=False)


class Panes(Container, Placed):
    """What stands under or beside each other."""

    def __init__(self) -> None:
        super().__init__(id="panes")


class Side(VerticalScroll, Placed, can_focus=False):
    """The pane with all of what is under the cursor."""

    def __init__(self) -> None:
        super().__init__(id="side")
