"""The texts of the practice screen alone: tooltips, the line about an exercise, the editor's."""

from __future__ import annotations

from typing import Any, Final

from advisor.session.practice import exercising as words

PRACTICE: Final = "practice"
BEFORE: Final = "The stage before"
NEXT: Final = "The next stage of the exercise"
SPOILERS: Final = "Show or hide what each exercise suffers from"
LEAVE: Final = "Call off what is being done, empty the line, back to the list, or leave"

MORE_NUMBERS: Final = "… and {count} more: type a word to find them"
EDITING: Final = "{name}"
SAVED: Final = "saved"
UNSAVED: Final = "not saved: Ctrl+S saves, Esc once more leaves it unsaved"
TIP_SAVE: Final = "Write the file"
TIP_CHECK: Final = "Write the file and check it"
TIP_ORIGINAL: Final = "Put the original text here; Ctrl+Z takes that back"
TIP_DONE: Final = "Back to the exercise"
NO_EDITOR: Final = "{editor} could not be started: set EDITOR to an editor that is installed. The source opens here."
NO_SUSPEND: Final = "This terminal cannot be handed to {editor}. The source opens here."
FAILED: Final = "{editor} ended with exit code {code}. The source opens here."


def about(row: Any) -> str:
    """Of an exercise under the cursor: level, kind, what it trains, what comes before it."""
    kind = words.LADDER.format(count=row.stages) if row.ladder else ""
    before = f"{words.BEFORE.casefold()}: {', '.join(row.prerequisites)}" if row.prerequisites else ""
    trains = words.STEP_OF_METHOD.format(step=row.step)
    level = f"{words.LEVEL.casefold()} {row.level}, {words.LEVELS[row.level]}"
    return " · ".join(part for part in (words.STATES[row.state], level, trains, kind, before) if part)
