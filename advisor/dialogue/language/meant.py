"""What could have been meant by a line that is not understood: whole lines, each of which is understood when typed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from advisor.dialogue import events as e
from advisor.dialogue import face
from advisor.dialogue.language import words_commands as words
from advisor.dialogue.language.slash import DOES
from advisor.dialogue.language.suggest import near, squash
from advisor.dialogue.records import Choice
from advisor.dialogue.state import State
from advisor.dialogue.turn import MEANT, choices

MOST: Final = 3  # lines
_ALIKE: Final = 62.0  # of 100: a word of four letters with two exchanged still is
_CHOICES: Final = 2  # of them at most, where a command or a word resembles it too


def unclear(text: str, state: State) -> e.NotUnderstood:
    """The choices, commands and words that resemble what was typed; the help where none does."""
    if state.ask is None and squash(text) in (*words.YES, *words.NO, *face.DONT_KNOW_WORDS):
        return e.NotUnderstood(text, _first(state), face.NOTHING_ASKED)
    offered = {word: c.label for c in reversed(_listed(state)) for word in (*c.words, c.label) if len(word) > 1}
    commands = {name: f"/{name}" for name in DOES}
    known = {word: f"/explain {word}" for word in state.lore.words}
    lines: list[str] = []
    for pool, most in ((offered, _CHOICES), (commands, 1), (known, MOST)):
        lines += [pool[name] for name in _alike(text, pool)][:most]
    meant = tuple(dict.fromkeys(lines))[:MOST]
    return e.NotUnderstood(text, meant or ("/help",), "" if meant else face.TYPE_HELP)


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
