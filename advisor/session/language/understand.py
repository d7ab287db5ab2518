"""What could have been meant by a line that is not understood: whole lines, each of which is understood when typed.

What the user typed, understood: a pure function from a line of text and the state to an event.

A slash command is one whatever is asked. Else a number is an answer where one is asked for; then a choice by its
number, name or beginning; then a phrase; a file; numbers with names; and last, what could have been meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from advisor.records.errors import AdvisorError
from advisor.session import events as e
from advisor.session import strings
from advisor.session.cards import range_text
from advisor.session.choices import MEANT, choices, event_of
from advisor.session.language import files
from advisor.session.language import words_commands as words
from advisor.session.language.names import called
from advisor.session.language.phrases import phrase
from advisor.session.language.slash import DOES, Slash, event_of_command
from advisor.session.language.suggestions import near, pick, squash
from advisor.session.language.values import Understood, bare_number, said, understood
from advisor.session.numbers import number
from advisor.session.records import Ask, Choice
from advisor.session.state import State

MOST: Final = 3  # lines


_ALIKE: Final = 62.0  # of 100: a word of four letters with two exchanged still is


_CHOICES: Final = 2  # of them at most, where a command or a word resembles it too


def unclear(text: str, state: State) -> e.NotUnderstood:
    """The choices, commands and words that resemble what was typed; the help where none does."""
    if state.ask is None and squash(text) in (*words.YES, *words.NO, *strings.DONT_KNOW_WORDS):
        return e.NotUnderstood(text, _first(state), strings.NOTHING_ASKED)
    offered = {word: c.label for c in reversed(_listed(state)) for word in (*c.words, c.label) if len(word) > 1}
    commands = {name: f"/{name}" for name in DOES}
    known = {word: f"/explain {word}" for word in state.lore.words}
    lines: list[str] = []
    for pool, most in ((offered, _CHOICES), (commands, 1), (known, MOST)):
        lines += [pool[name] for name in _alike(text, pool)][:most]
    meant = tuple(dict.fromkeys(lines))[:MOST]
    return e.NotUnderstood(text, meant or ("/help",), "" if meant else strings.TYPE_HELP)


def _first(state: State) -> tuple[str, ...]:
    return tuple(choice.label for choice in _listed(state)[:1])


def _listed(state: State) -> list[Choice]:
    return [choice for choice in choices(state) if not choice.id.startswith(MEANT)]


def _alike(text: str, names: Iterable[str]) -> list[str]:
    """The names that resemble the whole of the text, or hold at least half of its words; the nearest first."""
    from rapidfuzz import fuzz

    wanted = squash(text)[:80]
    said = [word for word in wanted.split() if len(word) > 2]
    out = []
    for name in near(text, names, 3 * MOST):
        has = squash(name).split()
        held = sum(any(word.startswith(one) for word in has) for one in said)
        if fuzz.ratio(wanted, squash(name)) >= _ALIKE or (said and 2 * held >= len(said)):
            out.append(name)
    return out


# What is worked out from the numbers of a page -> the number on the page.
_SHOWN: Final = {"compute_pct": "sm_throughput_pct", "memory_pct": "memory_throughput_pct"}


_TELLS = 4  # letters from which words inside an answer tell which is meant


def parse(text: str) -> Slash | str:
    """A slash command, or the line itself without blanks around it."""
    line = " ".join(text.split())
    if not line.startswith("/"):
        return line
    word, _, rest = line[1:].partition(" ")
    raw = text.strip()[1:].strip().partition(" ")[2].strip()
    return Slash(word.casefold(), rest.strip(), raw)


def understand(text: str, state: State) -> e.Event | None:
    """The event that the line stands for now; None for an empty line. Never raises: see NotUnderstood."""
    parsed = parse(_readable(text))
    ask = state.ask if state.place == "launch" else None
    if isinstance(parsed, Slash):
        # Where a line of text is asked for, a path may begin with a slash too.
        if ask is not None and ask.kind == "text" and parsed.word not in DOES:
            return _to_text(text.strip(), state, ask)
        return event_of_command(parsed, state)
    if not parsed:
        return None
    if ask is not None and ask.kind == "number":
        return _to_number(parsed, state, ask)
    if ask is not None and ask.kind == "text":
        return _to_text(text.strip(), state, ask)
    return (
        _choose(parsed, state)
        or phrase(parsed, state)
        or _named_thing(parsed, state)
        or _numbers(parsed, state)
        or unclear(parsed, state)
    )


def _readable(text: str) -> str:
    """Without halves of characters, which no file could hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def commands() -> tuple[str, ...]:
    """The slash commands, for completion."""
    return tuple(f"/{name}" for name in DOES)


# Answers and choices
def _to_number(text: str, state: State, ask: Ask) -> e.Event:
    """An answer in the unit that is asked for; other numbers with their names; else what may be said at any time."""
    if not any(c.isdigit() for c in text):
        otherwise = _choose(text, state, numbered=False) or phrase(text, state) or _named_thing(text, state)
        if otherwise is not None:
            return otherwise
        if ask.unit == "bool" and squash(text) in (*words.YES, *words.NO):
            return e.Answered(ask.id, float(squash(text) in words.YES), text)
    try:
        value = number(bare_number(text) or text, ask.unit)
    except AdvisorError as problem:
        return _named_numbers(text, state, ask) or _no_number(text, state, str(problem))
    return _in_range(ask, value, text)


