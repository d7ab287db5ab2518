"""Events as lines and back: nothing is lost, nothing foreign gets in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.session import events as e
from advisor.session.actions import ACTIONS, BY_EVENT
from advisor.session.transcripts.format import (
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
    "int | None": st.none() | st.integers(0, 1000),
    "str | None": st.none() | TEXTS,
    "Value": st.none() | NUMBERS | TEXTS,
    "tuple[str, ...]": st.lists(TEXTS, max_size=3).map(tuple),
    "tuple[tuple[str, float], ...]": st.lists(st.tuples(TEXTS, NUMBERS), max_size=3).map(tuple),
    "tuple[tuple[str, str], ...]": st.lists(st.tuples(TEXTS, TEXTS), max_size=3).map(tuple),
}
ANY = st.sampled_from(list(BY_EVENT)).flatmap(
    lambda kind: st.builds(kind, **{name: OF_TYPE[str(kind.__annotations__[name])] for name in kind.__struct_fields__})
)


def test_every_action_has_a_verb_of_its_own() -> None:
    verbs = [kind.__struct_config__.tag for kind in BY_EVENT]
    assert len(set(verbs)) == len(verbs) == len(ACTIONS)
    assert all(str(verb).islower() for verb in verbs)


@given(ANY)
def test_an_event_comes_back_as_it_was(event: e.UserEvent) -> None:
    line = json.dumps(encode(event), allow_nan=False)
    assert "\n" not in line
    assert decode(json.loads(line)) == event


@given(st.lists(st.builds(lambda event, n: Entry(event, n), ANY, st.none() | st.integers(0, 3)), max_size=5))
def test_a_file_comes_back_as_it_was(entries: list[Entry]) -> None:
    made = Transcript(Header(title="t"), entries=tuple(entries))
    again = parse(text_of(made).encode())
    assert again.entries == made.entries and not again.notes
    assert text_of(again) == text_of(made)


def test_cancelled_work_is_named_by_the_verb_alone() -> None:
    assert encode(e.Cancelled()) == {"do": "cancel"}
    assert decode({"do": "cancel"}) == e.Cancelled()


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
    entry = Entry(e.Answered("dram_pct", 83.0, "83 %"), concluded={"class": "x", "asks": ""})
    assert entry_lines(entry) == [
        '{"do": "answer", "question": "dram_pct", "said": "83 %", "value": 83.0}',
        '{"concluded": {"asks": "", "class": "x"}}',
    ]
