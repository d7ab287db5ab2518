"""Every mistake in a knowledge file is a KnowledgeError that begins with the file and the right line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import advisor
from advisor.knowledge.base import Catalog, catalog
from advisor.knowledge.loader import key_line, load, load_mapping
from advisor.knowledge.schemas import DiagnosisDef, ObservationDef
from advisor.records.errors import KnowledgeError


def refused(path, read):
    with pytest.raises(KnowledgeError) as caught:
        read()
    message = str(caught.value)
    assert message.startswith(f"{path}:") and "\n" not in message
    return int(message.removeprefix(f"{path}:").partition(":")[0]), message


ENTRY = """\
id: x
seen:
  - {id: x.a, when: [p]}
  - id: x.b
    when: [q]
fix:
  id: f
  summary: s
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("id: x\n", "id: 7\n", 1),
        ("    when: [q]", "    when: q", 5),
        ("    when: [q]", "    when: [[q]]", 5),
        ("  summary: s", "  summary: [s]", 8),
        ("id: x\n", "id: x\nstep: one\n", 2),
        ("id: x\n", "id: x\nid: y\n", 2),
        ("seen:", "seen: [", 3),
    ],
)
def test_the_line_of_a_mistake(tmp_path, old, new, line):
    path = tmp_path / "x.yaml"
    path.write_text(ENTRY.replace(old, new, 1))
    assert refused(path, lambda: load(path, DiagnosisDef))[0] == line


def test_an_unknown_field_is_named(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(ENTRY + "colour: red\n")
    assert "unknown field `colour`" in refused(path, lambda: load(path, DiagnosisDef))[1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: {test: x > 1}\nb: {test: 3}\n", 2),
        ("a: {test: x > 1}\nb:\n  says: fine\n  test: [1]\n", 4),
        ("a:\n  test: x > 1\n  colour: red\n", 3),
        ("a: {test: x > 1}\nb:\n", 2),
    ],
)
def test_the_line_of_a_mistake_in_a_mapping_of_entries(tmp_path, text, line):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    assert refused(path, lambda: load_mapping(path, ObservationDef))[0] == line


HOSTILE = {
    "a list as a key": "? [a, b]\n: 1\n",
    "a mapping as a key": "? {a: 1}\n: 1\n",
    "an alias": "a: &x [1]\nb: *x\n",
    "a bomb of aliases": "\n".join(
        ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    ),
    "a Python tag": "a: !!python/object/apply:os.system [x]\n",
    "two documents": "a: 1\n---\nb: 2\n",
    "a scalar": "hello\n",
    "a list": "- a\n",
    "an endless number": "a: " + "9" * 5000 + "\n",
    "a control character": "a: \x00b\n",
    "a tab for indentation": "a:\n\tb: 1\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_one_line(tmp_path, name):
    path = tmp_path / "x.yaml"
    path.write_text(HOSTILE[name])
    refused(path, lambda: load(path, dict[str, Any]))


def test_nesting_that_would_exhaust_the_parsers_stack_is_refused(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: " + "[" * 200_000 + "]" * 200_000 + "\n")
    code = f"from pathlib import Path; from advisor.knowledge.loader import load; load(Path({str(path)!r}), dict)"
    # In a process of its own, since a parser that runs out of stack takes the process with it.
    env = {**os.environ, "PYTHONPATH": str(Path(advisor.__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"advisor.records.errors.KnowledgeError: {path}:1: ")


def test_a_file_that_is_not_text_or_not_there_is_refused(tmp_path):
    path = tmp_path / "x.yaml"
    refused(path, lambda: load(path, dict[str, Any]))
    path.write_bytes(b"\xff\xfe\x00")
    refused(path, lambda: load(path, dict[str, Any]))
    path.write_bytes(b"a: 1\n" * (1 << 20))
    refused(path, lambda: load(path, dict[str, Any]))


@given(st.text(alphabet="ab:-[]{}&*!?|>'\"#%,\n \t0", max_size=40))
@settings(max_examples=300, deadline=None)
def test_no_text_gets_anything_but_content_or_a_refusal(tmp_path, text):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    try:
        load(path, dict[str, Any])
        load_mapping(path, ObservationDef)
    except KnowledgeError as e:
        assert str(e).startswith(f"{path}:")


def test_an_empty_file_is_an_empty_mapping(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("# nothing yet\n")
    assert load(path, dict[str, Any]) == {}


def test_the_line_of_a_key_is_found_however_deep(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(ENTRY)
    assert key_line(path, "seen", "1", "when") == 5
    assert key_line(path, "fix", "summary") == 8
    assert key_line(path, "absent") == 1


def folder(path, **files):
    for name, text in files.items():
        file = path / (name.replace("__", "/") + ".yaml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return path


def test_entries_of_a_later_folder_are_added(tmp_path):
    ours = folder(tmp_path / "ours", observations__a="p: {test: x > 1}\n", diagnoses__d="id: d\n")
    team = folder(tmp_path / "team", observations__b="t.q: {test: x > 2}\n", trust__e="id: e\n")
    both = Catalog([ours, team])
    assert list(both.observations) == ["p", "t.q"]
    assert both.observations["t.q"].id == "t.q"
    assert set(both.findings) == {"d", "e"}


def test_an_entry_is_never_replaced(tmp_path):
    ours = folder(tmp_path / "ours", observations__a="p: {test: x > 1}\n", diagnoses__d="id: d\n")
    team = folder(tmp_path / "team", observations__b="p: {test: x > 2}\n", diagnoses__d="id: d\n")
    refused(team / "observations/b.yaml", lambda: Catalog([ours, team]).observations)
    refused(team / "diagnoses/d.yaml", lambda: Catalog([ours, team]).diagnoses)


def test_the_id_of_a_diagnosis_is_its_files_name(tmp_path):
    ours = folder(tmp_path, diagnoses__d="id: e\n")
    assert refused(ours / "diagnoses/d.yaml", lambda: Catalog([ours]).diagnoses)[0] == 1


def test_a_citation_is_a_source_and_a_place_in_it(tmp_path):
    text = "guide: {title: The guide, places: {step1: Step 1, step1.table: its table}}\nours: {title: Measured}\n"
    found = Catalog([folder(tmp_path, sources=text)])
    assert found.cite("guide.step1.table") == "The guide: its table"
    assert found.cite("ours") == "Measured"
    assert found.cite("guide.step9") is None and found.cite("nobody.step1") is None


def test_a_directory_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(KnowledgeError, match="no such knowledge directory"):
        catalog((tmp_path / "nowhere",))


def test_our_own_knowledge_loads():
    ours = catalog()
    assert ours.metrics and ours.observations and ours.findings and ours.questions and ours.sources
    assert list(ours.classes)[-1] == "undetermined"


def test_our_own_knowledge_is_loaded_once_however_it_is_asked_for() -> None:
    """Two of them would load, compile and plan everything twice."""
    from advisor.knowledge.base import catalog

    assert catalog() is catalog(())