def _in_range(ask: Ask, value: float, text: str) -> e.Event:
    low, high = ask.low, ask.high
    if (low is not None and value < low) or (high is not None and value > high):
        return e.NotUnderstood(text, (), f"That is outside what is possible here: {range_text(ask)}.")
    return e.Answered(ask.id, value, text)


def _named_numbers(text: str, state: State, ask: Ask) -> e.Event | None:
    if not any(c.isdigit() for c in text):
        return None
    found = _as_shown(understood(said(text), state.lore), state)
    if [metric for metric, _ in found.values] == [ask.id]:
        return _in_range(ask, found.values[0][1], text)
    if found.values:
        return e.Volunteered(found.values, text)
    otherwise = _choose(text, state, numbered=False) or phrase(text, state)
    # A number and then a word that is no name: a unit was meant.
    unit = text[:1].isdigit() and len(said(text)) == 1 and found.because != words.WHICH_NUMBER
    return otherwise or (None if unit else _asked_back(text, found))


def _as_shown(found: Understood, state: State) -> Understood:
    """Without a report, compute is what ncu shows under that name; the fullest pipe follows from others."""
    if not state.numbers:
        return found
    return replace(found, values=tuple((_SHOWN.get(name, name), value) for name, value in found.values))


def _asked_back(text: str, found: Understood) -> e.Event | None:
    return e.NotUnderstood(text, found.meant[:MOST], found.because) if found.meant else None


def _no_number(text: str, state: State, because: str) -> e.Event:
    return e.NotUnderstood(text, unclear(text, state).meant, because)


def _to_text(text: str, state: State, ask: Ask) -> e.Event:
    """Any text is the answer, but for the choices that stand beside it."""
    chosen = _choose(text, state, exact=True)
    if chosen is not None:
        return chosen
    if ask.group == "path":
        path, rest = files.file_and_rest(text)
        return e.Answered(ask.id, path if not rest else text, text)
    return e.Answered(ask.id, text, text)


def _choose(text: str, state: State, numbered: bool = True, exact: bool = False) -> e.Event | None:
    """A choice by its number, by one of its words, or by the beginning of one that is no other's."""
    offered = choices(state)
    if numbered and text.rstrip(".)").isdecimal():
        at = int(text.rstrip(".)")[:4])
        return event_of(offered[at - 1].id, state, text) if 1 <= at <= len(offered) else None
    # What could have been meant is a line itself: it is understood as that line.
    listed = [choice for choice in offered if not choice.id.startswith(MEANT)]
    wanted = _yes_or_no(squash(text), listed)
    for test in (str.__eq__,) if exact else (str.__eq__, str.startswith):
        found = [c for c in listed if any(test(squash(word), wanted) for word in (*c.words, c.label, c.id))]
        if len(found) == 1:
            return event_of(found[0].id, state, text)
        if found:
            return e.NotUnderstood(text, tuple(c.label for c in found[:MOST]), "That could be several of the choices.")
    answers = [] if exact or state.ask is None or len(wanted) < _TELLS else listed
    found = [c for c in answers if any(_holds(word, wanted) for word in (*c.words, c.label))]
    return event_of(found[0].id, state, text) if len(found) == 1 else None


def _holds(name: str, wanted: str) -> bool:
    """Whether each word that is wanted begins a word of the name."""
    has = squash(name).split()
    return all(any(word.startswith(one) for word in has) for one in wanted.split())


def _yes_or_no(wanted: str, listed: list[Choice]) -> str:
    """Yes and no in one way, where they are among the choices."""
    names = {word for choice in listed for word in choice.words}
    for plain, ways in (("yes", words.YES), ("no", words.NO)):
        if wanted in ways and wanted not in names and plain in names:
            return plain
    return wanted


def _named_thing(text: str, state: State) -> e.Event | None:
    """A finding by its name, or a word that can be explained; None for anything else, and for what only begins so."""
    launch = state.launch
    for finding in () if launch is None else launch.findings:
        if squash(text) in (squash(finding.id), squash(finding.title)):
            return e.FindingShown(finding.id)
    for name, title in state.lore.findings:
        if squash(text) in (squash(name), squash(title)):
            return e.NotUnderstood(text, (f"/whynot {name}", f"/explain {name}"), "That was not found on this launch.")
    exact = pick(text, state.lore.words)
    if exact and squash(exact[0]) == squash(text):
        return e.ExplainAsked(exact[0])
    metrics = called(text, state.lore)
    if len(metrics) > 1:
        return e.NotUnderstood(text, tuple(f"/explain {name}" for name in metrics[:MOST]), words.WHICH_NUMBER)
    return e.ExplainAsked(metrics[0]) if metrics else None


def _numbers(text: str, state: State) -> e.Event | None:
    """A file that is named, or numbers with their names; None where the line holds neither."""
    path = files.named_file(text)
    if path:
        return e.TraceGiven((path,)) if files.is_trace(path) else e.ReportGiven(path)
    pairs = said(text) if any(c.isdigit() for c in text) else ()
    if not pairs:
        return (
            e.NotUnderstood(text, ("/help",), "Say which number it is, such as dram 83%.")
            if bare_number(text)
            else None
        )
    found = _as_shown(understood(pairs, state.lore), state)
    if found.values:
        return e.Volunteered(found.values, text)
    return e.NotUnderstood(text, found.meant[:MOST] or unclear(text, state).meant, found.because)
