"""Deeds as lines and back: nothing is lost, nothing foreign gets in."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.session import events as d
from advisor.session import events as e
from advisor.session.transcripts.serialize import (
    DEEDS,
    VERBS,
    Entry,
    Header,
    Transcript,
    UnknownVerbError,
    decode,
    encode,
    entry_lines,
    parse,
    text_of,
)

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
OF_TYPE = {
    "str": TEXTS,
    "int": st.integers(0, 10**6),
    "bool": st.booleans(),
    "str | None": st.none() | TEXTS,
    "Value": st.none() | NUMBERS | TEXTS,
    "tuple[str, ...]": st.lists(TEXTS, max_size=3).map(tuple),
    "tuple[tuple[str, float], ...]": st.lists(st.tuples(TEXTS, NUMBERS), max_size=3).map(tuple),
    "tuple[tuple[str, str], ...]": st.lists(st.tuples(TEXTS, TEXTS), max_size=3).map(tuple),
}
KINDS = [kind for kind in DEEDS if kind is not d.Cancelled]
ANY = st.sampled_from(KINDS).flatmap(
    lambda kind: st.builds(kind, **{one.name: OF_TYPE[str(one.type)] for one in fields(kind)})
)


def test_every_deed_has_a_verb_of_its_own() -> None:
    assert set(VERBS.values()) == set(DEEDS)
    assert len(set(VERBS.values())) == len(VERBS)


@given(ANY)
def test_a_deed_comes_back_as_it_was(deed: e.Deed) -> None:
    line = json.dumps(encode(deed), allow_nan=False)
    assert "\n" not in line
    assert decode(json.loads(line)) == deed


@given(
    st.lists(
        st.builds(lambda deed, n: Entry(encode(deed)["do"], deed, n), ANY, st.none() | st.integers(0, 3)), max_size=5
    )
)
def test_a_file_comes_back_as_it_was(entries: list[Entry]) -> None:
    made = Transcript(Header(title="t"), entries=tuple(entries))
    again = parse(text_of(made).encode())
    assert again.entries == made.entries and not again.notes
    assert text_of(again) == text_of(made)


def test_what_is_called_off_is_named_by_the_verb_alone() -> None:
    assert encode(e.Cancelled(e.Read(("/home/someone/x.ncu-rep",)))) == {"do": "cancel"}
    assert decode({"do": "cancel"}) is None


@pytest.mark.parametrize("data", [{"do": "dance"}, {"do": None}, {"do": ["answer"]}, {}])
def test_a_verb_that_is_not_known_is_told_apart(data: dict[str, object]) -> None:
    with pytest.raises(UnknownVerbError):
        decode(data)


@pytest.mark.parametrize(
    "data",
    [
        {"do": "answer"},
        {"do": "answer", "question": 3},
        {"do": "launch", "position": "x"},
        {"do": "launch", "position": 1.5},
        {"do": "whatif", "values": [["a", "b"]]},
        {"do": "begin", "paths": "x"},
    ],
)
def test_fields_that_do_not_fit_are_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        decode(data)


def test_fields_of_a_later_version_are_left_out() -> None:
    assert decode({"do": "fix", "later": 1}) == e.FixShown()


def test_keys_are_sorted_and_numbers_plain() -> None:
    entry = Entry("answer", e.Answered("dram_pct", 83.0, "83 %"), concluded={"class": "x", "asks": ""})
    assert entry_lines(entry) == [
        '{"do": "answer", "question": "dram_pct", "said": "83 %", "value": 83.0}',
        '{"concluded": {"asks": "", "class": "x"}}',
    ]
