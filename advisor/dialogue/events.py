"""Everything that can happen in a session. Events are data: a session is its events, and replaying them gives it back.

Two sorts: what the user did (`deeds`), and what the advisor answered to a request (`requests`). A request is work that
a state waits for (reading, concluding, proving); whoever drives the session performs it and reports the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.dialogue.deeds import *  # noqa: F403
from advisor.dialogue.deeds import Back, Deed
from advisor.dialogue.records import Lore
from advisor.dialogue.requests import *  # noqa: F403
from advisor.dialogue.requests import (
    Conclude,
    Gather,
    Locate,
    Look,
    Practise,
    Prove,
    Read,
    Reckon,
    Renew,
    Request,
    Suppose,
    Trace,
    Write,
)
from advisor.model import Diagnosis


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
