"""A typed-in workload on paper and as JSON: its units and band, no words of kernels, no command of ncu."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from advisor.cli.json_schema import schema
from advisor.cli.main import main
from advisor.explain.explain import explain
from advisor.readers.read import read
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.document import diagnosis_document
from advisor.records import resources
from advisor.view.pages.diagnosis import diagnosis_page
from advisor.view.pages.explain import explain_page
from advisor.view.writers.json import document_json
from advisor.view.writers.terminal import terminal_text

CASES = resources.folder("transcripts") / "workloads"
SCHEMA = schema("diagnosis")
NAMES = sorted(path.stem for path in CASES.glob("*.yaml"))


def document(*names: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(
        document_json(diagnosis_document(analyse([CASES / f"{n}.yaml" for n in names]).diagnosis))
    )
    return made


def run(*args: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(args))
    return int(caught.value.code or 0)


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("name", NAMES)
def test_the_text_keeps_its_width_and_has_no_words_of_kernels(name: str, width: int) -> None:
    text = terminal_text(diagnosis_page(analyse([CASES / f"{name}.yaml"]).diagnosis, sections=None), width=width)
    assert max(map(len, text.splitlines())) <= width
    body = re.sub(r"ncu-advisor|\[[^\]]*\]", "", text).lower()
    for word in ("ncu ", "kernel", "grid", "launch", "--section", "cuda", "fma pipe", "__launch_bounds__", "__sync"):
        assert word not in body, word


def test_the_units_stand_in_clusters_the_fullest_first() -> None:
    text = terminal_text(diagnosis_page(analyse([CASES / "tiled_lighting.yaml"]).diagnosis, sections=None))
    rows = [line.split()[0] for line in text.splitlines() if re.match(r" *(SM|L2|TEX|VRAM|CROP) +\d", line)]
    assert rows == ["SM", "L2", "TEX", "VRAM", "CROP"]
    set_in = [line.startswith("  ") for line in text.splitlines() if re.match(r" *(SM|L2|TEX|VRAM|CROP) +\d", line)]
    assert set_in == [False, True, False, True, False]


@pytest.mark.parametrize("name", NAMES)
def test_the_json_is_that_of_the_schema_with_units_and_band(name: str) -> None:
    made = document(name)
    jsonschema.validate(made, SCHEMA, cls=jsonschema.Draft202012Validator)
    (launch,) = made["launches"]
    assert launch["scope"] == "workload" and "grid" not in launch and "block" not in launch
    units = launch["class"]["units"]
    assert [u["pct"] for u in units] == sorted((u["pct"] for u in units), reverse=True)
    band = "high" if units[0]["pct"] > 80 else "low" if units[0]["pct"] < 60 else "middle"
    assert launch["class"]["band"] == band
    assert not any("ncu" in item["collect"] for item in launch["missing"])


def test_neighbouring_units_share_a_cluster_in_the_json() -> None:
    (launch,) = document("blur")["launches"]
    assert {u["unit"]: u["cluster"] for u in launch["class"]["units"]} == {
        "SM": 0,
        "TEX": 0,
        "L2": 1,
        "CROP": 1,
        "VRAM": 1,
    }


def test_a_launch_of_a_kernel_has_neither_units_nor_scope(tour: Any) -> None:
    launch = json.loads(document_json(diagnosis_document(tour.diagnosis)))["launches"][0]
    assert "scope" not in launch and "units" not in launch["class"] and "band" not in launch["class"]


def test_several_files_are_a_table_of_workloads(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diagnose", str(CASES / "blur.yaml"), str(CASES / "motion_blur.yaml")) == 0
    out = capsys.readouterr().out
    head = next(line for line in out.splitlines() if line.lstrip().startswith("#"))
    assert "Workload" in head and "kernel" not in head
    assert re.search(r"DrawBlurXPS +unknown +Balanced +texture_interface_bo\S* +≤2\.0×", out)


@pytest.mark.parametrize(
    "command, told",
    [
        (["collect", str(CASES / "ssr.yaml")], "typed-in workload"),
        (["source", str(CASES / "ssr.yaml")], "only a binary report"),
        (["diagnose", str(CASES / "ssr.yaml"), "--on", "H100-SXM"], "is typed in"),
    ],
)
def test_what_needs_a_kernel_is_refused_in_one_line(
    command: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*command) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and told in captured.err and len(captured.err.strip().splitlines()) == 1


def test_before_and_after_print_without_words_of_reports(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", str(CASES / "motion_blur_small_format.yaml"), str(CASES / "motion_blur_unrolled.yaml")) == 0
    out = capsys.readouterr().out
    assert "1.2×: " in out and "texture_interface_bound" in out
    assert "same sections" not in out and "ncu-advisor collect" not in out


def test_the_file_that_the_topic_shows_can_be_pasted_and_read(tmp_path: Path) -> None:
    text = terminal_text(explain_page(explain("graphics")))
    code = re.search(r"^In code\n(.*?)\n\n", text, re.DOTALL | re.MULTILINE)
    assert code is not None
    path = tmp_path / "pasted.yaml"
    path.write_text(code[1] + "\n")
    assert read(path).frame.iloc[0]["kernel"] == "DrawBlur"


@pytest.mark.parametrize(
    "word",
    [
        *("texture_interface_bound", "texture_latency_bound", "raster_output_bound", "primitive_distributor_bound"),
        *("vertex_fetch_bound", "front_end_idle", "pipeline_drains", "workload:near_compute_roofline"),
    ],
)
def test_each_finding_has_a_page_with_all_that_belongs_to_it(word: str) -> None:
    page = explain(word)
    assert page.kind == "workload"
    for heading in ("what", "why", "rules", "misleads", "fix", "steps", "costs", "fires", "silent"):
        assert page.section(heading), heading
    assert page.cites and "graphics" in page.see
    lines = terminal_text(explain_page(page)).splitlines()
    assert max(len(line) for line in lines if not line.strip().startswith("https://")) <= 80


@pytest.mark.parametrize("name", NAMES)
def test_a_bundled_workload_is_diagnosed_by_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("diagnose", name, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["launches"] == document(name)["launches"]
    assert any(line.split(":")[0].find(name) >= 0 for line in explain("graphics").section("examples"))


def test_a_file_of_the_user_comes_before_a_bundled_workload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "blur").write_text("workload: mine\nunits: {SM: 20, TEX: 10}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("diagnose", "blur", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["launches"][0]["kernel"] == "mine"
    assert run("diagnose", "blurred") == 2
    assert run("diagnose", "elsewhere/blur") == 2


def test_two_bundled_workloads_are_compared_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", "motion_blur_no_exit", "motion_blur_unrolled.yaml") == 0
    assert "5.05 ms → 3.44 ms" in capsys.readouterr().out


def test_a_diagnosis_of_kernels_names_its_twin_of_workloads() -> None:
    page = explain("near_compute_roofline")
    assert page.kind == "diagnosis" and "workload:near_compute_roofline" in page.see


def test_the_terminal_draws_the_units_of_a_workload_and_no_pipes_of_kernels() -> None:
    from advisor.tui.drawing import chart_lines

    launch = analyse([CASES / "motion_blur.yaml"]).diagnosis.launches[0]
    text = "\n".join(line.plain for line in chart_lines(launch, 60, True))
    assert "CROP" in text and "TEX hit rate" in text and "Long scoreboard" in text
    assert "FMA" not in text and "unknown" not in text
