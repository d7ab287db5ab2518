"""The timeline screen: zoomable lanes, patterns found in them, kernels, and the next action."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList

from advisor.session import events as e
from advisor.session.state import State
from advisor.timeline.results import GpuTimeline, Lane, Moment, Pattern, TimelineResult
from advisor.tui.drawing import LANES, card_lines, heading, safe, styled
from advisor.tui.screens.base import PAGE_KEYS, ViewScreen, hidden
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.lists import fill, labelled_row
from advisor.tui.widgets.text import Banner, Lines, LineWidget
from advisor.view.charts.lanes import axis_rows, cells_of, lane_rows, mark_row
from advisor.view.numbers import plural, speedup_text, time_text
from advisor.view.pages.pattern import pattern_section
from advisor.view.pages.timeline import (
    about_text,
    command_texts,
    kernels_section,
    together_section,
    unseen_texts,
)
from advisor.view.text import cut, wrap
from advisor.view.writers.terminal import section_lines

Window = tuple[int, int]
_SHORTEST = 100  # ns; below this, the clock of a trace has no meaning
_MOST_GPUS = 8
_LABEL = 16  # columns to the left of the lanes


def zoomed(window: Window, whole: Window, factor: float, at: int | None = None) -> Window:
    """Scale the window by `factor` around a moment (default: its middle), to at least 100 ns and within the whole."""
    length = min(max(round((window[1] - window[0]) * factor), _SHORTEST), whole[1] - whole[0])
    middle = (window[0] + window[1]) // 2 if at is None else at
    return panned((middle - length // 2, middle - length // 2 + length), whole, 0)


def panned(window: Window, whole: Window, by: int) -> Window:
    """Move the window by a number of ns, limited to the whole."""
    length = min(window[1] - window[0], whole[1] - whole[0])
    start = min(max(window[0] + by, whole[0]), whole[1] - length)
    return start, start + length


def around(moment: Moment, whole: Window) -> Window:
    """Return a window of which the moment fills about a fifth."""
    return zoomed((moment.start, moment.start + max(moment.duration, 1)), whole, 5.0)


def _between(axis: str, says: str) -> str:
    """Return the axis with a remark between its two labels, if there is room."""
    first, last = axis.find(" s") + 2, axis.rfind("  ") + 2
    if last - first < len(says):
        return axis
    at = first + (last - first - len(says)) // 2
    return axis[:at] + says + axis[at + len(says) :]


class Lanes(LineWidget):
    """The lanes of one GPU, or one row for each of several GPUs, over a window of time."""

    class Clicked(Message):
        """The user clicked a moment, in ns of the trace."""

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
        """The time range of the trace, or None if the trace has totals only."""
        gpu = self._gpus[0] if self._gpus else None
        return None if gpu is None or gpu.window is None or gpu.window[1] <= gpu.window[0] else gpu.window

    def show(self, gpus: Sequence[GpuTimeline], moments: Sequence[Moment], streams: bool) -> None:
        """Show the lanes of one GPU with these moments marked, or one row for each of several GPUs."""
        new = tuple(gpus)
        same = len(new) == len(self._gpus) and all(a is b for a, b in zip(new, self._gpus, strict=True))
        if same and tuple(moments) == self._moments and streams == self._streams:
            return
        self._gpus, self._moments, self._streams = new, tuple(moments), streams
        if not same:
            self.window = self.whole
        self.renew()

    def look(self, window: Window | None) -> None:
        """Show this window of time."""
        if window is not None and window != self.window:
            self.window = window
            self.renew()

    def at(self, column: int) -> int | None:
        """Return the moment under a column of the widget, or None outside the lanes."""
        width = self.content_size.width
        cell = column - self.styles.padding.left - _LABEL
        if self.window is None or not 0 <= cell < cells_of(width):
            return None
        return self.window[0] + (2 * cell + 1) * (self.window[1] - self.window[0]) // (2 * cells_of(width))

    def on_click(self, event: events.Click) -> None:
        at = self.at(event.x)
        if at is not None:
            self.post_message(self.Clicked(at))

    # Drawing

    def _lanes(self) -> tuple[Lane, ...]:
        lanes = self._gpus[0].lanes
        return lanes if self._streams else tuple(lane for lane in lanes if lane.id != "stream")

    def make(self, width: int) -> list[Content]:
        if len(self._gpus) > 1:
            return self._several(width)
        window, whole = self.window, self.whole
        if not self._gpus:
            return []
        if window is None or whole is None or not self._gpus[0].lanes:
            return [styled("This trace has totals only, no timestamps: there are no lanes to draw.", "$quiet")]
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
        """Return one row for each GPU, each over its own window, since the clocks of different traces differ."""
        lines = []
        for number, gpu in enumerate(self._gpus[:_MOST_GPUS]):
            busy = next((lane for lane in gpu.lanes if lane.id == "busy"), None)
            if busy is None or gpu.window is None or gpu.window[1] <= gpu.window[0]:
                lines.append(styled(cut(f"[{number}] GPU {gpu.gpu}: totals only, no timeline rows", width), "$quiet"))
                continue
            row = lane_rows((replace(busy, id="kernels"),), gpu.window, width, self._blocks)[0][1]
            name = f"[{number}] GPU {gpu.gpu}" if gpu.gpu >= 0 else f"[{number}]"
            lines.append(self._lane("kernels", f"{name[: _LABEL - 2]:<{_LABEL - 1}}{row[_LABEL - 1 :]}"))
        if len(self._gpus) > _MOST_GPUS:
            lines.append(styled(f"{len(self._gpus) - _MOST_GPUS} more GPUs: g shows the next one", "$quiet"))
        says = "busy time of each GPU over its own time window; a fuller cell is busy for more of its column"
        return [*lines, styled(cut(" " * _LABEL + says, width), "$quiet")]

    def _lane(self, name: str, text: str) -> Content:
        line = Content(safe(text))
        return line.stylize("$quiet", 0, _LABEL).stylize(LANES.get(name, ""), _LABEL, max(_LABEL, len(text) - 9))


_KERNELS: Final = 30
_PAN: Final = 4  # a pan moves by a quarter of the window
_MOMENT: Final = "Zoom to the next marked moment, or copy the command"


class Item(Struct, frozen=True):
    """A row of the list. kind: decision, pattern, unseen, kernels, command or together; it has a label and a remark."""

    kind: str
    label: str
    note: str = ""
    pattern: Pattern | None = None
    number: int = 0


def items_of(result: TimelineResult, gpu: GpuTimeline) -> tuple[Item, ...]:
    """Return the list rows about one GPU, most important first."""
    out = [Item("decision", "What to do next", gpu.decision.title)]
    found = [p for p in gpu.patterns if p.finding.kind != "note"]
    found += [p for p in gpu.patterns if p.finding.kind == "note"]
    for number, pattern in enumerate(found, 1):
        out.append(Item("pattern", pattern.finding.title, _gain(pattern), pattern, number))
    if gpu.unseen:
        out.append(Item("unseen", "Could not be checked", f"{len(gpu.unseen)} {plural(len(gpu.unseen), 'pattern')}"))
    if gpu.kernels:
        out.append(Item("kernels", "Kernels by time", f"{len(gpu.kernels)}"))
    if gpu.command is not None and gpu.target is not None:
        out.append(Item("command", "Profile it with ncu", safe(gpu.target.short).replace("\n", " ")))
    if result.together is not None:
        out.append(Item("together", "All GPUs together", f"{len(result.gpus)}"))
    return tuple(out)


def _gain(pattern: Pattern) -> str:
    gain = pattern.finding.speedup
    if gain is None:
        return "note" if pattern.finding.kind == "note" else ""
    return f"at most {speedup_text(gain.high)}"


class TimelineScreen(ViewScreen):
    """The timeline screen. The list has the focus; the lanes mark the moments of the current row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", tooltip="Cancel reading the trace, or go back to the conversation"),
        Binding("enter", "take", "Moment", priority=True, tooltip=_MOMENT),
        Binding("plus,equals_sign", "zoom(0.5)", "Closer", key_display="+", tooltip="Zoom in to half the time"),
        Binding("minus", "zoom(2.0)", "Wider", key_display="-", tooltip="Zoom out to twice the time"),
        hidden("left", "pan(-1)", "Earlier", "Earlier, by a quarter of the view"),
        hidden("right", "pan(1)", "Later", "Later, by a quarter of the view"),
        Binding("0", "whole", "Whole", tooltip="The whole trace"),
        Binding("a", "streams", "Streams", tooltip="Show or hide a lane for each of the most used streams"),
        Binding("right_square_bracket", "gpu(1)", "Next GPU", key_display="]", tooltip="Next GPU of the traces"),
        Binding("y", "copy", "Copy", tooltip="Copy the ncu command"),
        Binding("k", "explain", "Explain", tooltip="Explain this pattern"),
        *PAGE_KEYS,
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._result: TimelineResult | None = None
        self._place = 0
        self._streams = False
        self._items: tuple[Item, ...] = ()
        self._moment = -1  # index of the marked moment that the lanes show, or -1

    def compose(self) -> ComposeResult:
        yield Banner(blocks=self.blocks)
        yield Lanes(blocks=self.blocks, ident="lanes")
        with Horizontal(id="below"):
            yield OptionList(id="items", markup=False, compact=True)
            with VerticalScroll(id="detail", can_focus=False):
                yield Lines(ident="text")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#items").focus()
        self.show(self.app.state)

    def show(self, state: State) -> None:
        """Show the timeline of the state or, without one, the status of its traces."""
        result = state.timeline
        if not isinstance(result, TimelineResult) or not result.gpus:
            self._result, self._items = None, ()
            self.query_one(Banner).show(", ".join(Path(p).name for p in state.traces))
            self._lanes.show((), (), False)
            self._list.clear_options()
            self._detail()
            return
        if result is not self._result:
            self._result, self._place, self._moment = result, 0, -1
            self._fill()
            wanted = [i for i, item in enumerate(self._items) if _is(item, state.view_subject)]
            if wanted:
                self._list.highlighted = wanted[0]
        self._follow()

    # Drawing

    @property
    def _list(self) -> OptionList:
        return self.query_one("#items", OptionList)

    @property
    def _lanes(self) -> Lanes:
        return self.query_one(Lanes)

    @property
    def _gpu(self) -> GpuTimeline | None:
        return None if self._result is None else self._result.gpus[self._place]

    @property
    def _item(self) -> Item | None:
        at = self._list.highlighted
        return self._items[at] if at is not None and at < len(self._items) else None

    @property
    def _moments(self) -> tuple[Moment, ...]:
        item, gpu = self._item, self._gpu
        if item is None or gpu is None:
            return ()
        if item.pattern is not None:
            return item.pattern.moments
        command = gpu.command
        if item.kind == "command" and command is not None and command.start is not None and command.duration:
            return (Moment("work", command.start, command.duration, command.kernel),)
        return ()

    def _fill(self) -> None:
        assert self._result is not None
        gpu = self._result.gpus[self._place]
        self._items = items_of(self._result, gpu)
        numbers = (styled(f"{item.number or '':>2} ", "bold $text-accent") for item in self._items)
        rows = zip(numbers, self._items, strict=True)
        fill(self._list, [labelled_row(number + styled(item.label, ""), item.note) for number, item in rows])

    def _follow(self) -> None:
        result, gpu = self._result, self._gpu
        if result is None or gpu is None:
            return
        trace = result.traces[gpu.trace]
        several = f"{self._place + 1} of {len(result.gpus)}: " if len(result.gpus) > 1 else ""
        self.query_one(Banner).show(f"{several}{about_text(trace, gpu)} · {Path(trace.path).name}")
        item = self._item
        shown = result.gpus if item is not None and item.kind == "together" else (gpu,)
        self._lanes.show(shown, self._moments, self._streams)
        self._detail()
        self.refresh_bindings()

    def _detail(self) -> None:
        self.query_one(Lines).show(self._lines)

    def _lines(self, width: int) -> list[Content]:
        result, gpu, item = self._result, self._gpu, self._item
        if result is None or gpu is None or item is None:
            return self._nothing(width)
        paragraphs: list[str] = []
        if item.kind == "decision":
            paragraphs = [f"{gpu.decision.because}.", *(f"- {step}" for step in gpu.next)]
            paragraphs += [f"! {text}" for text in (*gpu.notes, *result.traces[gpu.trace].problems)]
            paragraphs += [f"! {path}: {why}" for path, why in result.failed]
            return _page(gpu.decision.title, _wrapped(paragraphs, width))
        if item.pattern is not None:
            title, *lines = section_lines(pattern_section(item.number, item.pattern, gpu.values), width=width)[1:]
            more = "Enter shows the marked moments one after another; 0 shows the whole trace."
            return _page(title, lines, [more] if item.pattern.moments and gpu.window is not None else [])
        if item.kind == "unseen":
            paragraphs = [f"- {text}" for text in unseen_texts(result, gpu.unseen)]
            return _page("Could not be checked, so unknown", _wrapped(paragraphs, width))
        if item.kind == "kernels":
            title, *lines = section_lines(kernels_section(gpu.kernels, _KERNELS), width=width)[1:]
            return _page(title, lines)
        if item.kind == "together" and result.together is not None:
            title, *lines = section_lines(together_section(result, result.together), width=width)[1:]
            return _page(title, lines)
        assert gpu.command is not None
        command = [Content(""), *styled(gpu.command.command, "bold").wrap(width), Content("")]
        after = [
            "Enter or c copies the command.",
            "Run it, then open the report it writes to continue with the kernel.",
        ]
        lines = [line for text in command_texts(gpu) for line in wrap(text, width)]
        return [*_page("Profile it with ncu", lines), *command, *_quiet(after, width)]

    def _nothing(self, width: int) -> list[Content]:
        state = self.app.state
        errors = [card for card in state.cards if card.kind == "error"]
        if any(isinstance(request, e.Trace) for request in state.waiting):
            return _quiet(["Reading the trace; Esc cancels."], width)
        if errors:
            return card_lines(errors[-1], width, blocks=self.blocks)
        return _quiet(
            ["No trace is open. /timeline FILE reads a .sqlite export of nsys or the tables of nsys stats."], width
        )

    # User actions

    @on(OptionList.OptionHighlighted)
    def _pointed(self) -> None:
        self._moment = -1
        self.scrolled().scroll_home(animate=False)
        self._follow()

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.action_take()

    @on(Lanes.Clicked)
    def _clicked(self, event: Lanes.Clicked) -> None:
        self.action_zoom(0.5, event.at)

    def action_take(self) -> None:
        item = self._item
        if item is not None and item.kind == "command":
            self.action_copy()
            return
        lanes, moments = self._lanes, self._moments
        if moments and lanes.whole is not None:
            self._moment = (self._moment + 1) % len(moments)
            lanes.look(around(moments[self._moment], lanes.whole))

    def action_zoom(self, factor: float, at: int | None = None) -> None:
        lanes = self._lanes
        if lanes.window is not None and lanes.whole is not None:
            lanes.look(zoomed(lanes.window, lanes.whole, factor, at))

    def action_pan(self, by: int) -> None:
        lanes = self._lanes
        if lanes.window is not None and lanes.whole is not None:
            step = max((lanes.window[1] - lanes.window[0]) // _PAN, 1)
            lanes.look(panned(lanes.window, lanes.whole, by * step))

    def action_whole(self) -> None:
        self._lanes.look(self._lanes.whole)

    def action_streams(self) -> None:
        self._streams = not self._streams
        self._follow()

    def action_gpu(self, by: int) -> None:
        if self._result is not None and len(self._result.gpus) > 1:
            self._place = (self._place + by) % len(self._result.gpus)
            self._moment = -1
            self._fill()
            self._follow()

    def action_copy(self) -> None:
        gpu = self._gpu
        if gpu is not None and gpu.command is not None:
            self.app.copy_to_clipboard(gpu.command.command)
            self.notify("The command is on the clipboard, if the terminal allows it.", markup=False)

    def action_explain(self) -> None:
        item = self._item
        if item is not None and item.pattern is not None:
            self.app.dispatch(e.ViewShown("knowledge", item.pattern.finding.id))

    def scrolled(self) -> VerticalScroll:
        return self.query_one("#detail", VerticalScroll)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        gpu = self._gpu if self.is_mounted else None
        if gpu is None or self._result is None:
            return action not in ("zoom", "pan", "whole", "streams", "gpu", "copy", "explain", "take")
        item = self._item
        works = {
            "zoom": gpu.window is not None,
            "pan": gpu.window is not None,
            "whole": gpu.window is not None,
            "streams": any(lane.id == "stream" for lane in gpu.lanes),
            "gpu": len(self._result.gpus) > 1,
            "copy": gpu.command is not None,
            "explain": item is not None and item.pattern is not None,
            "take": item is not None and (item.kind == "command" or bool(self._moments)),
        }
        return works.get(action, True)


def _page(title: str, lines: Sequence[str], more: Sequence[str] = ()) -> list[Content]:
    quiet = [styled(line, "$quiet") for line in more]
    return [heading(title), *(styled(line, "") for line in lines), *quiet]


def _wrapped(paragraphs: Sequence[str], width: int) -> list[str]:
    """Wrap paragraphs into lines; in a paragraph that begins with a sign, indent the further lines."""
    return [
        line for text in paragraphs for line in wrap(safe(text), width, 0, 2 if text.startswith(("- ", "! ")) else 0)
    ]


def _quiet(texts: Sequence[str], width: int) -> list[Content]:
    return [styled(line, "$quiet") for line in _wrapped(texts, width)]


def _is(item: Item, subject: str) -> bool:
    """Return whether a row matches the subject of the view: a pattern's id, or a kind of row."""
    return bool(subject) and (item.kind == subject or (item.pattern is not None and item.pattern.finding.id == subject))
