"""Parse a typed line into an event: a pure function of the line and the state, which uses the registry of actions.

It tries, in this order: a slash command; the answer to an open question for a number or text; a choice by its number,
name or prefix; a command without its slash or a sentence with an argument; a finding or term; a file or numbers with
names; a plain question; suggestions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from advisor.hardware import gpus
from advisor.records.errors import AdvisorError
from advisor.records.quantities import parse_metric
from advisor.records.questions import SURE
from advisor.session import events as e
from advisor.session.action import Listing, Typed
from advisor.session.actions import COMMANDS, SAID, SHAPES
from advisor.session.actions.compare import comparison_of, opened
from advisor.session.actions.help import TYPE_HELP
from advisor.session.cards import range_text
from advisor.session.choices import DONT_KNOW_WORDS, choices, event_of_choice, offered
from advisor.session.language import files
from advisor.session.language.asking import ncu_rule, question, readings, rule_among
from advisor.session.language.launch_pairs import two_launches
from advisor.session.language.names import begun, called, near, pick, squash
from advisor.session.language.pasted import Pasted, in_order, read
from advisor.session.language.values import Understood, bare_number, said, understood
from advisor.session.records import Ask, Choice
from advisor.session.state import State

_MOST: Final = 3  # maximum number of suggestions
_LONGEST: Final = 4000
_KEPT: Final = 200  # characters of a pasted text that are kept in the session's log
_MOST_COMPLETIONS: Final = 40
_ALIKE: Final = 62.0  # minimum similarity (0 to 100); a word of four letters with two exchanged reaches it
_CHOICES: Final = 2  # maximum suggestions that are choices, if a command or a word resembles the line too
_MOST_GPUS: Final = 8  # suggestions for the beginning of a GPU's name
_MOST_WORDS: Final = 5  # of the name of a GPU
_PROSE: Final = 2  # minimum words after a slash and a word that make a sentence
_TELLS: Final = 4  # minimum letters for which words inside an answer identify it
_ASKING: Final = ("how", "why", "what", "where", "which", "who", "when", "is", "are", "can", "should", "do", "does")
_YES: Final = ("y", "yes", "yep", "yeah", "sure", "ok", "okay", "true")
_NO: Final = ("n", "no", "nope", "false")
_CONDITION: Final = re.compile(r"\s+(?:if|when|although|though|while|even though)\s+", re.IGNORECASE)
_PARTS: Final = re.compile(r"[;,]\s")  # between the parts of a list
# Derived numbers that ncu shows under the name of the measured one.
_SHOWN: Final = {"compute_pct": "sm_throughput_pct", "memory_pct": "memory_throughput_pct"}
# Types of CUDA with their bits; a vector of up to four lanes has a number behind it.
_BITS: Final = {"float": 32, "int": 32, "uint": 32, "unsigned": 32, "double": 64, "half": 16, "short": 16, "char": 8}
_TYPE: Final = re.compile(rf"\b(?P<type>{'|'.join(_BITS)})(?P<lanes>[234])?\b", re.IGNORECASE)
_WIDTH: Final = re.compile(r"\bwidth\b", re.IGNORECASE)
_POLITE: Final = re.compile(
    r"^(?:please|can you|could you|would you|let me|let us|let's|i want to|i would like to|i'd like to|now)\s+", re.I
)
_SHOW: Final = re.compile(
    r"^(?:show me|show|open|see|give me|list|view|display|tell me|take me to|look at)\s+", re.IGNORECASE
)
_ARTICLE: Final = re.compile(r"^(?:(?:the|my|all|its|this|that|me|of)\s+)+", re.IGNORECASE)
_WHAT_IS: Final = re.compile(r"^(what is |what are |what's |what does |explain )(.+)$", re.IGNORECASE)


def understand(text: str, state: State) -> e.Event | None:
    """Return the event that the line means now; None for an empty line. Never raises: see NotUnderstood."""
    # Lone surrogates cannot be written to a file.
    text = text.encode("utf-8", "replace").decode("utf-8").strip()
    parsed = " ".join(text.split())
    ask = state.ask if state.place == "launch" else None
    if parsed.startswith("/"):
        word, _, rest = parsed[1:].partition(" ")
        # If the question asks for a line of text, a path may begin with a slash too.
        if ask is not None and ask.kind == "text" and word.casefold() not in COMMANDS:
            return _to_text(text, state, ask)
        return _slash(word.casefold(), Typed(rest.strip(), text[1:].strip().partition(" ")[2].strip()), state)
    if not parsed:
        return None
    rule = rule_among(text, state) if "\n" in text else ""
    if rule:
        numbers = _to_page(text, state, ask) if ask is not None and ask.kind == "page" else _pasted(text, state)
        if isinstance(numbers, e.PageRead | e.Volunteered):
            return replace(numbers, rule=rule)
    if asked_rule := (ncu_rule(rule, state) if rule else None) or ncu_rule(parsed, state):
        return asked_rule
    if ask is not None and ask.kind == "page":
        return _to_page(text, state, ask)
    pasted = _pasted(text, state) if "\n" in text or "\t" in text else None
    if pasted is not None:
        return pasted
    if ask is not None and ask.kind == "number":
        return _to_number(parsed, state, ask)
    if ask is not None and ask.kind == "text":
        return _to_text(text, state, ask)
    return (
        launches_compared(parsed, state)
        or _choose(parsed, state)
        or _said(parsed, state)
        or _named_thing(parsed, state)
        or _named_kernel(parsed, state)
        or _numbers_or_question(parsed, state)
        or unclear(parsed, state)
    )


def event_of(choice: str, state: State, text: str = "") -> e.Event | None:
    """Return the event of a choice or suggestion; None if it is not offered now."""
    if not choice.startswith("meant:"):
        return event_of_choice(choice, state, text)
    shown = {c.id for c in choices(state)}
    return understand(choice.removeprefix("meant:"), state) if choice in shown else None


def commands() -> tuple[str, ...]:
    """Return the slash commands, for completion."""
    return tuple(f"/{name}" for name in COMMANDS)


def is_question(text: str) -> bool:
    """Return whether a line that was typed where a search is expected reads as a question: `which line?`."""
    words = text.lstrip("/").split()
    return len(words) >= _PROSE and (words[0].casefold() in _ASKING or words[-1].endswith("?"))


def _slash(word: str, line: Typed, state: State) -> e.Event:
    """Return the event of a command, or of a sentence after a slash: `/` opens the prompt for both."""
    exact, rest = COMMANDS.get(word), len(line.rest.split())
    # A few words after a command are its argument, perhaps a wrong one.
    least = _PROSE if exact is None else 1 if not exact.takes else _PROSE + 1
    whole = f"{word} {line.rest}"
    sentence = _understood_sentence(whole, state) if rest >= least else phrase(whole, state) if exact is None else None
    if sentence is not None and (exact is None or not exact.takes):
        return sentence
    if rest >= _PROSE and (exact is None or whole.rstrip().endswith("?")):
        # Nobody types a command like this, so say what is not understood about the question.
        return sentence or question(whole, state) or unclear(whole, state)
    found = pick(word, COMMANDS)
    if word in _ASKING and exact is None and rest:
        return sentence or question(whole, state) or unclear(whole, state)
    if len(found) != 1:
        kernel = _named_kernel(whole.strip(), state)
        if kernel is not None:
            return kernel
        meant = found or near(word, COMMANDS)
        tried = tuple(f"/{name} {line.rest}".strip() for name in meant[:4])
        return e.NotUnderstood(f"/{word}", tried or ("/help",), "There is no such command.")
    event = COMMANDS[found[0]].event(line, state)
    if exact is not None and not exact.takes and rest:
        return sentence or question(whole, state) or event
    if not isinstance(event, e.NotUnderstood):
        return event
    asked = question(whole, state) if word in _ASKING and rest >= _PROSE else None
    return sentence or asked or (_understood_sentence(whole, state) if rest >= _PROSE else None) or event


def _understood_sentence(text: str, state: State) -> e.Event | None:
    """Return the event of a sentence or of numbers; None for a line that is not certainly understood."""
    event = phrase(text, state) or _numbers(text, state)
    if event is None or isinstance(event, e.NotUnderstood) or _is_partial(event):
        event = question(text, state, SURE) or event
    return None if isinstance(event, e.NotUnderstood) else event


# Sentences
def launches_compared(text: str, state: State) -> e.QuestionAsked | None:
    """Return the question how two launches of the open reports compare; None for any other line."""
    if state.diagnosis is None or state.numbers or state.place not in ("launch", "launches"):
        return None
    position = state.position if state.place == "launch" else None
    pair = two_launches(text, state.diagnosis.launches, position, state.several_reports)
    return None if pair is None else comparison_of(state, *pair)


def phrase(text: str, state: State) -> e.Event | None:
    """Return the event that the words mean now; None for an unknown phrase."""
    line = _POLITE.sub("", text[:_LONGEST].rstrip("?!. ").strip())
    if not line:
        return None
    if squash(line) in SAID:
        return SAID[squash(line)].event(Typed(), state)
    for shape in SHAPES:
        found = shape.pattern.match(line)
        event = shape.event(Typed(found["rest"].strip()), state) if found else None
        if event is not None:
            return event
    # matches `show me the source` and similar sentences
    bare = _ARTICLE.sub("", _SHOW.sub("", line)).strip()
    known = SAID.get(squash(bare)) if bare != line else None
    return (
        _command(line, state) or (known.event(Typed(), state) if known is not None else None) or _command(bare, state)
    )


def _said(text: str, state: State) -> e.Event | None:
    """Return the event of a phrase; if only its beginning is one (`what if …`), that of the whole as a question."""
    event = phrase(text, state)
    return (question(text, state) or event) if isinstance(event, e.NotUnderstood) else event


def _command(line: str, state: State) -> e.Event | None:
    """Return the event of a command without its slash, alone or with arguments that it accepts."""
    first, _, rest = line.partition(" ")
    command = COMMANDS.get(first.casefold())
    if command is None or (rest and not command.takes):
        return None
    if rest and command.explicit and not files.names_file(rest):
        return None
    event = command.event(Typed(" ".join(rest.split()), rest), state)
    return None if rest and isinstance(event, e.NotUnderstood) else event


# Suggestions
def unclear(text: str, state: State) -> e.NotUnderstood:
    """Return the choices, commands and words that resemble the text; if none does, suggest the help."""
    if state.ask is None and squash(text) in (*_YES, *_NO, *DONT_KNOW_WORDS):
        return e.NotUnderstood(text, tuple(c.label for c in _listed(state)[:1]), "Nothing is being asked.")
    labels = {word: c.label for c in reversed(_listed(state)) for word in (*c.words, c.label) if len(word) > 1}
    slashed = {name: f"/{name}" for name in COMMANDS}
    known = {word: f"/explain {word}" for word in state.knowledge.words}
    # Of a sentence that could ask something, the likely readings; of a word or two, names like it.
    lines: list[str] = [*readings(text, state)] if len(text.split()) > _PROSE else []
    for pool, most in ((labels, _CHOICES), (slashed, 1), (known, _MOST)):
        lines += [pool[name] for name in _alike(text, pool)][:most]
    meant = tuple(dict.fromkeys(lines))[:_MOST]
    return e.NotUnderstood(text, meant or ("/help",), "" if meant else TYPE_HELP)


def _listed(state: State) -> list[Choice]:
    return list(offered(state))


def _alike(text: str, names: Iterable[str]) -> list[str]:
    """Return the names that resemble the text or hold at least half of its words, the nearest first."""
    from rapidfuzz import fuzz  # loads slowly: only for a line that is not understood

    wanted = squash(text)[:80]
    said_words = [word for word in wanted.split() if len(word) > 2]
    out = []
    for name in near(text, names, 3 * _MOST):
        has = squash(name).split()
        held = sum(any(word.startswith(one) for word in has) for one in said_words)
        if fuzz.ratio(wanted, squash(name)) >= _ALIKE or (said_words and 2 * held >= len(said_words)):
            out.append(name)
    return out


# Answers and choices
def _to_number(text: str, state: State, ask: Ask) -> e.Event:
    """Return an answer in the unit of the question, numbers with names, or any other line that is valid at any time."""
    if not any(c.isdigit() for c in _with_widths(text, ask)):
        otherwise = (
            _choose(text, state, numbered=False)
            or phrase(text, state)
            or _named_thing(text, state)
            or question(text, state, SURE)
        )
        if otherwise is not None:
            return otherwise
        if ask.unit == "bool" and squash(text) in (*_YES, *_NO):
            return e.Answered(ask.id, float(squash(text) in _YES), text)
    text = _with_widths(text, ask)
    try:
        value = parse_metric(bare_number(text) or text, ask.unit)
    except AdvisorError as problem:
        named = _named_numbers(text, state, ask)
        return named or e.NotUnderstood(text, unclear(text, state).meant, str(problem))
    return _in_range(ask, value, text)


def _to_page(text: str, state: State, ask: Ask) -> e.Event:
    """Return the numbers of the open page; numbers of other pages are corrections, and leave it open."""
    text = _with_widths(text, ask)
    parsed = " ".join(text.split())
    found = Pasted()
    if any(c.isdigit() for c in text):
        found = in_order(text, ask.rows) or read(text, state.knowledge, ask.rows, _given(state))
        values = _shown_as(found.values, state)
        if any(metric == row.id for metric, _ in values for row in ask.rows):
            return e.PageRead(ask.id, values, text[:_KEPT], found.unread, found.remark)
        if values:
            return e.Volunteered(values, text[:_KEPT], found.unread)
    otherwise = (
        _choose(parsed, state, numbered=False)
        or phrase(parsed, state)
        or _named_thing(parsed, state)
        or question(parsed, state, SURE)
    )
    if otherwise is not None and not (found.unread and isinstance(otherwise, e.NotUnderstood)):
        return otherwise
    because = found.unread[0] if found.unread else "Type names with numbers, such as dram 83%, or paste rows from ncu."
    return e.NotUnderstood(parsed[:_KEPT], unclear(parsed, state).meant, because)


def _bits_of(match: re.Match[str]) -> str:
    return str(_BITS[match["type"].casefold()] * int(match["lanes"] or 1))


def _with_widths(text: str, ask: Ask) -> str:
    """Return a text with the types of CUDA as their bits, where the width of an access is asked: `float4` is 128."""
    asked = [row.row or row.id for row in ask.rows or (ask,) if row.unit == "bit"]
    if not asked:
        return _TYPE.sub(_bits_of, text) if _WIDTH.search(text) else text
    alone = _TYPE.fullmatch(text.strip())
    if alone is not None and len(asked) > 1:
        return text  # of which of them is unclear
    bits = _TYPE.sub(_bits_of, text)
    return f"{asked[0]} {bits}" if alone is not None and ask.rows else bits


def _pasted(text: str, state: State) -> e.Event | None:
    """Return the numbers of rows pasted from ncu; None for any other text."""
    if state.place != "launch" or not any(c.isdigit() for c in text):
        return None
    found = read(text, state.knowledge, given=_given(state))
    return e.Volunteered(_shown_as(found.values, state), text[:_KEPT], found.unread) if found.values else None


def _given(state: State) -> frozenset[str]:
    """Return the metrics that the user gave in an interview."""
    return frozenset(name for _, name, _ in state.answers) if state.numbers else frozenset()


def _shown_as(values: tuple[tuple[str, float], ...], state: State) -> tuple[tuple[str, float], ...]:
    return _as_shown(Understood(values), state).values


def _in_range(ask: Ask, value: float, text: str) -> e.Event:
    low, high = ask.low, ask.high
    if (low is not None and value < low) or (high is not None and value > high):
        return e.NotUnderstood(text, (), f"The value is outside the possible range: {range_text(ask)}.")
    return e.Answered(ask.id, value, text)


def _named_numbers(text: str, state: State, ask: Ask) -> e.Event | None:
    if not any(c.isdigit() for c in text):
        return None
    found = _listed_numbers(text, state)
    if [metric for metric, _ in found.values] == [ask.id] and not found.unread:
        return _in_range(ask, found.values[0][1], text)
    if found.values:
        return e.Volunteered(found.values, text, found.unread)
    otherwise = _choose(text, state, numbered=False) or phrase(text, state)
    # If the word after a number is not a name, it was probably a unit.
    unit = text[:1].isdigit() and len(said(text)) == 1 and not found.several
    if otherwise or unit or not found.meant:
        return otherwise
    return e.NotUnderstood(text, found.meant[:_MOST], found.because)


def _listed_numbers(text: str, state: State) -> Understood:
    """Return the numbers with names in a line; a part of a list that is none leaves out no other part."""
    pairs = said(text)
    # An interview about a kernel asks for the numbers of ncu's pages, so an ambiguous name means one of those.
    kernel = state.numbers and state.answer("subject") != "workload"
    likely = [row for page in state.knowledge.pages for row, _, _ in page.rows] if kernel else ()
    if pairs or not _PARTS.search(text):
        return _as_shown(understood(pairs, state.knowledge, likely=likely, given=_given(state)), state)
    rows = [ask for ask in state.knowledge.interview if ask.id in likely]
    found = read(text, state.knowledge, rows, given=_given(state))
    return _as_shown(Understood(found.values, unread=found.unread), state)


def _as_shown(found: Understood, state: State) -> Understood:
    """Without a report, replace derived compute and memory by the metrics that ncu shows under these names."""
    if not state.numbers:
        return found
    return replace(found, values=tuple((_SHOWN.get(name, name), value) for name, value in found.values))


def _to_text(text: str, state: State, ask: Ask) -> e.Event:
    """Return any text as the answer, except the words of the other choices."""
    chosen = _choose(text, state, exact=True)
    if chosen is not None:
        return chosen
    if ask.group == "path":
        # Where a new report is asked for, a number is another launch of the open one.
        if compared := launches_compared(f"compare this with {text}", state):
            return compared
        path, rest = files.file_and_rest(text)
        return e.Answered(ask.id, path if not rest else text, text)
    return e.Answered(ask.id, text, text)


def _choose(text: str, state: State, numbered: bool = True, exact: bool = False) -> e.Event | None:
    """Return a choice by its number, by one of its words, or by an unambiguous prefix."""
    if numbered and text.rstrip(".)").isdecimal():
        numbered_ = choices(state)
        at = int(text.rstrip(".)")[:4])
        return event_of(numbered_[at - 1].id, state, text) if 1 <= at <= len(numbered_) else None
    listed = _listed(state)
    if state.ask is not None and state.ask.group == "gpu" and (card := _gpu(text, state, listed)) is not None:
        return card
    wanted = _yes_or_no(squash(text), listed)
    for test in (str.__eq__,) if exact else (str.__eq__, str.startswith):
        found = [c for c in listed if any(test(squash(word), wanted) for word in (*c.words, c.label, c.id))]
        if len(found) == 1:
            return event_of_choice(found[0].id, state, text)
        if found:
            labels = tuple(c.label for c in found[:_MOST])
            return e.NotUnderstood(text, labels, "Several choices match.")
    answers = [] if exact or state.ask is None or len(wanted) < _TELLS else listed
    found = [c for c in answers if any(_holds(word, wanted) for word in (*c.words, c.label))]
    return event_of_choice(found[0].id, state, text) if len(found) == 1 else None


# What a sentence puts before the name of a GPU: `the GPU is an H100`, `on an A100`.
_GPU_WORDS: Final = re.compile(
    r"^(?:(?:it|the|my|this|gpu|card|was|is|runs|ran|on|with|a|an|nvidia|geforce)(?:'s)?\s+)+", re.IGNORECASE
)


def _gpu(text: str, state: State, listed: list[Choice]) -> e.Event | None:
    """Return the GPU that a name or its beginning means, or those that it may mean; None for a sentence or command."""
    wanted = gpus.key(_GPU_WORDS.sub("", text.strip()))
    named = {c.id: [gpus.key(word) for word in (c.label, *c.words)] for c in listed if c.id.startswith("answer:")}
    if not any(c.isdigit() for c in wanted) or len(text.split()) > _MOST_WORDS or is_question(text):
        return None
    found = [name for name, words in named.items() if wanted in words]
    found = found or [name for name, words in named.items() if any(word.startswith(wanted) for word in words)]
    because = "Several GPUs match: choose one."
    if not found and isinstance(_numbers(text, state), e.Volunteered):
        return None
    if not found:
        alike = near(wanted, [word for words in named.values() for word in words], _MOST)
        found = [name for name, words in named.items() if any(word in alike for word in words)]
        because = "No GPU has this name."
    elif len(found) == 1:
        return event_of_choice(found[0], state, text)
    labels = tuple(c.label for c in listed if c.id in found)
    return e.NotUnderstood(text, labels[:_MOST_GPUS] or ("/explain gpus",), because)


def _holds(name: str, wanted: str) -> bool:
    """Return whether each wanted word begins a word of the name."""
    has = squash(name).split()
    return all(any(word.startswith(one) for word in has) for one in wanted.split())


def _yes_or_no(wanted: str, listed: list[Choice]) -> str:
    """Return synonyms of yes and no as `yes` and `no` if these are among the choices."""
    names = {word for choice in listed for word in choice.words}
    for plain, ways in (("yes", _YES), ("no", _NO)):
        if wanted in ways and wanted not in names and plain in names:
            return plain
    return wanted


def _named_thing(text: str, state: State) -> e.Event | None:
    """Return the event for a finding by its full name, or for a word that can be explained; None for other text."""
    launch = state.launch
    for finding in () if launch is None else launch.findings:
        if squash(text) in (squash(finding.id), squash(finding.title)):
            return e.FindingShown(finding.id)
    for name, title in state.knowledge.findings:
        if squash(text) in (squash(name), squash(title)):
            return e.NotUnderstood(text, (f"/whynot {name}", f"/explain {name}"), "This launch has no such finding.")
    exact = pick(text, state.knowledge.words)
    if exact and squash(exact[0]) == squash(text):
        return e.ExplainAsked(exact[0])
    metrics = called(text, state.knowledge)
    if len(metrics) > 1:
        lines = tuple(f"/explain {name}" for name in metrics[:_MOST])
        return e.NotUnderstood(text, lines, "Several metrics match: choose one.")
    return e.ExplainAsked(metrics[0]) if metrics else None


def _named_kernel(text: str, state: State) -> e.Event | None:
    """Return the event for a kernel of the report by its name or the beginning of it; None for other text."""
    launches = () if state.diagnosis is None or state.numbers else state.diagnosis.launches
    if len(squash(text)) < _TELLS or not pick(text, (launch.kernel for launch in launches)):
        return None
    return COMMANDS["kernel"].event(Typed(text), state)


def _numbers_or_question(text: str, state: State) -> e.Event | None:
    """Return the event of a file or of numbers with names, else of a plain question, else why numbers are unclear."""
    numbers = _numbers(text, state)
    if numbers is None or isinstance(numbers, e.NotUnderstood):
        condition = _CONDITION.split(text, 1)
        plain = condition[0] if len(condition) == 2 and is_question(text) else ""
        # The number in `why is it slow if dram is 40 %` is an objection, and no number to take.
        return question(text, state) or (question(plain, state) if plain else None) or numbers
    # A few words of a question can look like a number with its name.
    asks = text.rstrip().endswith("?")
    return (question(text, state, None if asks else SURE) if _is_partial(numbers) else None) or numbers


def _is_partial(event: e.Event) -> bool:
    """Return whether only some of the numbers of a line were understood."""
    return isinstance(event, e.Volunteered) and bool(event.unread)


def _numbers(text: str, state: State) -> e.Event | None:
    """Return the event of a named file, or of numbers with names; None for any other line."""
    path = files.named_file(text)
    if path:
        return opened(path)
    found = _listed_numbers(text, state) if any(c.isdigit() for c in text) else Understood()
    if found.values:
        return e.Volunteered(found.values, text, found.unread)
    if not found.because:
        why = "Name the metric, such as dram 83%."
        return e.NotUnderstood(text, ("/help",), why) if bare_number(text) else None
    return e.NotUnderstood(text, found.meant[:_MOST] or unclear(text, state).meant, found.because)


# Completion
def completions(text: str, state: State, listing: Listing = files.listed) -> tuple[str, ...]:
    """Return at most 40 whole lines that begin with the text, the most likely first. listing: finds matching files."""
    line = text.lstrip()
    lead = text[: len(text) - len(line)]
    if line.startswith("/"):
        name, blank, rest = line[1:].partition(" ")
        if not blank:
            found = (command for command in COMMANDS.values() if command.name.startswith(name.casefold()))
            begun_ = (f"{lead}/{one.name} " if one.complete else f"{lead}/{one.name}" for one in found)
            return _lines(text, begun_)
        command = COMMANDS.get(name.casefold())
        if command is None or command.complete is None:
            return ()
        return _lines(text, (f"{lead}/{name}{blank}{more}" for more in command.complete(rest, state, listing)))
    asked = _WHAT_IS.match(line)
    if asked is None:
        return ()
    return _lines(text, (lead + asked[1] + word for word in begun(asked[2], state.knowledge.words)))


def _lines(text: str, found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for line in found if line != text))[:_MOST_COMPLETIONS]
