"""`ncu --csv --page raw`: a header of metric names, a line of units, a row a launch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.errors import InputError
from advisor.reports.names import short_name
from advisor.reports.records import Contents, Launch
from advisor.reports.tables import CutShortError, is_header, rows, shape
from advisor.reports.values import count_nan, decimal_mark, number

MIXED = "numbers with decimal points and with decimal commas in one file: read with points, the others are unknown"


def read_raw_csv(lines: Iterable[str], wanted: Sequence[str], most: int) -> Contents:
    """The launches of a raw page, at most `most`, with the metrics `wanted`. InputError if it is not ncu's own."""
    found = Contents()
    header: list[str] = []
    units: list[str] | None = None
    kept: list[tuple[dict[str, str], dict[str, tuple[str, str]]]] = []
    columns: list[int] = []
    keep = frozenset(wanted)
    try:
        for row in rows(lines):
            if is_header(",".join(row[:6])) or row[:2] == ["ID", "Process ID"]:
                header, units = row, None
                columns = [i for i, title in enumerate(header) if title in keep]
            elif not header:
                continue
            elif len(row) < len(header):
                found.problems.append(f"a row of {len(row)} instead of {len(header)} fields is left out")
                found.missing = None
            elif units is None:
                if row[0]:
                    raise InputError(
                        "a table without ncu's line of units; give the CSV that `ncu --csv --page raw` printed"
                    )
                units = row
            elif len(kept) >= most:
                raise InputError(f"more than {most:,} launches; cut the file into parts")
            else:
                identity = {title: row[i] for i, title in enumerate(header[:14]) if title not in keep}
                identity["GPU"] = _field(header, row, "device__attribute_display_name")
                identity.setdefault("CC", "")
                if not identity["CC"]:
                    parts = [
                        _field(header, row, f"device__attribute_compute_capability_{part}")
                        for part in ("major", "minor")
                    ]
                    identity["CC"] = ".".join(part.split(".")[0] for part in parts) if all(parts) else ""
                kept.append((identity, {header[i]: (row[i], units[i]) for i in columns}))
    except CutShortError:
        found.problems.append("the file ends inside a row: it was cut")
        found.missing = None
    mark = decimal_mark(text for _, values in kept for text, _ in values.values())
    if mark is None:
        found.problems.append(MIXED)
    for index, (identity, values) in enumerate(kept):
        full = identity.get("Kernel Name", "")
        found.launches.append(
            Launch(
                index=index,
                kernel=short_name(full),
                kernel_full=full,
                grid=shape(identity.get("Grid Size", "")),
                block=shape(identity.get("Block Size", "")),
                gpu_name=identity["GPU"],
                cc=identity["CC"],
                known={"nan_metrics": count_nan(text for text, _ in values.values())},
                values={title: (number(text, mark or "."), unit) for title, (text, unit) in values.items()},
            )
        )
    return found


def _field(header: list[str], row: list[str], title: str) -> str:
    return row[header.index(title)] if title in header else ""
