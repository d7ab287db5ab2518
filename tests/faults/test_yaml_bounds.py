"""YAML of any kind that is read ends within seconds, in one line, however it is blown up."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.cli.options import Launches
from advisor.knowledge.loader import load
from advisor.knowledge.plain_yaml import DEEPEST, MOST_NODES, MOST_SCALAR, BoundedLoader, parse
from advisor.lint.lint import lint
from advisor.readers.read import read
from advisor.records.errors import AdvisorError, KnowledgeError
from advisor.records.resources import folder
from advisor.session.transcripts.authoring import read_script

MOST_S = 20.0  # of processor time, which other work on the machine does not lengthen
BOMBS = {
    "very many keys": "".join(f"k{i}: 1\n" for i in range(300_000)),
    "a sexagesimal integer": "a: " + ":".join(["1"] * 1_500_000) + "\n",
    "a sexagesimal float": "a: " + ":".join(["1"] * 1_000_000) + ".5\n",
    "a long integer": "a: " + "9" * 3_000_000 + "\n",
    "a hexadecimal integer": "a: 0x" + "f" * 3_000_000 + "\n",
    "a list of lists": "a: " + "[" * 500_000 + "\n",
    "nested lists, a line each": "a:\n" + "".join(" " * i + "-\n" for i in range(1, 1500)),
    "nested mappings": "".join(" " * i + "a:\n" for i in range(1500)),
    "aliases of aliases": "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 90)),
    "a million aliases": "a: &a x\nb: [" + "*a," * 1_000_000 + "]\n",
    "very many documents": "---\na: 1\n" * 200_000,
    "a long text": "a: " + "x" * 3_000_000 + "\n",
    "merge keys": "a: &a {b: 1}\nc: {" + "<<: *a, " * 100_000 + "}\n",
}
SMALL = Path(__file__).parents[1] / "lint" / "knowledge_ok"
READERS: dict[str, Callable[[Path], Any]] = {
    "knowledge": lambda path: load(path, dict[str, Any]),
    "answers": lambda path: Launches(answers=path).given,
    "script": read_script,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_in_one_line_within_seconds(bomb: str, reader: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_text(BOMBS[bomb])
    start = time.process_time()
    with pytest.raises(AdvisorError) as refusal:
        READERS[reader](path)
    assert "\n" not in str(refusal.value)
    assert time.process_time() - start < MOST_S


def test_lint_and_the_reader_of_workloads_are_bounded_too(tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    start = time.process_time()
    bombs = {"metrics.yaml": BOMBS["very many keys"], "sources.yaml": BOMBS["a sexagesimal integer"]}
    for name, text in bombs.items():
        (tmp_path / "team" / name).write_text(text)
    told = {m.file for m in lint([SMALL, tmp_path / "team"])}
    assert {tmp_path / "team" / name for name in bombs} <= told
    for text in bombs.values():
        workload = tmp_path / "w.yaml"
        workload.write_text(("workload: x\n" + text)[: 60 << 10])
        with pytest.raises(AdvisorError):
            read(workload)
    assert time.process_time() - start < 3 * MOST_S


def test_a_folder_of_rules_at_the_bound_is_linted_in_time(tmp_path: Path) -> None:
    (tmp_path / "observations").mkdir()
    rules = "".join(f"k{i}: {{test: 'dram_pct > {i}'}}\n" for i in range(MOST_NODES // 4 - 10))
    (tmp_path / "observations" / "x.yaml").write_text(rules)
    start = time.process_time()
    assert lint([SMALL, tmp_path])
    assert time.process_time() - start < 2 * MOST_S


def test_the_bounds_name_what_is_beyond_them(tmp_path: Path) -> None:
    path = Path("x.yaml")
    for text, says in (
        ("a: [" + "1," * MOST_NODES + "]", "more than 30,000 values"),
        ("a: '" + "x" * (MOST_SCALAR + 1) + "'", "more than 65,536 characters"),
        ("".join(" " * i + f"a{i}:\n" for i in range(DEEPEST + 2)), "nested too deeply"),
    ):
        with pytest.raises(KnowledgeError, match=says) as refusal:
            parse(path, text)
        assert re.match(r"x\.yaml:\d+: ", str(refusal.value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-12", -12),
        ("1_000", 1000),
        ("0", 0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.5e+3", 1500.0),
        ("-3.", -3.0),
        ("true", True),
        ("No", False),
        ("~", None),
        ("", None),
        ("'1'", "1"),
        ("1:20", "1:20"),
        ("1:20.5", "1:20.5"),
        ("2020-01-01", "2020-01-01"),
        ("0x10", "0x10"),
        ("010", "010"),
        ("<<", "<<"),
        (".inf", math.inf),
    ],
)
def test_a_scalar_is_a_text_a_number_a_boolean_or_nothing(text: str, value: object) -> None:
    found = parse(Path("x.yaml"), f"a: {text}\n")["a"]
    assert found == value and type(found) is type(value)


def test_all_yaml_of_the_program_says_what_it_said_to_the_loader_of_pyyaml() -> None:
    paths = [path for name in ("knowledge", "kernels", "transcripts") for path in folder(name).rglob("*.yaml")]
    assert len(paths) > 60
    full = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert yaml.load(text, Loader=BoundedLoader) == yaml.load(text, Loader=full), path
