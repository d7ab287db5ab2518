"""Editing of the learner's source, in the editor that the environment names or in a plain built-in one."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea

from advisor.practice.manifest import bundled_text, exercise
from advisor.practice.workshop import first_step, read_source
from advisor.records.errors import AdvisorError
from advisor.records.files import write_whole
from advisor.tui.widgets.keys import KeyLine

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp

_USUAL = "notepad" if os.name == "nt" else "vi"


def editor() -> list[str]:
    """Return the command of the user's editor: VISUAL, else EDITOR, else a default that every system has."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _USUAL
    try:
        return shlex.split(named, posix=os.name == "posix") or [_USUAL]
    except ValueError:  # an unclosed quotation mark
        return [_USUAL]


def editor_name() -> str:
    """Return the name of the user's editor."""
    return Path(editor()[0]).name


def edited(app: AdvisorApp, path: Path) -> str:
    """Run the user's editor until it exits; return the reason for a failure, or an empty text on success."""
    try:
        with app.suspend():
            code = subprocess.run([*editor(), str(path)], check=False).returncode
    except SuspendNotSupported:
        return f"{editor_name()} cannot run in this terminal. The built-in editor opens instead."
    except OSError:
        return f"{editor_name()} could not be started (set EDITOR to another). The built-in editor opens instead."
    app.refresh(layout=True)
    return f"{editor_name()} ended with exit code {code}. The built-in editor opens instead." if code else ""


class PracticeEditor(ModalScreen[str]):
    """A plain editor on top of the page. Returns `check` if the learner asks for a check next, else an empty text."""

    app: AdvisorApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", priority=True, tooltip="Keys and commands"),
        Binding("ctrl+s", "save", "Save", priority=True, tooltip="Save the file"),
        Binding("f7", "check", "Save, check", priority=True, tooltip="Save the file and check it"),
        Binding("f6", "original", "Original", priority=True, tooltip="Restore the original text; Ctrl+Z undoes that"),
        Binding("escape", "leave", "Leave", priority=True, tooltip="Back to the exercise"),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._warned = False
        self._saved = ""

    def compose(self) -> ComposeResult:
        yield Static(f"{self._path.name}", id="said", markup=False)
        yield TextArea.code_editor("", language=None, soft_wrap=False, id="text")
        yield KeyLine()

    def on_mount(self) -> None:
        try:
            self._saved = read_source(self._path)
        except AdvisorError as problem:
            self.app.notify(str(problem), severity="error", markup=False)
            self.dismiss("")
            return
        area = self.query_one(TextArea)
        area.load_text(self._saved)
        area.focus()

    @property
    def _changed(self) -> bool:
        return self.query_one(TextArea).text != self._saved

    def on_text_area_changed(self) -> None:
        self._warned = False
        self._say(f"{self._path.name}")

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(text)

    def action_save(self) -> bool:
        text = self.query_one(TextArea).text
        try:
            write_whole(self._path, text)
        except (OSError, AdvisorError, UnicodeError) as problem:
            self.app.notify(f"{self._path}: {problem}", severity="error", markup=False)
            return False
        self._saved = text
        self._say("saved")
        return True

    def action_check(self) -> None:
        if self.action_save():
            self.dismiss("check")

    def action_original(self) -> None:
        area, one = self.query_one(TextArea), exercise(self.app.state.view_subject)
        sources = (first_step(one).source, *first_step(one).extra)
        origin = next((name for name in sources if Path(name).name == self._path.name), sources[0])
        area.replace(bundled_text(one.name, origin), area.document.start, area.document.end)

    def action_leave(self) -> None:
        if self._changed and not self._warned:
            self._warned = True
            self._say("not saved: Ctrl+S saves, Esc again discards the changes")
            return
        self.dismiss("")
