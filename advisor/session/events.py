"""Work that a state waits for: whoever drives the session performs it (see `desk`) and reports the outcome.

What the user can do in a session, in meaning and not in keys. Events are data: see `events`.

Everything that can happen in a session. Events are data: a session is its events, and replaying them gives it back.

Two sorts: what the user did (`deeds`), and what the advisor answered to a request (`requests`). A request is work that
a state waits for (reading, concluding, proving); whoever drives the session performs it and reports the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.records.diagnosis import Diagnosis
from advisor.session.records import Lore


@dataclass(frozen=True, slots=True)
class Read:
    """Read the reports (or, with none, only the lore) and conclude."""

    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conclude:
    """Conclude again with all answers: (position or None for numbers without a report, question id, value)."""

    answers: tuple[tuple[int | None, str, float | str], ...]
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Prove:
    """How a finding or the class was concluded and where it would turn (`how`), or why it was not (`why_not`).

    quiet, here and below: for a view alone, which keeps the result; the conversation gets no card.
    """

    what: str
    position: int
    finding: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Suppose:
    """What would be concluded if these metrics had these values."""

    position: int
    values: tuple[tuple[str, float], ...]
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """Look a word up in the knowledge base."""

    word: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Reckon:
    """Do the napkin math for an algorithm with these parameters on the GPU of the launch."""

    position: int
    algorithm: str
    parameters: tuple[tuple[str, float | str], ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """Read traces of Nsight Systems and look for patterns (timeline.TimelineResult). values: typed numbers instead."""

    paths: tuple[str, ...]
    values: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Renew:
    """Read a new report and set its launch beside the one at `position` (records.Renewed).

    path: empty where the new version's numbers were typed; change: what was done to the code, in words.
    """

    path: str
    position: int
    change: str = ""


@dataclass(frozen=True, slots=True)
class Locate:
    """The lines and instructions of a launch (source.View). by: a measure, empty for the finding's own; search: a
    regular expression; where: tests such as `share>5%`; columns: names of columns or of a set of them; finding: the one
    whose measure is meant, empty for the first.
    """

    position: int
    by: str = ""
    search: str = ""
    where: tuple[str, ...] = ()
    columns: str = ""
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Gather:
    """The ncu command that collects what the launch lacks (lines of text)."""

    position: int


@dataclass(frozen=True, slots=True)
class Write:
    """Write the session to a file that the user named: what is `transcript`, `markdown`, `html` or `json`."""

    what: str
    path: str


@dataclass(frozen=True, slots=True)
class Practise:
    """Something done with an exercise: action and its arguments as the practice room names them."""

    action: str
    exercise: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


Request = Read | Conclude | Prove | Suppose | Look | Reckon | Trace | Renew | Locate | Gather | Write | Practise


Value = float | str | None


@dataclass(frozen=True, slots=True)
class Began:
    """The session begins: with reports, with traces of the whole program, or with neither (numbers are asked for)."""

    paths: tuple[str, ...] = ()
    gpu: str = ""
    traces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LaunchSelected:
    """A launch, by its place in the diagnosis."""

    position: int


@dataclass(frozen=True, slots=True)
class LaunchesShown:
    """Back to the list of launches."""


@dataclass(frozen=True, slots=True)
class FindingShown:
    """Another finding of the launch is looked at."""

    finding: str


@dataclass(frozen=True, slots=True)
class FixShown:
    """The fix of the finding at hand, step by step."""


@dataclass(frozen=True, slots=True)
class EvidenceShown:
    """The numbers behind the finding at hand."""


@dataclass(frozen=True, slots=True)
class MissingShown:
    """What the report lacks and how to collect it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question is taken up."""

    question: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A question is answered; None is "I don't know"."""

    question: str
    value: Value
    said: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The question is put off."""

    question: str


@dataclass(frozen=True, slots=True)
class NapkinBegun:
    """The user wants to compare with what the algorithm needs."""


@dataclass(frozen=True, slots=True)
class NumbersContinued:
    """More numbers are to be asked for, after a pause to look at the conclusion."""


@dataclass(frozen=True, slots=True)
class ConclusionShown:
    """In an interview: enough numbers, the conclusion is wanted."""


@dataclass(frozen=True, slots=True)
class WhyAsked:
    """Why is this asked; with no question open, why this class."""


@dataclass(frozen=True, slots=True)
class HowAsked:
    """How the finding was concluded; empty means the one at hand."""

    finding: str = ""


@dataclass(frozen=True, slots=True)
class WhyNotAsked:
    """Why a finding was not concluded."""

    finding: str


@dataclass(frozen=True, slots=True)
class WhatIfAsked:
    """What if these metrics had these values."""

    values: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class ExplainAsked:
    """What a word means."""

    word: str


@dataclass(frozen=True, slots=True)
class HelpAsked:
    """What can be said here."""


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Something was typed that means nothing here; `meant` is what could have been meant."""

    text: str
    meant: tuple[str, ...] = ()
    because: str = ""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Work was called off."""

    request: Request


@dataclass(frozen=True, slots=True)
class Retried:
    """Work that failed or was called off is wanted again."""


@dataclass(frozen=True, slots=True)
class StepsShown:
    """The steps of the method: where the session stands among them."""


@dataclass(frozen=True, slots=True)
class StepShown:
    """A step of the method is gone to, by its id in CATALOG."""

    step: str


@dataclass(frozen=True, slots=True)
class Expected:
    """Before the reveal: the bound that the user expects, None for no idea. `again` False: never ask that again."""

    bound: str | None
    again: bool = True


@dataclass(frozen=True, slots=True)
class Volunteered:
    """Numbers that nobody asked for: metric and value in its canonical unit."""

    values: tuple[tuple[str, float], ...]
    said: str = ""


@dataclass(frozen=True, slots=True)
class ReportGiven:
    """A new report after a change to the code: it is compared with the launch at hand."""

    path: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class VersionBegun:
    """In an interview: the code was changed and its numbers are to be typed anew. change: what was done, in words."""

    change: str = ""


@dataclass(frozen=True, slots=True)
class LogShown:
    """The experiment log: version, time, observation, next step."""


@dataclass(frozen=True, slots=True)
class TraceGiven:
    """A trace of the whole program."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CollectShown:
    """The command that collects what is missing."""


