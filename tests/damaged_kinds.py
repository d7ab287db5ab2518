"""Damaged inputs of every kind that a command reads, by a seeded generator: `cases(count)` writes each when asked."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import zstandard

from advisor.records import resources
from tests import damaged, damaged_databases
from tests.timeline import generator

Bytes = bytes
NUMBER = re.compile(rb"\d[\d,]*\.?\d*(?:[eE][+-]?\d+)?")
ABSURD = tuple(
    text.encode()
    for text in (
        *("1e308", "1e999", "-1", "-1e308", "1e-320", "0", "-0", "99999999999999999999", "9" * 400, "9" * 5000),
        *(
            "nan",
            "NaN",
            "-nan",
            "inf",
            "-inf",
            "Infinity",
            "0x1F",
            "1:2:3",
            "",
            "true",
            "null",
            "n/a",
            "1,2,3",
            "1.2.3",
        ),
        *("\u00b2", "\uff11\uff12", "\u0663", "2147483648", "9223372036854775808", "18446744073709551616", "4e18"),
    )
)
ENCODINGS = ("cp037", "cp500", "cp1140", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp1252", "shift_jis")


@dataclass(frozen=True)
class Case:
    """One damaged input. command: what reads it, `{}` in place of its path.

    whole: writes the input without its damage, or None where the damage does not take anything away for certain.
    """

    kind: str
    damage: str
    command: tuple[str, ...]
    write: Callable[[Path], Path]
    whole: Callable[[Path], Path] | None = None

    def arguments(self, folder: Path) -> list[str]:
        """The command line, with the input written into `folder`."""
        path = self.write(folder)
        return [str(path) if word == "{}" else word for word in self.command]


# Whole inputs, as (suffix, bytes)


@lru_cache(maxsize=1)
def _details() -> Path:
    return damaged.DATA / "tour_details.csv"


@lru_cache(maxsize=8)
def _whole(kind: str) -> tuple[tuple[str, Bytes], ...]:
    """Whole inputs of a kind."""
    knowledge, kernels = resources.folder("knowledge"), resources.folder("kernels")
    if kind == "report":
        small = lzma.decompress((damaged.DATA / "section_report.ncu-rep.xz").read_bytes())
        return ((".ncu-rep", small), (".ncu-rep", damaged.report()))
    if kind == "raw csv":
        return ((".csv", damaged.raw_csv().encode()),)
    if kind == "details csv":
        return ((".csv", _details().read_bytes()),)
    if kind == "console":
        return ((".txt", (damaged.DATA / "tour_details.txt").read_bytes()),)
    if kind == "workload":
        examples = resources.folder("transcripts") / "workloads"
        return tuple((".yaml", path.read_bytes()) for path in sorted(examples.glob("*.yaml"))[:8])
    if kind == "knowledge":
        chosen = ("metrics.yaml", "questions.yaml", "classification.yaml", "noise.yaml", "sources.yaml")
        some = [knowledge / name for name in chosen] + sorted((knowledge / "diagnoses").glob("*.yaml"))[:5]
        return tuple((f"/{path.relative_to(knowledge)}", path.read_bytes()) for path in some)
    if kind == "answers":
        return ((".yaml", b"theoretical_bytes: 64000000\ndram_pct: 71.5\nregisters_per_thread: 32\n"),)
    if kind == "ptxas":
        log = (
            b"ptxas info    : 0 bytes gmem, 24 bytes cmem[4]\n"
            b"ptxas info    : Compiling entry function '_Z14transpose_tilePfS_' for 'sm_90'\n"
            b"ptxas info    : Function properties for _Z14transpose_tilePfS_\n"
            b"    16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads\n"
            b"ptxas info    : Used 32 registers, used 1 barriers, 4224 bytes smem, 368 bytes cmem[0]\n"
        )
        return ((".log", log),)
    if kind == "transcript":
        found = sorted(resources.folder("transcripts").glob("*.jsonl"), key=lambda path: path.stat().st_size)
        return tuple((".jsonl", path.read_bytes()) for path in found[:4])
    if kind == "manifest":
        return tuple(("/exercise.yaml", path.read_bytes()) for path in sorted(kernels.glob("*/exercise.yaml"))[:4])
    raise ValueError(kind)


@lru_cache(maxsize=2)
def _traces(kind: str, place: str) -> tuple[tuple[str, Bytes], ...]:
    """Whole traces: a database, or the tables of `nsys stats`."""
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "nsys text":
        return ((".txt", NSYS_TEXT.encode()),)
    if kind == "nsys sqlite":
        planted = generator.busy()
        return ((".sqlite", planted.write(folder / "whole.sqlite").read_bytes()),)
    return tuple((".csv", text.encode()) for text in TABLES)


NSYS_TEXT = """
 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

 Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)          Name
 --------  ---------------  ---------  --------  --------  --------  --------  -----------  --------------------
     80.8      444,988,647      5,862  75,910.7  75,000.0     1,000    90,000         12.5  void gemm(float *)
     19.2      105,000,000        100  1.05e+06  1.05e+06   900,000  1.10e+06         12.5  copy(float *)

