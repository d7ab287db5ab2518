"""The replay screen: a saved session, played step by step or automatically, with steps that now differ marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Resize
from textual.timer import Timer
from textual.widgets import OptionList

from advisor.records.errors import AdvisorError
from advisor.session.actions.view import OPENED
from advisor.session.executor import Executor
from advisor.session.records import Card
from advisor.session.state import State
from advisor.session.transcripts.player import Player
from advisor.session.transcripts.sandbox import Sandbox
from advisor.tui.drawing import styled
from advisor.tui.request_runner import STAGES
from advisor.tui.screens.base import AppScreen, hidden
from advisor.tui.widgets.evidence import Evidence
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.launches import LaunchTable, rows_of
from advisor.tui.widgets.lists import fill
from advisor.tui.widgets.text import Banner, Conversation, Note
from advisor.view.blocks import Line
from advisor.view.numbers import plural
from advisor.view.text import cut

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp

_DIFFERENCES: Final = 3  # maximum number of differences shown for a step
_VALUE: Final = 40  # maximum number of characters of a value
_PACES: Final = (4.0, 2.0, 1.0, 0.5)  # seconds per step
_HUGE: Final = 150  # smallest number of columns for the evidence beside the conversation


def load(path: Path) -> Player:
    """Load the player of a file. Raises InputError if the file is not a saved session."""
    return Player.load(path)


def about(player: Player) -> Card:
    """Return a card about the session: its description and sources."""
    header = getattr(getattr(player, "transcript", None), "header", None)
    description, cites = getattr(header, "description", "").strip(), getattr(header, "cites", ())
    lines = [Line(description)] if description else []
    lines += [Line(", ".join(cites), "fact", "Source")] if cites else []
    keys = "Left and right move from step to step, p plays, g continues from a step in your own session."
    lines.append(Line(keys if player.steps else "This session has no steps.", "quiet"))
    return Card("overview", player.title, tuple(lines), label="Saved session")


def difference_lines(found: Sequence[Any]) -> list[Content]:
    """Return the first differences of a step, and the number of further ones."""
    lines = [
        styled(f"  {one.place}: was {_value(one.expected)}, is {_value(one.came)}", "") for one in found[:_DIFFERENCES]
    ]
    more = len(found) - _DIFFERENCES
    return [*lines, styled(f"  and {more} more", "$quiet")] if more > 0 else lines


def _value(value: Any) -> str:
    return "nothing" if value is None else cut(str(value), _VALUE)


def _attempt(work: Callable[[], Any], name: str = "") -> tuple[Any, str]:
    """Run work on a saved session; return its result and any error text. A damaged file must not crash the program."""
    try:
        return work(), ""
    except AdvisorError as problem:
        return None, str(problem)
    except Exception as problem:
        return None, f"{name}{type(problem).__name__}: {problem}"


def read(app: AdvisorApp, path: Path, to_the_end: bool, load: Callable[[Path], Player]) -> None:
    """Load a session in a thread, play it to its end if it is to be continued, then call app.loaded."""

    def played() -> tuple[Player, Any]:
        player = load(path)
        return player, player.at(len(tuple(player.steps)), lambda *_: None) if to_the_end else None

    def work() -> None:
        found, problem = _attempt(played, f"{path.name}: ")
        player, end = found or (None, None)
        app.call_later(app.loaded, player, end, problem)

    Thread(target=work, name="read session", daemon=True).start()


def own(played: Any, real: Executor) -> Executor:
    """Turn the executor of a replay into one for the user's own session, which writes files and runs kernels."""
    if not isinstance(played, Sandbox):
        return played if isinstance(played, Executor) else real
    played.take_over(real.sources)
    return played


