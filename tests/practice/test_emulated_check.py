"""Steps of exercises are checked on the CPU: right ones are right, planted errors are found with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.emulator.compile import cubin_compiler
from advisor.emulator.cubin import nvdisasm
from advisor.emulator.launch import Pointer
from advisor.emulator.program import RefusedError
from advisor.practice import emulated, manifest
from advisor.practice.emulated_check import Checked, check, small_problem
from advisor.records.emulated import EmulatedDocument, EmulatedFinding
from advisor.view.blocks import Facts, Paragraph, Table
from advisor.view.pages.emulated import check_page, counts_compared

pytestmark = pytest.mark.skipif(
    nvdisasm() is None or cubin_compiler() is None, reason="needs the extra `emulate` (compiler and nvdisasm)"
)
LINES = manifest.bundled_text("bank-conflicts", "1-tile.cu")


def checked(text: str, folder: Path, name: str = "bank-conflicts") -> Checked:
    source = folder / "mine.cu"
    source.write_text(text, encoding="utf-8")
    record = manifest.recording(manifest.exercise(name))
    assert record is not None
    return check(manifest.case(name), source, record.record.card)


def test_a_bundled_step_is_right(tmp_path: Path) -> None:
    found = checked(LINES, tmp_path)
    assert found.right and found.steps > 0


@pytest.mark.parametrize(
    ("old", "new", "kind", "line"),
    [
        ("  __syncthreads();\n", "\n", "race", 10),
        ("tile[threadIdx.x][threadIdx.y + j];", "tile[threadIdx.x][threadIdx.y + j + 32];", "", 0),
        ("in[(size_t)(y + j) * n + x];", "in[(size_t)(y + j) * n + x + 4096];", "out_of_bounds", 6),
        ("(size_t)(y + j) * n + x] = tile", "(size_t)(y + j) * n + x + 1] = tile", "out_of_bounds", 10),
        ("j < 32; j += 8) tile", "j < 24; j += 8) tile", "uninitialised", 10),
    ],
)
def test_a_planted_error_is_found(tmp_path: Path, old: str, new: str, kind: str, line: int) -> None:
    assert old in LINES
    found = checked(LINES.replace(old, new, 1), tmp_path)
    assert not found.right
    if kind:
        assert found.kind == kind and f"mine.cu:{line}:" in found.fault


def test_a_wrong_result_is_shown_with_its_place(tmp_path: Path) -> None:
    found = checked(
        LINES.replace("tile[threadIdx.x][threadIdx.y + j];", "tile[threadIdx.y + j][threadIdx.x];"), tmp_path
    )
    assert found.mismatch is not None and found.mismatch.output == "out" and found.mismatch.wrong > 0


def test_launches_of_a_source_share_its_variables(tmp_path: Path) -> None:
    text = LINES.replace("// launch:", "// launch: note<<<1, 256>>>(n)\n// launch:", 1).replace(
        'extern "C"', '__device__ int seen;\nextern "C" __global__ void note(int n) { seen = n; }\nextern "C"', 1
    )
    assert "* n + x] = tile" in text
    assert checked(text.replace("* n + x] = tile", "* seen + x] = tile"), tmp_path).right


def small(name: str, step: int) -> int:
    """The multiprocessors of the small GPU on which a step of an exercise is checked."""
    exercise = manifest.exercise(name)
    record = manifest.recording(exercise)
    assert record is not None
    source = manifest.home(name) / exercise.steps[step].source
    return small_problem(manifest.case(name), source, record.record.card).card.sms


def test_a_grid_that_needs_more_multiprocessors_gets_them() -> None:
    assert small("bank-conflicts", 0) == 2
    assert small("code-book", 0) == 8  # floor(sms / 4) clusters


def test_a_step_that_computes_with_cupy_is_refused_for_that_reason() -> None:
    with pytest.raises(RefusedError, match=r"1-ones\.py needs CuPy"):
        small("cupy-float64", 0)


def test_the_counts_of_two_versions_stand_side_by_side_where_they_differ() -> None:
    before = {"inst_executed": 1000.0, "shared_wavefronts": 4224.0, "global_sectors": 1024.0}
    (part,) = counts_compared(before, {**before, "shared_wavefronts": 256.0})
    (table,) = part.blocks
    assert isinstance(table, Table)
    assert [[cell.text for cell in row] for row in table.rows] == [["Shared wavefronts", "4,224", "256"]]
    (same,) = counts_compared(before, before)
    assert isinstance(same.blocks[0], Paragraph) and "No count changed" in same.blocks[0].text


def counted(*findings: str) -> EmulatedDocument:
    """The counts of a version that show these causes."""
    found = tuple(EmulatedFinding(name, name.title(), "medium", 0.5, (), ()) for name in findings)
    return EmulatedDocument("f", "sm_90", (1, 1, 1), (32, 1, 1), 1, 1, True, 0, False, (), found, (), ())


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (("conflicts",), (), "no longer in the counts: Conflicts"),
        (("conflicts",), ("conflicts",), "still there: Conflicts"),
        (("conflicts",), ("strides",), "no longer in the counts: Conflicts; new: Strides"),
        ((), (), None),
    ],
)
def test_a_check_says_whether_the_cause_is_gone(
    before: tuple[str, ...], after: tuple[str, ...], says: str | None
) -> None:
    page = check_page("mine.cu", Checked({"n": 64}), (counted(*before), counted(*after)))
    (facts,) = page.made
    assert isinstance(facts, Facts)
    told = {row.label: row.text for row in facts.rows}
    assert told["Result"].startswith("right") and told.get("Fix") == says


def test_the_launches_of_a_graph_are_those_that_it_recorded() -> None:
    exercise = manifest.exercise("small-launches")
    home, step = manifest.home("small-launches"), exercise.step_of("graph")
    record = manifest.recording(exercise)
    assert record is not None
    made = emulated.bench(manifest.case("small-launches"), record.record.card, {**record.record.sizes, "steps": 6})
    extra = tuple(home / e for e in step.extra)
    launches, _ = emulated.planned(home / step.source, made, extra, whole=True)
    arrays = [tuple(a.name for a in one.arguments[:2] if isinstance(a, Pointer)) for one in launches]
    assert arrays == [("start", "half"), *[("half", "out"), ("out", "half")] * 2, ("half", "out")]
    assert len(emulated.planned(home / step.source, made, extra)[0]) == 1  # what is profiled
