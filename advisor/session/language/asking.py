"""Turn the meaning of a plain question into an event of the session."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from advisor.knowledge.base import catalog
from advisor.readers.fragment import paragraphs
from advisor.reasoning.ncu_rules import recognised
from advisor.records.errors import AdvisorError
from advisor.records.questions import LEAST, SURE, Meaning
from advisor.session import events as e
from advisor.session.action import Typed
from advisor.session.actions import COMMANDS
from advisor.session.choices import choices, event_of_choice
from advisor.session.language.files import form_of
from advisor.session.language.intents import OUT_OF_SCOPE, intents
from advisor.session.language.limited import on_launch
from advisor.session.language.meaning import is_understood, meaning_of, object_of
from advisor.session.language.names import pick, squash
from advisor.session.questions import ANOTHER, entry_of, other_launch, values_of
from advisor.session.state import State
from advisor.view.pages.answers.parts import main_subject

_ACTS: Final = ("quit", "undo", "save")  # intents that change something: taken only if the reading is certain
_COMMAND: Final = frozenset(("command", "cmd", "cmdline", "flag", "flags", "ncu", "collect", "profile", "section"))
_PART: Final = 4  # minimum letters of a part of a kernel's name
_LIST: Final = frozenset(("kernels", "launches", "list", "others"))


def read_as(text: str, state: State) -> Meaning:
    """Return how a typed line is read as a question."""
    launches = () if state.diagnosis is None else state.diagnosis.launches
    return meaning_of(text, replace(state.knowledge.asked, kernels=tuple(launch.kernel for launch in launches)))


def ncu_rule(text: str, state: State) -> e.Event | None:
    """Return the event of a pasted paragraph of a rule of ncu; None for any other text."""
    if state.launch is None or recognised(catalog(), text) is None:
        return None
    return e.QuestionAsked(text)


def rule_among(text: str, state: State) -> str:
    """Return the first paragraph of a rule of ncu in a pasted text that also has other lines; empty without one."""
    known = (part for part in paragraphs(text) if recognised(catalog(), part) is not None)
    return next(known, "")


def question(text: str, state: State, least: float | None = None) -> e.Event | None:
    """Return the event of a plain question; None if the line is none or its reading is less certain than `least`."""
    least = LEAST if least is None else least
    meaning = read_as(text, state)
    if meaning.intent != "explain" and len(state.experiments) > 1 and _OUTCOME.search(text):
        return e.OutcomeAsked(text)
    meaning = replace(meaning, subject=on_launch(meaning.subject, state.launch))
    if meaning.intent == OUT_OF_SCOPE or meaning.confidence < least:
        return None
    if meaning.intent in _ACTS and meaning.confidence < SURE:
        return None
    if meaning.confidence < SURE and not (meaning.intent == "explain" and object_of(text)):
        return _asked(meaning, state)
    made = _EVENTS.get(meaning.intent, _asked)
    event = made(meaning, state)
    if event is None or isinstance(event, e.NotUnderstood):
        return event
    return event if state.place == "launch" or isinstance(event, _ANYWHERE) else _asked(meaning, state)


def readings(text: str, state: State) -> tuple[str, ...]:
    """Return what a line could ask, as questions to type, if its reading is too doubtful to be answered."""
    if state.diagnosis is None or not state.diagnosis.launches:
        return ()
    meaning = read_as(text, state)
    return () if meaning.intent == OUT_OF_SCOPE or is_understood(meaning) else meaning.readings


def _is_entry(word: str, state: State) -> bool:
    """Return whether the knowledge base has an entry of exactly this name."""
    exact = pick(word, state.knowledge.words) if word else ()
    return bool(exact) and squash(exact[0]) == squash(word)


_ANYWHERE: Final = (e.HelpAsked, e.Back, e.Quit, e.WriteAsked, e.LaunchSelected, e.LaunchesShown, e.ReportGiven)


def _asked(meaning: Meaning, state: State) -> e.Event | None:
    """Return the question itself: it is answered with a card."""
    return e.QuestionAsked(meaning.text) if state.diagnosis is not None and state.diagnosis.launches else None


def _command(name: str) -> Callable[[Meaning, State], e.Event | None]:
    return lambda meaning, state: COMMANDS[name].event(Typed(), state)


def _fix(meaning: Meaning, state: State) -> e.Event | None:
    finding = state.finding_of(state.finding)
    mine = finding is not None and finding.fix is not None
    about = meaning.subject.findings if meaning.subject is not None else ()
    return e.FixShown() if mine and (not about or state.finding in about) else _asked(meaning, state)


def _next(meaning: Meaning, state: State) -> e.Event | None:
    offered = [choice for choice in choices(state) if not choice.id.startswith("meant:")]
    if state.ask is not None or not offered:
        return _asked(meaning, state)
    return event_of_choice(offered[0].id, state)


def _where(meaning: Meaning, state: State) -> e.Event | None:
    return _asked(meaning, state) if state.numbers or state.launch is None else e.ViewShown("source")


def _how(meaning: Meaning, state: State) -> e.Event | None:
    if not state.finding or state.launch is None:
        return _asked(meaning, state)
    wanted = meaning.subject.findings if meaning.subject is not None else ()
    return e.HowAsked(next((name for name in wanted if state.finding_of(name) is not None), ""))


def _why_not(meaning: Meaning, state: State) -> e.Event | None:
    name = main_subject(meaning.subject)
    about = meaning.subject.findings if meaning.subject is not None else ()
    if state.launch is None or not name or any(state.finding_of(finding) is not None for finding in about):
        return _asked(meaning, state)
    return e.WhyNotAsked(name)


def _explain(meaning: Meaning, state: State) -> e.Event | None:
    word = entry_of(meaning)
    return e.ExplainAsked(pick(word, state.knowledge.words)[0] if _is_entry(word, state) else word)


def _missing(meaning: Meaning, state: State) -> e.Event | None:
    return e.CollectShown() if _COMMAND & set(meaning.words) else e.MissingShown()


def _what_if(meaning: Meaning, state: State) -> e.Event | None:
    if not intents()[meaning.intent].words & set(squash(meaning.text).split()):
        return None
    try:
        values = values_of(meaning, state.launch, catalog())
    except AdvisorError:
        return _asked(meaning, state)  # the answer says why it is impossible
    if values:
        return e.WhatIfAsked(values)
    return e.ViewShown("whatif") if meaning.subject is None else _asked(meaning, state)


def _other_launch(meaning: Meaning, state: State) -> e.Event | None:
    launches = () if state.diagnosis is None else state.diagnosis.launches
    if meaning.subject is None and _LIST & set(meaning.words):
        return e.LaunchesShown()
    kernels = " ".join(launch.kernel.casefold() for launch in launches)
    named = any(len(word) >= _PART and word in kernels for word in meaning.words)
    if meaning.subject is None and not (meaning.numbers or named or ANOTHER & set(meaning.words)):
        return None
    if len(launches) < 2:
        return _asked(meaning, state)
    if state.position is None and meaning.subject is None:
        return e.LaunchSelected(0)
    position, problem = other_launch(meaning, launches, state.position or 0)
    return _asked(meaning, state) if problem else e.LaunchSelected(position)


# Questions about the last change, once two versions were compared.
_OUTCOME: Final = re.compile(
    r"^(?:so\s+)?(?:did|has|have|does)\b.*\b(?:help|helped|work|worked|faster|slower|improve|improved|pay off|change)\b"
    r"|^(?:why|how come)\b.*\b(?:faster|quicker|slower|the same speed)\b"
    r"|^is it (?:now )?(?:faster|slower|better|worse)\b"
    r"|^what (?:has )?changed\b|^both did the same work",
    re.IGNORECASE,
)
_PAST: Final = ("did", "has", "have", "was", "were", "didnt")  # how a question about the effect of a change begins


def _compare(meaning: Meaning, state: State) -> e.Event | None:
    """Return the log of versions if several were compared, an answer to a question about a change, else the command."""
    if len(state.experiments) > 1:
        return e.LogShown()
    if meaning.words[:1] and meaning.words[0] in _PAST and not state.numbers:
        return _asked(meaning, state)
    return COMMANDS["compare"].event(Typed(), state)


def _practise(meaning: Meaning, state: State) -> e.Event | None:
    finding = state.finding_of(state.finding)
    name = main_subject(meaning.subject)
    entry = catalog().diagnoses.get(name) if name else None
    exercise = entry.exercise if entry is not None else ""
    if not exercise and finding is not None and finding.fix is not None:
        exercise = finding.fix.practice
    return e.ViewShown("practice", exercise if exercise in state.knowledge.exercises else "")


def _save(meaning: Meaning, state: State) -> e.Event | None:
    form = next((form for word in meaning.words if (form := form_of(word))), "")
    return COMMANDS["export"].event(Typed(form, form), state) if form else COMMANDS["save"].event(Typed(), state)


_EVENTS: Final[dict[str, Callable[[Meaning, State], e.Event | None]]] = {
    "how_to_fix": _fix,
    "what_next": _next,
    "where": _where,
    "how_concluded": _how,
    "why_not": _why_not,
    "explain": _explain,
    "missing": _missing,
    "what_if": _what_if,
    "other_launch": _other_launch,
    "compare": _compare,
    "practise": _practise,
    "help": _command("help"),
    "undo": _command("back"),
    "quit": _command("quit"),
    "save": _save,
}
