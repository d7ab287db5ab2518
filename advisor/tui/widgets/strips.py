"""Lines of text as strips of cells, kept for the next drawing: a list or a card is drawn again for most keys."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from textual.content import Content
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual
from textual.widget import Widget

_KEPT: Final = 2000  # lines; a screen has 20 to 100
_strips: OrderedDict[tuple[object, ...], Strip] = OrderedDict()


def strip_of(widget: Widget, line: Content, width: int, style: Style, *, filled: bool = False) -> Strip:
    """Render one line as a strip of at most `width` cells. filled: pad it with blanks to the width.

    Strips are cached by text and style; the style differs between themes.
    """
    key = (type(widget), line.plain, tuple(line.spans), width, style, filled)
    found = _strips.get(key)
    if found is None:
        found = next(iter(Visual.to_strips(widget, line, width, 1, style, pad=filled)), Strip([]))
        _strips[key] = found
        if len(_strips) > _KEPT:
            _strips.popitem(last=False)
    else:
        _strips.move_to_end(key)
    return found
