"""Lines of SASS become instructions; what cannot be read is refused by name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.emulator.decode import decode, decode_line
from advisor.emulator.program import RefusedError


def test_an_instruction_has_guard_opcode_modifiers_and_operands() -> None:
    one = decode_line(0, "@!P0 LDG.E.128.CONSTANT R4, desc[UR6][R2.64+-0x10]")
    assert one.guard is not None and one.guard.index == 0 and one.guard.inverted
    assert (one.opcode, one.modifiers) == ("LDG", ("E", "128", "CONSTANT"))
    place = one.operands[1]
    assert (place.kind, place.base, place.wide, place.offset) == ("memory", 2, True, -16)


def test_signs_and_parts_of_operands_are_kept() -> None:
    one = decode_line(0, "FFMA.FTZ R5, -|R8|, 0.05, ~R5")
    assert one.operands[1].negative and one.operands[1].absolute
    assert one.operands[2].kind == "number" and one.operands[3].inverted
    assert decode_line(0, "HFMA2 R1, R2.H0_H0, R80.reuse, R1").operands[1].suffixes == ("H0_H0",)
    assert decode_line(0, "HFMA2 R1, R2.H0_H0, R80.reuse, R1").operands[2].suffixes == ()


def test_constants_shared_addresses_and_labels() -> None:
    constant = decode_line(0, "LDC R4, c[0x3][R6+0xc]").operands[1]
    assert (constant.kind, constant.bank, constant.base, constant.offset) == ("constant", 3, 6, 12)
    shared = decode_line(0, "LDS.64 R12, [R17+UR4+0x8]").operands[1]
    assert (shared.base, shared.uniform, shared.offset) == (17, 4, 8)
    assert decode_line(0, "BRA `(.L_x_0) 0x7f570b7c7140").operands[0].text == "0x7f570b7c7140"
    assert decode_line(0, "MUFU.RSQ R8, -QNAN").operands[1].text == "-QNAN"


@pytest.mark.parametrize(
    "line", ["", "@P9 MOV R1, R2", "mov r1, r2", "MOV R1, tmem[UR4]", "MOV R1, R300", "MOV R1, [R2.X3]"]
)
def test_what_cannot_be_read_is_refused_in_one_line(line: str) -> None:
    with pytest.raises(RefusedError) as caught:
        decode_line(0, line)
    assert "\n" not in str(caught.value)


def test_a_gap_and_an_empty_kernel_are_refused() -> None:
    with pytest.raises(RefusedError, match="gap"):
        decode([(0, "NOP"), (32, "EXIT")])
    with pytest.raises(RefusedError, match="no code"):
        decode([])


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("@!PRU0123[].,+-|~cxdesc \t;'`(){}"), max_size=60))
def test_any_text_is_decoded_or_refused(text: str) -> None:
    try:
        decode_line(0, text)
    except RefusedError as e:
        assert "\n" not in str(e)
