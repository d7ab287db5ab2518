"""Every kind of mistake in knowledge files is found, in its file and line. Each case breaks a sound folder once."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from advisor.knowledge.loader import load
from advisor.lint.lint import lint
from advisor.records.errors import UsageError

SOUND = Path(__file__).parent / "knowledge_ok"
TERMS = ("dram", "latency")


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(SOUND, tmp_path / "knowledge"))


def mistakes(folder, *more, exercises=("structs", "waiting", "good-copy")):
    kernels = folder.parent / "kernels"
    for name in exercises:
        (kernels / name).mkdir(parents=True, exist_ok=True)
        (kernels / name / "exercise.yaml").write_text("{}")
    return [m for m in lint([folder, *more], terms=TERMS, kernels=kernels) if m.severity != "info"]


def change(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
    path.write_text(text.replace(old, new))


def line_with(path, marker):
    return next(i for i, row in enumerate(path.read_text().splitlines(), 1) if marker in row)


def test_a_sound_folder_has_no_mistakes(folder):
    assert mistakes(folder) == []


MEMORY = "observations/memory.yaml"
WASTED = "diagnoses/wasted_sectors.yaml"
DONE, ODD = "diagnoses/done.yaml", "trust/odd_number.yaml"


class Case(msgspec.Struct, forbid_unknown_fields=True):
    file: str
    old: str
    new: str
    marker: str | None
    text: str
    alone: bool


CASES = load(Path(__file__).parent / "mistakes.yaml", dict[str, Case])


@pytest.mark.parametrize("name", CASES)
def test_the_lint_finds(folder, name):
    case = CASES[name]
    path = folder / case.file
    change(path, case.old, case.new)
    all_found = mistakes(folder)
    told = "\n".join(map(str, all_found))
    found = [m for m in all_found if case.text in m.text]
    assert found, told
    assert {m.severity for m in found} == {"error"}
    if case.marker is not None:
        assert (path, line_with(path, case.marker)) in {(m.file, m.line) for m in found}, told
    if case.alone:
        assert len(all_found) == 1, told


def test_several_mistakes_of_one_file_are_all_found(folder):
    path = folder / MEMORY
    change(path, '"compute_pct < 60"', '"compute < 60"')
    change(path, '"sector_ratio > 1.5"', '"sectr > 1.5"')
    change(path, '"dram_pct < 30"', '"dram_pct <"')
    texts = [m.text for m in mistakes(folder) if m.file == path]
    assert any("'compute' is not a metric" in t for t in texts)
    assert any("'sectr' is not a metric" in t for t in texts)
    assert any("not an expression" in t for t in texts)


def test_a_missing_exercise_only_warns_until_there_are_exercises(folder):
    (warning, *rest) = [m for m in mistakes(folder, exercises=()) if m.file.name == "done.yaml"]
    assert (warning.severity, rest) == ("warning", [])
    assert warning.line == line_with(folder / DONE, "exercise:")


def test_ids_of_the_catalogue_that_are_not_required_yet_are_only_told(folder):
    told = [m for m in lint([folder], terms=TERMS, kernels=folder) if m.severity == "info"]
    assert [(m.line, m.text) for m in told] == [(2, "not written yet: later")]


def test_a_rule_that_only_sampling_can_judge_gets_a_warning_when_no_values_are_found(folder):
    change(folder / MEMORY, '"sector_ratio > 1.5"', '"sectors * sectors_ideal < 0"')
    (found,) = [m for m in mistakes(folder) if "no values were found" in m.text]
    assert found.severity == "warning" and found.line == line_with(folder / WASTED, "wasted_sectors.ratio")


def test_a_rule_for_what_a_report_cannot_tell_is_not_called_impossible(folder):
    """`unless` a thing and its opposite: such a rule fires where neither is known."""
    change(folder / ODD, "when: [dram_low]", "when: [dram_low], unless: [compute_low, compute_high]")
    change(
        folder / MEMORY,
        "sectors_wasted:",
        'compute_high: {test: "compute_pct >= 60", says: high, cites: [measured]}\nsectors_wasted:',
    )
    assert mistakes(folder) == []


def test_a_hundred_nested_aliases_are_refused_at_once(folder):
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 100)]
    (folder / "topics" / "bomb.yaml").write_text("\n".join(lines))
    found = [m for m in mistakes(folder) if m.file.name == "bomb.yaml"]
    assert found and found[0].line == 2


def test_a_folder_that_is_not_there_is_a_wrong_use(tmp_path):
    with pytest.raises(UsageError, match="no such directory"):
        lint([tmp_path / "nowhere"])
