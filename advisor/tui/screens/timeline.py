"""The timeline of a program: lanes to zoom into, patterns found in them, kernels, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from advisor.session import events as e
from advisor.session.state import State
from advisor.timeline.results import GpuTimeline, Lane, Moment, Pattern, TimelineResult
from advisor.tui.drawing import LANES, card_lines, heading, safe, styled
from advisor.tui.screens.base import ViewScreen, footer
from advisor.tui.widgets.text import Banner, Busy, Lines
from advisor.view.charts.lanes import axis_rows, cells_of, lane_rows, mark_row
from advisor.view.numbers import plural, speedup_text, time_text
from advisor.view.text import cut, wrap
from advisor.view.timeline import about_text, command_texts, kernel_lines, pattern_lines, together_lines, unseen_texts

Window = tuple[int, int]
_SHORTEST = 100  # ns; below this the clock of a trace has no meaning
_MOST_GPUS = 8
_LABEL = 16  # columns before the lanes begin


def zoomed(window: Window, whole: Window, factor: float, at: int | None = None) -> Window:
    """The window scaled by `factor` around a moment (default: its middle), within the whole, at least 100 ns."""
    length = min(max(round((window[1] - window[0]) * factor), _SHORTEST), whole[1] - whole[0])
    middle = (window[0] + window[1]) // 2 if at is None else at
    return panned((middle - length // 2, middle - length // 2 + length), whole, 0)


def panned(window: Window, whole: Window, by: int) -> Window:
    """The window moved by so many ns, limited to the whole."""
    length = min(window[1] - window[0], whole[1] - whole[0])
    start = min(max(window[0] + by, whole[0]), whole[1] - length)
    return start, start + length


def around(moment: Moment, whole: Window) -> Window:
    """A window of which a moment fills about a fifth."""
    return zoomed((moment.start, moment.start + max(moment.duration, 1)), whole, 5.0)


def _between(axis: str, says: str) -> str:
    """The axis with a remark between its two labels, where there is room."""
    first, last = axis.find(" s") + 2, axis.rfind("  ") + 2
    if last - first < len(says):
        return axis
    at = first + (last - first - len(says)) // 2
    return axis[:at] + says + axis[at + len(says) :]


class Lanes(Widget):
    """The lanes of one GPU, or one row for each of several, over a window of time."""

    class Clicked(Message):
        """A moment was clicked, in ns of the trace."""

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
        """The whole time of the trace; None if it has totals only."""
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
        """Show this window of time."""
        if window is not None and window != self.window:
            self.window = window
            self.refresh(layout=True)

    def at(self, column: int) -> int | None:
        """The moment under a column of the widget, None outside the lanes."""
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

    def lines(self, width: int) -> list[Content]:
        """All rows at this width."""
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
        """One row for each GPU, each over its own window: the clocks of different traces differ."""
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
        says = "any work, each GPU over its own time window; fuller cells mean more of the column is used"
        return [*lines, styled(cut(" " * _LABEL + says, width), "$quiet")]

    def _lane(self, name: str, text: str) -> Content:
        line = Content(safe(text))
        return line.stylize("$quiet", 0, _LABEL).stylize(LANES.get(name, ""), _LABEL, max(_LABEL, len(text) - 9))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.lines(width)) if width > 0 else 0

    def render(self) -> Content:
        return Content("\n").join(self.lines(self.content_size.width)) if self.content_size.width else Content("")


WIDE: Final = 110
_KERNELS: Final = 30
_PAN: Final = 4  # a pan moves by a quarter of the window


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the list: its kind (decision, pattern, unseen, kernels, command, together), label and remark."""

    kind: str
    label: str
    note: str = ""
    pattern: Pattern | None = None
    number: int = 0


def items_of(result: TimelineResult, gpu: GpuTimeline) -> tuple[Item, ...]:
    """The list rows about one GPU, most important first."""
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
    return f"at most {speedup_text(gain.high)}x"


