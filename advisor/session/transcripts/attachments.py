"""Attach the inputs of a session to its transcript: readings, small traces, a team's rules, measured ceilings."""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec.structs import asdict, astuple, replace

from advisor import __version__
from advisor.hardware.ceilings import Ceilings
from advisor.records import resources
from advisor.records.readings import IDENTITY, Access, CodeAccess, CodeCounts, Progress, RuleResult
from advisor.records.sampling import Sampling
from advisor.session.executor import Judged, Sources
from advisor.session.state import State
from advisor.session.transcripts.format import (
    BUNDLED,
    Attached,
    CodeRow,
    Header,
    Info,
    Launch,
    Reading,
    Scrubber,
    Shape,
    Transcript,
)
from advisor.session.transcripts.recorder import Recorder

if TYPE_CHECKING:
    import pandas as pd

_MOST_LAUNCHES: Final = 100
_MOST_EMBEDDED: Final = 4 << 20
_MOST_TEXT: Final = 1 << 20
# Leading fields that are not measured numbers.
_IDS: Final[Mapping[type, int]] = {Access: 3, CodeAccess: 4, RuleResult: 3}


@dataclass
class Memory:
    """The inputs of a session so far: analyses by the paths of their reports, and the files of traces."""

    knowledge: tuple[Path, ...] = ()
    analyses: dict[tuple[str, ...], Any] = field(default_factory=dict)
    traces: dict[str, None] = field(default_factory=dict)

    def take(self, other: Memory) -> None:
        """Share the contents of another memory from now on."""
        self.knowledge, self.analyses, self.traces = other.knowledge, other.analyses, other.traces

    def watching(self, sources: Sources) -> Sources:
        """Return the same sources, and remember their readings here."""

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
    """Return the session as a transcript. embed: embed small readings and traces; header: its title and so on."""
    launches: list[Launch] = []
    readings: list[Reading] = []
    ceilings: dict[str, Ceilings] = {}
    for paths, analysis in list(memory.analyses.items()):
        reading, found = _reading(paths, analysis, len(readings), scrubber, embed)
        readings.append(reading)
        launches += found
        ceilings |= _ceilings(analysis)
    head = replace(
        header or Header(),
        tool=__version__,
        knowledge=knowledge_digest(),
        readings=tuple(readings),
        ceilings=ceilings,
    )
    attached = (*_traces(memory, scrubber, embed), *_rules(memory, scrubber))
    return Transcript(head, tuple(launches), attached, (recorder or Recorder(scrubber)).entries(state.log))


