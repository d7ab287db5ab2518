"""Lines of disassembly taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.hardware.sass import Memory, parse

REGISTERS = st.one_of(st.integers(0, 254).map(lambda n: f"R{n}"), st.just("RZ"))
UNIFORM = st.integers(0, 62).map(lambda n: f"UR{n}")
OFFSETS = st.integers(-(2**23), 2**23)
PREDICATES = st.sampled_from(["", "@P0", "@!P3", "@PT", "@UP1", "@!UPT"])


def local_use(code):
    """Executions of (spills, run-time indexed accesses) among the local accesses of (SASS line, executions) pairs.

    `[R1+constant]` counts as a spill, any other base register as an index, as seen on kernels of known behaviour; an
    array element with a constant index counts as a spill too. None when a local access has no readable operand.
    """
    spills = indexed = 0.0
    for line, executed in code:
        instruction = parse(line)
        if instruction is None or instruction.opcode.split(".")[0] not in ("LDL", "STL"):
            continue
        if instruction.memory is None:
            return None
        if instruction.memory.on_stack:
            spills += executed
        else:
            indexed += executed
    return spills, indexed


@pytest.mark.parametrize(
    ("line", "base", "uniform", "offset"),
    [
        ("LDG.E.64 R2, desc[UR4][R2.64+0x10]", "R2", "", 16),
        ("      @!P0 STG.E desc[UR6][R4.64], R9 ;", "R4", "", 0),
        ("STL [R1+0x4], R3", "R1", "", 4),
        ("LDL.LU R5, [R1]", "R1", "", 0),
        ("LDL R0, [R4+-0x8]", "R4", "", -8),
        ("STS.128 [R0.X4+UR4+0x10], R8", "R0", "UR4", 16),
        ("LDS R1, [UR4]", "", "UR4", 0),
        ("LDS R1, [RZ+0x40]", "", "", 64),
        ("ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R2.64], R5", "R2", "", 0),
        ("/*0170*/ LDG.E R2, [R2.64] ; /* 0x0000000402027981 */", "R2", "", 0),
    ],
)
def test_the_memory_operand_is_found(line: str, base: str, uniform: str, offset: int) -> None:
    instruction = parse(line)
    assert instruction is not None
    assert instruction.memory == Memory(base, uniform, offset)


def test_a_constant_operand_is_no_memory_operand() -> None:
    instruction = parse("FFMA R0, R1, c[0x0][0x160], -R2 ;")
    assert instruction is not None
    assert instruction.memory is None
    assert instruction.operands == ("R0", "R1", "c[0x0][0x160]", "-R2")


def test_predicates_are_kept_without_the_sign() -> None:
    instruction = parse("@!UP1 UIADD3 UR4, UR4, 0x1, URZ")
    assert instruction is not None
    assert (instruction.predicate, instruction.opcode) == ("!UP1", "UIADD3")


@pytest.mark.parametrize("line", ["", "   ", "N/A", ".L_x_1:", "@Q0 EXIT", "lower case"])
def test_what_is_no_instruction_is_none(line: str) -> None:
    assert parse(line) is None


def test_spills_and_run_time_indices_are_told_apart() -> None:
    code = [("STL [R1+0x4], R3", 10), ("LDL R3, [R1+0x4]", 10), ("LDL.128 R4, [R7+0x40]", 5), ("LDS R1, [R1]", 99)]
    assert local_use(code) == (20, 5)


def test_a_local_access_that_cannot_be_read_leaves_the_split_unknown() -> None:
    assert local_use([("LDL R3, R4", 1)]) is None


@given(PREDICATES, REGISTERS, st.one_of(st.none(), UNIFORM), OFFSETS, st.booleans())
def test_an_address_is_read_back_as_it_was_written(
    predicate: str, base: str, uniform: str | None, offset: int, descriptor: bool
) -> None:
    shown = f"+{'-' if offset < 0 else ''}{hex(abs(offset))}" if offset else ""
    wide = ".64" if descriptor else ""
    address = f"{'desc[UR4]' if descriptor else ''}[{base}{wide}{'+' + uniform if uniform else ''}{shown}]"
    instruction = parse(f"   {predicate} LDL.LU R5, {address} ;")
    assert instruction is not None
    assert instruction.predicate == predicate.lstrip("@")
    expected = Memory("" if base == "RZ" else base, uniform or "", offset)
    assert instruction.memory == expected
    assert expected.on_stack == (base == "R1" and uniform is None)


@given(st.text(max_size=200))
def test_any_text_is_an_instruction_or_none_and_never_an_error(line: str) -> None:
    instruction = parse(line)
    if instruction is not None:
        assert instruction.opcode
        assert instruction.memory is None or isinstance(instruction.memory.offset, int)


@given(st.lists(st.tuples(st.sampled_from(["R1", "R2", "R30"]), st.integers(0, 10**9)), max_size=30))
def test_every_local_access_is_a_spill_or_an_index(accesses: list[tuple[str, int]]) -> None:
    split = local_use((f"LDL R9, [{base}+0x8]", executed) for base, executed in accesses)
    assert split is not None
    assert sum(split) == sum(executed for _, executed in accesses)
    assert split[0] == sum(executed for base, executed in accesses if base == "R1")
