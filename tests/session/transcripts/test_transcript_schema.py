"""Every line that is written fits the schema that the package ships; bundled sessions too."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from session.transcripts.talk import CSV, Talk, real

from advisor.cli.json_schema import schema
from advisor.session import events as e
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts.attachments import Memory, transcript_of
from advisor.session.transcripts.format import Scrubber

ROOT = Path(__file__).parents[3]
SCHEMA = schema("transcript")
CHECK = jsonschema.Draft202012Validator(SCHEMA)
BUNDLED = sorted((ROOT / "transcripts").glob("*.jsonl"))


def fits(text: str) -> None:
    for line in text.splitlines():
        problems = [f"{p.json_path}: {p.message}"[:200] for p in CHECK.iter_errors(json.loads(line))]
        assert not problems, (line[:200], problems)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_session_on_a_report_fits(tmp_path: Path) -> None:
    talk = real().begin(str(CSV)).do(e.LaunchSelected(1)).do(e.HowAsked()).do(e.FixShown())
    talk.do(e.WhyNotAsked("tail_effect")).do(e.WhatIfAsked((("dram_pct", 95.0),))).do(e.ExplainAsked("occupancy"))
    talk.do(e.WriteAsked("transcript", "/no/such/folder/x"))
    fits(serialize.text_of(transcript_of(talk.state, talk.memory, Scrubber())))


def test_an_interview_and_a_teams_rules_fit(tmp_path: Path) -> None:
    (tmp_path / "observations").mkdir()
    (tmp_path / "observations" / "x.yaml").write_text("{}\n", encoding="utf-8")
    talk = Talk().begin()
    for _ in range(2):
        assert talk.state.ask is not None
        talk.do(e.Answered(talk.state.ask.id, None, "no idea"))
    fits(serialize.text_of(transcript_of(talk.state, Memory((tmp_path,)), Scrubber())))


@pytest.mark.parametrize("line", ["{}", '{"do": 3}', '{"concluded": {"pixels": 1}}', '{"format": "x"}'])
def test_other_lines_do_not_fit(line: str) -> None:
    assert not CHECK.is_valid(json.loads(line))


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_bundled_sessions_fit(path: Path) -> None:
    fits(path.read_text(encoding="utf-8"))
