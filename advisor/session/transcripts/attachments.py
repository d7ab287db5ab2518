"""What a session rests on, put into its transcript: readings, small traces, a team's rules, measured ceilings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import structs

from advisor import __version__
from advisor.records import resources
from advisor.session.state import State
from advisor.session.transcripts.format import (
    BUNDLED,
    Attached,
    Header,
    Info,
    Launch,
    Reading,
    Scrubber,
    Transcript,
    launches_of,
)
from advisor.session.transcripts.recorder import Recorder

if TYPE_CHECKING:
    from advisor.hardware.ceilings import Ceilings
    from advisor.records.readings import Progress, ReportInfo
    from advisor.session.executor import Judged, Sources

_MOST_LAUNCHES: Final = 100
_MOST_EMBEDDED: Final = 4 << 20
_MOST_TEXT: Final = 1 << 20


@dataclass
class Memory:
    """What a session has read so far: analyses by the paths they were made of, and the files of traces."""

    knowledge: tuple[Path, ...] = ()
    analyses: dict[tuple[str, ...], Any] = field(default_factory=dict)
    traces: dict[str, None] = field(default_factory=dict)

    def take(self, other: Memory) -> None:
        """From now on remember what the other does, and together with it."""
        self.knowledge, self.analyses, self.traces = other.knowledge, other.analyses, other.traces

    def watching(self, sources: Sources) -> Sources:
        """The same sources, whose readings are remembered here. They are those that the executor keeps too."""

        def analyse(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
            made = sources.analyse(paths, gpu, progress)
            self.analyses[tuple(map(str, paths))] = made
            return made

        def trace(paths: Sequence[Path], progress: Progress) -> Any:
            made = sources.trace(paths, progress)
            self.traces.update(dict.fromkeys(map(str, paths)))
            return made

        return replace(sources, analyse=analyse, trace=trace)


def transcript_of(
    state: State,
    memory: Memory,
    scrubber: Scrubber,
    *,
    embed: bool = True,
    recorder: Recorder | None = None,
    header: Header | None = None,
) -> Transcript:
    """The session as a transcript. embed: small readings and traces are embedded; header: gives title and so on."""
    launches: list[Launch] = []
    readings: list[Reading] = []
    for paths, analysis in list(memory.analyses.items()):
        reading, found = _reading(paths, analysis, len(readings), scrubber, embed)
        readings.append(reading)
        launches += found
    head = structs.replace(
        header or Header(),
        tool=__version__,
        knowledge=knowledge_digest(),
        readings=tuple(readings),
        ceilings=_ceilings(memory),
    )
    attached = [*_traces(memory, scrubber, embed), *_rules(memory, scrubber)]
    entries = (recorder or Recorder(scrubber)).entries(state.log)
    return Transcript(head, tuple(launches), tuple(attached), entries)


@lru_cache(maxsize=1)
def knowledge_digest() -> str:
    """SHA-256 of our own knowledge base: names and contents of its files."""
    digest = hashlib.sha256()
    base = resources.folder("knowledge")
    for path in sorted(base.rglob("*.yaml")):
        digest.update(path.relative_to(base).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _reading(
    paths: tuple[str, ...], analysis: Any, number: int, scrubber: Scrubber, embed: bool
) -> tuple[Reading, list[Launch]]:
    names = tuple(map(scrubber.path, paths))
    infos = tuple(_info(info, scrubber) for info in analysis.diagnosis.reports)
    if all(name.startswith(BUNDLED) for name in names):
        return Reading(names, "bundled", infos), []
    inputs = getattr(analysis, "inputs", None)
    if not embed or inputs is None or len(inputs.frame) > _MOST_LAUNCHES:
        return Reading(names, "absent", infos), []
    launches = [_scrubbed(launch, scrubber) for launch in launches_of(inputs.frame, number)]
    if sum(len(msgspec.json.encode(launch)) for launch in launches) > _MOST_EMBEDDED:
        return Reading(names, "absent", infos), []
    return Reading(names, "embedded", infos), launches


def _info(info: ReportInfo, scrubber: Scrubber) -> Info:
    return Info(
        path=scrubber.path(info.path),
        sha256=info.sha256,
        tool=info.tool,
        format=info.format,
        complete=info.complete,
        problems=tuple(map(scrubber.text, info.problems)),
        launches_missing=info.launches_missing,
    )


def _scrubbed(launch: Launch, scrubber: Scrubber) -> Launch:
    rules = tuple((a, scrubber.text(b), scrubber.text(c), d, e) for a, b, c, d, e in launch.rules)
    kernel, full = scrubber.text(launch.kernel), scrubber.text(launch.kernel_full)
    return structs.replace(launch, kernel=kernel, kernel_full=full, rules=rules)


def _ceilings(memory: Memory) -> dict[str, Ceilings]:
    """The measured ceilings that may have decided: those of the cards that the launches ran on, without their dates."""
    out: dict[str, Ceilings] = {}
    for analysis in list(memory.analyses.values()):
        inputs = getattr(analysis, "inputs", None)
        if inputs is None:
            continue
        cards = {f"{name} ({cc})" for name, cc in zip(inputs.frame["gpu_name"], inputs.frame["cc"], strict=True)}
        out |= {key: structs.replace(found, measured="") for key, found in inputs.ceilings.items() if key in cards}
    return out


def _traces(memory: Memory, scrubber: Scrubber, embed: bool) -> list[Attached]:
    out = []
    for path in list(memory.traces):
        name = scrubber.path(path)
        if name.startswith(BUNDLED):
            continue
        text = _text(Path(path)) if embed else None
        text = None if text is None else scrubber.text(text)
        out.append(Attached("trace", name, _digest(Path(path), text), text))
    return out


def _rules(memory: Memory, scrubber: Scrubber) -> list[Attached]:
    out = []
    for number, folder in enumerate(memory.knowledge):
        for path in sorted(folder.rglob("*.yaml")):
            name, text = path.relative_to(folder).as_posix(), _text(path)
            text = None if text is None else scrubber.text(text)
            out.append(Attached("rules", name, _digest(path, text), text, number))
    return out


def _text(path: Path) -> str | None:
    """A small file's text; None for a large one, and for what is no text."""
    try:
        if path.stat().st_size > _MOST_TEXT:
            return None
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text else text


def _digest(path: Path, text: str | None) -> str:
    if text is not None:
        return hashlib.sha256(text.encode()).hexdigest()
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
