"""The plan of a sweep: parameters, points, commands and files; the manifest that says which report is which point."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from advisor.knowledge.base import catalog
from advisor.profiling.ncu import SUFFIX, report_options
from advisor.records.errors import InputError, UsageError
from advisor.records.files import write_whole
from advisor.sweep.commands import NAME, OUT, Command, parse
from advisor.sweep.settings import settings

MOST = 1000  # points
FORMAT = "ncu-advisor/sweep-points/1"
MANIFEST = "sweep.json"
FAILED = ".failed"  # suffix of the file in which the script notes the stage that failed and its exit code
STAGES = ("build", "run", "check", "ncu")
_PACKED = ("", ".xz", ".gz", ".zst")
_OVER = re.compile(rf"\s*({NAME})\s*=(.*)", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\r\n]{1,500})"', re.MULTILINE)
_LARGEST = 64 << 20  # bytes of a file whose content is part of the digest
_MOST_FILES = 2000
_LONGEST_NAME = 60
_LONGEST_PATH = 1000
Values = tuple[tuple[str, str], ...]


class Parameter(Struct, frozen=True):
    """A parameter and its values, in the order given."""

    name: str
    values: tuple[str, ...]


def parameters(texts: Sequence[str]) -> tuple[Parameter, ...]:
    """Parse `BLOCK=64,128,256` of each --over. Raises UsageError for a mistake, or for more than MOST points."""
    out: list[Parameter] = []
    for text in texts:
        short = repr(text if len(text) <= 60 else f"{text[:60]}…")
        match = _OVER.fullmatch(text)
        if match is None:
            name = text.partition("=")[0].strip()
            why = f"{name[:40]!r} is no name: use letters, digits and _" if "=" in text else "there is no ="
            raise UsageError(f"--over {short}: {why}; write NAME=VALUE,VALUE,…")
        name, values = match[1], tuple(v.strip() for v in match[2].split(","))
        if name == OUT:
            raise UsageError(f"--over {short}: {{{OUT}}} is the folder of the point: choose another name")
        if any(p.name == name for p in out):
            raise UsageError(f"--over {short}: {name} is given twice")
        if not all(values):
            raise UsageError(f"--over {short}: {'no value' if not any(values) else 'an empty value'} in the list")
        if any(not v.isprintable() for v in values):
            raise UsageError(f"--over {short}: a value contains a control character")
        twice = next((v for v in values if values.count(v) > 1), None)
        if twice is not None:
            raise UsageError(f"--over {short}: {twice[:40]!r} is in the list twice")
        out.append(Parameter(name, values))
    if not out:
        raise UsageError("nothing to vary: give --over NAME=VALUE,VALUE,…")
    count = math.prod(len(p.values) for p in out)
    if count > MOST:
        raise UsageError(f"{count:,} points are too many: at most {MOST:,}; vary fewer parameters or values at a time")
    return tuple(out)


def label(values: Iterable[tuple[str, str]]) -> str:
    """`BLOCK=64 UNROLL=2`: a point."""
    return " ".join(f"{name}={value}" for name, value in values)


class Point(Struct, frozen=True):
    """A point. name: of its files; digest: of all that its result depends on."""

    values: Values
    name: str
    digest: str

    @property
    def label(self) -> str:
        """Its parameters with their values."""
        return label(self.values)

    def report(self, folder: Path, repeat: int = 1) -> Path:
        """Return the report of a repeat, from 1."""
        return folder / (f"{self.name}{SUFFIX}" if repeat == 1 else f"{self.name}.{repeat}{SUFFIX}")


def found(report: Path) -> Path | None:
    """Return a report, compressed or not, None if there is none."""
    return next((p for s in _PACKED if (p := report.with_name(report.name + s)).is_file()), None)


class Plan(Struct, frozen=True):
    """What to do: parameters, commands, ncu's filter, and the points. build, check: None without that step."""

    parameters: tuple[Parameter, ...]
    build: Command | None
    run: Command
    check: Command | None
    kernel: str | None
    launches: int
    points: tuple[Point, ...]
    files: tuple[str, ...] = ()

    def stages(self) -> list[tuple[str, Command]]:
        """The commands before ncu, each with the name of its stage."""
        named = (("build", self.build), ("run", self.run), ("check", self.check))
        return [(stage, command) for stage, command in named if command is not None]

    def ncu_options(self, report: Path, repeat: int = 1) -> tuple[str, ...]:
        """Return ncu's options for a repeat: what it collects, which launches, and the report."""
        return (*collected(repeat), *_filter(self.kernel, self.launches), *report_options(report, "none"))


