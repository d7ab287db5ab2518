"""Times against SQL that is written here and shares nothing with the reader."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from advisor.timeline.analyse import analyse
from tests.timeline import generator as make
from tests.timeline.generator import PATTERNS
from tests.timeline.nsys_schemas import VERSIONS

TABLES = [f"CUPTI_ACTIVITY_KIND_{n}" for n in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE")]
# The islands of a set of intervals, by window functions: a new one begins where a start is beyond all ends before it.
UNION = """
WITH work AS ({parts}),
     marked AS (SELECT s, e, CASE WHEN s <= max(e) OVER (ORDER BY s, e ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                THEN 0 ELSE 1 END AS new FROM work),
     numbered AS (SELECT s, e, sum(new) OVER (ORDER BY s, e) AS island FROM marked)
SELECT sum(e - s) FROM (SELECT min(s) AS s, max(e) AS e FROM numbered GROUP BY island)
"""


def covered(db: sqlite3.Connection, *selects: str) -> int:
    return int(db.execute(UNION.format(parts=" UNION ALL ".join(selects))).fetchone()[0] or 0)


def there(db: sqlite3.Connection) -> list[str]:
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    return [table for table in TABLES if table in names]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_busy_time_copies_and_kernels_agree_with_sql(pattern: str, version: str, tmp_path: Path) -> None:
    path = PATTERNS[pattern](version).write(tmp_path / "t.sqlite")
    gpu = analyse([path]).gpus[0]
    db = sqlite3.connect(path)
    every = [f'SELECT start AS s, "end" AS e FROM {table}' for table in there(db)]
    window = max(e for select in every for _, e in db.execute(select)) - min(s for q in every for s, _ in db.execute(q))
    assert gpu.window is not None and gpu.window[1] - gpu.window[0] == window
    assert gpu.values["gpu_busy_pct"] == pytest.approx(100 * covered(db, *every) / window)
    if "CUPTI_ACTIVITY_KIND_MEMCPY" in there(db):
        copies = 'SELECT start AS s, "end" AS e FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind IN (1, 2)'
        kernels = 'SELECT start AS s, "end" AS e FROM CUPTI_ACTIVITY_KIND_KERNEL'
        alone = covered(db, copies, kernels) - covered(db, kernels)
        assert gpu.values["host_copy_pct"] == pytest.approx(100 * covered(db, copies) / window)
        assert gpu.values["copy_exposed_pct"] == pytest.approx(100 * alone / window)
    if "CUPTI_ACTIVITY_KIND_KERNEL" in there(db):
        rows = db.execute(
            'SELECT value, count(*), sum("end" - start), min("end" - start), max("end" - start) '
            "FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName GROUP BY demangledName "
            'ORDER BY sum("end" - start) DESC, value'
        ).fetchall()
        assert [(k.name, k.launches, k.total, k.shortest, k.longest) for k in gpu.kernels] == rows
        whole = sum(row[2] for row in rows)
        for kernel, (name, _, total, *_) in zip(gpu.kernels, rows, strict=True):
            assert kernel.share == pytest.approx(100 * total / whole)
            own = covered(
                db,
                'SELECT start AS s, "end" AS e FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName '
                f"WHERE value = '{name}'",
            )
            expected = window / (window - own) if own < window else float("inf")
            assert kernel.bound == pytest.approx(expected)


def test_a_kernel_is_bounded_for_the_run_as_well_as_for_the_window(tmp_path: Path) -> None:
    planted = make.host_work()
    planted.duration = 400 * make.MS
    gpu = analyse([planted.write(tmp_path / "t.sqlite")]).gpus[0]
    kernel = gpu.kernels[0]
    # 20 launches of 2 ms in a run of 400 ms.
    assert kernel.run_bound == pytest.approx(400 / 360)
    assert kernel.bound == pytest.approx(135 / 95)
    assert any("start-up" in note for note in gpu.notes)


def test_launches_that_run_beside_each_other_count_once_for_amdahl(tmp_path: Path) -> None:
    planted = make.Planted()
    for stream in (7, 8):
        for at in (10, 20, 30):
            planted.kernel(at * make.MS, 5 * make.MS, asked=make.MS, stream=stream)
    planted.kernel(40 * make.MS, 1 * make.MS, "void other()", "other", asked=make.MS)
    gpu = analyse([planted.write(tmp_path / "t.sqlite")]).gpus[0]
    first = gpu.kernels[0]
    assert (first.total, first.covered) == (30 * make.MS, 15 * make.MS)
    assert first.bound == pytest.approx(31 / 16)
    assert [lane.stream for lane in gpu.lanes if lane.id == "stream"] == [7, 8]
