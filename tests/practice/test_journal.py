"""The experiment log grows by a row a version and takes the learner's words."""

from __future__ import annotations

import pytest

from advisor.practice import state
from advisor.practice.state import Record
from advisor.records.errors import UsageError


def test_a_new_source_is_a_new_version_and_the_same_source_is_not() -> None:
    record = Record()
    state.add(record, "aaa", "checked", right=True, time_ns=5e5, noise=0.01)
    state.add(record, "aaa", "profiled", observation="bank_conflicts 2.2x")
    state.add(record, "bbb", "checked", right=False)
    assert [(r.version, r.digest) for r in record.log] == [(1, "aaa"), (2, "bbb")]
    assert (record.log[0].time_ns, record.log[0].observation) == (5e5, "bank_conflicts 2.2x")
    assert record.log[1].right is False


def test_words_go_to_the_latest_version_and_keep_what_is_not_given() -> None:
    record = Record()
    state.add(record, "aaa", "checked", observation="slow")
    state.annotate(record, "", "all lanes on one bank", "pad")
    assert (record.log[0].observation, record.log[0].hypothesis, record.log[0].next) == (
        "slow",
        "all lanes on one bank",
        "pad",
    )


def test_words_without_a_version_or_without_end_are_refused() -> None:
    with pytest.raises(UsageError, match="empty"):
        state.annotate(Record(), "a", "", "")
    record = Record()
    state.add(record, "aaa", "checked")
    with pytest.raises(UsageError, match="500"):
        state.annotate(record, "x" * 501, "", "")
