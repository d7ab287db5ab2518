"""Builds a report of the size that users bring, from the bundled recordings: `python -m tests.bench.large_report FILE`.

All recordings were cut out of one run, so they share their table of strings, and launches of several can stand in one
report: 40 launches of different kernels, about 70 MB, as ncu's full set makes them.
"""

from __future__ import annotations

import argparse
import lzma
import sys
from pathlib import Path

from advisor.readers import container
from advisor.records import resources

LAUNCHES, BYTES = 40, 70_000_000


def build(launches: int = LAUNCHES, size: int = BYTES) -> bytes:
    """A report with so many launches, of about that size: recordings in alphabetical order, the larger launches."""
    paths = sorted(resources.folder("kernels").glob("*/recorded/h200/profile.ncu-rep.xz"))
    chosen: list[tuple[bytes, bytes]] = []  # machine code and result, each with its length in front
    first, strings = b"", []
    for path in paths:
        data = lzma.decompress(path.read_bytes())
        found = container.walk(data)
        assert not found.damage
        own = container.strings_of(data, found)
        if not first:
            first, strings = data, own
        if own != strings:
            raise SystemExit(f"{path}: another run's recording, whose strings differ")
        for block in found.blocks:
            codes = {container.inner_id(data[a:b], None): data[a - 4 : b] for a, b in block.sources}
            for a, b in block.results:
                code = codes.get(container.inner_id(data[a:b], container.CODE), b"")
                chosen.append((code, data[a - 4 : b]))
    ideal = size / launches
    chosen.sort(key=lambda pair: abs(len(pair[0]) + len(pair[1]) - ideal))
    head = container.walk(first)
    out = bytearray(first[: 8 + int.from_bytes(first[4:8], "little")])
    for block in head.blocks:  # the strings alone
        out += _block(first[block.header[0] : block.header[1]], b"", b"", True)
    for code, result in chosen[:launches]:
        out += _block(first[head.blocks[0].header[0] : head.blocks[0].header[1]], code, result, False)
    return bytes(out)


def _block(header: bytes, code: bytes, result: bytes, strings: bool) -> bytes:
    counts = {1: int(bool(code)), 2: int(bool(result)), 5: len(code) + len(result)}
    dropped = set(counts) | (set() if strings else {3, 4})
    kept = b"".join(header[key:end] for number, key, _, end in container.fields(header) if number not in dropped)
    kept += b"".join(container.encoded(n << 3) + container.encoded(value) for n, value in counts.items())
    return len(kept).to_bytes(4, "little") + kept + code + result


def main(argv: list[str] | None = None) -> int:
    """Write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--launches", type=int, default=LAUNCHES)
    parser.add_argument("--bytes", type=int, default=BYTES)
    given = parser.parse_args(argv)
    made = build(given.launches, given.bytes)
    given.file.write_bytes(made)
    found = container.walk(made)
    print(f"{given.file}: {found.readable} launches, {len(made) / 1e6:.1f} MB {found.damage}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
