"""Before a session: what to begin with. What was broken off is first and marked, else the interview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Input, Static

from advisor.session import events as e
from advisor.session.records import Choice
from advisor.session.state import State
from advisor.session.transcripts.autosave import forget_path
from advisor.tui import words_kept
from advisor.tui import words_places as words
from advisor.tui.layout import safe
from advisor.tui.start_options import Beginnings, Saved, completions, is_there, sort_out, typed_path
from advisor.tui.widgets.banner import Banner
from advisor.tui.widgets.busy import Busy
from advisor.tui.widgets.choices import Choices
from advisor.tui.widgets.footer import FittedFooter
from advisor.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp


class StartScreen(Screen[None]):
    """The choices driven from the line below them, as everywhere; a path typed there is opened."""

    app: AdvisorApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", id="start.help", tooltip=words.TIP_HELP),
        Binding("f8", "forget", "Forget", id="start.forget", tooltip=words_kept.TIP_FORGET),
        Binding("escape", "clear", "Back", id="start.clear", tooltip=words.TIP_CLEAR),
    ]

    def __init__(self, beginnings: Beginnings, *, blocks: bool = True) -> None:
        super().__init__()
        self._beginnings = beginnings
        self._blocks = blocks
        self._within = False  # the list of cases is open

    def compose(self) -> ComposeResult:
        """A question, its answers, a line to type a path."""
        yield Banner()
        yield Static(words.START_TITLE, id="title", markup=False)
        yield Choices()
        yield Static(words.START_HINT, id="hint", markup=False)
        with Horizontal(id="ask"):
            yield Static("› " if self._blocks else "> ", id="sign", markup=False)
            yield Prompt(completions, placeholder=words.PATH, ident="path")
        yield Busy(blocks=self._blocks)
        yield FittedFooter()

    def on_mount(self) -> None:
        """The line has the focus."""
        self.query_one(Banner).show(words.START)
        self.query_one(Prompt).focus()
        self.show(self.app.state)

    def on_screen_resume(self) -> None:
        """Back from a view."""
        self.show(self.app.state)

    def show(self, state: State) -> None:
        """Show the choices."""
        listed = self._beginnings.case_choices() if self._within else self._beginnings.choices()
        self.query_one(Choices).show(listed, numbered=True, marked=True)
        self.app.offer(self)

    # What the user does

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        rows = self._beginnings.case_choices() if self._within else self._beginnings.choices()
        if not text:
            marked = self.query_one(Choices).marked
            if marked is not None:
                self._take(marked)
        elif text.isdecimal() and 0 < int(text[:6]) <= len(rows) and not is_there(text):
            event.input.clear()
            self._take(rows[int(text) - 1].id)
        elif text.startswith("/") and not is_there(text) and "/" not in text[1:]:
            event.input.clear()
            self.app.say(text)
        elif (meant := _named(text, rows)) and not is_there(text):
            event.input.clear()
            self._take(meant)
        else:
            self._open(typed_path(text))

    def _open(self, path: str) -> None:
        if not is_there(path) or Path(path).is_dir():
            said = words.FOLDER if is_there(path) else words.NO_SUCH_FILE
            self.notify(said.format(path=safe(path[:200])), severity="warning", markup=False)
            return
        self.query_one(Prompt).clear()
        opening = sort_out([path])
        if opening.transcripts:
            self.app.replay_file(Path(path))
        else:
            self.app.dispatch(e.Began(opening.reports, self.app.gpu, opening.traces))

    @on(Prompt.Stepped)
    def _stepped(self, event: Prompt.Stepped) -> None:
        self.query_one(Choices).step(event.by)
        self.app.offer(self)

    @on(Choices.Taken)
    def _taken(self, event: Choices.Taken) -> None:
        self._take(event.choice)

    def _take(self, choice: str) -> None:
        kind, _, number = choice.partition(":")
        app, given = self.app, self._beginnings
        if kind == "interview":
            app.dispatch(e.Began((), app.gpu))
        elif kind == "demo" and given.demo is not None:
            app.dispatch(e.Began((str(given.demo),), app.gpu))
        elif kind == "open":
            self._open(given.recent[int(number)])
        elif kind == "continue":
            app.resume_file(given.unfinished[int(number)].path)
        elif kind == "replay":
            app.replay_file(given.cases[int(number)].path)
        elif kind == "cases":
            self._within = True
            self.show(app.state)
        else:
            app.dispatch(e.ViewShown(kind))

    def action_clear(self) -> None:
        """Call off work; else empty the line; else back to the first list."""
        prompt = self.query_one(Prompt)
        if self.app.call_off():
            return
        if prompt.value:
            prompt.clear()
        elif self._within:
            self._within = False
            self.show(self.app.state)

    def _broken_off(self) -> Saved | None:
        """The session that the mark stands on, among those that were broken off."""
        marked = self.query_one(Choices).marked or "" if self.is_mounted else ""
        kind, _, number = marked.partition(":")
        return self._beginnings.unfinished[int(number)] if kind == "continue" else None

    def action_forget(self) -> None:
        """Throw away the session that the mark stands on."""
        one = self._broken_off()
        if one is not None:
            forget_path(one.path)
            left = tuple(other for other in self._beginnings.unfinished if other is not one)
            self._beginnings = replace(self._beginnings, unfinished=left)
            self.show(self.app.state)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
        if action == "forget":
            return self._broken_off() is not None
        if action == "clear":
            typed = self.is_mounted and bool(self.query_one(Prompt).value)
            return typed or self._within or bool(self.app.state.waiting)
        return True


def _named(text: str, rows: Sequence[Choice]) -> str:
    """The one choice with a word that begins so, as everywhere; empty where there is none or more than one."""
    wanted = text.casefold()
    found = [row.id for row in rows if any(word.startswith(wanted) for word in row.label.casefold().split())]
    found += [row.id for row in rows if row.label.casefold().startswith(wanted) and row.id not in found]
    return found[0] if len(found) == 1 else ""
