"""Packed integers, halves, bfloat16 and 8-bit floats: small programs against Python's integers and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from advisor.emulator import rounding
from tests.emulator.small import OUT, result, run

LANE = np.arange(32, dtype=np.int64)
PAIR = ["IMAD R5, R0, 0x10001, RZ", "IADD3 R5, R5, -0x80010, RZ"]  # two halves of a word, some negative


def _halves(word: Any, signed: bool) -> list[Any]:
    parts = [(np.asarray(word) >> shift) & 0xFFFF for shift in (0, 16)]
    return [np.where(p >= 0x8000, p - 0x10000, p) if signed else p for p in parts]


def _join(low: Any, high: Any) -> Any:
    return (np.asarray(low) & 0xFFFF) | ((np.asarray(high) & 0xFFFF) << 16)


WORD = (LANE * 0x10001 - 0x80010) & 0xFFFFFFFF


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("VIADD.16x2 R4, R5, 0x1ffff", _join(*(a + b for a, b in zip(_halves(WORD, False), (-1, 1), strict=True)))),
        ("VIMNMX.S16x2 R4, R5, 0x30003, PT", _join(*(np.minimum(p, 3) for p in _halves(WORD, True)))),
        ("VIMNMX.U16x2 R4, R5, 0x30003, !PT", _join(*(np.maximum(p, 3) for p in _halves(WORD, False)))),
        ("VIMNMX.S16x2.RELU R4, R5, 0x30003, PT", _join(*(np.clip(p, 0, 3) for p in _halves(WORD, True)))),
        ("VIMNMX3 R4, R0, 0x7, 0x9, PT", np.minimum(LANE, 7)),
        ("VIMNMX3.U32 R4, R0, 0x7, 0x9, !PT", np.maximum(LANE, 9)),
        ("VIADDMNMX R4, R0, -0x5, 0x9, !PT", np.maximum(LANE - 5, 9)),
        ("VIADDMNMX.RELU R4, R0, -0x5, 0x9, PT", np.clip(LANE - 5, 0, 9)),
        (
            "VIADDMNMX.S16x2 R4, R5, 0x10001, 0x20002, PT",
            _join(*(np.minimum(p + 1, 2) for p in _halves(WORD, True))),
        ),
        ("VABSDIFF R4, R0, 0x9, R0", np.abs(LANE - 9) + LANE),
        ("VABSDIFF4.U8 R4, R0, 0x09, RZ", np.abs(LANE - 9)),
        ("VABSDIFF4.U8.ACC R4, R0, 0x0109, R0", np.abs(LANE - 9) + 1 + LANE),
        ("IDP.2A.LO.S16.S8 R4, R5, 0x0102fe03, R0", 3 * _halves(WORD, True)[0] - 2 * _halves(WORD, True)[1] + LANE),
        ("IDP.2A.HI.U16.U8 R4, R5, 0x01020000, R0", 2 * _halves(WORD, False)[0] + _halves(WORD, False)[1] + LANE),
        ("PRMT.F4E R4, R0, 0x1, R0", (LANE >> 8) | (LANE << 24)),
        ("PRMT.RC16 R4, R5, 0x1, RZ", _join(_halves(WORD, False)[1], _halves(WORD, False)[1])),
        ("PRMT.B4E R4, R0, 0x0, RZ", LANE),
        ("PRMT.RC8 R4, R0, 0x0, RZ", LANE * 0x01010101),
        ("PRMT.ECL R4, R0, 0x3, RZ", LANE * 0),
    ],
)
def test_parts_of_words_are_computed_apart(line: str, expected: Any) -> None:
    assert (result(*PAIR, line) == np.asarray(expected).astype(np.int64) & 0xFFFFFFFF).all()


def test_predicates_of_a_packed_minimum_say_which_half_is_the_first_operands() -> None:
    lines = [*PAIR, "VIMNMX.U16x2 R6, P0, P1, R5, 0x30003, PT", "SEL R4, R0, RZ, P0", "@P1 VIADD R4, R4, 0x100"]
    low, high = (half <= 3 for half in _halves(WORD, False))
    assert (result(*lines) == np.where(low, LANE, 0) + np.where(high, 256, 0)).all()


def test_comparisons_of_halves_give_ones_or_masks() -> None:
    numbers = ["I2F.F16 R5, R0", "PRMT R5, R5, 0x5410, R5"]
    four = "HSET2.BF.GT.AND R4, R5, 4, 5, PT"
    assert (result(*numbers, four) == _join((LANE > 5) * 0x3C00, (LANE > 4) * 0x3C00)).all()
    assert (result(*numbers, four.replace(".BF", "")) == _join((LANE > 5) * 0xFFFF, (LANE > 4) * 0xFFFF)).all()


_BIG = LANE * 0x0123456789AB + 0x7FFFFFFFFF


@pytest.mark.parametrize(("mode", "towards"), [("RP", np.inf), ("RM", -np.inf), ("RZ", -np.inf), ("RN", None)])
def test_integers_of_64_bits_round_once_in_every_mode(mode: str, towards: float | None) -> None:
    words = [
        "IMAD.WIDE.U32 R6, R0, 0x456789ab, RZ",
        "IMAD R7, R0, 0x123, R7",
        "IADD3 R6, P0, R6, -0x1, RZ",
        "IADD3.X R7, R7, 0x7f, RZ, P0, !PT",
    ]
    found = result(*words, f"I2F.U64{'' if mode == 'RN' else '.' + mode} R4, R6").view(np.float32)
    for number, got in zip((int(v) for v in _BIG), found, strict=True):
        near = np.float32(number)
        if towards is not None and (int(near) < number if towards > 0 else int(near) > number):
            near = np.nextafter(near, np.float32(towards))
        assert got == near


def test_directed_roundings_to_16_bits_enclose_the_value() -> None:
    value = ["I2FP.F32.S32 R5, R0", "FFMA R5, R5, 0.0123450002, 1"]
    exact = np.float64(np.float32(0.0123450002)) * LANE + 1
    for kind, bits in (("F16", 10), ("BF16", 7)):
        down, up = (result(*value, f"F2F.{kind}.F32.{mode} R4, R5") for mode in ("RZ", "RP"))
        if kind == "F16":
            low, high = (w.astype(np.uint16).view(np.float16).astype(np.float64) for w in (down, up))
        else:
            low, high = (rounding.from_bfloat(w.astype(np.uint32)).astype(np.float64) for w in (down, up))
        single = exact.astype(np.float32)
        assert (low <= single).all() and (high >= single).all() and (high - low <= 2.0**-bits).all()
        assert (low < high).sum() > 20


@pytest.mark.parametrize("kind", ["E4M3", "E5M2"])
def test_floats_of_8_bits_come_back_and_ties_go_to_even(kind: str) -> None:
    codes = np.arange(256, dtype=np.uint32)
    values = rounding.from_small(codes, kind)
    finite = np.isfinite(values)
    assert finite.sum() == (254 if kind == "E4M3" else 248)
    assert (rounding.to_small(values[finite], kind) == codes[finite]).all()
    middle = (values[8:20] + values[9:21]) / 2
    assert (rounding.to_small(middle, kind) % 2 == 0).all()
    largest = values[finite].max()
    assert largest == (448 if kind == "E4M3" else 57344)
    assert rounding.from_small(rounding.to_small(np.array([1e9, -1e9]), kind), kind).tolist() == [largest, -largest]
    packed = result("I2FP.F32.S32 R5, R0", f"F2FP.SATFINITE.{kind}.F32.PACK_AB_MERGE_C R4, R5, 1, RZ")
    assert (rounding.from_small(packed >> np.uint32(8), kind)[:9] == np.arange(9)).all()
    unpacked = result("MOV R5, 0x3c38", f"F2FP.F16.{kind}.UNPACK_B R4, R5")[0]
    assert unpacked & 0xFFFF == np.float16(rounding.from_small(np.uint32([0x38]), kind)[0]).view(np.uint16)


@pytest.mark.parametrize(("kind", "one", "three"), [("F16x2", 0x3C00, 0x4200), ("BF16_V2", 0x3F80, 0x4040)])
def test_atomic_sums_of_pairs_keep_the_sign_of_zero(kind: str, one: int, three: int) -> None:
    add = f"ATOMG.E.ADD.{kind}.RN.STRONG.GPU PT, R5, desc[UR4][R2.64], R4"
    lines = (*OUT, f"MOV R4, {0x80000000 | one:#x}", *[add] * 3)
    for before, after in ((0x80000000, 0x80000000 | three), (0, three)):
        found = run(lines, {"out": np.full(32, before, np.uint32)})[1]["out"]
        assert (found == after).all()


def test_a_minimum_with_the_sign_of_the_product() -> None:
    lines = ["I2FP.F32.S32 R5, R0", "FADD R5, R5, -16", "FMNMX.XORSIGN R4, |R5|, |-5|, PT"]
    found = result(*lines).view(np.float32)
    assert (np.abs(found) == np.minimum(np.abs(LANE - 16), 5)).all()
    assert (np.signbit(found) == (LANE >= 16)).all()


def test_movm_transposes_a_matrix_of_halves() -> None:
    lines = ["IMAD.SHL.U32 R5, R0, 0x2, RZ", "VIADD R6, R5, 0x1", "PRMT R5, R5, 0x5410, R6", "MOVM.16.MT88 R4, R5"]
    words = result(*lines)
    found = np.ascontiguousarray(words).view(np.uint16).reshape(8, 8)
    given = np.array([[2 * lane, 2 * lane + 1] for lane in range(32)], np.uint16).reshape(8, 8)
    assert (found == given.T).all()
