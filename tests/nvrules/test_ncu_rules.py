"""The exported rule in an interpreter without packages, on NVIDIA's own objects."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import ncu_report
import pytest
from click.testing import CliRunner
from rules import KERNELS, applied, unpacked

from advisor.cli import main
from advisor.knowledge.base import catalog
from advisor.nvrules.export import RULE_FILE, write_rules
from advisor.nvrules.launch import told
from advisor.readers.read import read
from advisor.reasoning.diagnose import analyse
from advisor.records.errors import UsageError
from advisor.source.locate import locate_findings

TOUR = KERNELS / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("rules")
    write_rules(catalog(), made)
    return made


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(TOUR, tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="module")
def shown(folder: Path, tour: Path) -> list[dict[str, Any]]:
    return applied(folder, tour)


def test_the_rule_shows_the_first_finding_of_diagnose(shown: list[dict[str, Any]], tour: Path) -> None:
    launches = analyse([tour]).diagnosis.launches
    assert len(shown) == len(launches) == len(read(tour).frame) > 20
    for launch, one in zip(launches, shown, strict=True):
        first = launch.findings[0]
        ((level, text, title),) = one["messages"]
        assert title == first.title, launch.kernel
        assert level == ("OPTIMIZATION" if first.kind == "diagnosis" else "WARNING") and len(text) > 40


def actions(report: Path) -> list[Any]:
    context = ncu_report.load_report(str(report))
    part = context.range_by_idx(0)
    return [part.action_by_idx(at) for at in range(part.num_actions())]


def test_the_stand_ins_give_the_words_and_numbers_of_the_real_packages(shown: list[dict[str, Any]], tour: Path) -> None:
    estimated = 0
    for action, one in zip(actions(tour), shown, strict=True):
        words = told(catalog(), action)
        assert one["messages"] == [[words["kind"], words["text"], words["title"]]]
        savings = [] if words["saving"] is None else [[0, True, pytest.approx(words["saving"], rel=1e-9)]]
        assert one["speedups"] == savings, words["title"]
        estimated += len(savings)
    assert estimated > 10


def test_the_markers_are_on_the_lines_that_diagnose_names(shown: list[dict[str, Any]], tour: Path) -> None:
    analysis = analyse([tour])
    located = locate_findings(analysis.diagnosis, analysis.catalog).diagnosis
    compared = 0
    for launch, one in zip(located.launches, shown, strict=True):
        lines = [(place.file, place.line) for place in launch.findings[0].locations if place.line]
        marked = [(file, line) for _, file, line, _ in one["markers"] if file]
        assert marked == lines, launch.kernel
        compared += len(lines)
    assert compared > 10


def test_focus_metrics_are_names_and_values_of_the_report(shown: list[dict[str, Any]], tour: Path) -> None:
    focus = [
        (action, *one[1:3]) for action, launch in zip(actions(tour), shown, strict=True) for one in launch["focus"]
    ]
    assert len(focus) > 10
    for action, name, value in focus:
        assert action.metric_by_name(name).value() == pytest.approx(value), name


def test_the_file_is_the_same_each_time_and_imports_only_the_standard_library(folder: Path, tmp_path: Path) -> None:
    write_rules(catalog(), tmp_path)
    text = (folder / RULE_FILE).read_text(encoding="utf-8")
    assert (tmp_path / RULE_FILE).read_text(encoding="utf-8") == text
    tree = ast.parse(text)
    imported = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert imported <= {"importlib", "importlib.abc", "importlib.util", "sys", "NvRules"}
    assert {"get_identifier", "get_section_identifier", "apply"} <= {
        n.name for n in tree.body if isinstance(n, ast.FunctionDef)
    }


def test_a_threshold_of_the_knowledge_is_the_threshold_of_the_rule(folder: Path, tour: Path, tmp_path: Path) -> None:
    text = (folder / RULE_FILE).read_text(encoding="utf-8")
    before = "'duration_ns < 10000'"
    assert before in text, "the observation that launch_overhead reads"
    (tmp_path / RULE_FILE).write_text(text.replace(before, "'duration_ns < 1e12'"), encoding="utf-8")
    titles = [one["messages"][0][2] for one in applied(tmp_path, tour)]
    assert titles.count(catalog().findings["launch_overhead"].title) > len(titles) / 2


def _run(*words: object) -> Any:
    return CliRunner().invoke(main.cli, ["export", "ncu-rules", *map(str, words)], standalone_mode=False)


def test_the_command_writes_into_a_new_folder_and_again(tmp_path: Path) -> None:
    for _ in range(2):
        done = _run(tmp_path / "a" / "b")
        assert done.exception is None and "--section-folder" in done.output
    assert sorted(p.name for p in (tmp_path / "a" / "b").iterdir()) == ["NcuAdvisor.py", "NcuAdvisor.section"]


def test_the_command_refuses_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "mine.section").write_text("", encoding="utf-8")
    for place in (tmp_path, tmp_path / "mine.section" / "x"):
        error = _run(place).exception
        assert isinstance(error, UsageError) and "\n" not in str(error)
