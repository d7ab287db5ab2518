"""The instruction mix from opcodes."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from advisor.hardware.sass import dictionary
from advisor.knowledge.base import catalog
from advisor.reasoning.metrics.instruction_mix import count, mix

FROM_OPCODES = [name for name, entry in catalog().metrics.items() if entry.source == "opcodes"]
OPCODES = st.sampled_from([*sorted(dictionary()), "LDG.E.128", "IMAD.MOV.U32", "F2F.F64.F32", "NEW.OPCODE"])


def test_moves_and_additions_in_imad_are_counted_as_what_they_do() -> None:
    found = count({"IMAD.MOV.U32": 3, "IMAD.IADD": 5, "IMAD.WIDE": 7, "MOV": 1})
    assert found["move_inst"] == 4
    assert found["integer_inst"] == 12


def test_conversions_share_xu_with_special_functions() -> None:
    found = count({"MUFU.EX2": 2, "F2F.F64.F32": 3, "I2F.U32": 5, "F2I.FTZ.TRUNC.NTZ": 7, "I2FP.F32.S32": 11})
    assert found["mufu_inst"] == 2
    assert found["conversion_inst"] == 15
    assert found["xu_inst"] == 17
    assert found["f64_conversion_inst"] == 3


def test_hfma2_alone_and_rare_is_a_constant() -> None:
    found = count({"HFMA2.MMA": 2, "FADD.FTZ": 50})
    assert found.get("half_inst", 0) == 0
    assert found["move_inst"] == 2


def test_hfma2_beside_other_half_arithmetic_is_arithmetic() -> None:
    assert count({"HFMA2.MMA": 2, "HADD2.F32": 1, "FADD.FTZ": 50})["half_inst"] == 3


def test_hfma2_that_fills_the_kernel_is_arithmetic() -> None:
    assert count({"HFMA2": 40, "LDG.E": 60})["half_inst"] == 40


def test_half_arithmetic_leaves_out_constants_and_conversions() -> None:
    widened = count({"HADD2.F32": 30, "FFMA": 20, "HFMA2.MMA": 2})
    assert widened["half_widen_inst"] == 30
    assert widened.get("half_math_inst", 0) == 0
    mixed = count({"HADD2": 3, "HMUL2": 5, "HFMA2.MMA": 7, "HADD2.F32": 11, "FFMA": 100})
    assert mixed["half_math_inst"] == 15
    assert (mixed["hadd2_inst"], mixed["hmul2_inst"], mixed["hfma2_inst"]) == (3, 5, 7)


def test_multiply_adds_on_bfloat16_are_no_constants_however_few() -> None:
    found = count({"HFMA2.BF16_V2": 4, "LDG.E": 96})
    assert (found["half_math_inst"], found["half_inst"], found.get("move_inst", 0)) == (4, 4, 0)


def test_additions_of_halves_without_modifiers_may_be_conversions() -> None:
    found = count({"HADD2": 5, "LDG": 1})
    assert math.isnan(found["half_math_inst"]) and math.isnan(found["half_widen_inst"])
    assert found["half_inst"] == 5


def test_the_fma_pipe_also_runs_integer_multiplies_and_moves() -> None:
    found = count({"FFMA": 1, "FMUL": 2, "IMAD.MOV.U32": 4, "IMAD.WIDE": 8, "IADD3": 16, "HFMA2": 32, "DFMA": 64})
    assert found["fma_pipe_inst"] == 1 + 2 + 4 + 8 + 32


def test_the_uniform_datapath_is_not_the_work_of_32_lanes() -> None:
    found = count({"UIADD3": 3, "UIMAD.WIDE": 2, "IADD3": 1})
    assert found["uniform_inst"] == 5
    assert found["integer_inst"] == 1


def test_constant_loads_with_and_without_an_index_are_apart() -> None:
    found = count({"LDC": 3, "LDC.64": 1, "ULDC.64": 2})
    assert found["ldc_inst"] == 4
    assert found["constant_inst"] == 6


def test_shared_atomics_are_atomics_too() -> None:
    found = count({"ATOMS.ADD": 3, "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU": 2, "ATOMG.E.CAS.STRONG.GPU": 1})
    assert found["atomic_inst"] == 6
    assert found["shared_atomic_inst"] == 3


def test_opcodes_without_modifiers_leave_open_what_only_modifiers_tell() -> None:
    found = count({"IMAD": 10, "F2F": 2, "FFMA": 5, "LDG": 1})
    assert math.isnan(found["move_inst"])
    assert math.isnan(found["f64_conversion_inst"])
    assert found["integer_inst"] != found["integer_inst"]
    assert found["ffma_inst"] == 5
    assert found["conversion_inst"] == 2


def test_branches_are_not_reckoned_from_opcodes() -> None:
    # ncu leaves branches out that are predicated off, which no opcode tells: nearly a quarter of all reports differ.
    assert "branch_inst" not in count({"BRA": 5, "EXIT": 2, "BSYNC": 1})
    assert count({"BRA": 5, "EXIT": 2, "BSYNC": 1})["control_inst"] == 8


def test_an_unknown_opcode_is_counted_as_such() -> None:
    assert count({"QUUX.FTZ": 4, "FADD.FTZ": 1})["unclassified_inst"] == 4


def test_a_launch_without_opcodes_is_unknown_and_one_without_the_opcode_has_none() -> None:
    columns = mix([None, {"FADD.FTZ": 3.0}], ["fadd_inst", "ffma_inst"])
    assert np.isnan(columns["fadd_inst"][0])
    assert columns["fadd_inst"][1] == 3
    assert columns["ffma_inst"][1] == 0


@given(st.dictionaries(OPCODES, st.integers(0, 10**12), min_size=1))
def test_no_count_exceeds_what_was_executed(executed: dict[str, int]) -> None:
    total = sum(executed.values())
    columns = mix([{**executed, "ISETP.GE.AND": 0}], FROM_OPCODES)
    for name, column in columns.items():
        assert 0 <= column[0] <= total, name


@given(st.dictionaries(OPCODES, st.integers(0, 10**9)), st.integers(2, 7))
def test_twice_the_executions_make_twice_the_counts(executed: dict[str, int], times: int) -> None:
    marked = {**executed, "ISETP.GE.AND": 1}
    once = mix([marked], FROM_OPCODES)
    more = mix([{opcode: times * n for opcode, n in marked.items()}], FROM_OPCODES)
    for name in FROM_OPCODES:
        assert more[name][0] == times * once[name][0]
