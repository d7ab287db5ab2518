"""The lanes of one GPU, or of all beside each other, as rows of characters over any part of the trace's time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from advisor.timeline.results import GpuTimeline, Lane, Moment
from advisor.tui.layout import safe, styled
from advisor.tui.styles import LANES
from advisor.view.charts.lanes import axis_rows, cells_of, lane_rows, mark_row
from advisor.view.numbers import time_text
from advisor.view.text import cut

Window = tuple[int, int]
_SHORTEST = 100  # ns over all columns: below it a trace's own clock tells nothing
_MOST_GPUS = 8
_LABEL = 16  # columns before the time begins


def zoomed(window: Window, whole: Window, factor: float, at: int | None = None) -> Window:
    """The window `factor` times as long around a moment (its middle), within the whole, at least 100 ns."""
    length = min(max(round((window[1] - window[0]) * factor), _SHORTEST), whole[1] - whole[0])
    middle = (window[0] + window[1]) // 2 if at is None else at
    return panned((middle - length // 2, middle - length // 2 + length), whole, 0)


def panned(window: Window, whole: Window, by: int) -> Window:
    """The window moved by so many ns, stopped at the ends of the whole."""
    length = min(window[1] - window[0], whole[1] - whole[0])
    start = min(max(window[0] + by, whole[0]), whole[1] - length)
    return start, start + length


def around(moment: Moment, whole: Window) -> Window:
    """A window in which a moment fills about a fifth, so that what is beside it is seen too."""
    return zoomed((moment.start, moment.start + max(moment.duration, 1)), whole, 5.0)


def _between(axis: str, says: str) -> str:
    """The axis with a remark between its two moments, where there is room."""
    first, last = axis.find(" s") + 2, axis.rfind("  ") + 2
    if last - first < len(says):
        return axis
    at = first + (last - first - len(says)) // 2
    return axis[:at] + says + axis[at + len(says) :]


class Lanes(Widget):
    """Draws at whatever width it has. It keeps which part of the time is in view; what is marked is told to it."""

    class Clicked(Message):
        """A place in time was clicked, in ns of the trace."""

        def __init__(self, at: int) -> None:
            super().__init__()
            self.at = at

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._blocks = blocks
        self._gpus: tuple[GpuTimeline, ...] = ()
        self._streams = False
        self._moments: tuple[Moment, ...] = ()
        self.window: Window | None = None

    @property
    def whole(self) -> Window | None:
        """All of the time that there is; None where the trace has only sums."""
        gpu = self._gpus[0] if self._gpus else None
        return None if gpu is None or gpu.window is None or gpu.window[1] <= gpu.window[0] else gpu.window

    def show(self, gpus: Sequence[GpuTimeline], moments: Sequence[Moment], streams: bool) -> None:
        """Show the lanes of one GPU with these moments marked, or one row each of several GPUs."""
        new = tuple(gpus)
        same = len(new) == len(self._gpus) and all(a is b for a, b in zip(new, self._gpus, strict=True))
        if same and tuple(moments) == self._moments and streams == self._streams:
            return
        self._gpus, self._moments, self._streams = new, tuple(moments), streams
        if not same:
            self.window = self.whole
        self.refresh(layout=True)

    def look(self, window: Window | None) -> None:
        """Show this part of the time."""
        if window is not None and window != self.window:
            self.window = window
            self.refresh(layout=True)

    def at(self, column: int) -> int | None:
        """The moment under a column of the widget, None beside the lanes."""
        width = self.content_size.width
        cell = column - self.styles.padding.left - _LABEL
        if self.window is None or not 0 <= cell < cells_of(width):
            return None
        return self.window[0] + (2 * cell + 1) * (self.window[1] - self.window[0]) // (2 * cells_of(width))

    def on_click(self, event: events.Click) -> None:
        """A click names a moment."""
        at = self.at(event.x)
        if at is not None:
            self.post_message(self.Clicked(at))

    # Drawing

    def _lanes(self) -> tuple[Lane, ...]:
        lanes = self._gpus[0].lanes
        return lanes if self._streams else tuple(lane for lane in lanes if lane.id != "stream")

    def lines(self, width: int) -> list[Content]:
        """All rows at this width."""
        if len(self._gpus) > 1:
            return self._several(width)
        window, whole = self.window, self.whole
        if not self._gpus:
            return []
        if window is None or whole is None or not self._gpus[0].lanes:
            return [styled("This trace holds sums only, no moments: there are no lanes to draw.", "$quiet")]
        lines = [self._lane(name, text) for name, text in lane_rows(self._lanes(), window, width, self._blocks)]
        if self._moments:
            spans = [(m.start, m.start + max(m.duration, 1)) for m in self._moments]
            row = mark_row("marked", spans, window, width, "▲" if self._blocks else "^")
            lines.append(styled(row.rstrip(), "bold $text-accent"))
        axis = axis_rows(window, width)
        if window != whole:
            says = f" {time_text(window[1] - window[0])} of {time_text(whole[1] - whole[0])} "
            axis[0] = _between(axis[0], says)
        return [*lines, *(styled(cut(row, width).rstrip(), "$quiet") for row in axis)]

    def _several(self, width: int) -> list[Content]:
        """One row a GPU, each over its own window: clocks of different traces are not the same."""
        lines = []
        for number, gpu in enumerate(self._gpus[:_MOST_GPUS]):
            busy = next((lane for lane in gpu.lanes if lane.id == "busy"), None)
            if busy is None or gpu.window is None or gpu.window[1] <= gpu.window[0]:
                lines.append(styled(cut(f"[{number}] GPU {gpu.gpu}: sums only, no lanes", width), "$quiet"))
                continue
            row = lane_rows((replace(busy, id="kernels"),), gpu.window, width, self._blocks)[0][1]
            name = f"[{number}] GPU {gpu.gpu}" if gpu.gpu >= 0 else f"[{number}]"
            lines.append(self._lane("kernels", f"{name[: _LABEL - 2]:<{_LABEL - 1}}{row[_LABEL - 1 :]}"))
        if len(self._gpus) > _MOST_GPUS:
            lines.append(styled(f"{len(self._gpus) - _MOST_GPUS} more GPUs: g goes through them", "$quiet"))
        says = "any work, each GPU over its own window; the fuller, the more of a column is covered"
        return [*lines, styled(cut(" " * _LABEL + says, width), "$quiet")]

    def _lane(self, name: str, text: str) -> Content:
        line = Content(safe(text))
        return line.stylize("$quiet", 0, _LABEL).stylize(LANES.get(name, ""), _LABEL, max(_LABEL, len(text) - 9))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as there are lanes, and the axis."""
        return len(self.lines(width)) if width > 0 else 0

    def render(self) -> Content:
        """The rows."""
        return Content("\n").join(self.lines(self.content_size.width)) if self.content_size.width else Content("")