@dataclass(frozen=True, slots=True)
class WriteAsked:
    """The session is to be written: see requests.Write."""

    what: str
    path: str


@dataclass(frozen=True, slots=True)
class Practised:
    """Something is done with an exercise: see requests.Practise."""

    action: str
    exercise: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ViewShown:
    """Another view of the session is opened: see state.VIEWS; subject: what it is about (a finding, a word, …)."""

    view: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class ViewLeft:
    """Back from a view to where it was opened."""


@dataclass(frozen=True, slots=True)
class SourceSought:
    """In the source view: other lines or instructions are wanted (fields as in requests.Locate)."""

    by: str = ""
    search: str = ""
    where: tuple[str, ...] = ()
    columns: str = ""


@dataclass(frozen=True, slots=True)
class Supposed:
    """In the what-if view: all values tried at once, shown live and without a card. Empty: the measured ones again."""

    values: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Quit:
    """The session ends."""


@dataclass(frozen=True, slots=True)
class Back:
    """The last thing that the user did is undone."""


Deed = (
    Began
    | LaunchSelected
    | LaunchesShown
    | FindingShown
    | FixShown
    | EvidenceShown
    | MissingShown
    | Asked
    | Answered
    | Skipped
    | NapkinBegun
    | NumbersContinued
    | ConclusionShown
    | WhyAsked
    | HowAsked
    | WhyNotAsked
    | WhatIfAsked
    | ExplainAsked
    | HelpAsked
    | NotUnderstood
    | Cancelled
    | Retried
    | StepsShown
    | StepShown
    | Expected
    | Volunteered
    | ReportGiven
    | VersionBegun
    | LogShown
    | TraceGiven
    | CollectShown
    | WriteAsked
    | Practised
    | ViewShown
    | ViewLeft
    | SourceSought
    | Supposed
    | Quit
)


@dataclass(frozen=True, slots=True)
class Opened:
    """The reports were read and judged. Without reports the diagnosis is None."""

    request: Read
    diagnosis: Diagnosis | None
    lore: Lore


@dataclass(frozen=True, slots=True)
class Concluded:
    """Everything was concluded anew. wanted: in an interview, the questions whose answers could change the outcome."""

    request: Conclude
    diagnosis: Diagnosis
    wanted: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """The result of a request other than reading and concluding; what it is says the request's own text."""

    request: Prove | Suppose | Look | Reckon | Trace | Renew | Locate | Gather | Write | Practise
    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """Work failed: one line that says what is wrong and what to do."""

    request: Request
    message: str


Outcome = Opened | Concluded | Told | Failed


Event = Deed | Outcome | Back


OUTCOMES = (Opened, Concluded, Told, Failed)
