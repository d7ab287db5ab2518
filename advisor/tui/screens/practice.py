"""The practice room: the list of exercises, and an exercise from its story to its score."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Resize
from textual.widgets import Input, Static

from advisor.session import events as e
from advisor.session.language import understand as commands
from advisor.session.practice import turn as practice_turn
from advisor.session.practice import words
from advisor.session.practice.exercising import STAGES, Exercising
from advisor.session.practice.handlers import opened_from
from advisor.session.practice.pages import page
from advisor.session.records import Choice
from advisor.session.state import State
from advisor.tui import words as common
from advisor.tui import words_exercise as tips
from advisor.tui.layout import safe, styled
from advisor.tui.screens.panel import TALL
from advisor.tui.screens.practice_editor import PracticeEditor, edited, editor_name
from advisor.tui.screens.registry import ViewScreen
from advisor.tui.widgets.banner import Banner
from advisor.tui.widgets.busy import Busy
from advisor.tui.widgets.choices import Choices
from advisor.tui.widgets.exercise_page import ExercisePage
from advisor.tui.widgets.footer import FittedFooter
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.rows import Rows
from advisor.tui.widgets.stages import Stages

_MARKS = {"solved": "[x]", "tried": "[~]", "started": "[.]", "new": "[ ]"}


class PracticeScreen(ViewScreen):
    """The list: typing filters, Enter opens. An exercise: the natural next step is marked, Enter takes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", id="practice.help", tooltip=common.TIP_HELP),
        Binding("f4", "app.undo", "Undo", id="practice.undo", tooltip=common.TIP_UNDO),
        Binding("f5", "turn(-1)", "Before", id="practice.before", tooltip=tips.BEFORE),
        Binding("f6", "turn(1)", "Next", id="practice.next", tooltip=tips.NEXT),
        Binding("f7", "spoilers", "Causes", id="practice.spoilers", tooltip=tips.SPOILERS),
        Binding("escape", "escape", "Leave", id="practice.leave", tooltip=tips.LEAVE),
        Binding("pageup", "page(-1)", "Page up", show=False, id="practice.pageup"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="practice.pagedown"),
        Binding("ctrl+up", "line(-1)", "Line up", show=False, id="practice.lineup"),
        Binding("ctrl+down", "line(1)", "Line down", show=False, id="practice.linedown"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._rows: tuple[object, ...] = ()
        self._kept: list[object] = []
        self._place: tuple[str, str] = ("", "")

    def compose(self) -> ComposeResult:
        """List or page; what is being done, choices and the line to type in."""
        yield Banner()
        yield Stages()
        yield Rows(blocks=self.blocks, ident="exercises")
        yield Static(markup=False, id="about")
        yield ExercisePage(blocks=self.blocks, ident="page")
        yield Busy(blocks=self.blocks)
        yield Choices()
        with Horizontal(id="ask"):
            yield Static("› " if self.blocks else "> ", id="sign", markup=False)
            yield Prompt(commands.commands(), ident="prompt")
        yield FittedFooter()

    def on_mount(self) -> None:
        """Everything is driven from the prompt."""
        self.query_one(Rows).can_focus = False
        self.query_one(Prompt).focus()
        self.show(self.app.state)

    def on_screen_resume(self) -> None:
        """On top again: show what holds now."""
        self.show(self.app.state)

    def on_resize(self, event: Resize) -> None:
        """More choices where there is room."""
        self.set_class(event.size.height >= TALL, "-tall")

    # Showing

    @property
    def here(self) -> Exercising:
        """Where the learner is."""
        return self.app.state.exercising or Exercising()

    @property
    def _typed(self) -> str:
        value = self.query_one(Prompt).value
        return "" if value.startswith("/") else value.strip()

    def show(self, state: State) -> None:
        """Show the list, or the page of the exercise."""
        if not self.is_mounted or state.view != "practice":
            return
        here = self.here
        if (here.name, here.stage) != self._place:
            # What was typed on another page means nothing on this one.
            self._place = (here.name, here.stage)
            self.query_one(Prompt).clear()
        self.set_class(not here.name, "-list")
        self.set_class(bool(here.name), "-page")
        if here.name:
            self._show_page(state, here)
        else:
            self._show_list(here)
        self.app.offer(self)

    def _show_page(self, state: State, here: Exercising) -> None:
        title = here.lesson.exercise.title if here.lesson is not None else ""
        self.query_one(Banner).show(f"{tips.PRACTICE} · {here.name}" + (f" · {title}" if title else ""))
        self.query_one(Stages).show(here.stage)
        shown = page(here)
        finds = here.stage == "numbers" and self._number is None and not practice_turn.stage_of(self._typed, here)
        wanted = self._typed if finds else ""
        self.query_one(ExercisePage).show(shown, (here.name, here.stage, here.step), state.lore, wanted)
        marked = not (practice_turn.narrows(here) and not self._typed)
        # A quiz is answered by its letters, and an accidental Enter must not be an answer.
        quiz, numbered = practice_turn.lettered(here), practice_turn.numbered(here)
        self.query_one(Choices).show(self._choices(here), numbered=numbered, marked=marked and not quiz)
        self.query_one(Prompt).placeholder = self._placeholder(here)

    @property
    def _number(self) -> int | None:
        """The place among the choices in view whose number is typed, None where none is."""
        return practice_turn.sought(self._typed, self.here)[1] if self.here.lesson is not None else None

    def _choices(self, here: Exercising) -> tuple[Choice, ...]:
        """The choices, those of a long list narrowed to what is typed; the editor by its name."""
        out = []
        find = practice_turn.sought(self._typed, here)[0] if here.lesson is not None else ()
        for choice in practice_turn.choices(here):
            if all(word in " ".join((choice.label, *choice.words)).casefold() for word in find):
                named = choice.id == practice_turn.EDITOR
                out.append(
                    Choice(choice.id, choice.label.format(editor=editor_name()), choice.words) if named else choice
                )
        return tuple(out)

    def _placeholder(self, here: Exercising) -> str:
        if here.lesson is None:
            return common.WAITING
        if practice_turn.narrows(here):
            return "a number, or a part of a name; Enter takes the marked choice"
        if here.stage == "predict" and practice_turn.asks_gain(here):
            return "a factor, such as 2 or 1.3x"
        if here.stage == "napkin" and practice_turn.next_number(here) is not None:
            return "a number with its unit, such as 1.3 GB or 310 us; Enter alone shows it"
        return {"numbers": "type to find numbers: sectors, stall …; Enter alone goes on", "log": words.LOG_HOW}.get(
            here.stage, "a choice, or the name of a stage such as hints; /help for commands"
        )

    def _show_list(self, here: Exercising) -> None:
        self.query_one(Banner).show(tips.PRACTICE)
        self.query_one(Prompt).placeholder = "type to find by name, title, level or state; Enter opens"
        find = self._typed.casefold().split()
        self._kept = [row for row in here.rows if all(word in _words(row, here.spoilers) for word in find)]
        rows = self.query_one(Rows)
        kept, spoilers = list(self._kept), here.spoilers
        rows.show(len(kept), lambda at, width: _line(kept[at], width, spoilers), at=min(rows.at, len(kept) - 1))
        self._tell()

    def _tell(self) -> None:
        here, rows = self.here, self.query_one(Rows)
        solved = sum(row.state == "solved" for row in here.rows)
        text = f"{len(self._kept)} of {len(here.rows)} exercises, {solved} solved" if here.rows else ""
        if here.rows and not self._kept:
            text = "No exercise matches; Esc empties the line."
        row = self._kept[rows.at] if rows.at < len(self._kept) else None
        about = tips.about(row) if row is not None else ""
        lines = [styled(line, "") for line in (text, about, here.trouble) if line]
        self.query_one("#about", Static).update(Content("\n").join(lines))

    # What the learner does

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        here = self.here
        if not here.name or self._finds(here):
            self.show(self.app.state)
        if here.name and self._finds(here):
            self._mark(here)

    def _mark(self, here: Exercising) -> None:
        """The choice whose number is typed is marked; of a long list none is before anything is typed."""
        choices, at = self.query_one(Choices), self._number
        if at is not None:
            choices.highlighted = at if at < choices.option_count else None
        elif not self._typed:
            choices.highlighted = None if practice_turn.narrows(here) else 0

    @on(Rows.Moved)
    def _moved(self) -> None:
        self._tell()

    @on(Rows.Taken)
    def _row_taken(self) -> None:
        self._open()

    @on(Prompt.Stepped)
    def _stepped(self, event: Prompt.Stepped) -> None:
        if self.here.name:
            self.query_one(Choices).step(event.by)
        else:
            self.query_one(Rows).action_step(event.by)

    @on(Stages.Taken)
    def _stage_taken(self, event: Stages.Taken) -> None:
        self._to(event.stage)

    @on(Choices.Taken)
    def _taken(self, event: Choices.Taken) -> None:
        self._take(event.choice)
        self.query_one(Prompt).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text, here = event.value.strip(), self.here
        if text.startswith("/"):
            event.input.clear()
            self.app.say(text)
        elif not here.name:
            self._open()
        elif not text or self._finds(here):
            self._take_marked(text)
        else:
            event.input.clear()
            meant = practice_turn.understand(text, here)
            chosen = practice_turn.choice_of(text, here)
            if chosen in (practice_turn.EDITOR, practice_turn.IN_PLACE):
                self._take(chosen)
            elif isinstance(meant, str):
                self.app.notify(meant, severity="warning", markup=False)
            else:
                self.app.dispatch(meant)

    @staticmethod
    def _finds(here: Exercising) -> bool:
        """Whether what is typed finds something on the page: numbers, or one of many choices."""
        return here.stage == "numbers" or (here.lesson is not None and practice_turn.narrows(here))

    def _take_marked(self, text: str) -> None:
        """Enter: the marked choice; where a stage is named, that; found numbers stay in view."""
        here, marked, numbered = self.here, self.query_one(Choices).marked, self._number is not None
        named = practice_turn.stage_of(text, here) if text else None
        if named is not None and (here.stage == "numbers" or marked is None):
            self.app.dispatch(named)
        elif text and here.stage == "numbers" and not numbered:
            return
        elif marked is None and text:
            self.app.notify("Nothing among the choices has that.", severity="warning")
            return
        else:
            self._take(marked)
        self.query_one(Prompt).clear()

    def _open(self) -> None:
        rows = self.query_one(Rows)
        if rows.at < len(self._kept):
            self.query_one(Prompt).clear()
            self.app.dispatch(e.Practised("open", self._kept[rows.at].name))  # type: ignore[attr-defined]

    def _take(self, choice: str | None) -> None:
        here = self.here
        if choice in (practice_turn.EDITOR, practice_turn.IN_PLACE):
            self._edit(choice == practice_turn.EDITOR)
            return
        event = practice_turn.event_of(choice, here) if choice else None
        if event is not None:
            self.app.dispatch(event)

    def _edit(self, outside: bool) -> None:
        """The learner's source in an editor of their own, or here; afterwards the page says what changed."""
        yours = self.here.lesson.yours
        if yours is None:
            return
        problem = edited(self.app, yours.source) if outside else ""
        if problem:
            self.app.notify(problem, severity="warning", markup=False)
        if outside and not problem:
            self._look()
        else:
            self.app.push_screen(PracticeEditor(yours.source), self._edited)

    def _edited(self, wanted: str | None) -> None:
        self._look()
        if wanted == "check":
            self.app.dispatch(e.Practised("check", self.here.name))

    def _look(self) -> None:
        self.app.dispatch(e.Practised("look", self.here.name))

    def _to(self, stage: str) -> None:
        if self.here.lesson is not None:
            self.app.dispatch(e.Practised("stage", self.here.name, (("stage", stage),)))

    def action_turn(self, by: int) -> None:
        """The stage before or after."""
        at = STAGES.index(self.here.stage) + by
        if 0 <= at < len(STAGES):
            self._to(STAGES[at])

    def action_spoilers(self) -> None:
        """Show or hide what each exercise suffers from."""
        self.app.dispatch(e.Practised("spoilers"))

    def action_escape(self) -> None:
        """Call off what is being done; else empty the line; else the list; else back to where practice was opened."""
        prompt = self.query_one(Prompt)
        if self.app.call_off():
            return
        if prompt.value:
            prompt.clear()
        elif opened_from(self.app.state):
            self.app.dispatch(e.Practised("list"))
        else:
            self.app.dispatch(e.ViewLeft())
        prompt.focus()

    def action_page(self, by: int) -> None:
        """A page up or down in what is in view."""
        if self.here.name:
            view = self.query_one(ExercisePage)
            view.scroll_relative(y=by * max(view.size.height - 1, 1), animate=False)
        else:
            self.query_one(Rows).action_page(by)

    def action_line(self, by: int) -> None:
        """A line up or down of the page."""
        self.query_one(ExercisePage).scroll_relative(y=by, animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
        here = self.here
        if action == "turn":
            at = STAGES.index(here.stage) + (int(str(parameters[0])) if parameters else 1)
            return here.lesson is not None and 0 <= at < len(STAGES)
        if action == "spoilers":
            return not here.name
        return True


def _words(row: object, spoilers: bool) -> str:
    """What a row is found by."""
    name, title, state = row.name, row.title, row.state  # type: ignore[attr-defined]
    level = f"level {row.level} {words.LEVELS[row.level]}"  # type: ignore[attr-defined]
    cause = row.diagnosis if spoilers else ""  # type: ignore[attr-defined]
    return f"{name} {title} {level} {words.STATES[state]} {cause}".casefold()


def _line(row: object, width: int, spoilers: bool) -> Content:
    """A row: mark, level, points of the best prediction, name, and its title or, wanted, its cause."""
    points = "" if row.points is None else str(row.points)  # type: ignore[attr-defined]
    left = f"{_MARKS[row.state]} {row.level} {points:>3}  {row.name:<27}"  # type: ignore[attr-defined]
    right = row.diagnosis if spoilers else row.title  # type: ignore[attr-defined]
    return Content(safe(left)) + styled(right, "$text-warning" if spoilers else "$quiet")
