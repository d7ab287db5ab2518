"""The timeline of a program: lanes to zoom into, what was found in them, the kernels, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from advisor.session import events as e
from advisor.session.state import State
from advisor.timeline.results import GpuTimeline, Moment, Pattern, TimelineResult
from advisor.tui import words_places as words
from advisor.tui.layout import card_lines, heading, safe, styled
from advisor.tui.screens.registry import ViewScreen
from advisor.tui.widgets.banner import Banner
from advisor.tui.widgets.busy import Busy
from advisor.tui.widgets.footer import FittedFooter
from advisor.tui.widgets.lanes import Lanes, around, panned, zoomed
from advisor.tui.widgets.lines import Lines
from advisor.view.numbers import plural, speedup_text
from advisor.view.text import wrap
from advisor.view.timeline import about_text, command_texts, kernel_lines, pattern_lines, together_lines, unseen_texts

WIDE: Final = 110
_KERNELS: Final = 30
_PAN: Final = 4  # a step aside is a fourth of what is in view


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the list: what it is (decision, pattern, unseen, kernels, command, together), its label, a remark."""

    kind: str
    label: str
    note: str = ""
    pattern: Pattern | None = None
    number: int = 0


def items_of(result: TimelineResult, gpu: GpuTimeline) -> tuple[Item, ...]:
    """All that can be looked at about one GPU, in the order in which it matters."""
    out = [Item("decision", words.NEXT, gpu.decision.title)]
    found = [p for p in gpu.patterns if p.finding.kind != "note"]
    found += [p for p in gpu.patterns if p.finding.kind == "note"]
    for number, pattern in enumerate(found, 1):
        out.append(Item("pattern", pattern.finding.title, _gain(pattern), pattern, number))
    if gpu.unseen:
        out.append(Item("unseen", words.UNSEEN, f"{len(gpu.unseen)} {plural(len(gpu.unseen), 'pattern')}"))
    if gpu.kernels:
        out.append(Item("kernels", words.KERNELS, f"{len(gpu.kernels)}"))
    if gpu.command is not None and gpu.target is not None:
        out.append(Item("command", words.COMMAND, safe(gpu.target.short).replace("\n", " ")))
    if result.together is not None:
        out.append(Item("together", words.TOGETHER, f"{len(result.gpus)}"))
    return tuple(out)


def _gain(pattern: Pattern) -> str:
    gain = pattern.finding.speedup
    if gain is None:
        return words.NOTE if pattern.finding.kind == "note" else ""
    return words.AT_MOST.format(factor=speedup_text(gain.high))


