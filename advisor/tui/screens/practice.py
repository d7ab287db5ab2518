"""The practice screen: the list of exercises, and the pages of one exercise from description to score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input

from advisor.practice.exercise_list import where_to_begin
from advisor.session import events as e
from advisor.session.language import understand as commands
from advisor.session.practice import exercising as words
from advisor.session.practice import turn as practice_turn
from advisor.session.practice.exercising import STAGE_NAMES as NAMES
from advisor.session.practice.exercising import STAGES, Exercising
from advisor.session.practice.page_transitions import opened_from
from advisor.session.practice.pages import Page, page
from advisor.session.records import Choice, KnowledgeIndex
from advisor.session.state import State
from advisor.tui.drawing import safe, styled
from advisor.tui.screens.base import PAGE_KEYS, ChoiceScreen, ViewScreen, hidden
from advisor.tui.screens.practice_editor import PracticeEditor, edited, editor_name
from advisor.tui.widgets import evidence_pages
from advisor.tui.widgets.evidence_pages import FEWEST, EvidenceContext, Layout
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.lists import Choices, Rows
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import Banner, CardColumn, Lines, Make, Note, Tabs

_MOST = 60  # maximum number of metrics shown at a time


def evidence(page: Page, index: KnowledgeIndex, wanted: str, blocks: bool) -> list[Make]:
    """Return the charts of a profile without its diagnosis and, on the numbers page, its metrics."""
    verdict = replace(page.launch.verdict, title="", evidence=())
    launch = replace(page.launch, findings=(), verdict=verdict)
    shown = EvidenceContext(launch, metrics=index.metrics)

    def drawn(make: Callable[[EvidenceContext, Layout], list[Content]]) -> Make:
        return lambda width: [*make(shown, Layout(max(width, FEWEST), blocks)), Content("")]

    pictures = () if page.numbers and wanted else (evidence_pages.units, evidence_pages.memory, evidence_pages.roofline)
    out = [drawn(make) for make in pictures]
    if page.numbers:
        out.append(lambda width: evidence_pages.numbers(shown, Layout(max(width, FEWEST), wanted=wanted, most=_MOST)))
    return out


class ExercisePage(CardColumn):
    """A page of an exercise. It keeps unchanged cards, so that an answer appears below its question."""

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(blocks=blocks, ident=ident)
        self._key: tuple[Any, ...] = ()
        self._below: list[Lines] = []

    def show(self, page: Page, place: tuple[str, ...], index: KnowledgeIndex, wanted: str) -> None:
        """Show this page. place: identifies the page; a new page starts at its top; wanted: filter of the metrics."""
        key = (page, place, wanted if page.numbers else "")
        if key == self._key:
            return
        same_page = self._key[1:2] == (place,)
        self._key = key
        if not same_page:
            self.replace(())
        first = self.views[:1]
        before = self._below[0] if self._below and self._below[0].is_attached else None
        new = self.replace(page.cards, before=before)
        self._replace_below(page, index, wanted)
        if not first or first != self.views[:1]:
            self.scroll_home(animate=False)
        elif new:
            self.call_after_refresh(self.scroll_to_widget, new[-1], animate=False, top=False)

    def _replace_below(self, page: Page, index: KnowledgeIndex, wanted: str) -> None:
        if self._below:
            self.remove_children(self._below)
        draws = [] if page.launch is None else evidence(page, index, wanted, self.blocks)
        self._below = [Lines(draw, classes="drawn") for draw in draws]
        if self._below:
            self.mount(*self._below)


_MARKS = {"solved": "[x]", "tried": "[~]", "started": "[.]", "new": "[ ]"}


class PracticeScreen(ChoiceScreen, ViewScreen):
    """The list of exercises, which typed text filters, and one exercise, whose next step is highlighted for Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f4", "app.undo", "Undo", tooltip="Undo the last action"),
        Binding("f5", "turn(-1)", "Previous", tooltip="Previous stage of the exercise"),
        Binding("f6", "turn(1)", "Next", tooltip="Next stage of the exercise"),
        Binding("f7", "spoilers", "Causes", tooltip="Show or hide the cause of each exercise"),
        # For terminals that keep the function keys for themselves.
        hidden("ctrl+z", "app.undo", "Undo", "Undo the last action"),
        hidden("alt+left", "turn(-1)", "Previous", "Previous stage of the exercise"),
        hidden("alt+right", "turn(1)", "Next", "Next stage of the exercise"),
        Binding("escape", "leave", "Leave", tooltip="Cancel / clear the line / return to the list / leave"),
        *PAGE_KEYS,
        hidden("ctrl+up", "line(-1)", "Line up"),
        hidden("ctrl+down", "line(1)", "Line down"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._kept: list[Any] = []  # the listed exercises
        self._place: tuple[str, str] = ("", "")

    def compose(self) -> ComposeResult:
        yield Banner(blocks=self.blocks)
        yield Tabs({stage: NAMES[stage][0] for stage in STAGES}, STAGES[0])
        yield Rows(blocks=self.blocks, ident="exercises")
        yield Note("about")
        yield ExercisePage(blocks=self.blocks, ident="page")
        yield Choices()
        yield self.prompt_line(Prompt(commands.commands(), ident="prompt"))
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(Rows).can_focus = False
        self.query_one(Prompt).focus()
        self.show(self.app.state)

    # Showing

    @property
    def here(self) -> Exercising:
        """The learner's position: the current exercise and stage."""
        return self.app.state.exercising or Exercising()

    @property
    def _typed(self) -> str:
        value = self.query_one(Prompt).value
        return "" if value.startswith("/") else value.strip()

    def show(self, state: State) -> None:
        """Show the list of exercises, or the current page of the exercise."""
        if not self.is_mounted or state.view != "practice":
            return
        here = self.here
        if (here.name, here.stage) != self._place:
            # Discard text that was typed for another page.
            self._place = (here.name, here.stage)
            self.query_one(Prompt).clear()
        self.set_class(not here.name, "-list")
        self.set_class(bool(here.name), "-page")
        self.set_class(here.lesson is not None and practice_turn.narrows(here), "-predict")
        if here.name:
            self._show_page(state, here)
        else:
            self._show_list(here)
        self.refresh_bindings()

    def _show_page(self, state: State, here: Exercising) -> None:
        one = here.lesson.exercise if here.lesson is not None else None
        self.query_one(Banner).show(f"practice · {one.number}. {one.title}" if one is not None else "practice")
        self.query_one(Tabs).show(here.stage, {stage: short for stage, (short, _) in here.names.items()})
        shown = page(here)
        finds = here.stage == "numbers" and self._number is None and not practice_turn.stage_of(self._typed, here)
        wanted = self._typed if finds else ""
        self.query_one(ExercisePage).show(shown, (here.name, here.stage, here.step), state.knowledge, wanted)
        marked = not (practice_turn.narrows(here) and not self._typed)
        # A quiz question is answered by typing a letter: an accidental Enter must not count as an answer.
        # Nor may it give a napkin number away.
        asked, numbered = practice_turn.lettered(here) or practice_turn.asks_napkin(here), practice_turn.numbered(here)
        self.query_one(Choices).show(self._choices(here), numbered=numbered, marked=marked and not asked)
        self.query_one(Prompt).placeholder = self._placeholder(here)

    @property
    def _number(self) -> int | None:
        """The index of the choice whose number is typed, or None if there is none."""
        return practice_turn.narrowed(self._typed, self.here)[1] if self.here.lesson is not None else None

    def _choices(self, here: Exercising) -> tuple[Choice, ...]:
        """Return the choices that match the typed text; the one for the external editor contains the editor's name."""
        find = practice_turn.narrowed(self._typed, here)[0] if here.lesson is not None else ()
        found = [
            choice
            for choice in practice_turn.choices(here)
            if all(word in " ".join((choice.label, *choice.words)).casefold() for word in find)
        ]
        return tuple(replace(choice, label=choice.label.replace("{editor}", editor_name())) for choice in found)

    def _placeholder(self, here: Exercising) -> str:
        if here.lesson is None:
            return "please wait"
        if practice_turn.narrows(here):
            count = len(self._choices(here))
            return f"a number or part of a name; the arrow keys scroll the {count} choices"
        if here.stage == "predict" and practice_turn.asks_gain(here) and here.reads:
            return "a time with its unit, such as 12 ms"
        if here.stage == "predict" and practice_turn.asks_gain(here):
            return "a factor, such as 2 or 1.3x"
        if here.reads:
            return words.LOG_HOW if here.stage == "log" else "a choice or a stage, such as hints; /help for commands"
        if here.stage == "napkin" and practice_turn.next_number(here) is not None:
            return f"{practice_turn.expected_kind(here)}; the arrow keys reach the choices"
        if practice_turn.lettered(here):
            return "the letter of the answer, such as a"
        if here.stage == "numbers":
            return "type to find metrics: sectors, stall …; Enter continues"
        if here.stage == "log":
            return words.LOG_HOW
        return "a choice or a stage, such as hints; /help for commands"

    def _show_list(self, here: Exercising) -> None:
        self.query_one(Banner).show("practice")
        self.query_one(Prompt).placeholder = "type to find by title, number, level or state; Enter opens"
        find = self._typed.casefold().split()
        begin = _begin(here)
        marked = {begin[kind]: text for kind, text in words.BEGINS.items() if kind in begin}
        first = list(marked)
        found = [row for row in here.rows if all(word in _words(row, here.spoilers) for word in find)]
        # Where to begin comes first, then all others by number.
        self._kept = sorted(found, key=lambda row: first.index(row.number) if row.number in first else len(first))
        rows = self.query_one(Rows)
        kept, spoilers = list(self._kept), here.spoilers
        rows.show(len(kept), lambda at, width: _line(kept[at], spoilers, marked), at=min(rows.at, len(kept) - 1))
        self._tell()

    def _tell(self) -> None:
        here, rows = self.here, self.query_one(Rows)
        solved = sum(row.state == "solved" for row in here.rows)
        text = f"{len(self._kept)} of {len(here.rows)} exercises, {solved} solved" if here.rows else ""
        if here.rows and not self._kept:
            text = "No exercise matches; Esc clears the line."
        row = self._kept[rows.at] if rows.at < len(self._kept) else None
        about = _about(row) if row is not None else ""
        self.query_one("#about", Note).say([(line, "") for line in (text, about, here.trouble) if line])

    # User actions

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        here = self.here
        if not here.name or self._finds(here):
            self.show(self.app.state)
        if here.name and self._finds(here):
            self._mark(here)

    def _mark(self, here: Exercising) -> None:
        """Highlight the choice whose number is typed; in a long list, highlight none before that."""
        choices, at = self.query_one(Choices), self._number
        if at is not None:
            choices.highlighted = at if at < choices.option_count else None
        elif not self._typed:
            choices.highlighted = None if practice_turn.narrows(here) or practice_turn.asks_napkin(here) else 0

    @on(Rows.Moved)
    def _moved(self) -> None:
        self._tell()

    @on(Rows.Taken)
    def _row_taken(self) -> None:
        self._open()

    def step(self, by: int) -> None:
        if self.here.name:
            super().step(by)
        else:
            self.query_one(Rows).action_step(by)

    @on(Tabs.Taken)
    def _stage_taken(self, event: Tabs.Taken) -> None:
        self._to(event.name)

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
                self.take(chosen)
            elif isinstance(meant, str):
                self.app.warn(meant)
                self.query_one(Choices).unmark()
            else:
                self.app.dispatch(meant)

    @staticmethod
    def _finds(here: Exercising) -> bool:
        """Return whether typed text filters something on the page: metrics, or a long list of choices."""
        return (here.stage == "numbers" and not here.reads) or (here.lesson is not None and practice_turn.narrows(here))

    def _take_marked(self, text: str) -> None:
        """Take the highlighted choice, or the stage that the text names; keep the metrics filter."""
        here, marked, numbered = self.here, self.query_one(Choices).marked, self._number is not None
        named = practice_turn.stage_of(text, here) if text else None
        if named is not None and (here.stage == "numbers" or marked is None):
            self.app.dispatch(named)
        elif text and here.stage == "numbers" and not numbered:
            return
        elif marked is None and text:
            self.app.warn("No choice matches that text.")
            return
        else:
            self.take(marked)
        self.query_one(Prompt).clear()

    def _open(self) -> None:
        rows = self.query_one(Rows)
        if rows.at < len(self._kept):
            self.query_one(Prompt).clear()
            self.app.dispatch(e.Practised("open", self._kept[rows.at].name))

    def take(self, choice: str | None) -> None:
        here = self.here
        if choice in (practice_turn.EDITOR, practice_turn.IN_PLACE):
            self._edit(choice == practice_turn.EDITOR)
            return
        event = practice_turn.event_of(choice, here) if choice else None
        if event is not None:
            self.app.dispatch(event)

    def _edit(self, outside: bool) -> None:
        """Open the learner's source in their editor or the built-in one, then show the changes on the page."""
        yours = self.here.lesson.yours
        if yours is None:
            return
        problem = edited(self.app, yours.source) if outside else ""
        if problem:
            self.app.warn(problem)
        if outside and not problem:
            self._do("look")
        else:
            self.app.push_screen(PracticeEditor(yours.source), self._edited)

    def _edited(self, wanted: str | None) -> None:
        self._do("look")
        if wanted == "check":
            self._do("check")

    def _do(self, action: str) -> None:
        self.app.dispatch(e.Practised(action, self.here.name))

    def _to(self, stage: str) -> None:
        if self.here.lesson is not None:
            self.app.dispatch(e.Practised("stage", self.here.name, (("stage", stage),)))

    def action_turn(self, by: int) -> None:
        if stage := self._stage_at(by):
            self._to(stage)

    def _stage_at(self, by: int) -> str:
        """Return the stage so many steps after the open one; empty if there is none."""
        stages = tuple(self.here.names)
        at = stages.index(self.here.stage) + by
        return stages[at] if 0 <= at < len(stages) else ""

    def action_spoilers(self) -> None:
        self.app.dispatch(e.Practised("spoilers"))

    def action_leave(self) -> None:
        prompt = self.query_one(Prompt)
        if self.app.cancel_work():
            return
        if prompt.value:
            prompt.clear()
        elif self.here.stage == "predict" and self.here.picks:
            self._do("unpick")  # one level back: the part of the prediction that was chosen last
        elif opened_from(self.app.state):
            self.app.dispatch(e.Practised("list"))
        else:
            self.app.dispatch(e.ViewLeft())
        prompt.focus()

    def scrolled(self) -> ExercisePage:
        return self.query_one(ExercisePage)

    def action_page(self, by: int) -> None:
        if self.here.name:
            super().action_page(by)
        else:
            self.query_one(Rows).action_page(by)

    def action_line(self, by: int) -> None:
        self.scrolled().scroll_relative(y=by, animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        here = self.here
        if action == "turn":
            by = int(str(parameters[0])) if parameters else 1
            return here.lesson is not None and bool(self._stage_at(by))
        if action == "spoilers":
            return not here.name
        return True


def _words(row: Any, spoilers: bool) -> str:
    level = f"level {row.level} {words.LEVELS[row.level]} {row.kind}"
    cause = row.diagnosis if spoilers else ""
    name = row.name if spoilers else ""
    return f"{row.number} {name} {row.title} {level} {words.STATES[row.state]} {cause}".casefold()


def _begin(here: Exercising) -> Mapping[str, int]:
    """Return the number of the exercise at which to begin, by kind."""
    return where_to_begin((row.kind, row.number, row.state) for row in here.rows)


def _line(row: Any, spoilers: bool, begin: Mapping[int, str]) -> Content:
    """Return a row: mark, number, points of the best prediction, title; with `spoilers` also the name and the cause.

    begin: numbers of the exercises at which to begin, with the words for it.
    """
    points = "" if row.points is None else str(row.points)
    left = f"{_MARKS[row.state]} {row.number:>2} {points:>3}  {row.title}"
    right = styled(f"  {row.name}: {row.diagnosis}", "$text-warning") if spoilers else Content("")
    here = styled(f"  ◂ {begin[row.number]}", "$text-accent") if row.number in begin else Content("")
    return Content(safe(left)) + right + here


def _about(row: Any) -> str:
    """Return level, kind, training goal and prerequisites of the exercise under the cursor."""
    kind = words.LADDER.format(count=row.stages) if row.ladder else ""
    before = f"{words.BEFORE.casefold()}: {', '.join(map(str, row.prerequisites))}" if row.prerequisites else ""
    trains = words.STEP_OF_METHOD.format(step=row.step)
    level = f"{words.LEVEL.casefold()} {row.level}, {words.LEVELS[row.level]}"
    kind = words.READS.get(row.kind, kind)
    return " · ".join(part for part in (words.STATES[row.state], level, trains, kind, before) if part)
