"""Write every launch of a triage to a Parquet table, one row per launch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from advisor.records.errors import UsageError
from advisor.records.extras import install_text
from advisor.records.files import being_written
from advisor.triage.results import Triage
from advisor.triage.tally import METRICS, Row

_ROWS = 20_000  # of a row group: bounds the memory
# Columns in order. Times are ns; back_ns: time saved by the first fix with a gain; metrics follow in their units.
_COLUMNS = (
    *(("report", "string"), ("index", "int64"), ("kernel", "string"), ("kernel_full", "string")),
    *(("grid_x", "int64"), ("grid_y", "int64"), ("grid_z", "int64")),
    *(("block_x", "int64"), ("block_y", "int64"), ("block_z", "int64")),
    *(("gpu", "string"), ("cc", "string"), ("known_as", "string"), ("scope", "string"), ("duration_ns", "float64")),
    *(("class", "string"), ("first", "string"), ("fix", "string"), ("speedup", "float64"), ("back_ns", "float64")),
)


def require() -> None:
    """Raise UsageError if pyarrow is missing, before any report is read."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise UsageError(f"--format parquet needs pyarrow: {install_text('parquet')}") from None


def write_parquet(result: Triage, out: Path) -> int:
    """Write all launches atomically; return their number. Raises UsageError if the file cannot be written."""
    import pyarrow as pa
    from pyarrow import parquet

    types = {"string": pa.string(), "int64": pa.int64(), "float64": pa.float64()}
    fields = [pa.field(name, types[kind]) for name, kind in _COLUMNS]
    fields.append(pa.field("findings", pa.list_(pa.string())))
    units = result.catalog.metrics
    fields += [pa.field(name, pa.float64(), metadata={"unit": units[name].unit}) for name in METRICS]
    schema = pa.schema(fields, metadata={"schema": "ncu-advisor/triage-launches/1"})
    count = 0
    with being_written(out) as place, parquet.ParquetWriter(place, schema, compression="zstd") as writer:
        for rows in _batches(result):
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def _batches(result: Triage) -> Iterator[list[dict[str, Any]]]:
    waiting: list[dict[str, Any]] = []
    for label, rows in result.rows():
        for row in rows:
            waiting.append(_row(label, row))
            if len(waiting) == _ROWS:
                yield waiting
                waiting = []
    if waiting:
        yield waiting


def _row(label: str, row: Row) -> dict[str, Any]:
    key = row.key
    sizes = {
        f"{name}_{axis}": size
        for name, shape in (("grid", key.grid), ("block", key.block))
        for axis, size in zip("xyz", shape, strict=False)
    }
    return {
        "report": label,
        "index": row.index,
        "kernel": key.kernel,
        "kernel_full": key.kernel_full,
        **sizes,
        "gpu": key.gpu_name,
        "cc": key.cc,
        "known_as": key.known_as,
        "scope": key.scope,
        "duration_ns": row.duration_ns,
        "class": row.class_id,
        "first": row.first or None,
        "fix": row.fix or None,
        "speedup": row.speedup,
        "back_ns": row.back_ns,
        "findings": list(row.findings),
        **dict(zip(METRICS, row.metrics, strict=True)),
    }
