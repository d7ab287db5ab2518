"""Requests (work that a state waits for), their outcomes, and the base class of user events.

Events are data: replaying the events of a session restores it. User events are declared in `actions`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from advisor.records.diagnosis import Diagnosis
from advisor.session.records import KnowledgeIndex

Value = float | str | None


class Request(Struct, frozen=True):
    """Work that a state waits for."""


class Read(Request, frozen=True):
    """Read the reports (with none, only the knowledge index) and diagnose them."""

    paths: tuple[str, ...] = ()


class Conclude(Request, frozen=True):
    """Diagnose again with all answers: (position or None for numbers without a report, question id, value)."""

    answers: tuple[tuple[int | None, str, float | str], ...]
    position: int | None = None


class Prove(Request, frozen=True):
    """Show how a finding or the class was concluded and what flips it (`how`), or why it was not (`why_not`).

    `why` is `how` for the first finding, which adds the class in a line.

    quiet, here and below: the result is for a view only, without a card in the conversation.
    """

    what: str
    position: int
    finding: str
    quiet: bool = False


class Suppose(Request, frozen=True):
    """Diagnose the launch with other values of these metrics."""

    position: int
    values: tuple[tuple[str, float], ...]
    quiet: bool = False


class Explain(Request, frozen=True):
    """Search the knowledge base for a word."""

    word: str
    position: int | None = None


class Estimate(Request, frozen=True):
    """Do the napkin math for an algorithm with these parameters on the GPU of the launch."""

    position: int
    algorithm: str
    parameters: tuple[tuple[str, float | str], ...]


class Trace(Request, frozen=True):
    """Read traces of Nsight Systems and match patterns (timeline.TimelineResult). values: typed numbers instead."""

    paths: tuple[str, ...]
    values: tuple[tuple[str, float], ...] = ()


class CompareVersion(Request, frozen=True):
    """Read a new report and compare its launch with the one at `position` (records.VersionComparison).

    path: empty if the new version's numbers were typed; change: a description of the change to the code.
    """

    path: str
    position: int
    change: str = ""


class Locate(Request, frozen=True):
    """Read the lines and instructions of a launch (source.View).

    by: a measure, empty for the finding's own; search: a regular expression; where: tests such as `share>5%`; columns:
    names of columns or of a set of them; finding: the one whose measure is used; empty for the first.
    """

    position: int
    by: str = ""
    search: str = ""
    where: tuple[str, ...] = ()
    columns: str = ""
    finding: str = ""


class BuildCollectCommand(Request, frozen=True):
    """Build the ncu command that collects the metrics that the launch lacks."""

    position: int


class AnswerQuestion(Request, frozen=True):
    """Answer a plain question about the launch (answers.parts.Answered)."""

    text: str
    position: int


class Write(Request, frozen=True):
    """Write the session to a file that the user named. what: `transcript`, `markdown`, `html` or `json`."""

    what: str
    path: str


class Practise(Request, frozen=True):
    """Work on an exercise: an action and its arguments (practice.lessons.ACTIONS)."""

    action: str
    exercise: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


class UserEvent(Struct, frozen=True, omit_defaults=True, tag_field="do"):
    """A user action. The tag of a class is its verb in transcripts; its fields are written by name.

    undoable: whether `/back` undoes it.
    """

    undoable: ClassVar[bool] = True

    @property
    def verb(self) -> str:
        """Return the verb in transcripts."""
        return str(self.__struct_config__.tag)


class ViewEvent(UserEvent, frozen=True):
    """A change of the view over the conversation; undo ignores it once the view is closed."""


class Back(UserEvent, frozen=True, tag="back"):
    """Undo the last user event. Never logged: the log without that event is replayed."""


class Opened(Struct, frozen=True):
    """The reports were read and diagnosed. diagnosis: None without reports."""

    request: Read
    diagnosis: Diagnosis | None
    knowledge: KnowledgeIndex


class Concluded(Struct, frozen=True):
    """All launches were diagnosed again. wanted: in an interview, questions whose answers could change the result."""

    request: Conclude
    diagnosis: Diagnosis
    wanted: tuple[str, ...] | None = None


class Completed(Struct, frozen=True):
    """The result of any other request."""

    request: Request
    result: Any


class Failed(Struct, frozen=True):
    """The request failed. message: one line that states the problem and its solution."""

    request: Request
    message: str


class ReadAhead(Struct, frozen=True):
    """The hot lines of a launch that is highlighted in the list, which the state does not wait for (source.Seen)."""

    request: Locate
    result: Any


Outcome = Opened | Concluded | Completed | Failed | ReadAhead
OUTCOMES = (Opened, Concluded, Completed, Failed, ReadAhead)
Event = UserEvent | Outcome
