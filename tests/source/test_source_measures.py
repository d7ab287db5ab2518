"""What is sought in the code, and the filters."""

from __future__ import annotations

from pathlib import Path

import pytest
from listings import listing, row

from advisor.knowledge.base import catalog
from advisor.records.errors import UsageError
from advisor.source.hotspots import lines, parse_search, parse_where, spots
from advisor.source.locate import places
from advisor.source.measures import MEASURES, measure
from advisor.source.view import read_texts

SECTORS, WAVES = "memory_l2_theoretical_sectors_global", "memory_l1_wavefronts_shared"


@pytest.mark.parametrize(
    ("name", "sass", "values", "value"),
    [
        ("excess_sectors", "LDG.E R4, [R2.64]", {SECTORS: 320, SECTORS + "_ideal": 40}, 280),
        ("excess_wavefronts", "LDS R4, [R2]", {WAVES: 10, WAVES + "_ideal": 12}, 0),
        ("idle_lanes", "FADD R1, R1, R1", {"inst_executed": 10, "thread_inst_executed_true": 80}, 240),
        ("spills", "LDL R4, [R1+0x10]", {"inst_executed": 7}, 7),
        ("spills", "LDL R4, [R3]", {"inst_executed": 7}, 0),
        ("indexed_local", "LDL R4, [R3]", {"inst_executed": 7}, 7),
        ("local", "STL [R1], R4", {"inst_executed": 7}, 7),
        ("fp64", "F2F.F64.F32 R8, R8", {"inst_executed": 7}, 7),
        ("fp64", "FADD R8, R8, R8", {"inst_executed": 7}, 0),
        ("special", "MUFU.SIN R8, R8", {"inst_executed": 7}, 7),
        ("lsu", "LDS R8, [R8]", {"inst_executed": 7}, 7),
        ("atomics", "RED.E.ADD [R2.64], R3", {"inst_executed": 7}, 7),
        ("constant_index", "LDC R8, c[0x3][R27]", {"inst_executed": 7}, 7),
        ("constant_index", "LDC R8, c[0x3][0x8]", {"inst_executed": 7}, 0),
        ("unfused", "FMUL R8, R8, R9", {"inst_executed": 7}, 7),
        ("unfused", "FFMA R8, R8, R9, R1", {"inst_executed": 7}, 0),
        ("uniform_loads", "LDG.E R4, [R2.64]", {"inst_executed": 7, "memory_type": 4, SECTORS: 7}, 7),
        ("uniform_loads", "LDG.E R4, [R2.64]", {"inst_executed": 7, "memory_type": 4, SECTORS: 28}, 0),
        ("narrow_accesses", "LDG.E.U8 R4, [R2.64]", {"inst_executed": 7, "memory_type": 4}, 7),
        ("narrow_accesses", "LDG.E.128 R4, [R2.64]", {"inst_executed": 7, "memory_type": 4}, 0),
        ("narrow_accesses", "LDS R4, [R2]", {"inst_executed": 7, "memory_type": 16}, 0),
    ],
)
def test_a_measure_counts_what_it_says(name: str, sass: str, values: dict[str, float], value: float) -> None:
    assert MEASURES[name].value(row(0, sass, values).sight) == value


def test_metrics_of_ncu_can_be_sought_by_name_and_mistakes_get_a_hint() -> None:
    assert measure("smsp__branch_targets_threads_divergent").needs == ("smsp__branch_targets_threads_divergent",)
    with pytest.raises(UsageError, match="did you mean excess_sectors"):
        measure("exces_sectors")


def test_every_place_that_the_knowledge_promises_is_a_measure() -> None:
    named = {f.locate for f in catalog().findings.values() if f.locate}
    assert len(named) > 10 and named <= set(MEASURES)


