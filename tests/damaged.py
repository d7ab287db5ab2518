"""Damaged inputs by a seeded generator: each must be refused in one line or read as incomplete, without crash or hang.

`inputs(200)` gives the full set, the same for the same seed; each input is written only when asked for.
"""

from __future__ import annotations

import gzip
import io
import lzma
import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import zstandard

from advisor.readers import container
from advisor.records import resources

DATA = Path(__file__).parent / "data"
SEED = 20_251_121
_LENGTH = struct.Struct("<I")
MARKUP = (
    "[bold red]BUY[/]",
    "\x1b[2J\x1b[31mred",
    "\x1b]0;title\x07",
    "[link=file:///etc/passwd]x[/link]",
    "\u202eevil",
    "\r\n\x00",
)


@dataclass(frozen=True)
class Damaged:
    """One input: what was done, the name of its file, and its bytes (made when called)."""

    kind: str
    name: str
    make: Callable[[], bytes]

    def write(self, folder: Path) -> Path:
        """The file, written into `folder`."""
        path = folder / self.name
        path.write_bytes(self.make())
        return path


@lru_cache(maxsize=1)
def report() -> bytes:
    """A whole report of two launches: the beginning of the bundled one, cut where a block ends."""
    packed = resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"
    with lzma.open(packed) as file:
        data = file.read(8 << 20)
    found = container.walk(data)
    return data[: [end for block in found.blocks for _, end in block.results][1]]


@lru_cache(maxsize=1)
def raw_csv() -> str:
    """The raw page of three launches."""
    return lzma.decompress((DATA / "tour_raw.csv.xz").read_bytes()).decode()


def _text(name: str) -> str:
    return (DATA / name).read_text()


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(1, len(data) - 1)]