@lru_cache(maxsize=1)
def knowledge_digest() -> str:
    """Return the SHA-256 of our own knowledge base: names and contents of its files."""
    digest = hashlib.sha256()
    base = resources.folder("knowledge")
    for path in sorted(base.rglob("*.yaml")):
        digest.update(path.relative_to(base).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _reading(
    paths: tuple[str, ...], analysis: Any, number: int, scrubber: Scrubber, embed: bool
) -> tuple[Reading, list[Launch]]:
    names = tuple(map(scrubber.path, paths))
    infos = tuple(
        Info(
            path=scrubber.path(info.path),
            sha256=info.sha256,
            tool=info.tool,
            format=info.format,
            complete=info.complete,
            problems=tuple(map(scrubber.text, info.problems)),
            launches_missing=info.launches_missing,
        )
        for info in analysis.diagnosis.reports
    )
    if all(name.startswith(BUNDLED) for name in names):
        return Reading(names, "bundled", infos), []
    inputs = getattr(analysis, "inputs", None)
    if embed and inputs is not None and len(inputs.frame) <= _MOST_LAUNCHES:
        launches = list(_launches(inputs.frame, number, scrubber))
        if sum(len(msgspec.json.encode(launch)) for launch in launches) <= _MOST_EMBEDDED:
            return Reading(names, "embedded", infos), launches
    return Reading(names, "absent", infos), []


def _launches(frame: pd.DataFrame, reading: int, scrubber: Scrubber) -> Iterator[Launch]:
    """Yield the rows of a frame; metrics that are not finite are left out."""
    columns = [name for name in frame.columns if name not in IDENTITY]
    table = frame[columns].to_numpy(dtype=float).tolist()
    for (_, row), values in zip(frame[[n for n in IDENTITY if n in frame]].iterrows(), table, strict=True):
        opcodes, accesses, rules, sampling = (row.get(n) for n in ("opcodes", "accesses", "rules", "sampling"))
        yield Launch(
            reading=reading,
            report=int(row["report"]),
            index=int(row["index"]),
            kernel=scrubber.text(str(row["kernel"])),
            kernel_full=scrubber.text(str(row["kernel_full"])),
            gpu_name=str(row["gpu_name"] or ""),
            cc=str(row["cc"] or ""),
            grid=_shape(row["grid"]),
            block=_shape(row["block"]),
            metrics={n: v for n, v in zip(columns, values, strict=True) if math.isfinite(v)},
            opcodes={str(k): float(v) for k, v in opcodes.items()} if isinstance(opcodes, dict) else None,
            accesses=tuple(map(_row, accesses)) if isinstance(accesses, tuple) else None,
            code=_code(row.get("code")),
            rules=tuple(_row(_scrubbed(rule, scrubber)) for rule in rules) if isinstance(rules, tuple) else (),
            sampling=sampling if isinstance(sampling, Sampling) else None,
        )


def _code(value: Any) -> CodeRow | None:
    if not isinstance(value, CodeCounts):
        return None
    return CodeRow(**asdict(value) | {"accesses": tuple(map(_row, value.accesses))})


def _shape(value: Any) -> Shape:
    return (int(value[0]), int(value[1]), int(value[2])) if isinstance(value, tuple) else None


def _scrubbed(rule: RuleResult, scrubber: Scrubber) -> RuleResult:
    return replace(rule, title=scrubber.text(rule.title), message=scrubber.text(rule.message))


def _row(item: Access | CodeAccess | RuleResult) -> Any:
    """Return the fields as a tuple; numbers that are not finite are None."""
    values = astuple(item)
    ids = _IDS[type(item)]
    numbers = (None if v is None or not math.isfinite(v) else float(v) for v in values[ids:])
    return (*values[:ids], *numbers)


def _ceilings(analysis: Any) -> dict[str, Ceilings]:
    """Return the measured ceilings of the launches' GPUs, without dates, since conclusions may depend on them."""
    inputs = getattr(analysis, "inputs", None)
    if inputs is None:
        return {}
    gpus = {f"{name} ({cc})" for name, cc in zip(inputs.frame["gpu_name"], inputs.frame["cc"], strict=True)}
    return {key: replace(found, measured="") for key, found in inputs.ceilings.items() if key in gpus}


def _traces(memory: Memory, scrubber: Scrubber, embed: bool) -> Iterator[Attached]:
    for path in list(memory.traces):
        name = scrubber.path(path)
        if not name.startswith(BUNDLED):
            yield _attached("trace", name, Path(path), scrubber, embed=embed)


def _rules(memory: Memory, scrubber: Scrubber) -> Iterator[Attached]:
    for number, folder in enumerate(memory.knowledge):
        for path in sorted(folder.rglob("*.yaml")):
            yield _attached("rules", path.relative_to(folder).as_posix(), path, scrubber, number)


def _attached(
    kind: Literal["trace", "rules"], name: str, path: Path, scrubber: Scrubber, folder: int = 0, *, embed: bool = True
) -> Attached:
    """Return the file with its scrubbed text; without the text if the file is large, binary or not to be embedded."""
    text, digest = None, ""
    with contextlib.suppress(OSError), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if embed and digest and path.stat().st_size <= _MOST_TEXT:
            text = scrubber.text(path.read_bytes().decode("utf-8"))
    if text is None or "\0" in text:
        return Attached(kind, name, digest, None, folder)
    return Attached(kind, name, hashlib.sha256(text.encode()).hexdigest(), text, folder)
