"""Plain sentences, and the command that each stands for."""

from __future__ import annotations

import pytest
from session.test_commands import opened

from advisor.session import events as e
from advisor.session.language.understand import understand


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("why?", e.WhyAsked()),
        ("why not tail effect", e.WhyNotAsked("tail_effect")),
        ("why isn't it tail effect?", e.WhyNotAsked("tail_effect")),
        ("why tail effect", e.WhyNotAsked("tail_effect")),
        ("why narrow accesses", e.HowAsked("narrow_accesses")),
        ("how sure are you?", e.QuestionAsked("how sure are you?")),
        ("how did you find narrow", e.HowAsked("narrow_accesses")),
        ("prove it", e.HowAsked()),
        ("what next?", e.FixShown()),
        ("How do I fix it?", e.FixShown()),
        ("narrow accesses", e.FindingShown("narrow_accesses")),
        ("go back", e.Back()),
        ("undo that", e.Back()),
        ("please show me the source", e.ViewShown("source")),
        ("show the timeline", e.ViewShown("timeline")),
        ("show me all the steps", e.StepsShown()),
        ("show other launches", e.LaunchesShown()),
        ("evidence", e.EvidenceShown()),
        ("what is long scoreboard", e.ExplainAsked("long_scoreboard")),
        ("what does LDG.E.128 mean?", e.ExplainAsked("LDG.E.128")),
        ("What's the occupancy?", e.QuestionAsked("What's the occupancy?")),
        ("explain occupancy", e.ExplainAsked("occupancy")),
        ("occupancy", e.ExplainAsked("occupancy")),
        ("what if dram = 70", e.WhatIfAsked((("dram_pct", 70.0),))),
        ("suppose l2 were 41%", e.WhatIfAsked((("l2_pct", 41.0),))),
        ("what if", e.ViewShown("whatif")),
        ("i expect memory", e.Expected("memory")),
        ("I think it is compute-bound.", e.Expected("compute")),
        ("i guess neither", e.Expected("latency")),
        ("compare with new.ncu-rep", e.ReportGiven("new.ncu-rep")),
        ("compare it to new.ncu-rep after padding", e.ReportGiven("new.ncu-rep", "after padding")),
        ("open runs/x.ncu-rep", e.ReportGiven("runs/x.ncu-rep")),
        ("open run.sqlite", e.TraceGiven(("run.sqlite",))),
        ("'my run.ncu-rep'", e.ReportGiven("my run.ncu-rep")),
        ("run.sqlite.xz", e.TraceGiven(("run.sqlite.xz",))),
        ("save it as mine.jsonl", e.WriteAsked("transcript", "mine.jsonl")),
        ("export as html", e.WriteAsked("html", "tour-session.html")),
        ("/export", e.WriteAsked("html", "tour-session.html")),
        ("launch 3", e.LaunchSelected(3)),
        ("practice bank", e.ViewShown("practice", "bank-conflicts")),
        ("what can I type?", e.HelpAsked()),
        ("dram = 70 %, l2 41%", e.Volunteered((("dram_pct", 70.0), ("l2_pct", 41.0)), "dram = 70 %, l2 41%")),
    ],
)
def test_a_sentence_stands_for_an_event(text: str, event: e.Event):
    assert understand(text, opened()) == event


@pytest.mark.parametrize("text", ["compare apples and pears", "why me", "i think so", "kernel panic"])
def test_a_sentence_of_a_known_shape_about_something_else_is_not_taken_for_a_command(text: str):
    assert isinstance(understand(text, opened()), e.NotUnderstood)
