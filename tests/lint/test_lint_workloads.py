"""The rules of typed-in workloads are checked like those of kernels, each mistake with file and line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from advisor.lint.lint import lint

HERE = Path(__file__).parent
CLASSES = (HERE / "knowledge_ok" / "classification.yaml").read_text()
OBSERVATIONS = (HERE / "knowledge_ok" / "observations" / "memory.yaml").read_text()
ENTRY = """id: crowd
title: Crowd
scope: workload
step: 3
what: Too many.
why: They wait.
seen:
  - {id: crowd.much, when: [much], because: "busy at {dram_pct:.0f} %", cites: [guide.step1]}
misleads: Not always.
fix:
  id: fewer
  summary: Fewer
  steps: [Take some away.]
  costs: Fewer are there.
  changes: {waits: "0.5"}
examples:
  fires: [{dram_pct: 90}]
  silent: [{dram_pct: 10}]
cites: [guide.step1]
"""


def told(folder: Path, change: tuple[str, str] = ("", "")) -> list[str]:
    """The mistakes in graphics/ of a small knowledge base whose one diagnosis was changed."""
    shutil.copytree(HERE / "knowledge_ok", folder / "k")
    graphics = folder / "k" / "graphics"
    (graphics / "observations").mkdir(parents=True)
    (graphics / "diagnoses").mkdir()
    (graphics / "classification.yaml").write_text(CLASSES)
    text = OBSERVATIONS + '\nmuch: {test: "dram_pct > 80", says: "busy", cites: [guide.step1]}\n'
    (graphics / "observations" / "graphics.yaml").write_text(text)
    assert not change[0] or change[0] in ENTRY
    (graphics / "diagnoses" / "crowd.yaml").write_text(ENTRY.replace(*change) if change[0] else ENTRY)
    found = lint([folder / "k"], kernels=folder / "none")
    return [
        f"{m.file.name}:{m.line}: {m.text}"
        for m in found
        if m.file.parent.name == "diagnoses" and m.severity == "error"
    ]


def test_a_sound_entry_needs_no_exercise(tmp_path: Path) -> None:
    assert told(tmp_path) == []


@pytest.mark.parametrize(
    "change, line, text",
    [
        (("when: [much]", "when: [mch]"), 8, "'mch' is not an observation"),
        (("when: [much]", "when: [found.waiting]"), 8, "there is no such finding"),
        (("{waits:", "{waiting:"), 15, "'waiting' is not a term of the time model"),
        (("scope: workload", "scope: launch"), 3, "the scope must be workload"),
        (("fires: [{dram_pct: 90}]", "fires: [{dram_pct: 70}]"), 17, "fires[0] does not conclude it"),
        (("silent: [{dram_pct: 10}]", "silent: [{dram_pct: 95}]"), 18, "silent[0] concludes it"),
        (("  silent: [{dram_pct: 10}]\n", ""), 16, "no example under silent"),
        (("misleads: Not always.\n", ""), 1, "misleads is empty"),
        (("id: crowd\n", "id: crowds\n"), 1, "must equal the file's name"),
        (("cites: [guide.step1]\n", "cites: [guide.nowhere]\n"), 19, "is not a place in sources.yaml"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, change: tuple[str, str], line: int, text: str) -> None:
    found = told(tmp_path, change)
    assert any(m.startswith(f"crowd.yaml:{line}: ") and text in m for m in found), found


def test_a_base_without_workloads_is_sound(tmp_path: Path) -> None:
    shutil.copytree(HERE / "knowledge_ok", tmp_path / "k")
    assert not [m for m in lint([tmp_path / "k"], kernels=tmp_path / "none") if "graphics" in str(m.file)]
