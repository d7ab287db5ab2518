"""What the user typed, understood: a pure function from a line of text and the state to an event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from advisor.dialogue import events as e
from advisor.dialogue import face
from advisor.dialogue.cards import range_text
from advisor.dialogue.numbers import number
from advisor.dialogue.records import Ask, Choice
from advisor.dialogue.state import State
from advisor.dialogue.suggest import near, pick, squash
from advisor.dialogue.turn import choices, event_of
from advisor.errors import AdvisorError

_PHRASES = ("what is ", "what are ", "what does ", "explain ")
_SHORT = {
    "why": "why",
    "how": "how",
    "back": "back",
    "undo": "back",
    "help": "help",
    "quit": "quit",
    "exit": "quit",
    "skip": "skip",
}


@dataclass(frozen=True, slots=True)
class Slash:
    """A slash command: its word as typed, and the rest of the line."""

    word: str
    rest: str


def parse(text: str) -> Slash | str:
    """A slash command, or the line itself without blanks around it."""
    line = " ".join(text.split())
    if not line.startswith("/"):
        return line
    word, _, rest = line[1:].partition(" ")
    return Slash(word.casefold(), rest.strip())


def understand(text: str, state: State) -> e.Event | None:
    """The event that the line stands for now; None for an empty line. Never raises: see NotUnderstood."""
    parsed = parse(text)
    if isinstance(parsed, Slash):
        return _slash(parsed, state)
    if not parsed:
        return None
    if state.place == "launch" and state.ask is not None and state.ask.kind == "number":
        return _to_number(parsed, state, state.ask)
    return _choose(parsed, state) or _phrase(parsed, state) or _unclear(parsed, state)


# Answers and choices


def _to_number(text: str, state: State, ask: Ask) -> e.Event:
    chosen = _choose(text, state, numbered=False) or _phrase(text, state)
    if chosen is not None and not any(c.isdigit() for c in text):
        return chosen
    try:
        value = number(text, ask.unit)
    except AdvisorError as problem:
        return chosen or e.NotUnderstood(text, (), str(problem))
    low, high = ask.low, ask.high
    if (low is not None and value < low) or (high is not None and value > high):
        return e.NotUnderstood(text, (), face.OUT_OF_RANGE.format(range=range_text(ask)))
    return e.Answered(ask.id, value, text)


def _choose(text: str, state: State, numbered: bool = True) -> e.Event | None:
    """A choice by its number, by one of its words, or by the beginning of one that is no other's."""
    offered = choices(state)
    if numbered and text.rstrip(".)").isdecimal():
        at = int(text.rstrip(".)")[:4])
        return event_of(offered[at - 1].id, state, text) if 1 <= at <= len(offered) else None
    for test in (str.__eq__, str.startswith):
        found = [c for c in offered if any(test(squash(word), squash(text)) for word in (*c.words, c.label, c.id))]
        if len(found) == 1:
            return event_of(found[0].id, state, text)
        if found:
            return e.NotUnderstood(text, tuple(c.label for c in found[:4]), face.AMBIGUOUS)
    return None


def _phrase(text: str, state: State) -> e.Event | None:
    """The commands that may be said without their slash."""
    plain = squash(text.rstrip("?! "))
    word = _SHORT.get(plain)
    if word is not None:
        return _slash(Slash(word, ""), state)
    if plain.startswith("what if "):
        return _what_if(text.rstrip("?! ")[len("what if ") :], state)
    for start in _PHRASES:
        if plain.startswith(start):
            return _explain(plain[len(start) :].removesuffix(" mean"), state)
    return None


def _unclear(text: str, state: State) -> e.Event:
    offered = choices(state)
    labels = near(text, [word for c in offered for word in (c.label, *c.words)])
    meant = [_label_of(word, offered) for word in labels]
    meant += [f"/explain {word}" for word in near(text, state.lore.words, 2)]
    return e.NotUnderstood(text, tuple(dict.fromkeys(meant))[:4])


def _label_of(word: str, offered: tuple[Choice, ...]) -> str:
    return next(c.label for c in offered if word in (c.label, *c.words))


# Commands


def _slash(command: Slash, state: State) -> e.Event:
    found = pick(command.word, _COMMANDS)
    if len(found) != 1:
        meant = found or near(command.word, _COMMANDS)
        return e.NotUnderstood(f"/{command.word}", tuple(f"/{name}" for name in meant[:4]), face.NO_COMMAND)
    return _COMMANDS[found[0]](command.rest, state)


