"""Inlined code: a line's own and inclusive share, its calls, installed headers; columns; two listings side by side."""

from __future__ import annotations

from pathlib import Path

import pytest
from listings import listing

from advisor.records.diagnosis import Place
from advisor.records.errors import UsageError
from advisor.source.columns import Facts, parse_columns
from advisor.source.compare import align
from advisor.source.hotspots import call_sites, lines, ptx_lines, spots
from advisor.source.listing import Listing, Waits, home, is_installed
from advisor.source.locate import places
from advisor.source.measures import MEASURES
from advisor.source.view import by_line, read_texts
from tests.changed import replace

PLAIN = listing(
    [
        ("MOV R0, R1", {"inst_executed": 10.0}, 20),
        ("FADD R1, R1, R1", {"inst_executed": 60.0}, 4),
        ("FMUL R2, R1, R1", {"inst_executed": 20.0}, 4),
        ("EXIT", {"inst_executed": 10.0}, 21),
    ]
)
# Line 4 is in a function that lines 20 and 30 call, the second from line 31 of another.
CALLS = ((), (("k.cu", 20),), (("k.cu", 30), ("k.cu", 31)), ())
CODE = Listing(
    tuple(replace(row, calls=calls, ptx=9 - i) for i, (row, calls) in enumerate(zip(PLAIN.rows, CALLS, strict=True))),
    frozenset(),
)


def found(code: Listing = CODE) -> tuple:  # type: ignore[type-arg]
    return spots(code, code.values(MEASURES["instructions"]) or [])


def test_a_line_has_its_own_share_and_one_with_what_was_inlined_into_it() -> None:
    told = {line.line: (round(line.share, 9), round(line.inclusive, 9)) for line in lines(found())}
    assert told == {4: (0.8, 0.8), 20: (0.1, 0.7), 21: (0.1, 0.1)}
    assert lines(found())[0].calls == (("k.cu", 20, 0.6), ("k.cu", 30, 0.2))


def test_call_sites_count_everything_below_them() -> None:
    assert [(line, round(share, 9)) for _, line, share in call_sites(found())] == [(20, 0.7), (30, 0.2), (31, 0.2)]
    assert call_sites(found(PLAIN)) == ()


def test_a_function_that_calls_itself_counts_once() -> None:
    row = replace(PLAIN.rows[1], calls=(("k.cu", 4), ("k.cu", 4), ("k.cu", 20)))
    (line,) = lines(found(Listing((row,), frozenset())))
    assert line.inclusive == 1


def test_a_place_tells_the_call_that_it_was_inlined_at() -> None:
    first = places(CODE, MEASURES["instructions"])[0]
    assert (first.line, first.share, first.calls) == (4, 0.8, (Place("k.cu", 20),))


@pytest.mark.parametrize(
    ("file", "installed"),
    [
        ("/usr/local/cuda-12.4/include/cuda_fp16.hpp", True),
        ("/usr/local/cuda/targets/x86_64-linux/include/crt/mma.hpp", True),
        ("C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.4\\include\\a.h", True),
        ("/opt/venv/lib/python3.12/site-packages/nvidia/cuda_runtime/include/a.h", True),
        ("/opt/venv/lib/python3.12/site-packages/mine/kernel.py", False),
        ("/home/me/project/include/tile.cuh", False),
        ("/home/me/cuda/include/tile.cuh", False),
    ],
)
def test_installed_headers_are_known_by_their_folder(file: str, installed: bool) -> None:
    assert is_installed(file) == installed


def test_the_line_to_show_is_the_innermost_that_somebody_can_change() -> None:
    header = ("/usr/include/x.h", 1)
    assert home([header, ("k.cu", 3), ("k.cu", 9)]) == 1
    assert home([header, header]) == home([("k.cu", 3)]) == 0


def test_lines_of_ptx_gather_their_instructions() -> None:
    assert [(line, value) for line, value, _ in ptx_lines(found())] == [(8, 60), (7, 20), (6, 10), (9, 10)]
    assert ptx_lines(found(PLAIN)) == ()


def test_the_text_of_the_report_comes_after_a_named_folder_and_before_the_path(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("on disk\n", encoding="utf-8")
    name = str(tmp_path / "k.cu")
    (tmp_path / "named").mkdir()
    (tmp_path / "named" / "k.cu").write_text("named\n", encoding="utf-8")
    assert read_texts([name], [], {name: "carried\n"}) == {name: ("carried",)}
    assert read_texts([name], [tmp_path / "named"], {name: "carried\n"}) == {name: ("named",)}
    assert read_texts([name]) == {name: ("on disk",)}


def test_a_line_of_source_keeps_its_indentation():
    assert by_line({"k.cu": ("{", "\tx = 1; ")}) == {("k.cu", 1): "{", ("k.cu", 2): "\tx = 1;"}


def test_columns_are_named_one_by_one_or_as_a_set() -> None:
    assert [c.id for c in parse_columns("memory")][:2] == ["executed", "sectors"]
    assert [c.id for c in parse_columns("lanes, predication")] == ["lanes", "executed", "splits"]
    for bad in ("", "memory,", "hot", "x" * 5000):
        with pytest.raises(UsageError, match="--columns") as caught:
            parse_columns(bad)
        assert len(str(caught.value)) < 500 and "sets: memory" in str(caught.value)


def test_a_column_has_a_value_only_where_the_report_does() -> None:
    code = listing(
        [
            (
                "LDS R4, [R2]",
                {
                    "inst_executed": 10,
                    "thread_inst_executed_true": 160,
                    "memory_l1_wavefronts_shared": 40,
                    "memory_l1_wavefronts_shared_ideal": 10,
                },
                1,
            )
        ]
    )
    facts = Facts(code, (7,), (0,), Waits(code))
    told = {c.id: c.value(facts, 0) for c in parse_columns("memory,stalls,predication,instructions")}
    assert (told["executed"], told["wavefronts"], told["wavefronts_ideal"]) == (10, 4, 1)
    assert (told["lanes"], told["live"], told["loop"]) == (16, 7, 1)
    assert told["sectors"] is None and told["stall"] is None and told["samples"] is None


def side(*sass: str) -> tuple[Listing, list[float]]:
    code = listing([(s, {"inst_executed": 1.0}, 1) for s in sass])
    return code, [1.0] * len(sass)


def test_two_listings_are_aligned_by_opcode_or_by_the_whole_instruction() -> None:
    a = side("MOV R0, R1", "STS [R2+0x400], R0", "BRA 0x7f0000001000", "EXIT")
    b = side("MOV R0, R1", "STS [R2+0x420], R0", "FADD R1, R1, R1", "BRA 0x7f0000002000", "EXIT")
    by_opcode, whole = align(a, b, "opcode"), align(a, b, "instruction")
    assert by_opcode is not None and whole is not None
    assert (by_opcode.same, [len(h.now) for h in by_opcode.hunks]) == (4, [1])
    (hunk,) = whole.hunks
    assert (whole.same, len(hunk.before), len(hunk.now), hunk.change) == (3, 1, 2, 1)
    same = align(a, a, "instruction")
    assert same is not None and (same.same, same.hunks) == (4, ())


def test_what_cannot_be_aligned_in_time_or_has_no_code_is_not() -> None:
    long = side("EXIT", *["FADD R1, R1, R1"] * 3000, "NOP")
    other = side("NOP", *["FADD R1, R1, R1"] * 3000, "EXIT")
    assert align(long, other, "opcode") is None
    assert align(side(""), side("EXIT"), "opcode") is None
