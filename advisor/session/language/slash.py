"""The slash commands: from a name and what follows it to an event, or to what could have been meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from advisor.knowledge.schemas import checked
from advisor.records.errors import UsageError
from advisor.session import events as e
from advisor.session import strings
from advisor.session.language import files
from advisor.session.language.suggestions import near, pick, squash
from advisor.session.language.values import said, understood
from advisor.session.state import State

_REGEX = re.compile(r"(?:^|\s)/(.+)/(?=\s|$)")
_TEST = re.compile(r"[\w./]+\s*(?:<=|>=|==|!=|<|>|=)\s*\S+")


@dataclass(frozen=True, slots=True)
class Slash:
    """A slash command: its word as typed, the rest of the line with single blanks, and the rest as it stands."""

    word: str
    rest: str
    raw: str = ""


def event_of_command(command: Slash, state: State) -> e.Event:
    """The event that the command stands for now. Never raises: see NotUnderstood."""
    found = pick(command.word, DOES)
    if len(found) != 1:
        meant = found or near(command.word, DOES)
        tried = tuple(f"/{name} {command.rest}".strip() for name in meant[:4])
        return e.NotUnderstood(f"/{command.word}", tried or ("/help",), "There is no such command.")
    return DOES[found[0]](command, state)


def named(text: str, titles: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """The id whose id or title the text is or begins, '' where that is not one; and what could have been meant."""
    by_word = {word: name for name, title in titles.items() for word in (title, name) if word}
    found = tuple(dict.fromkeys(by_word[word] for word in pick(text, by_word))) if text else ()
    if len(found) == 1:
        return found[0], ()
    return "", found[:4] or tuple(dict.fromkeys(by_word[word] for word in near(text, by_word)))


def _one_of(command: Slash, titles: dict[str, str], because: str, word: str) -> str | e.NotUnderstood:
    """The id that is meant, or which could be."""
    name, meant = named(command.rest, titles)
    lines = tuple(f"/{word} {one}" for one in meant)
    return name or e.NotUnderstood(f"/{word} {command.rest}".strip(), lines, because)


def _findings_here(state: State) -> dict[str, str]:
    return {} if state.launch is None else {f.id: f.title for f in state.launch.findings}


def _how(command: Slash, state: State) -> e.Event:
    if not command.rest:
        return e.HowAsked() if state.finding else e.NotUnderstood("/how", (), strings.NO_FINDING)
    found = _one_of(command, _findings_here(state), "That was not found on this launch; /whynot says why.", "how")
    if not isinstance(found, e.NotUnderstood):
        return e.HowAsked(found)
    other, _ = named(command.rest, dict(state.lore.findings))
    return e.NotUnderstood(found.text, (f"/whynot {other}",), found.because) if other else found


def _proof(command: Slash, state: State) -> e.Event:
    if not command.rest:
        return e.ViewShown("proof")
    found = _one_of(command, _findings_here(state) | dict(state.lore.findings), strings.WHICH_FINDING, "proof")
    return found if isinstance(found, e.NotUnderstood) else e.ViewShown("proof", found)


def _why_not(command: Slash, state: State) -> e.Event:
    found = _one_of(command, dict(state.lore.findings), strings.WHICH_FINDING, "whynot")
    return found if isinstance(found, e.NotUnderstood) else e.WhyNotAsked(found)


def _what_if(command: Slash, state: State) -> e.Event:
    if not command.rest:
        return e.ViewShown("whatif")
    text = f"/whatif {command.rest}"
    pairs = said(command.rest)
    if not pairs:
        name, sign, value = command.rest.partition("=")
        because = "Write metric=value, several with commas between them."
        if sign and name.strip() and value.strip() and "," not in value:
            because = understood_value(name, value, state) or because
        return e.NotUnderstood(text, ("/whatif dram_pct=70",), because)
    found = understood(pairs, state.lore, "/whatif {pairs}")
    if not found.values:
        return e.NotUnderstood(text, found.meant, found.because)
    measured = {} if state.launch is None else state.launch.metrics
    try:
        for name, number in found.values:
            checked(name, state.lore.unit(name) or "", number, measured.get(name))
    except UsageError as problem:
        return e.NotUnderstood(text, (), str(problem))
    return e.WhatIfAsked(found.values)


def understood_value(name: str, value: str, state: State) -> str:
    """What is wrong with a value that is no number, '' where nothing can be said."""
    from advisor.records.errors import AdvisorError
    from advisor.session.language.names import metrics_of
    from advisor.session.numbers import number

    found = metrics_of(name, state.lore)
    try:
        number(value, (state.lore.unit(found[0]) if found else "") or "")
    except AdvisorError as problem:
        return str(problem)
    return ""


def _explain(command: Slash, state: State) -> e.Event:
    if not command.rest:
        return e.ViewShown("knowledge")
    exact = pick(command.rest, state.lore.words)
    known = exact[0] if exact and squash(exact[0]) == squash(command.rest) else command.rest
    return e.ExplainAsked(known)


def _source(command: Slash, state: State) -> e.Event:
    if not command.rest:
        return e.ViewShown("source")
    search = _REGEX.search(command.raw or command.rest)
    rest = (command.raw or command.rest)[: search.start()] if search else command.raw or command.rest
    rest += (command.raw or command.rest)[search.end() :] if search else ""
    where = tuple("".join(test.split()) for test in _TEST.findall(rest))
    by = " ".join(_TEST.sub(" ", rest).split())
    return e.SourceSought(by=by, search=search[1] if search else "", where=where)


def _timeline(command: Slash, state: State) -> e.Event:
    path, _ = files.file_and_rest(command.raw or command.rest)
    return e.TraceGiven((path,)) if path else e.ViewShown("timeline")


def _goto(command: Slash, state: State) -> e.Event:
    steps = {step.id: step.title for step in state.lore.steps}
    # `1` is a step, and so are 1b and 1c: an id is meant before what begins with it.
    rest = command.rest.casefold().removeprefix("step ").strip()
    exact = next((name for name in steps if name.casefold() == rest), "")
    if exact:
        return e.StepShown(exact)
    found = _one_of(Slash("goto", rest), steps, "Name one step of the method; /steps lists them.", "goto")
    if not isinstance(found, e.NotUnderstood):
        return e.StepShown(found)
    return e.NotUnderstood(found.text, found.meant or ("/steps",), found.because)


def _compare(command: Slash, state: State) -> e.Event:
    path, change = files.file_and_rest(command.raw or command.rest)
    return (
        e.ReportGiven(path, change)
        if path
        else e.NotUnderstood(
            "/compare",
            (),
            (
                "Name the report made after the change, such as /compare after.ncu-rep, or a launch of it: "
                "after.ncu-rep#2. Tab completes the path; what was changed may stand behind it."
            ),
        )
    )


def _kernel(command: Slash, state: State) -> e.Event:
    launches = () if state.diagnosis is None else state.diagnosis.launches
    rest = command.rest
    if not rest or state.numbers:
        return e.LaunchesShown()
    numbers = {strings.launch_number(launch, state.several_reports): at for at, launch in enumerate(launches)}
    if rest.lstrip("#") in numbers:
        return e.LaunchSelected(numbers[rest.lstrip("#")])
    names = [launch.kernel for launch in launches]
    found = pick(rest, names)
    if len(found) == 1:
        same = [number for number, at in numbers.items() if names[at] == found[0]]
        if len(same) == 1:
            return e.LaunchSelected(numbers[same[0]])
        return e.NotUnderstood(
            f"/kernel {rest}",
            tuple(f"/kernel {n}" for n in same[:4]),
            "Several launches are of this kernel: choose one by its number.",
        )
    meant = found or near(rest, names)
    return e.NotUnderstood(
        f"/kernel {rest}",
        tuple(f"/kernel {name}" for name in meant[:4]),
        "Name one launch, by its number or its kernel.",
    )


def _practice(command: Slash, state: State) -> e.Event:
    if not command.rest or not state.lore.exercises:
        return e.ViewShown("practice", command.rest)
    found = _one_of(command, dict.fromkeys(state.lore.exercises, ""), "There is no such exercise.", "practice")
    if not isinstance(found, e.NotUnderstood):
        return e.ViewShown("practice", found)
    return e.NotUnderstood(found.text, found.meant or ("/practice",), found.because)


def _skip(command: Slash, state: State) -> e.Event:
    return e.NotUnderstood("/skip", (), strings.NOTHING_ASKED) if state.ask is None else e.Skipped(state.ask.id)


def _back(command: Slash, state: State) -> e.Event:
    from advisor.session.reducer import can_go_back

    return e.Back() if can_go_back(state) else e.NotUnderstood("/back", (), "There is nothing to undo.")


def _save(command: Slash, state: State) -> e.Event:
    path = files.home((command.raw or command.rest).strip().strip("\"'"))
    return e.WriteAsked("transcript", path or files.default_name(state.paths or state.traces, "transcript"))


def _export(command: Slash, state: State) -> e.Event:
    first, _, rest = (command.raw or command.rest).partition(" ")
    what = files.form_of(first)
    path = files.home((rest if what else command.raw or command.rest).strip().strip("\"'"))
    what = what or files.form_by_ending(path)
    if not what:
        forms = tuple(f"/export {form}" for form in ("md", "html", "json"))
        return e.NotUnderstood(f"/export {command.rest}".strip(), forms, "Name the form: md, html or json.")
    return e.WriteAsked(what, path or files.default_name(state.paths or state.traces, what))


DOES: Final[dict[str, Callable[[Slash, State], e.Event]]] = {
    "why": lambda command, state: e.WhyAsked(),
    "how": _how,
    "proof": _proof,
    "whynot": _why_not,
    "whatif": _what_if,
    "explain": _explain,
    "evidence": lambda command, state: e.EvidenceShown(),
    "fix": lambda command, state: e.FixShown(),
    "missing": lambda command, state: e.MissingShown(),
    "collect": lambda command, state: e.CollectShown(),
    "source": _source,
    "timeline": _timeline,
    "steps": lambda command, state: e.StepsShown(),
    "goto": _goto,
    "compare": _compare,
    "version": lambda command, state: e.VersionBegun(command.rest),
    "log": lambda command, state: e.LogShown(),
    "kernel": _kernel,
    "kernels": lambda command, state: e.LaunchesShown(),
    "napkin": lambda command, state: e.NapkinBegun(),
    "practice": _practice,
    "back": _back,
    "skip": _skip,
    "save": _save,
    "export": _export,
    "help": lambda command, state: e.HelpAsked(),
    "quit": lambda command, state: e.Quit(),
}
