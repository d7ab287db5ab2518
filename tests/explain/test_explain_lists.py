"""The words that list a kind: every hint in an error message names one of them."""

from __future__ import annotations

import pytest

from advisor.explain.explain import LISTS, explain


@pytest.mark.parametrize("word", LISTS)
def test_each_list_names_ids_that_can_be_explained(word: str) -> None:
    found = explain(word)
    ids = found.section("what")[0].split(", ")
    assert len(ids) >= 5 and explain(f"{LISTS[word]}:{ids[0]}").id == ids[0]


def test_without_a_word_the_lists_are_listed() -> None:
    assert len(explain("").section("kinds")) == len(LISTS)
