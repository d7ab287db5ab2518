"""Record a transcript from a script: the lines that a user would type, and the expected conclusions after each.

    ncu-advisor replay --record SCRIPT.yaml --out FILE.jsonl

A script is YAML:

    title: …                 # one line
    description: …           # what it shows
    cites: [guide.step1]     # the source that it follows
    tags: [interview]
    begin: {reports: [kernels:tour/recorded/h200/tour.ncu-rep.xz], traces: [], gpu: ""}
    numbers: {dram_pct: 34 %, duration_ns: 151 us}    # answers to the questions with these ids
    script:
      - 3                              # a line as it is typed: the third choice
      - what if dram_pct = 70
      - {say: /how, expect: {cards: [proof]}}
      - {say: "dram 45 %", remark: "not in the source: assumed"}
      - {interview: conclusion}        # each question, and each row of a page, is answered from `numbers`, "I don't
                                       # know" if it is missing, until none is left (`until: ID`: a question or row)
      - {do: goto, step: roofline}     # an action by its verb and fields, as a transcript writes it
      - {expect: {class: dram_bound, first: near_memory_roofline}}

`begin.reports` are paths relative to the script, or `kernels:…` for bundled ones. `expect` is checked after the line:
class, first (finding), findings (all are present), without (none is present), asks (a question's id), step, place,
speedup ({finding: [least, most]}), cards (kinds, or `kind finding`, new with this line), says (words in a card of the
conversation), told (values in a result of a request). A line that is not understood or changes nothing is an error,
unless it says `unclear: true`. `remark` says where typed numbers come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from advisor.knowledge.loader import read_text
from advisor.knowledge.plain_yaml import parse
from advisor.records.diagnosis import main_finding
from advisor.records.errors import InputError, KnowledgeError
from advisor.session import events as e
from advisor.session.executor import Executor, sources
from advisor.session.language import understand as commands
from advisor.session.reducer import reduce
from advisor.session.state import State
from advisor.session.transcripts import recorder as conclusions
from advisor.session.transcripts.attachments import Memory, transcript_of
from advisor.session.transcripts.format import (
    BUNDLED,
    Header,
    Transcript,
    UnknownVerbError,
    bundled_path,
    decode,
    of_this_machine,
    with_paths,
)
from advisor.session.transcripts.player import Watch, quiet, settle
from advisor.session.transcripts.sandbox import Sandbox, harmless

_MOST_QUESTIONS: Final = 200
_EXPECT: Final = frozenset(
    ("class", "first", "findings", "without", "asks", "step", "place", "speedup", "cards", "says", "told")
)


class Begin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reports, traces and GPU of the session."""

    reports: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    gpu: str = ""


class Script(msgspec.Struct, forbid_unknown_fields=True):
    """A script, as described at the top of this module."""

    title: str
    script: tuple[Any, ...]
    description: str = ""
    cites: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    begin: Begin = Begin()
    numbers: dict[str, str | float | int] = {}


def read_script(path: Path) -> Script:
    """Read a script. Raises InputError with one line for a file that is not a script."""
    try:
        return msgspec.convert(parse(path, read_text(path)), Script)
    except KnowledgeError as problem:
        line, _, what = str(problem).removeprefix(f"{path}:").partition(": ")
        text = what if what.startswith("cannot be read") else f"not a script: line {line}: {what}"
        raise InputError(f"{path}: {text}") from None
    except (msgspec.ValidationError, ValueError) as problem:
        raise InputError(f"{path}: not a script: {' '.join(str(problem).split())[:200]}") from None


def record(path: Path, watch: Watch = quiet) -> Transcript:
    """Return the transcript of a script. Raises InputError for a line that is not understood or fails its `expect`."""
    script = read_script(path)
    memory = Memory()
    executor = Sandbox(harmless(memory.watching(sources())), cards={})
    scene = _Scene(script, executor, str(path), watch)
    scene.begin()
    for number, item in enumerate(script.script, 1):
        scene.line(item, number)
    header = Header(title=script.title, description=script.description, cites=script.cites, tags=script.tags)
    return transcript_of(scene.state, memory, of_this_machine(), header=header)


