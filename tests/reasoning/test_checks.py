"""Simulators in the fixes: the bundled launches' own numbers, and commands that give the same when they are run."""

from __future__ import annotations

import json
import math
import re
import shlex
from typing import Any

import pytest

from advisor.cli.main import main
from advisor.reasoning.fix_simulation import Launched, with_checks
from advisor.records.diagnosis import Finding, FixCheck, Form
from advisor.records.readings import Access
from advisor.view.pages.diagnosis import diagnosis_page
from advisor.view.pages.fix_simulation import check_texts
from advisor.view.writers.json import plain
from advisor.view.writers.terminal import terminal_text
from tests.changed import replace

BLOCK = (256, 1, 1)


def found(analysis: Any, finding: str) -> Finding:
    return next(f for x in analysis.diagnosis.launches for f in x.findings if f.id == finding)


def check_of(analysis: Any, finding: str) -> FixCheck:
    fix = found(analysis, finding).fix
    assert fix is not None and fix.check is not None
    return fix.check


@pytest.fixture(scope="module")
def cappable(tour: Any) -> Any:
    """The launch that registers limit, if only 100 words were live, so that a cap at 128 registers does not spill."""
    launches = tour.diagnosis.launches
    return tour.supposed(next(x.index for x in launches if x.kernel == "chain_registers"), {"live_words": 100.0})


def simulate(analysis: Any, finding: str, **changed: Any) -> FixCheck | None:
    """The check of a finding on a launch of another shape."""
    launch = replace(Launched({}, (), BLOCK, "9.0"), **changed)
    (out,) = with_checks(analysis.catalog, [found(analysis, finding)], launch)
    assert out.fix is not None
    return out.fix.check


def shared(wavefronts: float, ideal: float = 1.0, width: int = 32, lanes: float = 32.0, kind: str = "load") -> Access:
    n = 1000.0
    nan = math.nan
    return Access("shared", kind, width, n, n * lanes, nan, nan, n * wavefronts, n * ideal)


def loads(sectors: float, ideal: float = 4.0, width: int = 32, lanes: float = 32.0) -> Access:
    n = 1000.0
    return Access("global", "load", width, n, n * lanes, n * sectors, n * ideal, math.nan, math.nan)


def text(check: FixCheck | None) -> str:
    assert check is not None
    return " ".join(" ".join(check_texts(check)).split())


def ran(command: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    words = shlex.split(command)
    assert words[0] == "ncu-advisor"
    with pytest.raises(SystemExit) as end:
        main([*words[1:], "--format", "json"])
    assert end.value.code == 0
    out: dict[str, Any] = json.loads(capsys.readouterr().out)
    return out


def test_a_column_of_32_words_takes_32_wavefronts_and_one_with_padding(tour: Any) -> None:
    check = check_of(tour, "bank_conflicts")
    assert check.of == "shared load"
    assert dict(check.measured) == {"bytes": 4.0, "cost": 32.0, "ideal": 1.0, "lanes": 32.0}
    assert [(f.kind, f.sizes[0], f.result) for f in check.fits] == [("column", 32, 32.0)]
    assert check.after[0] == Form("pad", 1.0, numbers=(("by", 1.0),))
    assert "with one column of padding: 1.0" in text(check)


def test_every_command_of_the_bundled_report_gives_what_was_measured(
    tour: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = set()
    for launch in tour.diagnosis.launches:
        for finding in launch.findings:
            check = finding.fix.check if finding.fix else None
            if check is None or not check.command:
                continue
            tried.add(check.simulator)
            result = ran(check.command, capsys)
            if "average" in result:
                assert result["average"] == pytest.approx(dict(check.measured)["cost"], rel=0.005)
            else:
                assert result["blocks"] == launch.metrics["blocks_per_sm_limit"]
                assert result["percent"] == pytest.approx(launch.metrics["occupancy_theoretical_pct"], abs=0.05)
    assert tried == {"banks", "coalescing", "occupancy", "waves"}


@pytest.mark.parametrize("width", [60, 80, 160])
def test_the_command_line_can_be_copied_from_the_page(tour: Any, width: int) -> None:
    for kernel, finding in (("transpose_tile", "bank_conflicts"), ("one_block_too_many", "tail_effect")):
        launch = next(x for x in tour.diagnosis.launches if x.kernel == kernel)
        printed = terminal_text(diagnosis_page(replace(tour.diagnosis, launches=(launch,)), sections=None), width=width)
        section = printed[printed.index("Try other values:\n") :].split("\n\n")[0]
        assert max(map(len, section.splitlines())) <= width
        pasted = section.partition("\n")[2].replace("\\\n", " ")
        assert shlex.split(pasted) == shlex.split(check_of(tour, finding).command)
        assert printed.index("How to fix it") < printed.index("Simulated with this") < printed.index("Evidence")


def test_a_mean_of_several_accesses_is_told_as_a_mix_and_not_guessed(tour: Any) -> None:
    check = simulate(tour, "uncoalesced_access", accesses=(loads(18.0),))
    assert check is not None and not check.command
    assert [(f.kind, dict(f.numbers)) for f in check.fits] == [("mix", {"share": 0.5, "worst": 32.0, "best": 4.0})]
    assert "no single pattern has this cost" in text(check) and "50 % at 32.0 and the rest at 4.0" in text(check)
    assert check.after == (Form("consecutive", 4.0),)


def test_patterns_that_cost_alike_are_all_named(tour: Any) -> None:
    check = simulate(tour, "uncoalesced_access", accesses=(loads(32.0),), block=(32, 8, 1))
    assert check is not None
    assert [f.kind for f in check.fits] == ["column", "far"]
    assert (
        "patterns with this cost, which the counters cannot distinguish: neighbouring lanes in different rows"
        in text(check)
    )
    assert ("exchange", 4.0) in [(f.kind, f.result) for f in check.after]


def test_lanes_that_come_and_go_leave_the_pattern_open(tour: Any) -> None:
    check = simulate(tour, "bank_conflicts", accesses=(shared(9.3, lanes=29.9),))
    assert check is not None and not check.command and not check.after
    assert [f.kind for f in check.fits] == ["untried"]
    assert "29.9 of 32" in text(check)


def test_the_access_with_the_most_excess_is_the_one_simulated(tour: Any) -> None:
    accesses = (shared(4.0), shared(8.0, kind="store"), shared(32.0, kind="atomic"), shared(4.0, 4.0, 128))
    check = simulate(tour, "bank_conflicts", accesses=accesses)
    assert check is not None
    assert (check.of, dict(check.measured)["cost"]) == ("shared store", 8.0)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"accesses": (shared(1.0),)},
        {"accesses": (shared(math.nan),)},
        {"accesses": (shared(8.0, width=24),)},
        {"accesses": (replace(shared(8.0), executed=0.0),)},
    ],
    ids=["none", "no excess", "unknown", "odd width", "never run"],
)
def test_without_an_excess_that_is_known_there_is_no_check(tour: Any, changed: dict[str, Any]) -> None:
    assert simulate(tour, "bank_conflicts", **changed) is None


