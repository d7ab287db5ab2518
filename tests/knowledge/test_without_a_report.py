"""What can be concluded from typed numbers never speaks of a report, which there is none of in an interview."""

from __future__ import annotations

import pytest

from advisor.knowledge.base import catalog
from advisor.knowledge.loader import load
from advisor.records import resources

# Texts of caveats about a file, and of observations that hold only with one.
OF_A_FILE = ("counts_estimated", "numbers_nan", "samples_few", "throughputs_missing")


@pytest.mark.parametrize("name", catalog().diagnoses)
def test_no_reason_of_a_diagnosis_speaks_of_a_report(name: str) -> None:
    entry = catalog().diagnoses[name]
    texts = [rule.because for rule in entry.seen]
    assert not [text for text in texts if "report" in text.casefold()]


def test_no_class_or_note_speaks_of_a_report() -> None:
    notes = load(resources.folder("knowledge") / "class_notes.yaml", dict[str, dict[str, object]])
    texts = [str(text) for note in notes.values() for text in note.values()]
    texts += [entry.because for entry in catalog().classes.values()]
    assert texts and not [text for text in texts if "report" in text.casefold()]


def test_no_observation_speaks_of_a_report() -> None:
    said = {name: entry.says for name, entry in catalog().observations.items() if name not in OF_A_FILE}
    assert not [name for name, text in said.items() if "the report" in text.casefold()]