@dataclass
class _Scene:
    script: Script
    executor: Executor
    name: str
    watch: Watch
    state: State = field(default_factory=State)

    def begin(self) -> None:
        begin = self.script.begin
        self._do(with_paths(e.Began(begin.reports, begin.gpu, begin.traces), self._path), "the beginning")

    def _path(self, named: str) -> str:
        """Return the path of a file that the script names; `NAME#3` names one of its launches."""
        name, sign, launch = named.partition("#")
        path = bundled_path(name) if name.startswith(BUNDLED) else Path(self.name).parent / name
        if path is None or not path.is_file():
            raise InputError(f"{self.name}: there is no file {name!r}")
        return f"{path}{sign}{launch}"

    def line(self, item: Any, number: int) -> None:
        where = f"{self.name}: line {number} of the script"
        before, events = self.state, len(self.state.log)
        expect: Mapping[str, Any] = {}
        if isinstance(item, Mapping):
            rest = dict(item)
            expect = rest.pop("expect", {})
            if "say" in rest:
                said = str(rest["say"])
                self._say(said, f"{where} ({said!r})", bool(rest.get("unclear")), str(rest.get("remark", "")))
            elif "interview" in rest:
                self._interview(rest.get("until"), where)
            elif "do" in rest:
                self._by_verb(rest, where)
            elif rest:
                raise InputError(f"{where}: neither say, interview, do nor expect: {', '.join(map(str, rest))[:80]}")
        else:
            self._say(str(item), f"{where} ({item!r})", False)
        outcomes = [event for event in self.state.log[events:] if isinstance(event, e.OUTCOMES)]
        _hold(expect, before, self.state, outcomes, where)

    def _say(self, text: str, where: str, unclear: bool, remark: str = "") -> None:
        event = commands.understand(text, self.state)
        if event is None:
            raise InputError(f"{where}: an empty line")
        if isinstance(event, e.NotUnderstood) and not unclear:
            hint = "; ".join([event.because, *event.meant]) if event.because or event.meant else "type /help"
            raise InputError(f"{where}: not understood: {hint}")
        if remark:
            if not isinstance(event, (e.Volunteered, e.PageRead)):
                raise InputError(f"{where}: a remark belongs to typed numbers")
            event = structs.replace(event, remark=remark)
        self._do(event, where)

    def _by_verb(self, data: Mapping[str, Any], where: str) -> None:
        try:
            event = decode(data)
        except UnknownVerbError:
            raise InputError(f"{where}: no action is called {data['do']!r}") from None
        except ValueError as problem:
            raise InputError(f"{where}: {problem}") from None
        named = isinstance(event, e.ReportGiven | e.TraceGiven)
        self._do(with_paths(event, self._path) if named else event, where)

    def _interview(self, until: str | None, where: str) -> None:
        numbers = self.script.numbers
        for _ in range(_MOST_QUESTIONS):
            ask = self.state.ask
            if ask is None or until in (ask.id, *(row.id for row in ask.rows)):
                return
            rows = [row.id for row in ask.rows if row.id in numbers]
            if rows:
                pairs = "; ".join(f"{row} = {numbers[row]}" for row in rows)
                self._say(pairs, f"{where}, asked for {ask.id}", False)
            elif ask.id in numbers:
                self._say(str(numbers[ask.id]), f"{where}, asked for {ask.id}", False)
            else:
                self._do(e.Answered(ask.id, None), f"{where}, asked for {ask.id}")
        raise InputError(f"{where}: the questions do not end")

    def _do(self, event: e.Event, where: str) -> None:
        after = reduce(self.state, event)
        if after is self.state:
            raise InputError(f"{where}: it has no effect here")
        self.state, outcomes = settle(after, self.executor, watch=self.watch)
        for outcome in outcomes:
            if isinstance(outcome, e.Failed):
                raise InputError(f"{where}: {outcome.message}")


def _hold(expect: Mapping[str, Any], before: State, state: State, outcomes: list[Any], where: str) -> None:
    """Raise InputError if an expectation fails."""
    if unknown := set(expect) - _EXPECT:
        raise InputError(f"{where}: unknown expectation {sorted(unknown)[0]!r}")
    launch = state.launch
    findings = {} if launch is None else {f.id: f for f in launch.findings}
    first = None if launch is None else main_finding(launch)
    came = conclusions.cards(before, state)
    is_: dict[str, Any] = {
        "class": "" if launch is None else launch.verdict.id,
        "first": "" if first is None else first.id,
        "asks": "" if state.ask is None else state.ask.id,
        "step": state.step,
        "place": state.place,
    }
    for name, wanted in expect.items():
        if name in is_ and is_[name] != wanted:
            raise InputError(f"{where}: {name} is {is_[name]!r}, expected {wanted!r}")
    for name in expect.get("findings", ()):
        if name not in findings:
            raise InputError(f"{where}: no finding {name!r}, only {', '.join(findings)}")
    for name in expect.get("without", ()):
        if name in findings:
            raise InputError(f"{where}: there is a finding {name!r}")
    for name, (low, high) in expect.get("speedup", {}).items():
        gain = findings[name].speedup if name in findings else None
        if gain is None or not low <= gain.estimate <= high:
            raise InputError(
                f"{where}: the speedup of {name} is {gain and round(gain.estimate, 3)}, not {low} to {high}"
            )
    for name in expect.get("cards", ()):
        if name not in came and name not in {card.partition(" ")[0] for card in came}:
            raise InputError(f"{where}: no new card {name!r}, only {', '.join(came) or 'none'}")
    texts = [" ".join([c.title, c.label, c.aside, *(f"{x.label} {x.text}" for x in c.lines)]) for c in state.cards]
    says = expect.get("says", ())
    for words in (says,) if isinstance(says, str) else says:
        if not any(str(words).casefold() in text.casefold() for text in texts):
            raise InputError(f"{where}: no card contains {words!r}")
    results = [item for item in map(conclusions.result_of, outcomes) if item is not None]
    wanted = expect.get("told")
    if wanted is not None and not any(_within(wanted, item) for item in results):
        raise InputError(f"{where}: no result holds {wanted}, only {results}")


def _within(wanted: Any, item: Any) -> bool:
    """Return whether the item contains every value of `wanted` at the same place."""
    if isinstance(wanted, Mapping):
        return isinstance(item, Mapping) and all(name in item and _within(v, item[name]) for name, v in wanted.items())
    return bool(wanted == item)
