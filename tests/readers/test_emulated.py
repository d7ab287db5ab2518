"""An emulated launch is read like a report: its counts are known, its time is not, and damage is one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from advisor.emulator.counts import Problem, count
from advisor.emulator.launch import Pointer
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.emulated_counts import emulated_document
from advisor.records.emulated import MOST_CONFIDENCE
from advisor.records.errors import InputError
from advisor.view.writers.json import document_json
from tests.emulator.small import OUT, program

# A load of every eighth word, and a store of adjacent ones.
LINES = (
    *OUT,
    "ULDC.64 UR8, c[0x0][0x218]",
    "IMAD.WIDE R6, R0, 0x20, RZ",
    "IADD3 R6, P0, R6, UR8, RZ",
    "IADD3.X R7, R7, UR9, RZ, P0, !PT",
    "LDG.E R4, desc[UR4][R6.64]",
    "STG.E desc[UR4][R2.64], R4",
)


def written(folder: Path, **changes: Any) -> Path:
    made = program(LINES)
    made.lines = {16 * (len(OUT) + 4): ("k.cu", 7)}
    blocks = 500
    problem = Problem(
        made,
        (blocks, 1, 1),
        (64, 1, 1),
        (Pointer("out"), Pointer("in")),
        {"out": (blocks * 256, None), "in": (blocks * 2048, None)},
    )
    text = json.loads(document_json(emulated_document(count(problem))))
    path = folder / "counts.json"
    path.write_text(json.dumps({**text, **changes}), encoding="utf-8")
    return path


def test_counts_are_canonical_metrics_and_everything_else_is_unknown(tmp_path: Path) -> None:
    found = analyse([written(tmp_path)]).diagnosis
    launch = found.launches[0]
    assert found.reports[0].format == "emulated" and found.reports[0].tool == "ncu-advisor emulate"
    assert launch.metrics["global_sectors"] == 500 * 2 * (32 + 4) and launch.metrics["load_sector_ratio"] == 8
    assert launch.metrics["inst_executed"] == 500 * 2 * (len(LINES) + 1)
    assert launch.duration_ns is None and not {"dram_pct", "issue_pct", "long_scoreboard_pct"} & set(launch.metrics)
    assert launch.verdict.id == "undetermined"


def test_what_counts_show_is_concluded_by_the_rules_with_medium_confidence(tmp_path: Path) -> None:
    launch = analyse([written(tmp_path)]).diagnosis.launches[0]
    first = launch.findings[0]
    assert first.id == "uncoalesced_access" and first.rules == ("uncoalesced_access.counted",)
    assert all(one.confidence <= MOST_CONFIDENCE for one in launch.findings)
    assert "emulated_counts" in [one.id for one in launch.findings]
    # Missing throughputs are no defect of an emulation.
    assert "report_incomplete" not in [one.id for one in launch.findings]


def test_findings_are_ranked_by_avoidable_work() -> None:
    from advisor.knowledge.base import catalog
    from advisor.reasoning.ranking import Ranked, ranked

    both = [Ranked(name, "diagnosis", None) for name in ("bank_conflicts", "uncoalesced_access")]
    values = {"avoidable_shared": 0.2, "avoidable_global": 0.7}
    assert [one.id for one in ranked(catalog(), both, values)] == ["uncoalesced_access", "bank_conflicts"]
    assert ranked(catalog(), both, {**values, "avoidable_shared": 1.2})[0].id == "bank_conflicts"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"schema": "ncu-advisor/emulated/9"}, "this version reads ncu-advisor/emulated/1"),
        ({"grid": [0, 1, 1]}, "impossible"),
        ({"counts": {"inst_executed": -1}}, "damaged"),
        ({"counts": "many"}, "damaged"),
        ({"accesses": [{"space": "global"}]}, "damaged"),
        ({"grid": [1, 1]}, "damaged"),
    ],
)
def test_damage_is_one_line(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        analyse([written(tmp_path, **changes)])
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_a_truncated_document_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text(encoding="utf-8")[:600], encoding="utf-8")
    with pytest.raises(InputError, match="damaged"):
        analyse([path])


def test_places_come_from_the_document(tmp_path: Path) -> None:
    from advisor.knowledge.base import catalog
    from advisor.source.locate import locate_findings

    found = locate_findings(analyse([written(tmp_path)]).diagnosis, catalog())
    place = found.diagnosis.launches[0].findings[0].locations[0]
    assert (place.file, place.line, np.isclose(place.share, 1.0)) == ("k.cu", 7, True)