def collected(repeat: int) -> tuple[str, ...]:
    """Return what ncu collects: all sections in the first run, then the duration and the launch, in one pass."""
    if repeat > 1:
        return ("--section", "LaunchStats", "--metrics", catalog().metrics["duration_ns"].names[0])
    return tuple(word for name in settings().sections.names for word in ("--section", name))


def _filter(kernel: str | None, launches: int) -> tuple[str, ...]:
    return ("--kernel-name", f"regex:{kernel}", "--launch-count", str(launches)) if kernel is not None else ()


def plan(
    over: Sequence[str],
    build: str | None,
    run: str,
    check: str | None = None,
    kernel: str | None = None,
    launches: int = 3,
    depends: Sequence[Path] = (),
) -> Plan:
    """Return the plan of the options. Raises UsageError for a mistake in them."""
    varied = parameters(over)
    names = tuple(p.name for p in varied)
    built = parse("--build", build, names) if build is not None else None
    ran = parse("--run", run, names)
    checked = parse("--check", check, names) if check is not None else None
    commands = tuple(c for c in (built, ran, checked) if c is not None)
    for name in names:
        if not any(name in c.names for c in commands):
            raise UsageError(f"--over {name}: no command contains {{{name}}}, so all points would be the same")
    if built is not None and built.names & set(names) and not (OUT in built.names and OUT in ran.names):
        which = "--build" if OUT not in built.names else "--run"
        raise UsageError(
            f"{which} does not contain {{out}}: each point needs its own program, such as {{out}}/app;"
            " a build that cannot choose: sh -c 'make … && cp app {out}/'"
        )
    for path in depends:
        if not path.is_file():
            raise UsageError(f"--depends {path}: is not a file")
    combinations = [tuple(zip(names, c, strict=True)) for c in itertools.product(*(p.values for p in varied))]
    filled = [[c.filled({**dict(values), OUT: "{out}"}) for c in commands] for values in combinations]
    files = digests([*_named_files(words for point in filled for words in point), *depends])
    shared = [FORMAT, list(collected(1)), list(_filter(kernel, launches)), files]
    points, taken = [], set[str]()
    for values, words in zip(combinations, filled, strict=True):
        digest = hashlib.sha256(json.dumps([*shared, values, words]).encode()).hexdigest()
        points.append(Point(values, _name(values, taken), digest))
    return Plan(varied, built, ran, checked, kernel, launches, tuple(points), tuple(files))


def _name(values: Values, taken: set[str]) -> str:
    """Return the name of a point's files: its values, and a digest if they cannot be written plainly."""
    text = "_".join(f"{name}-{value}" for name, value in values)
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", text).lstrip("_-")[:_LONGEST_NAME]
    if plain != text or plain.casefold() in taken:
        plain = f"{plain or 'point'}-{hashlib.sha256(json.dumps(values).encode()).hexdigest()[:8]}"
    taken.add(plain.casefold())
    return plain