@pytest.mark.parametrize("block", [None, (0, 1, 1), (4096, 4096, 64)], ids=str)
@pytest.mark.parametrize("lanes", [math.nan, 0.0, 1e9])
def test_absurd_numbers_break_nothing(tour: Any, block: Any, lanes: float) -> None:
    check = simulate(tour, "bank_conflicts", accesses=(shared(8.0, lanes=lanes),), block=block)
    assert check is None or not check.command
    huge = {"grid_size": 1e18, "sm_count": 1.0, "blocks_per_sm_limit": 1.0}
    assert text(simulate(tour, "tail_effect", values=huge))
    odd = {"block_size": 1e9, "registers_per_thread": 1e9, "shared_bytes_per_block": -5.0}
    assert simulate(tour, "low_occupancy_shared_memory", values=odd) is None


def test_registers_have_a_next_step_with_the_bound_that_takes_it(cappable: Any) -> None:
    check = check_of(cappable, "low_occupancy_registers")
    gain = check.after[0]
    assert (gain.kind, gain.result, dict(gain.numbers)) == (
        "registers",
        25.0,
        {"value": 128.0, "blocks": 2.0, "warps": 16.0, "gain": 1.0},
    )
    assert "at most 128 registers (`__launch_bounds__(256, 2)` or `--maxrregcount=128`): 2 blocks, 25 %" in text(check)


def test_shared_memory_has_a_step_up_and_a_step_down(tour: Any) -> None:
    steps = {dict(f.numbers)["gain"]: f for f in check_of(tour, "low_occupancy_shared_memory").after}
    assert dict(steps[1.0].numbers)["blocks"] == 3 and dict(steps[0.0].numbers)["blocks"] == 1
    assert re.search(r"at most 76,800 bytes of shared memory: 3 blocks.*over 115,712 bytes of shared memory: 1 block,",
                     text(check_of(tour, "low_occupancy_shared_memory")))  # fmt: skip


def test_values_that_a_cap_would_spill_get_no_simulated_cap(tour: Any) -> None:
    fix = found(tour, "low_occupancy_registers").fix
    assert fix is not None and fix.id == "fewer_kept_values" and fix.check is None


def test_an_occupancy_that_the_model_does_not_give_is_not_explained(cappable: Any) -> None:
    (launch,) = cappable.diagnosis.launches
    wrong = {**launch.metrics, "blocks_per_sm_limit": 7.0}
    assert simulate(cappable, "low_occupancy_registers", values=wrong) is None
    assert simulate(cappable, "low_occupancy_registers", values=dict(launch.metrics)) is not None
    assert simulate(cappable, "low_occupancy_registers", values=dict(launch.metrics), cc="99.9") is None


def test_one_block_too_many_is_told_the_grids_of_whole_waves(tour: Any) -> None:
    check = check_of(tour, "tail_effect")
    assert [int(dict(f.numbers)["grid"]) for f in check.after] == [132, 264]
    assert "1.01 waves, the last one 0.8 % full" in text(check)


def test_a_grid_too_small_is_told_what_fills_the_card(tour: Any) -> None:
    check = check_of(tour, "grid_too_small")
    assert "132 blocks: one block for each SM" in text(check) and "264 blocks: 1 full wave" in text(check)


def test_the_json_of_a_check_has_its_patterns_and_its_command(tour: Any) -> None:
    out = plain(check_of(tour, "bank_conflicts"))
    assert out["fits"][0] == {
        "kind": "column",
        "result": 32,
        "index": "tid.x*32 + tid.y",
        "sizes": [32, 64],
        "numbers": {"bytes": 4},
    }
    assert out["command"].startswith("ncu-advisor napkin banks 'tid.x*32 + tid.y'")