class ReplayScreen(AppScreen):
    """The list of steps, the recorded conversation, and the evidence; a thread computes the steps."""

    wide = 120
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "step(1)", "Step", key_display="→", priority=True, tooltip="Next step"),
        hidden("n,space", "step(1)", "Step", "Next step"),
        hidden("left", "step(-1)", "Back", "Previous step", priority=True),
        hidden("b", "step(-1)", "Back", "Previous step"),
        Binding("p", "play", "Play", tooltip="Play or pause"),
        Binding("plus,equals_sign", "pace(1)", "Faster", key_display="+", tooltip="Play faster"),
        Binding("minus", "pace(-1)", "Slower", key_display="-", tooltip="Play slower"),
        hidden("home", "ends(-1)", "First", "Go to the beginning", priority=True),
        hidden("end", "ends(1)", "Last", "Go to the last step", priority=True),
        hidden("enter", "jump", "Go to", "Go to the typed or highlighted step; there, go on", priority=True),
        Binding("d", "difference", "Differs", tooltip="Replay to the next step whose conclusions differ"),
        Binding("s,f2", "list", "Steps", tooltip="Show or hide the list of steps"),
        Binding("e,f3", "evidence", "Evidence", tooltip="Show or hide the evidence"),
        hidden("f6,alt+right", "evidence_page", "Page", "Next evidence page"),
        Binding("g", "go_on", "Continue", tooltip="Continue from here in a session of your own"),
        Binding("escape", "leave", "Leave", tooltip="Cancel the search for a difference, or leave the replay"),
        hidden("pageup", "page(-1)", "Page up", priority=True),
        hidden("pagedown", "page(1)", "Page down", priority=True),
        hidden("backspace", "undigit", "Delete digit"),
        *(hidden(str(n), f"digit({n})", "Digit", "Type the number of a step, then Enter") for n in range(10)),
    ]

    def __init__(self, player: Player, *, blocks: bool = True, step: int = 0) -> None:
        super().__init__(blocks=blocks)
        self.player = player
        self.working = False  # whether a step is being computed
        self._steps = tuple(player.steps)
        self._step = 0  # the current step
        self._wanted = min(max(step, 0), len(self._steps))
        self._seeking = False  # whether steps are being computed until one differs
        self._at_work = 0  # the step being computed
        self._pace = 1
        self._timer: Timer | None = None
        self._digits = ""
        self._played: Any = None
        self._found: dict[int, tuple[Sequence[Any], bool]] = {}  # step -> differences, and whether it was applied
        self._lock = Lock()

    @property
    def playing(self) -> bool:
        """Whether the replay plays automatically."""
        return self._timer is not None

    @property
    def _list(self) -> OptionList:
        return self.query_one("#steps", OptionList)

    def compose(self) -> ComposeResult:
        yield Banner(blocks=self.blocks)
        with Horizontal(id="columns"):
            yield OptionList(id="steps", markup=False, compact=True)
            yield Conversation(blocks=self.blocks, ident="conversation")
            yield LaunchTable(ident="table")
            yield Evidence(blocks=self.blocks, ident="evidence")
        yield Note("step")
        yield KeyLine()

    def on_mount(self) -> None:
        fill(self._list, [self._row(at) for at in range(len(self._steps) + 1)])
        self._list.focus()
        self._draw()
        self._go(self._wanted)

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width >= _HUGE, "-huge")

    def show(self, state: State) -> None:
        """Ignore the state of the program's own session."""

    # Work

    def _go(self, step: int) -> None:
        self._wanted = min(max(step, 0), len(self._steps))
        if not self.working:
            self._work_out(self._wanted)

    def _seek(self, step: int) -> None:
        """Show the first step at or after this one that differs; if none does, show a note and stay."""
        while step in self._found and not self._differs(step):
            step += 1
        if step <= len(self._steps):
            self._work_out(step, passing=True)
            return
        self._seeking, self._wanted = False, self._step
        self.notify("No later step differs from the saved session.", markup=False)

    def _work_out(self, step: int, passing: bool = False) -> None:
        self.working, self._at_work = True, step
        self._busy("", step if passing else 0, len(self._steps) if passing else 0)
        Thread(target=self._work, args=(step, passing), name="replay", daemon=True).start()

    def _work(self, step: int, passing: bool) -> None:
        def watch(what: str, done: int, total: int) -> None:
            self.call_later(self._watched, what, done, total)

        def work() -> tuple[Any, Sequence[Any]]:
            with self._lock:
                return self.player.at(step, watch), tuple(self.player.differences(step)) if step else ()

        result, problem = _attempt(work)
        played, differences = result or (None, ())
        self.call_later(self._ready, step, played, differences, problem, passing)

    def _watched(self, what: str, done: int, total: int) -> None:
        if self.working:
            self._busy(what, done, total)

    def _busy(self, what: str, done: int, total: int) -> None:
        text = STAGES.get(what) or f"computing step {self._at_work}"
        self.query_one(Banner).work(text, done, total if total > 1 else 0)

    def _ready(self, step: int, played: Any, differences: Sequence[Any], problem: str, passing: bool) -> None:
        """Show a computed step. passing: the step was computed only to reach another one."""
        self.working = False
        self.query_one(Banner).work("")
        if problem:
            self._pause()
            self._wanted = self._step
            self.notify(problem, severity="error", markup=False)
            return
        if step:
            self._found[step] = (differences, bool(getattr(played, "done", True)))
            self._list.replace_option_prompt_at_index(step, self._row(step))
        if passing and self._seeking and self._differs(step):
            self._seeking, self._wanted = False, step
        if not passing or step == self._wanted:
            self._step, self._played = step, played
            self._draw()
        if self._seeking:
            self._seek(step + 1)
        elif self._wanted != self._step:
            self._go(self._wanted)

    def _differs(self, step: int) -> bool:
        """Return whether a computed step concludes differently or could not be applied."""
        found, done = self._found[step]
        return bool(found) or not done

    # Drawing

    def _row(self, at: int) -> Content:
        if at == 0:
            return styled("  0 before the first step", "$quiet")
        found, done = self._found.get(at, ((), True))
        mark = styled("≠" if self.blocks else "!", "bold $text-error") if found or not done else Content(" ")
        return mark + styled(f"{at:>2} ", "bold $text-accent") + styled(cut(self._said(at), 200), "")

    def _said(self, at: int) -> str:
        return str(self._steps[at - 1].words).replace("\n", " ")

    def _draw(self) -> None:
        state = State() if self._played is None else self._played.state
        self.query_one(Banner).show(f"replay · {self.player.title}")
        listed = state.place == "launches" and state.diagnosis is not None and not state.view
        self.set_class(listed, "-listed")
        if listed and state.diagnosis is not None:
            self.query_one(LaunchTable).show(rows_of(state.diagnosis), "", "report")
        self.query_one(Conversation).show(state.conversation if self._step else (about(self.player),))
        self.query_one(Evidence).show(state)
        self._list.highlighted = self._step
        self._tell(state)
        self.refresh_bindings()

    def _tell(self, state: State) -> None:
        """Show the line about the step: its action, whether its conclusions are the same, whether the replay plays."""
        line = styled(f"step {self._step} of {len(self._steps)}  ", "bold $text-accent")
        said, style = (cut(self._said(self._step), 300), "bold") if self._step else ("before the first step", "$quiet")
        line += styled(said, style)
        if state.view:
            line += styled(f"  in view: {OPENED.get(state.view, state.view)}", "$quiet")
        found, _ = self._found.get(self._step, ((), True)) if self._step else ((), True)
        self.query_one("#step", Note).say([line, self._verdict(), *difference_lines(found)])

    def _verdict(self) -> Content:
        if self._digits:
            return styled(f"go to step {self._digits}_ (Enter)", "$text-accent")
        plays = "paused" if self._timer is None else f"playing, a step every {_PACES[self._pace]:g} s"
        if not self._step:
            return styled(plays, "$quiet")
        found, done = self._found.get(self._step, ((), True))
        if not done:
            return styled("could not be applied at this point", "bold $text-error")
        if found:
            differ = plural(len(found), "place differs", "places differ")
            return styled(f"{len(found)} {differ} from the saved session", "bold $text-error")
        return styled(f"same conclusions as saved · {plays}", "$quiet")

    # User actions

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self._pause()
        self._go(event.option_index)

    def action_step(self, by: int) -> None:
        self._pause()
        self._go(self._wanted + by)

    def action_ends(self, by: int) -> None:
        self._pause()
        self._go(0 if by < 0 else len(self._steps))

    def action_digit(self, digit: int) -> None:
        self._digits = (self._digits + str(digit))[-5:]
        self._draw()

    def action_undigit(self) -> None:
        self._digits = self._digits[:-1]
        self._draw()

    def action_jump(self) -> None:
        self._pause()
        at = self._list.highlighted
        wanted = int(self._digits) if self._digits else at or 0
        if not self._digits and wanted == self._wanted:
            wanted = min(wanted + 1, len(self._steps))  # where it is already, Enter goes on
        self._digits = ""
        self._go(wanted)
        self._draw()

    def action_difference(self) -> None:
        self._pause()
        self._seeking = True
        if not self.working:
            self._seek(self._step + 1)

    def action_play(self) -> None:
        if self._timer is not None:
            self._pause()
        elif self._wanted < len(self._steps):
            self._seeking = False
            self._timer = self.set_interval(_PACES[self._pace], self._tick)
            self._go(self._wanted + 1)
        self._draw()

    def _tick(self) -> None:
        if self.working:
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
        self._pace = min(max(self._pace + by, 0), len(_PACES) - 1)
        if self._timer is not None:
            self._pause()
            self._timer = self.set_interval(_PACES[self._pace], self._tick)
        self._draw()

    def action_list(self) -> None:
        self.toggle_class("-alone" if self.has_class("-wide") else "-steps")
        self.remove_class("-evidence")
        self._list.focus()

    def action_evidence(self) -> None:
        self.toggle_class("-evidence")
        self.remove_class("-steps")

    def action_evidence_page(self) -> None:
        if self.has_class("-evidence"):
            self.query_one(Evidence).action_turn(1)
        else:
            self.action_evidence()

    def scrolled(self) -> Evidence | Conversation:
        if self.has_class("-evidence") and not self.has_class("-wide"):
            return self.query_one(Evidence)
        self.query_one(Conversation).let_go()
        return self.query_one(Conversation)

    def action_go_on(self) -> None:
        if self._played is not None and not self.working and self._step:
            self._pause()
            self.app.go_on(self._played.state, self.player.executor)
            said = f"This is now your own session, continued from step {self._step} of the replay."
            self.app.notify(said, markup=False)

    def action_leave(self) -> None:
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
        if action == "go_on":
            return self._step > 0 and not self.working
        if action == "pace":
            return self._timer is not None
        return True
