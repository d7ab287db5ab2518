"""A fleet of reports made from the bundled recordings: 20 launches a file, one in five an .ncu-rep, the rest CSV."""

from __future__ import annotations

import csv
import io
import lzma
import os
import random
from pathlib import Path

from advisor.readers import container
from advisor.records import resources

LAUNCHES = 20
_RAW = Path(__file__).parents[2] / "data" / "tour_raw.csv.xz"
# Recordings of two to four launches; several, so that the reports differ.
_SOURCES = ("bank-conflicts", "good-copy", "tiny-blocks", "small-launches")
_KERNELS = 40


def fleet(folder: Path, count: int, seed: int = 20_251_121) -> None:
    """Write `count` files into `folder`, the same for the same seed: the first n of a larger fleet are the smaller."""
    masters = [repeated(name, LAUNCHES) for name in _SOURCES]
    kept: dict[int, Path] = {}
    rows = raw_rows()
    for number in range(count):
        # Two reports in a row, so that two processes are at one each at any size: their memory is the peak.
        if number % 10 >= 2:
            (folder / f"run{number:05}.csv").write_text(table(rows, random.Random(seed + number)))
            continue
        kind = (number // 10 * 2 + number % 10) % len(masters)
        place = folder / f"run{number:05}.ncu-rep"
        if kind in kept:
            os.link(kept[kind], place)
        else:
            place.write_bytes(masters[kind])
            kept[kind] = place


def raw_rows() -> list[list[str]]:
    """The bundled raw page: titles, units, three launches."""
    return list(csv.reader(io.StringIO(lzma.decompress(_RAW.read_bytes()).decode())))


def repeated(name: str, launches: int) -> bytes:
    """A whole report of exactly so many launches: the blocks of a bundled one again and again, the last cut."""
    data = lzma.decompress(
        (resources.folder("kernels") / name / "recorded" / "h200" / "profile.ncu-rep.xz").read_bytes()
    )
    found = container.walk(data)
    start = found.blocks[0].header[0] - 4
    whole, rest = divmod(launches, found.announced)
    out = data[:start] + data[start:] * whole
    if rest:
        ends = [end for block in found.blocks for _, end in block.results]
        out += data[start : ends[rest - 1]]
    return out


def table(rows: list[list[str]], draw: random.Random, launches: int = LAUNCHES) -> str:
    """The raw page of so many launches: those of the recording under 40 names, times up to 3 % off."""
    head, units, *recorded = rows
    name = head.index("Kernel Name")
    times = [at for at, title in enumerate(head) if title.startswith("gpu__time_duration")]
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([head, units])
    for index in range(launches):
        row = list(recorded[index % len(recorded)])
        row[0] = str(index)
        row[name] = f"{row[name]}_{draw.randrange(_KERNELS)}"
        factor = draw.uniform(0.97, 1.03)
        for at in times:
            row[at] = f"{float(row[at].replace(',', '')) * factor:.6f}"
        writer.writerow(row)
    return out.getvalue()