CODE = listing(
    [
        ("LDG.E R4, [R2.64]", {"inst_executed": 5, "smsp__pcsamp_warps_issue_stalled_long_scoreboard": 0}, 3),
        ("FADD R5, R4, R4", {"inst_executed": 60, "smsp__pcsamp_warps_issue_stalled_long_scoreboard": 9}, 7),
        ("FADD R6, R5, R4", {"inst_executed": 30, "smsp__pcsamp_warps_issue_stalled_long_scoreboard": 1}, 7),
        ("EXIT", {"inst_executed": 5, "smsp__pcsamp_warps_issue_stalled_long_scoreboard": 0}, 8),
    ]
)


def test_lines_gather_their_instructions_hottest_first() -> None:
    found = lines(spots(CODE, CODE.values(MEASURES["instructions"]) or []))
    assert [(x.line, x.value, round(x.share, 9)) for x in found] == [(7, 90, 0.9), (3, 5, 0.05), (8, 5, 0.05)]
    assert [s.value for s in found[0].spots] == [60, 30]


def test_waits_are_counted_at_the_load() -> None:
    """The second sum reads R4 as well, but the first one has already waited for it."""
    place, own = places(CODE, MEASURES["load_wait"])
    assert (place.line, place.share, place.sass) == (3, 0.9, "LDG.E R4, [R2.64]")
    assert (own.line, own.share) == (7, 0.1)
    assert places(CODE, MEASURES["stall_long_scoreboard"])[0].line == 7


def test_without_line_information_the_place_is_an_address() -> None:
    bare = listing([(r.sass, r.sight.values, 0) for r in CODE.rows])
    place = places(bare, MEASURES["instructions"])[0]
    assert (place.file, place.line, place.pc, place.share) == ("", 0, 0x1010, 0.6)


@pytest.mark.parametrize(
    ("where", "kept"),
    [(["share>50%"], [60]), (["share>0.5"], [60]), (["value<=30"], [30, 5, 5]), (["line=7", "executed<60"], [30])],
)
def test_filters_by_value(where: list[str], kept: list[float]) -> None:
    values = CODE.values(MEASURES["instructions"]) or []
    assert [s.value for s in spots(CODE, values, where=[parse_where(w) for w in where])] == kept


@pytest.mark.parametrize(("pattern", "kept"), [("^LDG", 1), ("sum", 2), (r"k\.cu:8", 1), ("nowhere", 0)])
def test_filters_by_pattern(pattern: str, kept: int) -> None:
    values = CODE.values(MEASURES["instructions"]) or []
    found = spots(CODE, values, search=parse_search(pattern), texts={("k.cu", 7): "sum += x;"})
    assert len(found) == kept


def test_a_filter_keeps_what_has_none_of_the_measure_and_without_one_that_is_left_out() -> None:
    values = CODE.values(MEASURES["stall_long_scoreboard"]) or []
    assert [s.row.opcode for s in spots(CODE, values)] == ["FADD", "FADD"]
    searched = spots(CODE, values, search=parse_search("LDG|FADD R6"))
    assert [(s.row.opcode, s.value) for s in searched] == [("FADD", 1), ("LDG.E", 0)], "the hottest first"
    assert [s.value for s in spots(CODE, values, where=[parse_where("executed<10")])] == [0, 0]
    assert [line.line for line in lines(searched)] == [7, 3]


@pytest.mark.parametrize("text", ["share", "share>", "share>x", "pc>1", "value>5%", "__import__('os')", "share>1;1"])
def test_a_filter_is_of_a_closed_form(text: str) -> None:
    with pytest.raises(UsageError, match="--where"):
        parse_where(text)


def test_source_is_read_at_its_path_or_under_a_folder(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.cu").write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    inside = str(tmp_path / "src" / "a.cu")
    assert read_texts([inside]) == {inside: ("one", "two")}
    elsewhere = ["/build/src/a.cu", "C:\\work\\a.cu"]
    assert list(read_texts(elsewhere, [tmp_path / "src"])) == elsewhere
    assert read_texts([str(tmp_path / "secret"), "/build/b.cu", "../../a.cu\0", str(tmp_path)]) == {}
