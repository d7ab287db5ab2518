"""The texts that belong to the screen alone: hints, tooltips, headings."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from advisor.session import events as e
from advisor.session.numbers import UNIT_HINTS
from advisor.session.state import State
from advisor.tui.layout import safe
from advisor.view.numbers import plural
from advisor.view.stages import STAGES as CHILD_STAGES

FILTER: Final = "type to filter by kernel, class or finding; /help for commands"
TROUBLE: Final = "Enter takes the marked choice; /quit leaves"
NO_MATCH: Final = "No launch matches the filter; Esc clears it."
SUMMARY: Final = "{kept} of {launches} launches, {order}"
PART: Final = "{time}, {share} of the time"
NO_TIME: Final = "{count} of unknown duration"
ORDERS: Final = {
    "report": "in order of the report",
    "kernel": "by kernel",
    "duration": "by time",
    "class": "by class",
    "finding": "by first finding",
    "gain": "by time that a fix gives back",
}
UPWARDS: Final = "{order}, turned round"
READING: Final = "reading"
REASONING: Final = "reasoning"
STAGES: Final = {"read": READING, "launches": "reading launches", "reason": REASONING, **CHILD_STAGES}
LOADING: Final = "loading the knowledge base"
PROVING: Final = "looking up how"
LOOKING: Final = "looking it up"
RECKONING: Final = "reckoning"
CONCLUDING: Final = "concluding anew"
READING_TRACE: Final = "reading the trace"
LOCATING: Final = "reading the instructions"
WRITING: Final = "writing"
PRACTISING: Final = "at work on the exercise"
INCOMPLETE: Final = "INCOMPLETE"
NOT_HERE: Final = "That does nothing here. Type /help for what can be said."
NO_REPORT: Final = "no report: typed numbers"

TIP_ENTER: Final = "Take the marked choice or launch, or what was typed"
TIP_SORT: Final = "Sort by time, then by time given back, kernel, class, finding, order of the report"
TIP_REVERSE: Final = "Turn the order round"
TIP_CLEAR: Final = "Call off what is being done, or empty the filter"
TIP_HELP: Final = "Keys and commands"
TIP_LAUNCHES: Final = "Back to the list of launches"
TIP_EVIDENCE: Final = "Show or hide the evidence: speed of light, stalls, numbers"
TIP_UNDO: Final = "Undo the last thing you did"
TIP_THEME: Final = "Switch between the dark and the light theme"
TIP_QUIT: Final = "Leave the program"
TIP_COPY: Final = "Copy the newest card to the clipboard"
COPY: Final = "Copy"
COPIED: Final = "Copied, if the terminal allows it: {title}"
NOTHING_TO_COPY: Final = "There is no card to copy."
TIP_ESCAPE: Final = "Call off what is being done, go back to the line, or empty it"
TIP_LINE: Final = "Back to the line to type in"

ASK_NUMBER: Final = "{hint}"
ASK_NUMBER_OR_NOT: Final = "{hint}; d for don't know"
ASKED: Final = "Still asked: {ask}"
ASK_CHOICE: Final = "a number, a name or its beginning; Enter takes the marked one"
ASK_MENU: Final = "a choice, a question such as: what is occupancy, or /help"
WAITING: Final = "one moment"


_WORK: Final[dict[type, str]] = {
    e.Conclude: CONCLUDING,
    e.Suppose: CONCLUDING,
    e.Prove: PROVING,
    e.Explain: LOOKING,
    e.Estimate: RECKONING,
    e.Trace: READING_TRACE,
    e.CompareVersion: READING,
    e.Locate: LOCATING,
    e.BuildCollectCommand: LOOKING,
    e.Write: WRITING,
    e.Practise: PRACTISING,
}


def banner(state: State) -> str:
    """What is open: the files, how many launches, the card."""
    if state.numbers:
        return NO_REPORT
    names = ", ".join(Path(p).name for p in state.paths)
    if state.diagnosis is None or not state.diagnosis.launches:
        return names
    launches = state.diagnosis.launches
    cards = list(dict.fromkeys(launch.known_as or launch.gpu_name for launch in launches))
    count = f"{len(launches)} {plural(len(launches), 'launch', 'launches')}"
    broken = [r for r in state.diagnosis.reports if not r.complete]
    # The names last: they are what may be cut.
    parts = [count, ", ".join(card for card in cards if card), INCOMPLETE if broken else "", names]
    return " · ".join(part for part in parts if part)


def problems(state: State) -> list[str]:
    """What was wrong with the files, a line each."""
    reports = () if state.diagnosis is None else state.diagnosis.reports
    return [f"{Path(report.path).name}: {problem}" for report in reports for problem in report.problems]


def work(request: e.Request) -> str:
    """What is being done for a request."""
    if isinstance(request, e.Read):
        return READING if request.paths else LOADING
    return _WORK[type(request)]


def placeholder(state: State) -> str:
    """What the prompt says while it is empty."""
    if state.ask is not None and state.ask.kind == "number":
        text = ASK_NUMBER_OR_NOT if state.ask.optional else ASK_NUMBER
        return text.format(hint=UNIT_HINTS.get(state.ask.unit, UNIT_HINTS["count"]))
    if state.ask is not None:
        return ASK_CHOICE
    return WAITING if state.waiting and state.launch is None else ASK_MENU


def asked(state: State) -> str:
    """The open question in one line, where something else was said since it was put; else nothing."""
    ask, cards = state.ask, state.conversation
    if ask is None or not cards or (cards[-1].kind == "question" and cards[-1].finding == ask.id):
        return ""
    return ASKED.format(ask=safe(" ".join(ask.ask.split())))


def unclear(event: e.NotUnderstood) -> str:
    """Where there is no conversation to say it in: what is wrong with a line, and what could have been meant."""
    meant = f"Did you mean: {'   or   '.join(event.meant)}" if event.meant else ""
    return " ".join(part for part in (event.because, meant) if part) or NOT_HERE
