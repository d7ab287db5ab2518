"""Numbers worked out on paper against those of the exercises."""

from __future__ import annotations

import pytest

from advisor.practice.manifest import exercise, names
from advisor.practice.predictions import judge, read, understood, wanted


@pytest.mark.parametrize(
    ("expected", "typed", "word"),
    [
        ("1.32 GB for n = 12864", "1.3 GB", "right"),
        ("1.32 GB for n = 12864", "1300 MB", "right"),
        ("1.32 GB for n = 12864", "0.66 GB", "off"),
        ("308 us", "0.3 ms", "right"),
        ("308 us", "308", "right"),
        ("about 340 us", "430 us", "close"),
        ("137 GFLOP, 2.05 ms at 67 TFLOP/s", "2 ms", "right"),
        ("84 us; 94 us", "95 us", "right"),
        ("1,048,576", "2^20", "right"),
        ("9.1 billion", "9.1e9", "right"),
        ("87 %", "0.87", "right"),
        ("32 wavefronts instead of 1", "33.5", "right"),
        ("308 us", "1.3 GB", "unread"),
        ("twice", "2", "unread"),
        ("308 us", "no idea", "unread"),
        ("308 us", "0", "unread"),
        ("308 us", "9" * 5000, "off"),
    ],
)
def test_a_typed_number_is_held_against_the_one_of_its_kind(expected: str, typed: str, word: str) -> None:
    assert judge(expected, typed).word == word


@pytest.mark.parametrize(
    ("expected", "units"),
    [
        ("308 us", ("ns",)),
        ("1.32 GB for n = 12864", ("byte",)),
        ("537 MB, 125 us at 4.3 TB/s", ("byte",)),
        ("32 wavefronts instead of 1", ("",)),
        ("0.8 to 2 ms", ("", "ns")),
        ("twice", ()),
    ],
)
def test_the_unit_asked_for_is_the_one_that_comes_first(expected: str, units: tuple[str, ...]) -> None:
    assert wanted(expected) == units


@pytest.mark.parametrize("name", names())
def test_a_number_in_a_unit_that_is_asked_for_can_be_judged(name: str) -> None:
    for number in exercise(name).napkin:
        for unit in wanted(number.value):
            assert judge(number.value, f"1 {unit}").word != "unread"


@pytest.mark.parametrize(
    ("typed", "value"), [("8k", 8000.0), ("8Ki", 8192.0), ("2^20", 1048576.0), ("8,192 rows", 8192)]
)
def test_a_number_is_understood_as_the_help_says(typed: str, value: float) -> None:
    found = understood(typed)
    assert found is not None and (found.value, found.unit) == (value, "")


def test_how_far_off_is_said_as_a_factor() -> None:
    assert judge("308 us", "616 us").factor == pytest.approx(2.0)
    assert judge("308 us", "154 us").factor == pytest.approx(0.5)


@pytest.mark.parametrize("name", names())
def test_what_an_exercise_says_itself_is_right_wherever_it_can_be_read(name: str) -> None:
    for number in exercise(name).napkin:
        word = judge(number.value, number.value).word
        assert word == "right" if any(q.value > 0 for q in read(number.value)[:1]) else word in ("right", "unread")


@pytest.mark.parametrize(
    "text", ["", " ", "[bold]", "\x1b[31m5 us", "١٢ us", "1" * 100_000, "-5 us", "1e999 GB", "5/0"]
)
def test_garbage_is_judged_without_a_fault(text: str) -> None:
    assert judge("308 us", text).word in ("right", "close", "off", "unread")
