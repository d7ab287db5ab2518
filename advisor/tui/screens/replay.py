"""A saved session played again: step by step, or by itself, as it looked then, and where it concludes otherwise now."""

from __future__ import annotations

from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Resize
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from advisor.records.errors import AdvisorError
from advisor.session.actions.view import OPENED
from advisor.session.state import State
from advisor.tui import words_places as words
from advisor.tui.launch_rows import rows_of
from advisor.tui.layout import styled
from advisor.tui.playing import Playing, about, difference_lines
from advisor.tui.widgets.banner import Banner
from advisor.tui.widgets.busy import Busy
from advisor.tui.widgets.conversation import Conversation
from advisor.tui.widgets.evidence import Evidence
from advisor.tui.widgets.footer import FittedFooter
from advisor.tui.widgets.launches import LaunchTable
from advisor.view.numbers import plural
from advisor.view.text import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.tui.app import AdvisorApp

WIDE: Final = 120  # columns from which the list of steps stands beside the conversation
HUGE: Final = 150  # columns from which the evidence does so too
_PACES: Final = (4.0, 2.0, 1.0, 0.5)  # seconds a step


class ReplayScreen(Screen[None]):
    """The list of steps, the conversation as it was, the evidence; what is worked out is worked out in a thread."""

    app: AdvisorApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "right", "step(1)", "Step", key_display="→", priority=True, id="replay.step", tooltip=words.TIP_FORWARD
        ),
        Binding("n,space", "step(1)", "Step", show=False, id="replay.next", tooltip=words.TIP_FORWARD),
        Binding("left", "step(-1)", "Back", show=False, priority=True, id="replay.back", tooltip=words.TIP_BACKWARD),
        Binding("b", "step(-1)", "Back", show=False, id="replay.before", tooltip=words.TIP_BACKWARD),
        Binding("p", "play", "Play", id="replay.play", tooltip=words.TIP_PLAY),
        Binding("plus,equals_sign", "pace(1)", "Faster", key_display="+", id="replay.fast", tooltip=words.TIP_FASTER),
        Binding("minus", "pace(-1)", "Slower", key_display="-", id="replay.slow", tooltip=words.TIP_SLOWER),
        Binding("home", "ends(-1)", "First", show=False, priority=True, id="replay.first", tooltip=words.TIP_FIRST),
        Binding("end", "ends(1)", "Last", show=False, priority=True, id="replay.last", tooltip=words.TIP_LAST),
        Binding("enter", "jump", "Go to", show=False, id="replay.jump", priority=True, tooltip=words.TIP_JUMP),
        Binding("d", "difference", "Differs", id="replay.differs", tooltip=words.TIP_DIFFERENCE),
        Binding("f2", "list", "Steps", id="replay.list", tooltip=words.TIP_LIST),
        Binding("f3", "evidence", "Evidence", id="replay.evidence", tooltip=words.TIP_EVIDENCE),
        Binding("f6", "evidence_page", "Page", show=False, id="replay.page", tooltip=words.TIP_EVIDENCE_PAGE),
        Binding("g", "go_on", "Go on", id="replay.goon", tooltip=words.TIP_GO_ON),
        Binding("escape", "leave", "Leave", id="replay.leave", tooltip=words.TIP_REPLAY_LEAVE),
        Binding("f1", "app.help", "Help", id="replay.help", tooltip=words.TIP_HELP),
        Binding("pageup", "page(-1)", words.UP, show=False, priority=True, id="replay.pageup"),
        Binding("pagedown", "page(1)", words.DOWN, show=False, priority=True, id="replay.pagedown"),
        Binding("backspace", "undigit", "Digit back", show=False, id="replay.undigit"),
        *(
            Binding(*(str(n), f"digit({n})", "Digit"), show=False, id=f"replay.digit{n}", tooltip=words.TIP_DIGIT)
            for n in range(10)
        ),
    ]

    class Ready(Message):
        """A step was worked out, or why not: what came of it, where it differs. passing: on the way to another."""

        def __init__(self, step: int, played: Any, differences: Sequence[Any], problem: str, passing: bool) -> None:
            super().__init__()
            self.step, self.played, self.differences, self.problem = step, played, differences, problem
            self.passing = passing

    class Watched(Message):
        """How far the work is."""

        def __init__(self, what: str, done: int, total: int) -> None:
            super().__init__()
            self.what, self.done, self.total = what, done, total

    def __init__(self, player: Playing, *, blocks: bool = True, step: int = 0) -> None:
        super().__init__()
        self._player, self._blocks = player, blocks
        self._steps = tuple(player.steps)
        self._step = 0  # the one in view
        self._wanted = min(max(step, 0), len(self._steps))
        self._working = self._seeking = False  # seeking: steps are worked out until one differs
        self._at_work = 0  # the step that is worked out
        self._pace = 1
        self._timer: Timer | None = None
        self._digits = ""
        self._played: Any = None
        self._found: dict[int, tuple[Sequence[Any], bool]] = {}  # step -> differences, could be done
        self._lock = Lock()

    @property
    def player(self) -> Playing:
        """What is played."""
        return self._player

    def compose(self) -> ComposeResult:
        """Steps, conversation, evidence; below them what the step was."""
        yield Banner()
        with Horizontal(id="columns"):
            yield OptionList(id="steps", markup=False, compact=True)
            yield Conversation(blocks=self._blocks, ident="conversation")
            yield LaunchTable(ident="table")
            yield Evidence(blocks=self._blocks, ident="evidence")
        yield Static(id="deed", markup=False)
        yield Busy(blocks=self._blocks)
        yield FittedFooter()

    def on_mount(self) -> None:
        """Everything at the beginning; the wanted step is worked out."""
        rows = self.query_one("#steps", OptionList)
        rows.add_options([Option(self._row(at)) for at in range(len(self._steps) + 1)])
        rows.highlighted = 0
        rows.focus()
        self.query_one(Conversation).can_focus = False
        self._draw()
        self._go(self._wanted)

    def on_resize(self, event: Resize) -> None:
        """Beside each other where there is room."""
        self.set_class(event.size.width >= WIDE, "-wide")
        self.set_class(event.size.width >= HUGE, "-huge")

    def show(self, state: State) -> None:
        """The state of the program's own session is not shown here."""

    # Work

    def _go(self, step: int) -> None:
        """Show a step as soon as it is worked out."""
        self._wanted = min(max(step, 0), len(self._steps))
        if not self._working:
            self._work_out(self._wanted)

    def _seek(self, step: int) -> None:
        """Show the first step from this one on that differs; where none does, say so and stay."""
        while step in self._found and not self._differs(step):
            step += 1
        if step <= len(self._steps):
            self._work_out(step, passing=True)
            return
        self._seeking, self._wanted = False, self._step
        self.notify(words.NONE_DIFFERS, markup=False)

    def _work_out(self, step: int, passing: bool = False) -> None:
        self._working, self._at_work = True, step
        self._busy("", step if passing else 0, len(self._steps) if passing else 0)
        Thread(target=self._work, args=(step, passing), name="replay", daemon=True).start()

    def _work(self, step: int, passing: bool) -> None:
        def watch(what: str, done: int, total: int) -> None:
            self.post_message(self.Watched(what, done, total))

        try:
            with self._lock:
                played = self._player.at(step, watch)
                found = tuple(self._player.differences(step)) if step else ()
            self.post_message(self.Ready(step, played, found, "", passing))
        except AdvisorError as problem:
            self.post_message(self.Ready(step, None, (), str(problem), passing))
        except Exception as problem:  # a damaged file must never end the program
            self.post_message(self.Ready(step, None, (), f"{type(problem).__name__}: {problem}", passing))

    @on(Watched)
    def _watched(self, event: Watched) -> None:
        if self._working:
            self._busy(event.what, event.done, event.total)

    def _busy(self, what: str, done: int, total: int) -> None:
        from advisor.tui.words import STAGES

        text = STAGES.get(what) or words.WORKING_OUT.format(step=self._at_work)
        self.query_one(Busy).show(text, done, total if total > 1 else 0)

    @on(Ready)
    def _ready(self, event: Ready) -> None:
        self._working = False
        self.query_one(Busy).show("")
        if event.problem:
            self._pause()
            self._wanted = self._step
            self.notify(event.problem, severity="error", markup=False)
            return
        if event.step:
            self._found[event.step] = (event.differences, bool(getattr(event.played, "done", True)))
            self.query_one("#steps", OptionList).replace_option_prompt_at_index(event.step, self._row(event.step))
        if event.passing and self._seeking and self._differs(event.step):
            self._seeking, self._wanted = False, event.step
        if not event.passing or event.step == self._wanted:
            self._step, self._played = event.step, event.played
            self._draw()
        if self._seeking:
            self._seek(event.step + 1)
        elif self._wanted != self._step:
            self._go(self._wanted)

    def _differs(self, step: int) -> bool:
        """Whether a step that was worked out is concluded otherwise, or could not be done."""
        found, done = self._found[step]
        return bool(found) or not done

    # What is shown

    def _row(self, at: int) -> Content:
        if at == 0:
            return styled(f"  0 {words.BEGINNING}", "$quiet")
        found, done = self._found.get(at, ((), True))
        mark = styled("≠" if self._blocks else "!", "bold $text-error") if found or not done else Content(" ")
        return mark + styled(f"{at:>2} ", "bold $text-accent") + styled(cut(self._said(at), 200), "")

    def _said(self, at: int) -> str:
        return str(self._steps[at - 1].words).replace("\n", " ")

    def _draw(self) -> None:
        """The state of the step in view."""
        state = State() if self._played is None else self._played.state
        self.query_one(Banner).show(words.REPLAY_TITLE.format(title=self._player.title))
        listed = state.place == "launches" and state.diagnosis is not None and not state.view
        self.set_class(listed, "-listed")
        if listed and state.diagnosis is not None:
            self.query_one(LaunchTable).show(rows_of(state.diagnosis), "", "report")
        self.query_one(Conversation).show(state.conversation if self._step else (about(self._player),))
        self.query_one(Evidence).show(state)
        rows = self.query_one("#steps", OptionList)
        if rows.highlighted != self._step:
            rows.highlighted = self._step
        self._tell(state)
        self.app.offer(self)

    def _tell(self, state: State) -> None:
        """The line about the step: what was done, whether it concludes the same, whether it plays."""
        head = words.STEP.format(step=self._step, steps=len(self._steps))
        line = styled(f"{head}  ", "bold $text-accent")
        line += styled(cut(self._said(self._step), 300), "bold") if self._step else styled(words.BEGINNING, "$quiet")
        if state.view:
            line += styled(f"  {words.VIEW.format(view=OPENED.get(state.view, state.view))}", "$quiet")
        lines = [line, self._verdict()]
        found, _ = self._found.get(self._step, ((), True)) if self._step else ((), True)
        lines += difference_lines(found)
        self.query_one("#deed", Static).update(Content("\n").join(lines))

    def _verdict(self) -> Content:
        if self._digits:
            return styled(words.JUMP.format(digits=self._digits), "$text-accent")
        plays = words.PAUSED if self._timer is None else words.PLAYING.format(seconds=_PACES[self._pace])
        if not self._step:
            return styled(plays, "$quiet")
        found, done = self._found.get(self._step, ((), True))
        if not done:
            return styled(words.NOT_DONE, "bold $text-error")
        if found:
            places = plural(len(found), "place", "places")
            return styled(words.DIFFERS.format(count=len(found), places=places), "bold $text-error")
        return styled(f"{words.AS_SAVED} · {plays}", "$quiet")

    # What the user does

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self._pause()
        self._go(event.option_index)

    def action_step(self, by: int) -> None:
        """One step forward or back."""
        self._pause()
        self._go(self._wanted + by)

    def action_ends(self, by: int) -> None:
        """To the beginning or the end."""
        self._pause()
        self._go(0 if by < 0 else len(self._steps))

    def action_digit(self, digit: int) -> None:
        """A digit of the step to go to."""
        self._digits = (self._digits + str(digit))[-5:]
        self._draw()

    def action_undigit(self) -> None:
        """The last digit is taken back."""
        self._digits = self._digits[:-1]
        self._draw()

    def action_jump(self) -> None:
        """To the step that was typed, else to the marked one."""
        self._pause()
        at = self.query_one("#steps", OptionList).highlighted
        wanted, self._digits = int(self._digits) if self._digits else at or 0, ""
        self._go(wanted)
        self._draw()

    def action_difference(self) -> None:
        """On to the next step that differs; steps are worked out on the way, any other key ends that."""
        self._pause()
        self._seeking = True
        if not self._working:
            self._seek(self._step + 1)

    def action_play(self) -> None:
        """Play or pause."""
        if self._timer is not None:
            self._pause()
        elif self._wanted < len(self._steps):
            self._seeking = False
            self._timer = self.set_interval(_PACES[self._pace], self._tick)
            self._go(self._wanted + 1)
        self._draw()

    def _tick(self) -> None:
        if self._working:
            return
        if self._wanted >= len(self._steps):
            self._pause()
            self._draw()
        else:
            self._go(self._wanted + 1)

    def _pause(self) -> None:
        self._seeking = False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def action_pace(self, by: int) -> None:
        """Faster or slower."""
        self._pace = min(max(self._pace + by, 0), len(_PACES) - 1)
        if self._timer is not None:
            self._pause()
            self._timer = self.set_interval(_PACES[self._pace], self._tick)
        self._draw()

    def action_list(self) -> None:
        """The list of steps, shown or hidden; in a narrow terminal in place of the conversation."""
        self.toggle_class("-alone" if self.has_class("-wide") else "-steps")
        self.remove_class("-evidence")
        self.query_one("#steps").focus()

    def action_evidence(self) -> None:
        """The evidence, shown or hidden; in a narrow terminal in place of the conversation."""
        self.toggle_class("-evidence")
        self.remove_class("-steps")

    def action_evidence_page(self) -> None:
        """The next page of the evidence; where it is hidden it is shown first."""
        if self.has_class("-evidence"):
            self.query_one(Evidence).action_turn(1)
        else:
            self.action_evidence()

    def action_page(self, by: int) -> None:
        """A page up or down in what is in view."""
        narrow = not self.has_class("-wide")
        view = self.query_one(Evidence if self.has_class("-evidence") and narrow else Conversation)
        if isinstance(view, Conversation):
            view.let_go()
        view.scroll_relative(y=by * max(view.size.height - 1, 1), animate=False)

    def action_go_on(self) -> None:
        """A session of the user's own from this step."""
        if self._played is not None and not self._working and self._step:
            self._pause()
            self.app.go_on(self._played.state, self._player.desk)
            self.app.notify(words.GOES_ON.format(step=self._step), markup=False)

    def action_leave(self) -> None:
        """Call off the search; empty the number; close the list or the evidence; else leave."""
        if self._seeking:
            self._pause()
        elif self._digits:
            self._digits = ""
            self._draw()
        elif not self.has_class("-wide") and (self.has_class("-steps") or self.has_class("-evidence")):
            self.remove_class("-steps", "-evidence")
        else:
            self._pause()
            self.app.end_replay()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
        if action == "go_on":
            return self._step > 0 and not self._working
        if action == "pace":
            return self._timer is not None
        return True
