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


@pytest.mark.parametrize(("file", "old", "new", "says"), CASES)
def test_a_mistake_is_told(file: str, old: str, new: str, says: str, tmp_path: Path) -> None:
    base = Path(shutil.copytree(folder("knowledge"), tmp_path / "knowledge"))
    text = (base / file).read_text()
    assert text.count(old) == 1
    (base / file).write_text(text.replace(old, new))
    told = [m for m in lint([base]) if m.severity == "error"]
    assert any(says in m.text and m.file == base / file for m in told), [m.text for m in told]


def test_a_pattern_without_a_typical_gain_or_examples_is_told(tmp_path: Path) -> None:
    base = Path(shutil.copytree(folder("knowledge"), tmp_path / "knowledge"))
    path = base / PATTERN
    kept = [row for row in path.read_text().splitlines() if not row.strip().startswith(("typical:", "silent:"))]
    path.write_text("\n".join(kept) + "\n")
    told = {m.text for m in lint([base]) if m.file == path}
    assert {"gpu_idle: typical of the fix is empty", "gpu_idle: no example under silent"} <= told
