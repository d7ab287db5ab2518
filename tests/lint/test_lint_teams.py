"""A team's own directory beside ours: it adds, under its prefix, and never replaces."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from advisor.knowledge.base import Catalog
from advisor.lint.lint import lint, run
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.observations import observe

SOUND = Path(__file__).parent / "knowledge_ok"


@pytest.fixture
def ours(tmp_path):
    return Path(shutil.copytree(SOUND, tmp_path / "knowledge"))


@pytest.fixture
def team(tmp_path):
    folder = tmp_path / "team"
    (folder / "observations").mkdir(parents=True)
    (folder / "diagnoses").mkdir()
    (folder / "team.yaml").write_text("prefix: acme\n")
    (folder / "sources.yaml").write_text("acme_wiki: {title: Our wiki}\n")
    (folder / "observations" / "own.yaml").write_text(
        'acme.hot: {test: "dram_pct > 95", says: "DRAM at {dram_pct:.0f} %", cites: [acme_wiki]}\n'
    )
    (folder / "diagnoses" / "acme.melting.yaml").write_text(
        """\
id: acme.melting
title: Melting
step: 4
what: Too hot.
seen:
  - {id: acme.melting.hot, when: [acme.hot], unless: [found.waiting_not], because: "hot"}
fix: {id: cool, summary: Cool it, steps: [Wait.], operators: {leave: {dram: "0.5"}}}
examples: {fires: [{dram_pct: 99}], silent: [{dram_pct: 50}]}
exercise: cooling
cites: [acme_wiki, guide.step1]
""".replace("found.waiting_not", "found.wasted_sectors")
    )
    return folder


def errors(*folders):
    return [m for m in lint(folders, terms=("dram", "latency"), kernels=folders[0]) if m.severity == "error"]


def test_a_team_directory_may_use_our_names_and_add_its_own(ours, team):
    assert errors(ours, team) == []


def test_a_teams_rules_reason_beside_ours(ours, team):
    import pandas as pd

    catalog = Catalog([ours, team])
    observed = observe(pd.DataFrame([{"dram_pct": 99.0, "sector_ratio": 1.0}]), catalog)
    assert Engine(catalog).conclude_many(observed)[0].findings == ("acme.melting",)


def test_an_id_without_the_teams_prefix_is_an_error(ours, team):
    path = team / "observations" / "own.yaml"
    path.write_text(path.read_text().replace("acme.hot", "# the first\nhot"))
    found = [m for m in errors(ours, team) if "the ids of a team must begin with acme. or acme_" in m.text]
    assert [(m.file, m.line) for m in found] == [(path, 2)]


def test_our_ids_cannot_be_redefined(ours, team):
    path = team / "observations" / "own.yaml"
    path.write_text(path.read_text() + 'dram_high: {test: "dram_pct > 1", says: x, cites: [acme_wiki]}\n')
    found = [m for m in errors(ours, team) if "is already defined in observations/memory.yaml" in m.text]
    assert [(m.file, m.line) for m in found] == [(path, 2)]


def test_a_directory_without_team_yaml_is_told_what_is_missing(ours, team):
    (team / "team.yaml").unlink()
    assert any(m.file == team / "team.yaml" and "prefix" in m.text for m in errors(ours, team))


@pytest.mark.parametrize("prefix", ["found", "Acme", "a__b", "x.y"])
def test_a_prefix_that_rules_could_misread_is_refused(ours, team, prefix):
    (team / "team.yaml").write_text(f"prefix: {prefix}\n")
    assert any("is not a prefix" in m.text for m in errors(ours, team))


def test_the_command_prints_file_line_severity_and_fails_on_errors(ours, team):
    out = io.StringIO()
    (team / "team.yaml").write_text("name: acme\n")
    assert run([team], out, own=ours) == 1
    rows = out.getvalue().splitlines()
    assert f"{team / 'team.yaml'}:1: error: Object contains unknown field `name`" in rows
    assert all(": error: " in r or ": warning: " in r or ": info: " in r for r in rows)


def test_the_command_on_a_team_directory_tells_its_own_mistakes_alone(ours, team):
    out = io.StringIO()
    (ours / "diagnoses" / "done.yaml").write_text("id: other\n")
    run([team], out, own=ours)
    assert str(ours) not in out.getvalue()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("unless: [found.wasted_sectors]", "unless: [acme.hot]", "acme.hot"),
        ("when: [acme.hot]", "when: [acme.hot, acme.cold]", "can never fire"),
        ("fires: [{dram_pct: 99}]", "fires: [{dram_pct: 9}]", "the example fires[0] does not conclude it"),
        ("silent: [{dram_pct: 50}]", "silent: [{}]", "is refuted by no example"),
        ("fires: [{dram_pct: 99}]", "fires: [{dram_pc: 99}]", "'dram_pc' is not a metric"),
        ("examples: {fires: [{dram_pct: 99}], silent: [{dram_pct: 50}]}\n", "", "example"),
        ("step: 4", "step: 99", "step"),
    ],
)
def test_what_is_told_about_a_team_alone_is_all_that_is_wrong_there(ours, team, old, new, told):
    own = team / "observations" / "own.yaml"
    own.write_text(own.read_text() + 'acme.cold: {test: "dram_pct < 5", says: "Cold", cites: [acme_wiki]}\n')
    entry = team / "diagnoses" / "acme.melting.yaml"
    assert entry.read_text().count(old) == 1
    entry.write_text(entry.read_text().replace(old, new))
    found = [m for m in lint([ours, team]) if m.file.is_relative_to(team)]
    assert any(told in m.text for m in found)
    assert found == [m for m in lint([ours, team], about=[team]) if m.file.is_relative_to(team)]


def test_the_command_succeeds_on_warnings(ours):
    out = io.StringIO()
    assert run([ours], out) == 0
    assert "warning: done: there is no exercise 'good-copy'" in out.getvalue()


def test_a_teams_rule_may_lack_an_exercise_and_ours_may_not(ours, team):
    for name in ("done", "wasted_sectors", "waiting"):
        entry = ours / "diagnoses" / f"{name}.yaml"
        entry.write_text(
            entry.read_text().replace("good-copy", "structs").replace("exercise: waiting", "exercise: structs")
        )
    kernels = ours.parent / "kernels"
    (kernels / "structs").mkdir(parents=True)
    (kernels / "structs" / "exercise.yaml").write_text("{}")
    found = [m for m in lint([ours, team], terms=("dram", "latency"), kernels=kernels) if "exercise" in m.text]
    assert [(m.severity, m.text) for m in found] == [("warning", "acme.melting: there is no exercise 'cooling'")]
    entry = ours / "diagnoses" / "done.yaml"
    entry.write_text(entry.read_text().replace("exercise: structs", "exercise: gone"))
    found = [m for m in lint([ours, team], terms=("dram", "latency"), kernels=kernels) if "exercise" in m.text]
    assert ("error", "done: there is no exercise 'gone'") in [(m.severity, m.text) for m in found]


def test_the_command_on_our_own_checks_the_exercises_too(monkeypatch):
    from advisor.practice.folders import Fault

    out = io.StringIO()
    where = Path("kernels/good-copy/exercise.yaml")
    monkeypatch.setattr("advisor.lint.lint.lint", lambda folders, about: ())
    monkeypatch.setattr("advisor.lint.lint.faults", lambda catalog: (Fault(where, 7, "needs at least 3 hints"),))
    assert run([], out) == 1
    assert f"{where}:7: error: needs at least 3 hints" in out.getvalue().splitlines()


def test_our_own_knowledge_has_no_mistakes():
    out = io.StringIO()
    assert run([], out) == 0, "\n".join(row for row in out.getvalue().splitlines() if ": error: " in row)


def test_a_teams_calls_are_refused_instead_of_having_no_effect(ours, team):
    (team / "calls").mkdir()
    (team / "calls" / "own.yaml").write_text("acme_sort: {title: our sort, means: It sorts., names: ['^acme_sort']}\n")
    found = [m for m in lint([ours, team], kernels=ours.parent / "kernels") if m.file.name == "own.yaml"]
    assert [m.text for m in found if "calls" in m.text] == ["calls of libraries are read from our own knowledge only"]
