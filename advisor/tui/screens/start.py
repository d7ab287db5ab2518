"""The screens before a session: the start choices, and the offer to continue an interrupted session."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from advisor.readers.kinds import sort_out
from advisor.records.guard import is_within, refused
from advisor.session import events as e
from advisor.session.records import Choice
from advisor.session.state import State
from advisor.session.transcripts.autosave import SavedSession, forget, remark, title
from advisor.tui.drawing import safe
from advisor.tui.opening import Saved, StartOptions, completions, is_there, typed_path
from advisor.tui.screens.base import ChoiceScreen
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.lists import Choices
from advisor.tui.widgets.prompt import Prompt, PromptLine
from advisor.tui.widgets.text import Banner

# A row of ncu's pages: a name, then a number, perhaps with a unit before or after it.
_ROW: Final = re.compile(r"[A-Za-z][^/\\.]*\s\+?\d[\d.,]*(?:\s*[%A-Za-zµ/]{1,12})?")


class OfferScreen(ModalScreen[str]):
    """A screen that asks whether to continue an interrupted session; it returns `go_on`, `anew` or `forget`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss('anew')", "Start over", tooltip="Start over")]

    def __init__(self, one: SavedSession, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks
        self._choices = (
            Choice("go_on", f"Continue: {title(one)}", ("y", "yes"), remark(one, time.time())),
            Choice("anew", "Start over", ("n", "no"), "the saved session stays in the list"),
            Choice("forget", "Start over and delete it", ("f",)),
        )

    def compose(self) -> ComposeResult:
        with Vertical(id="offer"):
            yield Static("A session on this file was interrupted. Continue it?", id="title", markup=False)
            yield Choices()
            yield PromptLine(Prompt((), ident="offered"), blocks=self._blocks)
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(Choices).show(self._choices)
        self.query_one(Prompt).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text, choices = event.value.strip().casefold(), self.query_one(Choices)
        event.input.clear()
        named = next((c.id for c in self._choices if any(word.startswith(text) for word in c.words)), None)
        choice = choices.numbered(text) or named if text else choices.marked
        if choice:
            self.dismiss(choice)

    @on(Prompt.Stepped)
    def _stepped(self, event: Prompt.Stepped) -> None:
        self.query_one(Choices).step(event.by)

    @on(Choices.Taken)
    def _taken(self, event: Choices.Taken) -> None:
        self.dismiss(event.choice)


class StartScreen(ChoiceScreen):
    """The start choices, selected from the prompt; a typed path is opened."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f8", "forget", "Delete", tooltip="Delete the highlighted session"),
        Binding("escape", "clear", "Back", tooltip="Clear the line, or go back"),
    ]

    def __init__(self, start_options: StartOptions, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._options = start_options
        self._within = False  # whether the list of cases is shown

    def compose(self) -> ComposeResult:
        hint = "Enter takes the highlighted line. Or type the path of a report or a trace, or paste rows from ncu."
        kinds = "path of a .ncu-rep report, a .sqlite trace or a saved session; Tab completes"
        yield Banner(blocks=self.blocks)
        yield Static("Where do you want to start?", id="title", markup=False)
        yield Choices()
        yield Static(hint, id="hint", markup=False)
        yield self.prompt_line(Prompt(completions, placeholder=kinds, ident="path", pasted=self._pasted))
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(Banner).show("no report is open")
        self.query_one(Prompt).focus()
        self.show(self.app.state)

    @property
    def _rows(self) -> tuple[Choice, ...]:
        return self._options.case_choices() if self._within else self._options.choices()

    def show(self, state: State) -> None:
        self.query_one(Choices).show(self._rows)
        self.refresh_bindings()

    # User actions

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text, choices = event.value.strip(), self.query_one(Choices)
        is_command = text.startswith("/") and "/" not in text[1:]
        named = choices.numbered(text) or (None if is_command else _named(text, self._rows))
        choice = named if text else choices.marked
        if text and (self._finds(text) or not (choice or is_command)):
            if not (_ROW.fullmatch(text) and self._pasted(text)):
                self._open(typed_path(text))
            return
        event.input.clear()
        if choice:
            self.take(choice)
        elif text:
            self.app.say(text)

    def _finds(self, path: str) -> bool:
        """Return whether a path exists; of one outside the folder of a served session, nothing is asked or said."""
        root = self._options.root
        return (root is None or is_within(path, root)) and is_there(path)

    def _open(self, path: str) -> None:
        root = self._options.root
        if root is not None and not is_within(path, root):
            self.notify(safe(refused(path)), severity="warning", markup=False)
            return
        if not is_there(path) or Path(path).is_dir():
            name = safe(path[:200])
            missing = f"There is no file {name}. To type numbers, choose Type in the numbers."
            said = f"{name} is a folder: name a report or a trace in it." if is_there(path) else missing
            self.notify(said, severity="warning", markup=False)
            return
        self.query_one(Prompt).clear()
        opening = sort_out([path])
        if opening.transcripts:
            self.app.replay_file(Path(path))
        else:
            self.app.dispatch(self.app.beginning(opening.reports, opening.traces))

    def _pasted(self, text: str) -> bool:
        """Begin an interview with pasted rows of numbers; return False for a list of files."""
        if self._finds(text.splitlines()[0].strip()) or not any(c.isdigit() for c in text):
            return False
        self.app.held = text
        self.app.dispatch(self.app.beginning())
        return True

    def step(self, by: int) -> None:
        super().step(by)
        self.refresh_bindings()

    def take(self, choice: str | None) -> None:
        kind, _, number = (choice or "").partition(":")
        app, given = self.app, self._options
        if kind == "interview":
            app.dispatch(app.beginning())
        elif kind == "demo" and given.demo is not None:
            app.dispatch(app.beginning((str(given.demo),)))
        elif kind == "open":
            self._open(given.recent[int(number)])
        elif kind == "continue":
            app.resume_file(given.unfinished[int(number)].path)
        elif kind == "replay":
            app.replay_file(given.cases[int(number)].path)
        elif kind == "cases":
            self._within = True
            self.show(app.state)
        elif kind:
            app.dispatch(e.ViewShown(kind))

    def action_clear(self) -> None:
        """Do the first that applies: cancel the running work, clear the line, or return to the first list."""
        prompt = self.query_one(Prompt)
        if self.app.cancel_work():
            return
        if prompt.value:
            prompt.clear()
        elif self._within:
            self._within = False
            self.show(self.app.state)

    def _interrupted(self) -> Saved | None:
        marked = self.query_one(Choices).marked or "" if self.is_mounted else ""
        kind, _, number = marked.partition(":")
        return self._options.unfinished[int(number)] if kind == "continue" else None

    def action_forget(self) -> None:
        one = self._interrupted()
        if one is not None:
            forget(one.path)
            left = tuple(other for other in self._options.unfinished if other is not one)
            self._options = replace(self._options, unfinished=left)
            self.show(self.app.state)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "forget":
            return self._interrupted() is not None
        if action == "clear":
            typed = self.is_mounted and bool(self.query_one(Prompt).value)
            return typed or self._within or bool(self.app.state.waiting)
        return True


def _named(text: str, rows: Sequence[Choice]) -> str:
    """Return the only choice with a word that starts with the text, or an empty text if none or several match."""
    wanted = text.casefold()
    found = [row.id for row in rows if any(word.startswith(wanted) for word in row.label.casefold().split())]
    found += [row.id for row in rows if row.label.casefold().startswith(wanted) and row.id not in found]
    return found[0] if len(found) == 1 else ""