def _how(rest: str, state: State) -> e.Event:
    launch = state.launch
    if not rest:
        return e.HowAsked() if state.finding else e.NotUnderstood("/how", (), face.NO_FINDING)
    name, meant = _named(rest, {} if launch is None else {f.id: f.title for f in launch.findings})
    commands = tuple(f"/how {near_name}" for near_name in meant)
    return e.HowAsked(name) if name else e.NotUnderstood(f"/how {rest}", commands, face.NOT_FOUND_HERE)


def _why_not(rest: str, state: State) -> e.Event:
    name, meant = _named(rest, dict(state.lore.findings))
    commands = tuple(f"/whynot {near_name}" for near_name in meant)
    return e.WhyNotAsked(name) if name else e.NotUnderstood(f"/whynot {rest}".strip(), commands, face.WHICH_FINDING)


def _named(text: str, titles: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """The id whose id or title the text is or begins, '' where that is not one; and what could have been meant."""
    by_word = {word: name for name, title in titles.items() for word in (title, name) if word}
    found = tuple(dict.fromkeys(by_word[word] for word in pick(text, by_word))) if text else ()
    if len(found) == 1:
        return found[0], ()
    return "", found[:4] or tuple(dict.fromkeys(by_word[word] for word in near(text, by_word)))


def _what_if(rest: str, state: State) -> e.Event:
    values: list[tuple[str, float]] = []
    units = {name: unit for name, unit, _ in state.lore.metrics}
    for part in rest.replace(" and ", ",").split(","):
        name, sign, typed = part.partition("=")
        if not sign or not name.strip() or not typed.strip():
            return e.NotUnderstood(f"/whatif {rest}".strip(), ("/whatif dram_pct=70",), face.WHAT_IF_FORM)
        found = pick(name, units)
        metric = found[0] if found and squash(found[0]) == squash(name) else ""
        if not metric:
            meant = tuple(f"/whatif {near_name}={typed.strip()}" for near_name in near(name, units))
            return e.NotUnderstood(f"/whatif {rest}", meant, face.NO_METRIC.format(name=name.strip()))
        try:
            values.append((metric, number(typed, units[metric])))
        except AdvisorError as problem:
            return e.NotUnderstood(f"/whatif {rest}", (), str(problem))
    return e.WhatIfAsked(tuple(values))


def _explain(rest: str, state: State) -> e.Event:
    if not rest:
        return e.NotUnderstood("/explain", ("/explain occupancy", "/explain long_scoreboard"), face.EXPLAIN_WHAT)
    exact = pick(rest, state.lore.words)
    known = exact[0] if exact and squash(exact[0]) == squash(rest) else rest
    return e.ExplainAsked(known)


def _kernel(rest: str, state: State) -> e.Event:
    launches = () if state.diagnosis is None else state.diagnosis.launches
    if not rest or state.numbers:
        return e.LaunchesShown()
    numbers = {face.launch_number(launch, state.several_reports): at for at, launch in enumerate(launches)}
    if rest.lstrip("#") in numbers:
        return e.LaunchSelected(numbers[rest.lstrip("#")])
    names = [launch.kernel for launch in launches]
    found = pick(rest, names)
    if len(found) == 1:
        return e.LaunchSelected(names.index(found[0]))
    meant = found or near(rest, names)
    return e.NotUnderstood(f"/kernel {rest}", tuple(f"/kernel {name}" for name in meant[:4]), face.WHICH_LAUNCH)


def _skip(rest: str, state: State) -> e.Event:
    return e.NotUnderstood("/skip", (), face.NOTHING_ASKED) if state.ask is None else e.Skipped(state.ask.id)


def _back(rest: str, state: State) -> e.Event:
    from advisor.dialogue.reducer import can_go_back

    return e.Back() if can_go_back(state) else e.NotUnderstood("/back", (), face.NOTHING_TO_UNDO)


_COMMANDS: dict[str, Callable[[str, State], e.Event]] = {
    "why": lambda rest, state: e.WhyAsked(),
    "how": _how,
    "whynot": _why_not,
    "whatif": _what_if,
    "explain": _explain,
    "evidence": lambda rest, state: e.EvidenceShown(),
    "fix": lambda rest, state: e.FixShown(),
    "missing": lambda rest, state: e.MissingShown(),
    "kernel": _kernel,
    "kernels": lambda rest, state: e.LaunchesShown(),
    "back": _back,
    "skip": _skip,
    "help": lambda rest, state: e.HelpAsked(),
    "quit": lambda rest, state: e.Quit(),
}


def commands() -> tuple[str, ...]:
    """The slash commands, for completion."""
    return tuple(f"/{name}" for name in _COMMANDS)