class TimelineScreen(ViewScreen):
    """The list has the focus; details of the current row are shown, and its moments marked on the lanes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", tooltip="Back to the conversation; while a trace is read, cancel that"),
        Binding("f1", "app.help", "Help", tooltip="Keys of this screen, and commands"),
        Binding(
            "enter", "take", "Moment", priority=True, tooltip="Zoom to the next marked moment, or copy the command"
        ),
        Binding("plus,equals_sign", "zoom(-1)", "Closer", key_display="+", tooltip="Zoom in to half the time"),
        Binding("minus", "zoom(1)", "Wider", key_display="-", tooltip="Zoom out to twice the time"),
        Binding("left", "pan(-1)", "Earlier", show=False, tooltip="Earlier, by a quarter of the view"),
        Binding("right", "pan(1)", "Later", show=False, tooltip="Later, by a quarter of the view"),
        Binding("0", "whole", "Whole", tooltip="The whole trace"),
        Binding("s", "streams", "Streams", tooltip="Show or hide a lane for each of the most used streams"),
        Binding("g", "gpu(1)", "Next GPU", tooltip="Next GPU of the traces"),
        Binding("c", "copy", "Copy", tooltip="Copy the ncu command"),
        Binding("e", "explain", "Explain", tooltip="Explain this pattern"),
        Binding("pageup", "page(-1)", "Page up", show=False, priority=True),
        Binding("pagedown", "page(1)", "Page down", show=False, priority=True),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._result: TimelineResult | None = None
        self._place = 0
        self._streams = False
        self._items: tuple[Item, ...] = ()
        self._moment = -1  # index of the marked moment that is zoomed to

    def compose(self) -> ComposeResult:
        yield Banner()
        yield Lanes(blocks=self.blocks, ident="lanes")
        with Horizontal(id="below"):
            yield OptionList(id="items", markup=False, compact=True)
            with VerticalScroll(id="detail", can_focus=False):
                yield Lines(ident="text")
        yield Busy(blocks=self.blocks)
        yield footer()

    def on_mount(self) -> None:
        self.query_one("#items").focus()
        self.show(self.app.state)

    def on_screen_resume(self) -> None:
        self.show(self.app.state)

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width >= WIDE, "-wide")
        self.set_class(event.size.height < 20, "-low")

    def show(self, state: State) -> None:
        """Show the timeline of the state; without one, what happened to its traces."""
        result = state.timeline
        if not isinstance(result, TimelineResult) or not result.gpus:
            self._result, self._items = None, ()
            self.query_one(Banner).show(", ".join(Path(p).name for p in state.traces))
            self.query_one("#lanes", Lanes).show((), (), False)
            self.query_one("#items", OptionList).clear_options()
            self._detail()
            return
        if result is not self._result:
            self._result, self._place, self._moment = result, 0, -1
            self._list()
            wanted = [i for i, item in enumerate(self._items) if _is(item, state.view_subject)]
            if wanted:
                self.query_one("#items", OptionList).highlighted = wanted[0]
        self._follow()

    # Drawing

    @property
    def _gpu(self) -> GpuTimeline | None:
        return None if self._result is None else self._result.gpus[self._place]

    @property
    def _item(self) -> Item | None:
        at = self.query_one("#items", OptionList).highlighted
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

    def _list(self) -> None:
        """Fill the list for the current GPU."""
        assert self._result is not None
        gpu = self._result.gpus[self._place]
        self._items = items_of(self._result, gpu)
        rows = self.query_one("#items", OptionList)
        rows.clear_options()
        for item in self._items:
            number = styled(f"{item.number:>2} " if item.number else "   ", "bold $text-accent")
            row = number + Content(safe(item.label))
            rows.add_option(Option(row + styled(f"  {item.note}", "$quiet") if item.note else row))
        rows.highlighted = 0

    def _follow(self) -> None:
        """Update banner, lanes and details for the current row."""
        result, gpu = self._result, self._gpu
        if result is None or gpu is None:
            return
        trace = result.traces[gpu.trace]
        several = f"{self._place + 1} of {len(result.gpus)}: " if len(result.gpus) > 1 else ""
        self.query_one(Banner).show(f"{several}{about_text(trace, gpu)} · {Path(trace.path).name}")
        item = self._item
        shown = result.gpus if item is not None and item.kind == "together" else (gpu,)
        self.query_one("#lanes", Lanes).show(shown, self._moments, self._streams)
        self._detail()
        self.app.offer(self)

    def _detail(self) -> None:
        self.query_one(Lines).show(self._lines)

    def _lines(self, width: int) -> list[Content]:
        result, gpu, item = self._result, self._gpu, self._item
        if result is None or gpu is None or item is None:
            return self._nothing(width)
        if item.kind == "decision":
            text = [*wrap(safe(gpu.decision.because) + ".", width)]
            text += [line for step in gpu.next for line in wrap(f"- {safe(step)}", width, 0, 2)]
            text += [line for note in gpu.notes for line in wrap(f"! {safe(note)}", width, 0, 2)]
            for problem in result.traces[gpu.trace].problems:
                text += wrap(f"! {safe(problem)}", width, 0, 2)
            text += [line for path, why in result.failed for line in wrap(f"! {safe(path)}: {safe(why)}", width, 0, 2)]
            return [heading(gpu.decision.title), *(styled(line, "") for line in text)]
        if item.pattern is not None:
            lines = pattern_lines(item.number, item.pattern, width, False, item.number)
            more = (
                ["Enter shows the marked moments one after another; 0 shows the whole trace."]
                if item.pattern.moments and gpu.window is not None
                else []
            )
            return [heading(lines[0]), *(styled(line, "") for line in lines[1:]), *(styled(m, "$quiet") for m in more)]
        if item.kind == "unseen":
            texts = [line for text in unseen_texts(result, gpu.unseen) for line in wrap(f"- {safe(text)}", width, 0, 2)]
            return [heading("Could not be checked, so unknown"), *(styled(line, "") for line in texts)]
        if item.kind == "kernels":
            lines = kernel_lines(gpu.kernels, width, False, _KERNELS)
            return [heading(lines[0]), *(styled(line, "") for line in lines[1:])]
        if item.kind == "together" and result.together is not None:
            lines = together_lines(result, result.together, width, False)
            return [heading(lines[0]), *(styled(line, "") for line in lines[1:])]
        return self._command(gpu, width)

    def _command(self, gpu: GpuTimeline, width: int) -> list[Content]:
        assert gpu.command is not None
        texts = [line for text in command_texts(gpu) for line in wrap(text, width)]
        command = styled(gpu.command.command, "bold").wrap(width)
        lines = [
            heading("Profile it with ncu"),
            *(styled(line, "") for line in texts),
            Content(""),
            *command,
            Content(""),
        ]
        after = [
            line
            for text in (
                "Enter or c copies the command.",
                "Run it, then open the report it writes: the session goes on with the kernel.",
            )
            for line in wrap(text, width)
        ]
        return [*lines, *(styled(line, "$quiet") for line in after)]

    def _nothing(self, width: int) -> list[Content]:
        state = self.app.state
        errors = [card for card in state.cards if card.kind == "error"]
        if any(isinstance(request, e.Trace) for request in state.waiting):
            return [styled("Reading the trace; Esc cancels.", "$quiet")]
        if errors:
            return card_lines(errors[-1], width, blocks=self.blocks)
        return [
            styled(line, "$quiet")
            for line in wrap(
                "No trace is open. /timeline FILE reads nsys output: a .sqlite export or the CSV of nsys stats.", width
            )
        ]

    # User actions

    @on(OptionList.OptionHighlighted)
    def _pointed(self, event: OptionList.OptionHighlighted) -> None:
        self._moment = -1
        self.query_one("#detail", VerticalScroll).scroll_home(animate=False)
        self._follow()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.action_take()

    @on(Lanes.Clicked)
    def _clicked(self, event: Lanes.Clicked) -> None:
        self._zoom(0.5, event.at)

    def action_leave(self) -> None:
        if not self.app.cancel_work():
            self.app.dispatch(e.ViewLeft())

    def action_take(self) -> None:
        item = self._item
        if item is not None and item.kind == "command":
            self.action_copy()
            return
        lanes, moments = self.query_one("#lanes", Lanes), self._moments
        if moments and lanes.whole is not None:
            self._moment = (self._moment + 1) % len(moments)
            lanes.look(around(moments[self._moment], lanes.whole))

    def _zoom(self, factor: float, at: int | None = None) -> None:
        lanes = self.query_one("#lanes", Lanes)
        if lanes.window is not None and lanes.whole is not None:
            lanes.look(zoomed(lanes.window, lanes.whole, factor, at))

    def action_zoom(self, by: int) -> None:
        self._zoom(0.5 if by < 0 else 2.0)

    def action_pan(self, by: int) -> None:
        lanes = self.query_one("#lanes", Lanes)
        if lanes.window is not None and lanes.whole is not None:
            step = max((lanes.window[1] - lanes.window[0]) // _PAN, 1)
            lanes.look(panned(lanes.window, lanes.whole, by * step))

    def action_whole(self) -> None:
        lanes = self.query_one("#lanes", Lanes)
        lanes.look(lanes.whole)

    def action_streams(self) -> None:
        self._streams = not self._streams
        self._follow()

    def action_gpu(self, by: int) -> None:
        if self._result is not None and len(self._result.gpus) > 1:
            self._place = (self._place + by) % len(self._result.gpus)
            self._moment = -1
            self._list()
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

    def action_page(self, by: int) -> None:
        pane = self.query_one("#detail", VerticalScroll)
        pane.scroll_relative(y=by * max(pane.size.height - 1, 1), animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        gpu = self._gpu if self.is_mounted else None
        if action in ("zoom", "pan", "whole"):
            return gpu is not None and gpu.window is not None
        if action == "streams":
            return gpu is not None and any(lane.id == "stream" for lane in gpu.lanes)
        if action == "gpu":
            return self._result is not None and len(self._result.gpus) > 1
        if action == "copy":
            return gpu is not None and gpu.command is not None
        if action == "explain":
            return gpu is not None and self._item is not None and self._item.pattern is not None
        if action == "take":
            item = self._item if gpu is not None else None
            return item is not None and (item.kind == "command" or bool(self._moments))
        return True


def _is(item: Item, subject: str) -> bool:
    """Whether a row is the subject that the view was opened for: a pattern's id, or a kind of row."""
    return bool(subject) and (item.kind == subject or (item.pattern is not None and item.pattern.finding.id == subject))
