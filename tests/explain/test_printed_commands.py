"""The advisor's own commands that topics print: they exist, take these options, and the napkin's run as they stand."""

from __future__ import annotations

import shlex

import click
import pytest

from advisor.cli.main import cli
from advisor.explain.index import Index
from advisor.knowledge.base import catalog
from advisor.records.resources import folder


def _printed() -> list[str]:
    index = Index([folder("knowledge")])
    topics = (p for p in index.everything() if p.path.parent.name == "topics")
    lines = {line for place in topics for line in index.raw(place).get("commands", ())}
    return sorted(line for line in lines if line.startswith("ncu-advisor "))


COMMANDS = _printed()


def _command(words: list[str]) -> click.Command:
    found: click.Command | None = cli
    while words and isinstance(found, click.Group):
        found = (
            found.get_command(click.Context(found), words[0])
            if words[0] in found.list_commands(click.Context(found))
            else None
        )
        words.pop(0)
    assert found is not None
    return found


def test_topics_print_commands_of_the_advisor() -> None:
    assert len(COMMANDS) >= 8 and catalog().topic_file("part_three")


@pytest.mark.parametrize("line", [line for line in COMMANDS if " napkin " not in line and ".ncu-rep.xz" not in line])
def test_a_command_and_its_options_exist(line: str) -> None:
    words = shlex.split(line)[1:]
    command = _command(words)
    known = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("line", [line for line in COMMANDS if " napkin " in line])
def test_a_napkin_runs_as_printed(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert not cli.main(args=shlex.split(line)[1:], standalone_mode=False)
    assert capsys.readouterr().out
