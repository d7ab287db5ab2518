"""Mistakes in the knowledge about timelines are found, in their file and line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from advisor.lint.lint import lint
from advisor.records.resources import folder

PATTERN, DECISIONS, WORDS = "timeline/gpu_idle.yaml", "timeline_decisions.yaml", "timeline_words.yaml"
CASES = [
    (PATTERN, "scope: timeline", "scope: launch", "the scope must be timeline"),
    (PATTERN, "when: [gpu_waits]", "when: [gpu_sleeps]", "'gpu_sleeps' is not an observation"),
    (PATTERN, "id: gpu_idle\n", "id: gpu_idler\n", "must equal the file's name"),
    (PATTERN, '  typical: "up to', '  summary2: "up to', "summary2"),
    (PATTERN, 'changes: {idle_repeated_pct: "0"}', 'changes: {idle_repeated_pct: "2"}', "a number from 0 to 1"),
    (PATTERN, 'changes: {idle_repeated_pct: "0"}', 'changes: {dram: "0"}', "'dram' is not a term"),
    (PATTERN, "idle_repeated_pct: 33}\n", "idle_repeated_pct: 33}\n    - {gpu_idle_pct: 4}\n", "does not conclude it"),
    (PATTERN, "cites: [guide.S2.idle, guide.S3]", "cites: [guide.S2.idel, guide.S3]", "'guide.S2.idel'"),
    (DECISIONS, "when: [launches_none]", "when: [launches_many]", "'launches_many' is not an observation"),
    (DECISIONS, "undetermined:\n", "undecided:\n", "undetermined"),
    (WORDS, '"^nccl[A-Z_]"', '"^nccl[A-Z_"', "is not a regular expression"),
    (WORDS, "value: 100,", "values: 100,", "values"),
]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """One pattern of ours with all that it refers to: what is told of the rest does not count here."""
    whole, small = folder("knowledge"), tmp_path / "knowledge"
    shutil.copytree(whole / "observations", small / "observations")
    (small / PATTERN).parent.mkdir()
    for name in (PATTERN, DECISIONS, WORDS, "metrics.yaml", "metrics_timeline.yaml", "sources.yaml"):
        shutil.copy(whole / name, small / name)
    return small


def errors(base: Path, *files: str) -> list[str]:
    return [m.text for m in lint([base]) if m.severity == "error" and m.file in {base / file for file in files}]


def test_without_a_mistake_nothing_is_told(base: Path) -> None:
    assert errors(base, PATTERN, DECISIONS, WORDS) == []


@pytest.mark.parametrize(("file", "old", "new", "says"), CASES)
def test_a_mistake_is_told(file: str, old: str, new: str, says: str, base: Path) -> None:
    text = (base / file).read_text()
    assert text.count(old) == 1
    (base / file).write_text(text.replace(old, new))
    told = errors(base, file)
    assert any(says in text for text in told), told


def test_a_pattern_without_a_typical_gain_or_examples_is_told(base: Path) -> None:
    path = base / PATTERN
    kept = [row for row in path.read_text().splitlines() if not row.strip().startswith(("typical:", "silent:"))]
    path.write_text("\n".join(kept) + "\n")
    told = {m.text for m in lint([base]) if m.file == path}
    assert {"gpu_idle: typical of the fix is empty", "gpu_idle: no example under silent"} <= told
