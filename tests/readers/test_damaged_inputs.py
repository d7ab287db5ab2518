from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from advisor.readers.read import read
from advisor.records.errors import InputError
from tests.damaged import Damaged, inputs

SAMPLE = list(inputs(30))


@pytest.mark.parametrize("item", SAMPLE, ids=lambda item: item.name.partition(".")[0])
def test_a_damaged_input_is_refused_in_one_line_or_read_as_incomplete(item: Damaged, tmp_path: Path) -> None:
    path = item.write(tmp_path)
    before, start = most_kib(), processor_s()
    try:
        found = read(path)
    except InputError as refusal:
        assert "\n" not in str(refusal)
        assert str(refusal).startswith(path.name)
    else:
        assert not found.info.complete
        assert found.info.problems
        shown = "".join([*found.frame["kernel_full"], *found.info.problems])
        assert shown.isprintable()
    assert processor_s() - start < 20
    own, children = (after - most for after, most in zip(most_kib(), before, strict=True))
    assert own + 2 * children < 1024 * 1024


def processor_s() -> float:
    """The processor time of this process and of its children that have ended; others at work do not lengthen it."""
    return sum(os.times()[:4])


def most_kib() -> list[int]:
    """The most memory that this process, and any child that has ended, ever held."""
    return [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]


def test_the_generator_gives_the_same_inputs_again() -> None:
    again = list(inputs(30))
    assert [item.name for item in again] == [item.name for item in SAMPLE]
    assert again[0].make() == SAMPLE[0].make()
    assert len(list(inputs())) == 200
