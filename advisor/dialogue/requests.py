"""Work that a state waits for: whoever drives the session performs it (see `desk`) and reports the outcome."""

from __future__ import annotations

from dataclasses import dataclass


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