def _named_files(commands: Iterable[tuple[str, ...]]) -> list[Path]:
    """Return what may be a file in the commands, also within a word such as that of `sh -c`."""
    texts: dict[str, None] = {}
    for text in dict.fromkeys(word for words in commands for word in words):
        try:
            inner = shlex.split(text)
        except ValueError:
            inner = []
        texts |= dict.fromkeys((text, *inner))
    return [Path(text) for text in texts if 0 < len(text) < _LONGEST_PATH and "\0" not in text]


def digests(paths: Iterable[Path]) -> dict[str, str]:
    """Return the digests of the files among the paths and of those that they include with quotes, by their paths."""
    waiting, out = list(paths), dict[str, str]()
    while waiting and len(out) < _MOST_FILES:
        path = waiting.pop(0)
        try:
            if str(path) in out or not path.is_file() or path.stat().st_size > _LARGEST:
                continue
            content = path.read_bytes()
        except OSError:
            continue
        out[str(path)] = hashlib.sha256(content).hexdigest()
        if b"\0" not in content[:4096]:
            waiting += [path.parent / m.decode("utf-8", "replace") for m in _INCLUDE.findall(content)]
    return dict(sorted(out.items()))


class PointEntry(msgspec.Struct):
    """A point in the manifest. digest: of its measurement, empty before it; failure: why it was not measured."""

    name: str
    values: list[tuple[str, str]]
    digest: str = ""
    failure: str = ""


class Manifest(msgspec.Struct, kw_only=True):
    """The manifest beside the reports. The commands are as the user wrote them.

    others: points of earlier sweeps in the folder, whose reports are still there.
    """

    format: str = FORMAT
    build: str | None = None
    run: str = ""
    check: str | None = None
    kernel: str | None = None
    points: list[PointEntry]
    others: list[PointEntry] = []

    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters with the values of its points."""
        values: dict[str, dict[str, None]] = {}
        for point in self.points:
            for name, value in point.values:
                values.setdefault(name, {})[value] = None
        return tuple(Parameter(name, tuple(found)) for name, found in values.items())


def manifest(plan: Plan, measured: bool = False) -> Manifest:
    """Return the manifest of a plan. measured: whether to mark its points as measured, as the generated script does."""
    points = [PointEntry(p.name, list(p.values), p.digest if measured else "") for p in plan.points]
    texts = (c.text if c is not None else None for c in (plan.build, plan.check))
    return Manifest(build=next(texts), check=next(texts), run=plan.run.text, kernel=plan.kernel, points=points)


def manifest_text(content: Manifest) -> str:
    """Return the manifest as text, ASCII with one point a line."""
    raw = msgspec.to_builtins(content)
    points = ",\n  ".join(json.dumps(p) for p in raw.pop("points"))
    return f'{json.dumps(raw, indent=1)[:-2]},\n "points": [\n  {points}\n ]\n}}\n'


def write_manifest(folder: Path, content: Manifest) -> None:
    """Write the manifest. Raises UsageError if it cannot be written."""
    write_whole(folder / MANIFEST, manifest_text(content))


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a folder, None if it has none. Raises InputError if it cannot be used."""
    path = folder / MANIFEST
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"{path}: is too large for the manifest of a sweep")
        content = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except FileNotFoundError:
        return None
    except OSError as e:
        raise InputError(f"{path}: cannot be read: {e.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
        raise InputError(f"{path}: is not the manifest of a sweep: {e}") from None
    if content.format != FORMAT:
        raise InputError(f"{path}: has the format {content.format[:60]!r}; this version reads {FORMAT}")
    names = [name for name, _ in content.points[0].values] if content.points else []
    for point in content.points:
        if not _PLAIN.fullmatch(point.name) or [n for n, _ in point.values] != names or not names:
            raise InputError(f"{path}: the point {point.name[:60]!r} is not one that a sweep writes")
    if not 0 < len(content.points) <= MOST or len({p.name.casefold() for p in content.points}) < len(content.points):
        raise InputError(f"{path}: lists {len(content.points)} points: 1 to {MOST:,} of different names are possible")
    return content
