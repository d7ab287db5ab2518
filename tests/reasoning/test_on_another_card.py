"""`diagnose --on GPU`: the prediction, what the rules say there, what is left open, and how it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from advisor.cli.json_schema import schema
from advisor.cli.main import main
from advisor.hardware import gpus
from advisor.knowledge.texts import fields
from advisor.reasoning.analysis import Analysis
from advisor.reasoning.document import diagnosis_document
from advisor.reasoning.other_gpu.launch import caveats
from advisor.records import resources
from advisor.records.diagnosis import OtherGpu
from advisor.records.errors import UsageError
from advisor.view.pages.diagnosis import diagnosis_page
from advisor.view.writers.json import document_json
from advisor.view.writers.terminal import terminal_text
from tests.changed import replace


def on(tour: Any, kernel: str, card: str) -> Any:
    at = next(i for i, x in enumerate(tour.diagnosis.launches) if x.kernel == kernel)
    return tour.on([at], gpus.gpu(card))[0]


def run(args: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(args)
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out, err


def test_a_copy_takes_longer_by_the_ratio_of_the_bandwidths(tour: Any) -> None:
    found = on(tour, "vector_copy", "H100-SXM")
    assert found.ratio == pytest.approx(4.8 / 3.35, rel=0.04)
    assert found.leader == "dram" and found.class_id == "dram_bound"
    assert found.findings[0] == "near_memory_roofline"


def test_arithmetic_is_as_fast_on_a_card_of_the_same_sms(tour: Any) -> None:
    for kernel in ("fma_chains", "mixed_branches", "wave_sum"):
        assert on(tour, kernel, "H100-SXM").ratio == pytest.approx(1, abs=0.02)


def test_double_literals_hurt_more_where_double_precision_is_slow(tour: Any) -> None:
    found = on(tour, "double_literals", "RTX-4090")
    assert found.leader == "fp64" and found.ratio > 4


def test_on_its_own_card_nothing_changes(tour: Any) -> None:
    for at, launch in enumerate(tour.diagnosis.launches):
        (found,) = tour.on([at], gpus.gpu("H200-SXM"))
        assert (found.low, found.ratio, found.high) == pytest.approx((1, 1, 1))
        assert found.class_id == launch.verdict.id
        assert found.cannot == ()
        if found.occupancy_pct is not None:
            assert found.occupancy_pct == pytest.approx(launch.metrics["occupancy_theoretical_pct"], rel=1e-6)


def test_occupancy_is_reckoned_anew_from_registers_shared_memory_and_block(tour: Any) -> None:
    from advisor.hardware.occupancy import occupancy

    at = next(i for i, x in enumerate(tour.diagnosis.launches) if x.kernel == "capped_moments")
    metrics = tour.diagnosis.launches[at].metrics
    shared = metrics["shared_static_bytes"] + metrics["shared_dynamic_bytes"]
    there = occupancy("8.6", int(metrics["block_size"]), int(metrics["registers_per_thread"]), int(shared))
    assert tour.on([at], gpus.gpu("A10"))[0].occupancy_pct == pytest.approx(there.percent)


def test_a_block_that_does_not_fit_is_said_not_to_run(tour: Any) -> None:
    found = on(tour, "chain_shared", "T4")
    assert found.ratio is None and found.units == ()
    (caveat,) = found.cannot
    assert caveat.id == "cannot_launch" and "shared memory" in caveat.says


def test_launches_moved_together_come_out_as_each_alone(tour: Any) -> None:
    card, at = gpus.gpu("A100-SXM-80GB"), [0, 4, 14, 20]
    assert tour.on(at, card) == tuple(tour.on([position], card)[0] for position in at)


def cannot(found: OtherGpu) -> dict[str, str]:
    return {caveat.id: caveat.says for caveat in found.cannot}


def test_what_cannot_be_carried_over_is_named(tour: Any) -> None:
    told = cannot(on(tour, "vector_copy", "A100-SXM-80GB"))
    assert {"clocks", "other_code", "l2_size", "stalls"} <= set(told)
    assert "40 MB there and 60 MB here" in told["l2_size"]
    assert "other_code" not in cannot(on(tour, "vector_copy", "H100-SXM"))
    assert "bounds" in cannot(on(tour, "gemm_one_output", "A100-SXM-80GB"))
    assert "launch" in cannot(on(tour, "small_saxpy", "H100-SXM"))


def test_a_card_whose_sms_are_unknown_gets_no_prediction_for_what_they_do(tour: Any) -> None:
    found = on(tour, "fma_chains", "B100")
    assert found.ratio is None and found.cannot[0].id == "no_rate"
    assert on(tour, "vector_copy", "B100").ratio == pytest.approx(4.8 / 8, rel=0.15)


def test_a_report_that_does_not_tell_its_gpu_asks_for_it(tour: Any) -> None:
    inputs = tour.inputs
    frame = inputs.frame.iloc[[0]].reset_index(drop=True)
    frame["gpu_name"] = ""
    nameless = Analysis(tour.catalog, replace(inputs, frame=frame))
    with pytest.raises(UsageError, match="--gpu"):
        nameless.on([0], gpus.gpu("H100"))
    named = Analysis(tour.catalog, replace(inputs, frame=frame, gpu="H200"))
    assert named.on([0], gpus.gpu("h100"))[0].ratio == pytest.approx(1.43, rel=0.05)


def test_json_with_the_block_on_fits_the_shipped_schema(tour: Any) -> None:
    for card in ("T4", "H100", "B100"):
        there = tour.on(range(len(tour.diagnosis.launches)), gpus.gpu(card))
        launches = tuple(replace(x, on=e) for x, e in zip(tour.diagnosis.launches, there, strict=True))
        text = document_json(diagnosis_document(replace(tour.diagnosis, launches=launches)))
        jsonschema.validate(json.loads(text), schema("diagnosis"))
        assert "NaN" not in text


def test_text_keeps_to_the_width_and_names_time_limit_and_gaps(tour: Any) -> None:
    at = next(i for i, x in enumerate(tour.diagnosis.launches) if x.kernel == "gemm_one_output")
    launch = replace(tour.diagnosis.launches[at], on=tour.on([at], gpus.gpu("A100-SXM-80GB"))[0])
    text = terminal_text(diagnosis_page(replace(tour.diagnosis, launches=(launch,)), sections=None), width=80)
    block = text[text.index("On A100-SXM-80GB") :].split("\n\n")[0]
    assert max(map(len, block.splitlines())) <= 80
    assert "the time here" in block and "Limiter " in block


def test_the_command_takes_the_name_in_any_case(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["diagnose", str(tour_path), "--launch", "0", "--on", "h100", "--format", "json"], capsys)
    assert code == 0
    assert json.loads(out)["launches"][0]["on"]["gpu"] == "H100-SXM"


def test_an_unknown_card_is_refused_with_the_nearest_names(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(["diagnose", str(tour_path), "--on", "h1000"], capsys)
    assert code == 2 and out == ""
    assert "H100-SXM" in err and len(err.splitlines()) == 1


def test_on_does_not_go_with_how(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(["diagnose", str(tour_path), "--on", "H100", "--how", "dram_bound"], capsys)
    assert code == 2 and "--on" in err


def test_every_caveat_cites_a_source_and_has_sound_fields() -> None:
    places = yaml.safe_load((resources.folder("knowledge") / "sources.yaml").read_text(encoding="utf-8"))
    for name, caveat in caveats().items():
        assert fields(caveat.text) is not None
        for cited in caveat.cites:
            head, _, place = cited.partition(".")
            assert place in places[head]["places"], f"{name} cites {cited}"


def test_a_workload_that_was_typed_in_is_not_moved(capsys: pytest.CaptureFixture[str]) -> None:
    typed = resources.folder("transcripts") / "workloads" / "motion_blur.yaml"
    code, out, err = run(["diagnose", str(typed), "--gpu", "RTX-3080", "--on", "T4"], capsys)
    assert code == 2 and not out
    assert err.strip().endswith("'Final Pass' is typed in: --on needs the counters of a profiled launch")