Processing [report.sqlite] with [/opt/nvidia/reports/cuda_api_sum.py]...

 Time (%)  Total Time (ns)  Num Calls  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)        Name
 --------  ---------------  ---------  --------  --------  --------  --------  -----------  ----------------
     60.0      300,000,000      1,000  300000.0  300000.0     1,000   900,000         10.0  cudaMemcpy
     40.0      200,000,000      5,962   33545.8       3.0         1         9          1.0  cudaLaunchKernel
"""
TABLES = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
    "Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n"
    + "".join(
        f"{1000 * i},{500 + i},{i},128,1,1,256,1,1,32,0.000,0.000,,,,,NVIDIA H200 (0),1,7,void kernel{i % 3}(float*)\n"
        f"{1000 * i + 600},{200},{i},,,,,,,,,,0.004,11.0,Pageable,Device,NVIDIA H200 (0),1,7,"
        "[CUDA memcpy Host-to-Device]\n"
        for i in range(60)
    ),
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    "80.8,444988647,5862,75910.7,75000.0,1000,90000,12.5,void gemm(float*)\n"
    "19.2,105000000,100,1050000.0,1050000.0,900000,1100000,12.5,copy(float*)\n",
    "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    "60.0,300000000,1000,300000.0,300000.0,1000,900000,10.0,cudaMemcpy\n40.0,200000000,5962,33545.8,3.0,1,9,1.0,"
    "cudaLaunchKernel\n",
    "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,"
    "RangeStack,NameTree\n1000,9000,8000,0,8000,step,1,1,0,0,1,,:1,step\n",
)


# Damage


def _cut(data: Bytes, rng: random.Random) -> Bytes:
    return data[: rng.randrange(0, len(data))]


def _headless(data: Bytes, rng: random.Random) -> Bytes:
    return data[rng.randrange(1, min(len(data), 5000)) :]


def _flipped(data: Bytes, rng: random.Random) -> Bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 5, 50, 1000))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _spliced(data: Bytes, rng: random.Random) -> Bytes:
    other = _cut(data, rng)
    at = rng.randrange(len(data))
    return data[:at] + other[rng.randrange(len(other) + 1) :][:100_000] + data[at + rng.randrange(200) :]


def _zeros(data: Bytes, rng: random.Random) -> Bytes:
    at, size = rng.randrange(len(data)), rng.choice((1, 16, 4096, 100_000))
    return data[:at] + bytes(min(size, len(data) - at)) + data[at + size :]


def _recoded(data: Bytes, rng: random.Random) -> Bytes:
    return data.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def _numbers(data: Bytes, rng: random.Random) -> Bytes:
    """All numbers, or some of them, replaced by absurd ones: one for all, or one for each."""
    share, one = rng.choice((1.0, 1.0, 0.3, 0.02)), rng.choice((*ABSURD, None, None))

    def absurd(match: re.Match[Bytes]) -> Bytes:
        return match[0] if rng.random() >= share else (one if one is not None else rng.choice(ABSURD))

    return NUMBER.sub(absurd, data)


def _not_finite(data: Bytes, rng: random.Random) -> Bytes:
    word = rng.choice((b"nan", b"inf", b"-inf", b"NaN", b".nan", b"-.inf"))
    return NUMBER.sub(lambda match: word if rng.random() < 0.4 else match[0], data)


def _columns(data: Bytes, rng: random.Random) -> Bytes:
    """Columns deleted, or a field missing here and there."""
    lost = {rng.randrange(30) for _ in range(rng.choice((1, 3, 8)))}
    lines = data.split(b"\n")
    if rng.random() < 0.3:
        lines = [line.rpartition(b",")[0] if rng.random() < 0.2 else line for line in lines]
        return b"\n".join(lines)
    mark = b'","' if b'","' in data else b","
    return b"\n".join(mark.join(f for i, f in enumerate(line.split(mark)) if i not in lost) for line in lines)


def _lines(data: Bytes, rng: random.Random) -> Bytes:
    """Lines in another order, twice, or not at all."""
    lines = data.split(b"\n")
    what = rng.randrange(3)
    if what == 0:
        rng.shuffle(lines)
    elif what == 1:
        lines = [line for line in lines for _ in range(rng.choice((1, 1, 1, 2, 5)))]
    else:
        lines = [line for line in lines if rng.random() < 0.8]
    return b"\n".join(lines)


def _long(data: Bytes, rng: random.Random) -> Bytes:
    """Absurd lengths: of a line, a name, a file, or of the same line again and again."""
    at, fill = rng.randrange(len(data)), rng.choice((b"x", b"9", b" ", b",", b'"', b"[", b"(", b"\t"))
    if rng.random() < 0.3:
        line = data.split(b"\n")[rng.randrange(data.count(b"\n") + 1)][:2000]
        return data + b"\n" + (line + b"\n") * min(20_000, 8_000_000 // (len(line) + 1))
    return data[:at] + fill * rng.choice((10_000, 1_000_000, 3_000_000)) + data[at:]


def _odd_names(data: Bytes, rng: random.Random) -> Bytes:
    odd = rng.choice(("\x0b", "\u202e", "\u200b", "\x1b[2J", "\x00", "\ud800", "\U000e0041")).encode(
        "utf-8", "surrogatepass"
    )
    return re.sub(rb"[a-z]{4}", lambda match: match[0] + odd if rng.random() < 0.05 else match[0], data)


def _json_numbers(data: Bytes, rng: random.Random) -> Bytes:
    """Numbers of a transcript, by numbers that JSON can hold."""
    some = (
        b"-1",
        b"1e308",
        b"9" * 30,
        b"0",
        b"-0.0",
        b"1e-320",
        b"9223372036854775807",
        b"true",
        b"null",
        b'"x"',
        b"[]",
        b"{}",
    )
    one, share = rng.choice((*some, None)), rng.choice((1.0, 0.5, 0.1, 0.01))
    pattern = re.compile(rb"(?<=[\[ :,])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[,\]} ])")

    def absurd(match: re.Match[Bytes]) -> Bytes:
        return match[0] if rng.random() >= share else (one if one is not None else rng.choice(some))

    head, _, rest = data.partition(b"\n")
    return head + b"\n" + pattern.sub(absurd, rest)


def _yaml_bomb(data: Bytes, rng: random.Random) -> Bytes:
    size = rng.choice((1000, 100_000))
    return rng.choice(
        (
            b"a: &a [x, x]\n" + b"".join(b"a%d: &a%d [*a%s, *a%s]\n" % (i, i, p, p) for i, p in _chain(60)),
            b"a: " + b"[" * size,
            b"a: " + b"{a: " * size,
            b"- " * size,
            b"".join(b" " * i + b"a:\n" for i in range(700)),
            b"a: " + b":".join([b"1"] * size) + b"\n",
            b"".join(b"k%d: 1\n" % i for i in range(size)),
            b"a: 0x" + b"f" * size,
            b"? " * size,
            b"%YAML 9.9\n---\n" * 100,
            b"a: !!python/object/apply:os.system [ls]\n",
            b"a: 2020-99-99T25:61:61Z\nb: 1e400\nc: 0b2\n",
            data + b"\n" + b"&x " * size,
            data + b"\n<<: *x\n",
        )
    )


def _chain(count: int) -> Iterator[tuple[int, Bytes]]:
    for number in range(count):
        yield number, b"" if not number else b"%d" % (number - 1)


def _noise(data: Bytes, rng: random.Random) -> Bytes:
    return data[: rng.randrange(min(len(data), 3000))] + rng.randbytes(rng.randrange(20_000))


Damage = Callable[[Bytes, random.Random], Bytes]
TEXT: dict[str, Damage] = {
    "cut": _cut,
    "headless": _headless,
    "flipped": _flipped,
    "spliced": _spliced,
    "zeros": _zeros,
    "other encoding": _recoded,
    "absurd numbers": _numbers,
    "not finite": _not_finite,
    "lines": _lines,
    "long": _long,
    "odd names": _odd_names,
    "noise": _noise,
}
TABLE: dict[str, Damage] = TEXT | {
    "columns": _columns,
    "absurd numbers again": _numbers,
    "other encoding again": _recoded,
}
BINARY: dict[str, Damage] = {
    name: TEXT[name]
    for name in ("cut", "headless", "flipped", "spliced", "zeros", "noise", "absurd numbers", "odd names")
}
YAML: dict[str, Damage] = TEXT | {"bomb": _yaml_bomb, "bomb again": _yaml_bomb}
JSONL: dict[str, Damage] = TEXT | {f"numbers of JSON {i}": _json_numbers for i in range(6)}


@dataclass(frozen=True)
class Kind:
    """share of 100; damage; the commands that read it."""

    share: int
    damage: dict[str, Damage]
    commands: tuple[tuple[str, ...], ...]


_DIAGNOSE = (("diagnose", "{}", "--format", "json"),)
_READ = (
    *_DIAGNOSE,
    ("diagnose", "{}"),
    ("diagnose", "{}", "--format", "markdown"),
    ("diagnose", "{}", "--format", "sarif"),
    ("compare", "{}", "{}"),
    ("triage", "{}", "--jobs", "1", "--format", "json"),
    ("diagnose", "{}", "--on", "A100-SXM-80GB"),
)
_TIMELINE = (("timeline", "{}", "--format", "json"), ("timeline", "{}"), ("timeline", "{}", "--format", "markdown"))
KINDS = {
    "report": Kind(12, BINARY, (*_DIAGNOSE, ("source", "{}"), ("compare", "{}", "{}"))),
    "packed report": Kind(8, BINARY, _DIAGNOSE),
    "raw csv": Kind(14, TABLE, _READ),
    "details csv": Kind(14, TABLE, _READ),
    "console": Kind(13, TABLE, _READ),
    "workload": Kind(6, YAML, (*_DIAGNOSE, ("diagnose", "{}"))),
    "knowledge": Kind(4, YAML, (("knowledge", "lint", "{}"),)),
    "answers": Kind(5, YAML, (("diagnose", str(_details()), "--answers", "{}", "--format", "json"),)),
    "nsys csv": Kind(9, TABLE, _TIMELINE),
    "nsys sqlite": Kind(8, BINARY | damaged_databases.DAMAGE, _TIMELINE),
    "nsys text": Kind(3, TEXT, (*_TIMELINE, *_DIAGNOSE)),
    "transcript": Kind(6, JSONL, (("replay", "--check", "{}"), ("replay", "{}", "--export", "md"))),
    "ptxas": Kind(2, TEXT, (("diagnose", str(_details()), "--ptxas", "{}"),)),
    "special": Kind(1, {}, (*_READ, *_TIMELINE, ("replay", "--check", "{}"), ("source", "{}"))),
}


def _packed(data: Bytes, rng: random.Random) -> tuple[str, Bytes]:
    kind = rng.choice(("xz", "gz", "zst"))
    if rng.random() < 0.06:
        data = data[: rng.choice((8, 100_000))] + rng.choice((b"\0", b"a", b"\n")) * (48 << 20)
        made = _pack(kind, data) * 24
    else:
        made = _pack(kind, data[: 2 << 20] if rng.random() < 0.5 else data)
    return f".ncu-rep.{kind}", made


def _pack(kind: str, data: Bytes) -> Bytes:
    if kind == "xz":
        return lzma.compress(data, preset=0)
    return gzip.compress(data, 1, mtime=0) if kind == "gz" else zstandard.ZstdCompressor().compress(data)


def _special(folder: Path, rng: random.Random) -> Path:
    """What is no file, or no file that can be read."""
    place = folder / f"special{rng.choice(('.ncu-rep', '.csv', '.yaml', '.sqlite', '.jsonl', '.txt', ''))}"
    what = rng.randrange(8)
    if what == 0:
        os.mkfifo(place)
    elif what == 1:
        return Path(rng.choice(("/dev/zero", "/dev/null", "/dev/random", "/dev/tty", "/proc/self/mem")))
    elif what == 2:
        place.mkdir()
    elif what == 3:
        place.symlink_to(place)
    elif what == 4:
        place.symlink_to(folder / "nowhere")
    elif what == 5:
        return folder / ("x" * 300)
    elif what == 6:
        with place.open("wb") as file:  # sparse
            file.truncate(rng.choice((1 << 30, 1 << 40)))
    else:
        place.write_bytes(bz2.compress(b"x" * 1000))
    return place


def cases(count: int, seed: int = 1, real: Sequence[Path] = ()) -> Iterator[Case]:
    """`count` cases, each kind by its share. real: more whole files, each taken for the kind that its name tells."""
    total = sum(kind.share for kind in KINDS.values())
    for name, kind in KINDS.items():
        for number in range(max(1, round(count * kind.share / total))):
            rng = random.Random(f"{seed}/{name}/{number}")
            damage = list(kind.damage)[number % len(kind.damage)] if kind.damage else "no file"
            command = kind.commands[(number // max(1, len(kind.damage))) % len(kind.commands)]
            state = rng.getstate()
            whole = _writer(name, "", kind, number, state, real) if damage in TAKES_AWAY and name in COUNTED else None
            yield Case(name, damage, command, _writer(name, damage, kind, number, state, real), whole)


# Damage after which a report says less, and the kinds whose launches are counted.
TAKES_AWAY = ("cut", "headless", "columns")
COUNTED = ("report", "raw csv", "details csv", "console")


def _writer(
    name: str, damage: str, kind: Kind, number: int, state: tuple[object, ...], real: Sequence[Path]
) -> Callable[[Path], Path]:
    """Return what writes the input with this damage, or without any."""

    def write(folder: Path) -> Path:
        rng = random.Random()
        rng.setstate(state)  # type: ignore[arg-type]
        if name == "special":
            return _special(folder, rng)
        wholes = _of(name, folder, real)
        suffix, data = wholes[rng.randrange(len(wholes))]
        if not damage:
            path = folder / f"whole{suffix}"
            path.write_bytes(data)
            return path
        made = kind.damage[damage](data, rng) if data else b""
        if name == "packed report":
            if rng.random() < 0.5:
                suffix, made = _packed(made, rng)
            else:
                suffix, packed = _packed(data, rng)
                made = kind.damage[damage](packed, rng)
        path = folder / (f"team{suffix}" if suffix.startswith("/") else f"input{number}{suffix}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made)
        return folder / "team" if suffix.startswith("/") else path

    return write


def _of(name: str, folder: Path, real: Sequence[Path]) -> tuple[tuple[str, Bytes], ...]:
    found = [path for path in real if _kind_of(path) == name and path.stat().st_size < 3 << 20]
    if name.startswith("nsys"):
        own = _traces(name, str(folder.parent / "whole"))
    else:
        own = _whole("report" if name == "packed report" else name)
    return (*own, *((_suffix(path), path.read_bytes()) for path in found[:12]))


def _kind_of(path: Path) -> str:
    folder = path.parent.name
    if folder == "ncu-rep":
        return "report" if path.suffix == ".ncu-rep" else ""
    if folder == "ncu-csv":
        head = path.read_bytes()[:100_000]
        return "details csv" if b"Metric Name" in head else "raw csv"
    kinds = {"ncu-text": "console", "nsys-csv": "nsys csv", "nsys-sqlite": "nsys sqlite", "nsys-text": "nsys text"}
    return kinds.get(folder, "")


def _suffix(path: Path) -> str:
    return path.suffix
