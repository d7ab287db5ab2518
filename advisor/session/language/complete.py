"""How a line that is being typed could go on: commands, what they take, and the words of `what is`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from advisor.session import strings
from advisor.session.language import files
from advisor.session.language.names import plain
from advisor.session.language.slash import DOES
from advisor.session.language.suggestions import squash
from advisor.session.state import State

Listing = Callable[[str, tuple[str, ...]], tuple[str, ...]]
_MOST: Final = 40
_ASKS: Final = re.compile(r"^(what is |what are |what's |what does |explain )(.+)$", re.IGNORECASE)


def completions(text: str, state: State, listing: Listing = files.listed) -> tuple[str, ...]:
    """Whole lines that begin with what is typed, the likeliest first; at most 40. listing: the files that begin so."""
    line = text.lstrip()
    lead = text[: len(text) - len(line)]
    if line.startswith("/"):
        name, blank, rest = line[1:].partition(" ")
        if not blank:
            found = (command for command in DOES if command.startswith(name.casefold()))
            begun = (f"/{command} " if command in _GIVE else f"/{command}" for command in found)
            return _lines(text, (lead + command for command in begun))
        give = _GIVE.get(name.casefold())
        done = f"{lead}/{name}{blank}"
        return () if give is None else _lines(text, (done + more for more in give(rest, state, listing)))
    asked = _ASKS.match(line)
    if asked is not None:
        return _lines(text, (lead + asked[1] + word for word in _begun(asked[2], state.lore.words)))
    return ()


def _lines(text: str, found: Iterable[str]) -> tuple[str, ...]:
    """Those that go on from what is typed."""
    return tuple(dict.fromkeys(line for line in found if line != text))[:_MOST]


def _begun(text: str, names: Iterable[str]) -> list[str]:
    """The names that begin so, written as they are; where none does, those with a word that begins so."""
    wanted, pool = squash(text), list(dict.fromkeys(names))
    if not wanted:
        return pool
    begun = [name for name in pool if squash(name).startswith(wanted)]
    return begun or [name for name in pool if any(word.startswith(wanted) for word in squash(name).split())]


def _findings_here(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return _begun(rest, [f.id for f in state.launch.findings] if state.launch is not None else ())


def _findings(rest: str, state: State, listing: Listing) -> Iterable[str]:
    here = {f.id for f in state.launch.findings} if state.launch is not None else set()
    return _begun(rest, (name for name, _ in state.lore.findings if name not in here))


def _metric(rest: str, state: State, listing: Listing) -> Iterable[str]:
    """The metric of the last pair, with the sign behind it; those with a measured value first."""
    before, comma, last = rest.rpartition(",")
    if "=" in last:
        return ()
    gap = last[: len(last) - len(last.lstrip())] or (" " if comma else "")
    measured = {} if state.launch is None else state.launch.metrics
    names = [name for name, _, _ in state.lore.metrics]
    names.sort(key=lambda name: name not in measured)
    wanted = plain(last)
    called = dict.fromkeys(metric for said, metric in state.lore.names if wanted and said == wanted)
    return (f"{before}{comma}{gap}{name} = " for name in (*called, *_begun(last, names)))


def _step(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return _begun(rest, (step.id for step in state.lore.steps))


def _word(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return _begun(rest, state.lore.words) if rest else ()


def _exercise(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return _begun(rest, state.lore.exercises)


def _kernel(rest: str, state: State, listing: Listing) -> Iterable[str]:
    launches = () if state.diagnosis is None else state.diagnosis.launches
    numbers = [strings.launch_number(launch, state.several_reports) for launch in launches]
    return (*_begun(rest, (launch.kernel for launch in launches)), *(n for n in numbers if n.startswith(rest)))


def _file(endings: tuple[str, ...], rest: str, state: State, listing: Listing) -> Iterable[str]:
    return listing(rest, endings)


def _export(rest: str, state: State, listing: Listing) -> Iterable[str]:
    form, blank, path = rest.partition(" ")
    if not blank:
        return (f"{name} " for name in ("md", "html", "json") if name.startswith(form.casefold()))
    default = files.default_name(state.paths or state.traces, files.form_of(form) or "markdown")
    return (f"{form} {found}" for found in ((default,) if not path else listing(path, ())))


def _save(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return listing(rest, ()) if rest else (files.default_name(state.paths or state.traces, "transcript"),)


_GIVE: Final[dict[str, Callable[[str, State, Listing], Iterable[str]]]] = {
    "how": _findings_here,
    "proof": _findings_here,
    "whynot": _findings,
    "whatif": _metric,
    "goto": _step,
    "explain": _word,
    "practice": _exercise,
    "kernel": _kernel,
    "compare": partial(_file, files.REPORTS),
    "timeline": partial(_file, files.TRACES),
    "save": _save,
    "export": _export,
}