def _flipped(data: bytes, rng: random.Random, flips: int) -> bytes:
    out = bytearray(data)
    for _ in range(flips):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _flipped_headers(rng: random.Random) -> bytes:
    """A bit flipped in the header of every block."""
    out = bytearray(report())
    for block in container.walk(report()).blocks:
        out[rng.randrange(block.header[0], min(block.header[1], block.header[0] + 12))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _long_length(rng: random.Random) -> bytes:
    """A declared length far beyond the file: of the file header, a block header, a launch, or in a message."""
    out = bytearray(report())
    block = rng.choice([b for b in container.walk(report()).blocks if b.results])
    place = rng.choice([4, block.header[0] - 4, block.results[0][0] - 4])
    out[place : place + 4] = _LENGTH.pack(rng.choice([0xFFFFFFFF, 0x7FFFFFFF, len(out) + 1, 1 << 24, 0]))
    return bytes(out)


def _many_announced(rng: random.Random) -> bytes:
    """A block that announces millions of launches."""
    count, size = rng.choice([(1 << 31, 8), ((1 << 63) - 1, 1 << 40), (5, 0), (1 << 20, 1 << 20)])
    header = b"\x08\x00\x10" + _number(count) + b"\x28" + _number(size)
    return report() + _LENGTH.pack(len(header)) + header + b"\0" * 64


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def _broken_record(rng: random.Random) -> bytes:
    """A launch whose record is overwritten with noise, in a container that is whole."""
    out = bytearray(report())
    start, end = container.spans(container.walk(report()))[rng.randrange(2)]
    out[start:end] = rng.randbytes(end - start)
    return bytes(out)


def _no_results(rng: random.Random) -> bytes:
    """The code of a launch, and the end of the file."""
    data, found = report(), container.walk(report())
    block = [b for b in found.blocks if b.sources][-1]
    return data[: block.sources[-1][1]] if rng.random() < 0.5 else data[: block.header[1]]


def _headless(rng: random.Random) -> bytes:
    return report()[rng.randrange(1, 4000) :]


def _empty_report(_: random.Random) -> bytes:
    """A whole report that holds no launches."""
    out = io.BytesIO()
    container.slim(report(), container.walk(report()), 0, 0, bool, out)
    return out.getvalue()


def _foreign(rng: random.Random) -> bytes:
    return rng.choice(
        (
            b"SQLite format 3\0" + bytes(4096),
            b"PK\x03\x04" + rng.randbytes(2000),
            b"\x89PNG\r\n\x1a\n" + rng.randbytes(2000),
            b"%PDF-1.7\n" + rng.randbytes(2000),
            b"\x7fELF\x02\x01\x01" + rng.randbytes(2000),
            b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n",
            b"<!DOCTYPE html><html><body>404: not found</body></html>\n",
            b'{"traceEvents": [{"name": "kernel", "ts": 1}]}\n',
            b"Kernel,Duration,Occupancy\nsaxpy,12.5,0.7\n",
            b"==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM: no permission\n",
            b" Time (%)  Total Time (ns)  Instances  Avg (ns)\n --------  ---\n 80.8  444,988,647  5,862  75,910.7\n",
            b"==1== NVPROF is profiling process 1\n",
            b"usage: ncu [options] [program] [program-arguments]\n",
            b"Metric Name,gpu__time_duration.sum,sm__throughput.avg\n0,1.0,2.0\n",
            b"ID,Kernel Name,gpu__time_duration.sum\n0,saxpy,1024\n1,saxpy,2048\n",
        )
    )


def _one_line(rng: random.Random) -> bytes:
    size = 10 << 20
    return rng.choice(
        (
            b"x" * size,
            b'"' * size,
            b"," * size,
            b" " * size,
            raw_csv().split("\n", maxsplit=1)[0].encode() + b'\n"0","' + b"a" * size,
            b"  " + b"k(" * (size // 2) + b" (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0",
            b"    Section: " + b"-" * size,
        )
    )


def _bomb(kind: str, rng: random.Random) -> bytes:
    """Some kilobytes or megabytes that unpack to three gigabytes: one stream of 32 MB, ninety-six times."""
    head = rng.choice((b"NVR\0\x02\0\0\0\x08\x07", b"", report()[:100_000], b'"ID","Process ID","Kernel Name"\n'))
    fill = rng.choice((b"\0", b" ", b"\n", b"a")) * (32 << 20)
    return _packed(kind, head + fill) + _packed(kind, fill) * 95


def _packed(kind: str, data: bytes) -> bytes:
    if kind == "xz":
        return lzma.compress(data, preset=0)
    if kind == "gz":
        return gzip.compress(data, 1, mtime=0)
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def _cut_text(text: str, rng: random.Random) -> bytes:
    """A text cut inside its last launch, and inside a line of it."""
    place = rng.randrange(int(len(text) * 0.7), int(len(text) * 0.9))
    line_end = text.index("\n", place)
    return text[: line_end - 5].encode()


def _strange_names(text: str, rng: random.Random) -> bytes:
    """Markup and escape codes in the kernel names, and the last line cut."""
    for name in ("vector_copy", "transpose_tile", "capped_moments"):
        text = text.replace(name, f"void {rng.choice(MARKUP[:5])}::{name}<{rng.choice(MARKUP[:5])}>(float *)")
    return _cut_text(text, rng)


def _with_nul(text: str, rng: random.Random) -> bytes:
    """NUL bytes strewn over a text that is cut, too."""
    out = bytearray(_cut_text(text, rng))
    for _ in range(40):
        out.insert(rng.randrange(len(out)), 0)
    return bytes(out)


def _without_units(_: random.Random) -> bytes:
    """A raw page as a spreadsheet leaves it: the line of units deleted."""
    lines = raw_csv().splitlines(keepends=True)
    return "".join(lines[:1] + lines[2:]).encode()


def _makers() -> list[tuple[int, str, str, Callable[[random.Random], bytes]]]:
    """(share of 200, kind, suffix, maker) of every kind of damage."""
    details, console = _text("tour_details.csv"), _text("tour_details.txt")
    return [
        (28, "report cut", ".ncu-rep", lambda rng: _cut(report(), rng)),
        (9, "report without its beginning", ".ncu-rep", _headless),
        (10, "report with 300 bits flipped", ".ncu-rep", lambda rng: _flipped(report(), rng, 300)),
        (8, "report with 5,000 bits flipped", ".ncu-rep", lambda rng: _flipped(report(), rng, 5000)),
        (10, "block headers with bits flipped", ".ncu-rep", _flipped_headers),
        (12, "a length beyond the file", ".ncu-rep", _long_length),
        (6, "launches announced that are not there", ".ncu-rep", _many_announced),
        (6, "a launch overwritten with noise", ".ncu-rep", _broken_record),
        (4, "code without its launch", ".ncu-rep", _no_results),
        (1, "a report without launches", ".ncu-rep", _empty_report),
        (2, "empty", ".ncu-rep", lambda rng: b" \n" * rng.randrange(2)),
        (6, "random bytes", ".ncu-rep", lambda rng: rng.randbytes(rng.randrange(1, 200_000))),
        (
            6,
            "random bytes behind the mark",
            ".ncu-rep",
            lambda rng: container.MAGIC + rng.randbytes(rng.randrange(100_000)),
        ),
        (16, "something else", ".ncu-rep", _foreign),
        (7, "10 MB in one line", ".csv", _one_line),
        *((3, f"a bomb in {kind}", f".ncu-rep.{kind}", _bomb_maker(kind)) for kind in ("xz", "gz", "zst")),
        *((4, f"{kind} cut", f".ncu-rep.{kind}", _packed_cut(kind)) for kind in ("xz", "gz", "zst")),
        *((3, f"{kind} with bits flipped", f".ncu-rep.{kind}", _packed_flipped(kind)) for kind in ("xz", "gz", "zst")),
        (5, "raw CSV cut", ".csv", lambda rng: _cut_text(raw_csv(), rng)),
        (5, "details CSV cut", ".csv", lambda rng: _cut_text(details, rng)),
        (5, "console text cut", ".txt", lambda rng: _cut_text(console, rng)),
        (3, "strange names in raw CSV, cut", ".csv", lambda rng: _strange_names(raw_csv(), rng)),
        (4, "strange names in details CSV, cut", ".csv", lambda rng: _strange_names(details, rng)),
        (4, "strange names in console text, cut", ".txt", lambda rng: _strange_names(console, rng)),
        (5, "NUL bytes in details CSV, cut", ".csv", lambda rng: _with_nul(details, rng)),
        (5, "NUL bytes in console text, cut", ".txt", lambda rng: _with_nul(console, rng)),
        (3, "raw CSV without its units", ".csv", _without_units),
    ]


def _bomb_maker(kind: str) -> Callable[[random.Random], bytes]:
    return lambda rng: _bomb(kind, rng)


def _packed_cut(kind: str) -> Callable[[random.Random], bytes]:
    return lambda rng: _cut(_packed(kind, report()), rng)


def _packed_flipped(kind: str) -> Callable[[random.Random], bytes]:
    return lambda rng: _flipped(_packed(kind, report()), rng, 20)


def inputs(count: int = 200, seed: int = SEED) -> Iterator[Damaged]:
    """`count` damaged inputs; each kind has its share, and at least one."""
    number = 0
    for share, kind, suffix, maker in _makers():
        for i in range(max(1, round(share * count / 200))):
            rng = random.Random(f"{seed}/{kind}/{i}")
            yield Damaged(
                kind, f"{number:03d}-{kind.replace(' ', '-').replace(',', '')}{suffix}", _bound(maker, rng.getstate())
            )
            number += 1


def _bound(maker: Callable[[random.Random], bytes], state: tuple[object, ...]) -> Callable[[], bytes]:
    def make() -> bytes:
        rng = random.Random()
        rng.setstate(state)  # type: ignore[arg-type]
        return maker(rng)

    return make