class TimelineScreen(ViewScreen):
    """The list has the focus; what it points at is shown beside or under it and marked on the lanes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", id="timeline.leave", tooltip=words.TIP_LEAVE),
        Binding("f1", "app.help", "Help", id="timeline.help", tooltip=words.TIP_HELP),
        Binding("enter", "take", "Moment", id="timeline.take", priority=True, tooltip=words.TIP_TAKE),
        Binding("plus,equals_sign", "zoom(-1)", "Closer", key_display="+", id="timeline.in", tooltip=words.TIP_IN),
        Binding("minus", "zoom(1)", "Wider", key_display="-", id="timeline.out", tooltip=words.TIP_OUT),
        Binding("left", "pan(-1)", "Earlier", show=False, id="timeline.left", tooltip=words.TIP_LEFT),
        Binding("right", "pan(1)", "Later", show=False, id="timeline.right", tooltip=words.TIP_RIGHT),
        Binding("0", "whole", "Whole", id="timeline.whole", tooltip=words.TIP_WHOLE),
        Binding("s", "streams", "Streams", id="timeline.streams", tooltip=words.TIP_STREAMS),
        Binding("g", "gpu(1)", "Next GPU", id="timeline.gpu", tooltip=words.TIP_GPU),
        Binding("c", "copy", "Copy", id="timeline.copy", tooltip=words.TIP_COPY),
        Binding("e", "explain", "Explain", id="timeline.explain", tooltip=words.TIP_EXPLAIN),
        Binding("pageup", "page(-1)", words.UP, show=False, priority=True, id="timeline.pageup"),
        Binding("pagedown", "page(1)", words.DOWN, show=False, priority=True, id="timeline.pagedown"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._result: TimelineResult | None = None
        self._place = 0
        self._streams = False
        self._items: tuple[Item, ...] = ()
        self._moment = -1  # which of the marked moments is in view

    def compose(self) -> ComposeResult:
        """Lanes above; the list and what it points at below."""
        yield Banner()
        yield Lanes(blocks=self.blocks, ident="lanes")
        with Horizontal(id="below"):
            yield OptionList(id="items", markup=False, compact=True)
            with VerticalScroll(id="detail", can_focus=False):
                yield Lines(ident="text")
        yield Busy(blocks=self.blocks)
        yield FittedFooter()

    def on_mount(self) -> None:
        """The list has the focus."""
        self.query_one("#items").focus()
        self.show(self.app.state)

    def on_screen_resume(self) -> None:
        """Back: what holds now."""
        self.show(self.app.state)

    def on_resize(self, event: Resize) -> None:
        """Beside each other from WIDE columns; texts are broken anew."""
        self.set_class(event.size.width >= WIDE, "-wide")
        self.set_class(event.size.height < 20, "-low")

    def show(self, state: State) -> None:
        """Show the timeline of the state; where there is none, what became of its traces."""
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

    # What is shown

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
        """The rows of the list for the GPU at hand."""
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
        """Banner, lanes and text follow the list."""
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
            more = [words.MOMENTS] if item.pattern.moments and gpu.window is not None else []
            return [heading(lines[0]), *(styled(line, "") for line in lines[1:]), *(styled(m, "$quiet") for m in more)]
        if item.kind == "unseen":
            texts = [line for text in unseen_texts(result, gpu.unseen) for line in wrap(f"- {safe(text)}", width, 0, 2)]
            return [heading(words.UNSEEN_TITLE), *(styled(line, "") for line in texts)]
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
        lines = [heading(words.COMMAND), *(styled(line, "") for line in texts), Content(""), *command, Content("")]
        after = [line for text in (words.COPY, words.AFTERWARDS) for line in wrap(text, width)]
        return [*lines, *(styled(line, "$quiet") for line in after)]

    def _nothing(self, width: int) -> list[Content]:
        state = self.app.state
        errors = [card for card in state.cards if card.kind == "error"]
        if any(isinstance(request, e.Trace) for request in state.waiting):
            return [styled(words.READING, "$quiet")]
        if errors:
            return card_lines(errors[-1], width, blocks=self.blocks)
        return [styled(line, "$quiet") for line in wrap(words.NO_TIMELINE, width)]

    # What the user does

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
        """Call off the reading; else back to the conversation."""
        if not self.app.call_off():
            self.app.dispatch(e.ViewLeft())

    def action_take(self) -> None:
        """The next moment of the pattern, or the command copied."""
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
        """Half or twice as much time."""
        self._zoom(0.5 if by < 0 else 2.0)

    def action_pan(self, by: int) -> None:
        """Earlier or later."""
        lanes = self.query_one("#lanes", Lanes)
        if lanes.window is not None and lanes.whole is not None:
            step = max((lanes.window[1] - lanes.window[0]) // _PAN, 1)
            lanes.look(panned(lanes.window, lanes.whole, by * step))

    def action_whole(self) -> None:
        """All of the time."""
        lanes = self.query_one("#lanes", Lanes)
        lanes.look(lanes.whole)

    def action_streams(self) -> None:
        """A lane for each of the busiest streams, or none."""
        self._streams = not self._streams
        self._follow()

    def action_gpu(self, by: int) -> None:
        """The next GPU of the traces."""
        if self._result is not None and len(self._result.gpus) > 1:
            self._place = (self._place + by) % len(self._result.gpus)
            self._moment = -1
            self._list()
            self._follow()

    def action_copy(self) -> None:
        """The ncu command to the clipboard."""
        gpu = self._gpu
        if gpu is not None and gpu.command is not None:
            self.app.copy_to_clipboard(gpu.command.command)
            self.notify(words.COPIED, markup=False)

    def action_explain(self) -> None:
        """What the knowledge base says of the pattern."""
        item = self._item
        if item is not None and item.pattern is not None:
            self.app.dispatch(e.ViewShown("knowledge", item.pattern.finding.id))

    def action_page(self, by: int) -> None:
        """The text, a page up or down."""
        pane = self.query_one("#detail", VerticalScroll)
        pane.scroll_relative(y=by * max(pane.size.height - 1, 1), animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
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
    """Whether a row is about what the view was opened for: a pattern's id, or a kind of row."""
    return bool(subject) and (item.kind == subject or (item.pattern is not None and item.pattern.finding.id == subject))
