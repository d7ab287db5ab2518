"""Every estimated speedup can be computed again from what its proof shows: needs, operators, formulas and sources."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from advisor.explain.explain import explain
from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import parse
from advisor.knowledge.time_model import time_model
from advisor.reasoning.diagnose import analyse_numbers
from advisor.reasoning.time_model.operators import OPERATORS
from advisor.records.estimate import Estimate
from advisor.session.language.lexicon import Known
from advisor.session.questions import answer
from advisor.session.services import knowledge_index
from advisor.view.pages.estimate import estimate_lines


def estimates(tour: Any) -> list[tuple[Any, Any, Estimate]]:
    out = []
    for position, launch in enumerate(tour.diagnosis.launches):
        for finding in launch.findings:
            found = tour.how(position, finding.id).estimate
            assert (found is not None) == (finding.speedup is not None), (launch.kernel, finding.id)
            if found is not None:
                out.append((launch, finding, found))
    return out


def test_the_shown_numbers_give_the_shown_speedup(tour: Any) -> None:
    checked = 0
    for launch, finding, found in estimates(tour):
        assert found.speedup == finding.speedup.estimate
        if found.accounted is None or "limited by" in found.how:
            continue
        new = found.accounted * found.after / found.before * found.error + 1 - found.accounted
        told = max(1, 1 / new) ** (found.reach or 1.0)
        assert told == pytest.approx(found.speedup, rel=0.001), (launch.kernel, finding.id)
        checked += 1
    assert checked > 10


def test_a_gain_that_is_not_reached_is_told_with_the_whole_one(tour: Any) -> None:
    found = next(one for _, _, one in estimates(tour) if one.reach is not None and one.speedup > 2)
    text = " ".join(line.text for line in estimate_lines(found))
    whole = found.speedup ** (1 / found.reach)
    assert f"{found.speedup:.0f}×: measured fixes of this kind reach the {whole:.0f}× of the model" in text


def test_each_factor_is_what_its_operators_leave_and_their_parameters_follow_from_the_inputs(tour: Any) -> None:
    told = 0
    for _, _, found in estimates(tour):
        for part in found.parts:
            names = [one.formula.partition(":")[0] for one in part.factors]
            assert names and set(names) <= OPERATORS.keys()
            assert part.factor == pytest.approx(math.prod(one.value for one in part.factors))
            values = dict(part.inputs)
            for one in part.factors:
                # The parameters are shown with their formulas, and the inputs have every metric in these.
                for text in re.findall(r"(?<= = )[^,]+(?=\)$)", one.formula):
                    assert math.isfinite(parse(text).scalar(values)), one.formula
                    told += 1
    assert told > 5


def test_the_lines_name_unit_factor_formula_and_source(tour: Any) -> None:
    launch, _, found = next(one for one in estimates(tour) if one[0].kernel == "gemm_one_output")
    lines = [line.text for line in estimate_lines(found)]
    text = "\n".join(lines)
    assert launch.kernel == "gemm_one_output" and text.startswith("4.5×")
    for word in (
        "L1 wavefronts of shared memory: needs 94 % of the time now, 15 % after the fix",
        "tile_of_8",
        "guide.step3.lsu",
    ):
        assert word in text
    assert sum(line.startswith("tile_of_8 = ") and ":" in line for line in lines) == 1
    assert "h200.time_model" in lines[-1]


def test_a_question_about_the_speedup_is_answered_with_its_computation(tour: Any) -> None:
    at = next(p for p, launch in enumerate(tour.diagnosis.launches) if launch.kernel == "gemm_one_output")
    known: Known = knowledge_index().asked
    found = answer("how did you get 4.5x", tour, at, known).answer
    assert found.says.startswith("4.5× is an estimate") and "to 16 % of today's" in found.says
    assert "tile_of_8" in str(found.blocks)


def test_every_measurement_of_the_time_model_says_what_was_measured() -> None:
    model = time_model()
    cited = {key for term in model.terms.values() for key in term.cites} | {"h200.bytes_in_flight"}
    parts = (model.norm, model.scale, model.accuracy, model.queueing, model.scattered)
    tables = (model.latency_cycles, model.block_launch, model.dram_ceiling)
    for part in (*parts, *(entry for table in tables for entry in table.values())):
        cited |= set(part.cites)
    for key in sorted(key for key in cited if key.startswith("h200.")):
        assert explain(key).section("measured"), key
        assert catalog().cite(key) is not None


def test_a_factor_between_counter_and_claim_is_shown() -> None:
    """The counter is 17.6 %; three times as much is a claim with a factor of another GPU."""
    numbers = {"l2_atomic_max_pct": 17.58, "l2_atomic_pct": 1.3, "compute_pct": 13, "memory_pct": 28}
    launch = analyse_numbers(numbers).diagnosis.launches[0]
    said = next(f.because for f in launch.findings if f.id == "atomic_contention")
    assert "17.6 % of its cycles" in said and "three cycles" in said and "H200" in said and "53 %" in said
