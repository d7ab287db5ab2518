"""The command: text, JSON that its schema describes, exit codes, several traces, the ncu command alone."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import jsonschema
import pytest

from advisor.cli.json_schema import schema
from advisor.cli.main import main
from advisor.timeline.analyse import analyse
from advisor.timeline.results import TimelineResult
from advisor.view.pages.timeline import timeline_page
from advisor.view.writers.terminal import terminal_text
from tests.timeline import generator as make
from tests.timeline import stats
from tests.timeline.generator import MS, PATTERNS, US

SCHEMA = schema("timeline")


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as e:
        main(["timeline", *map(str, words)])
    out = capsys.readouterr()
    return int(e.value.code or 0), out.out, out.err


def timeline_text(result: TimelineResult, *, width: int = 80, blocks: bool = True) -> str:
    return terminal_text(timeline_page(result, brief=True), width=width, blocks=blocks)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_document_follows_its_schema(pattern: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = PATTERNS[pattern]().write(tmp_path / "t.sqlite")
    code, out, _ = run(capsys, path, "--format", "json")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    assert code == 0
    (gpu,) = document["gpus"]
    assert pattern in [p["id"] for p in gpu["patterns"]]
    assert "NaN" not in out and "Infinity" not in out
    assert gpu["name"] == "NVIDIA H200" and document["traces"][0]["schema_version"] == "3.20.3"


def test_what_is_unknown_is_listed_with_what_would_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.csv"
    path.write_text(stats.NEW_KERNELS)
    code, out, _ = run(capsys, path, "--format", "json")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    (gpu,) = document["gpus"]
    assert code == 0 and gpu["decision"]["id"] == "drill_down_if_busy" and "window" not in gpu
    for one in gpu["unknown"]:
        assert one["metrics"] and one["because"] and one["get"]
    code, out, _ = run(capsys, path)
    assert "Could not be checked, so unknown" in out and "nsys export --type sqlite" in out


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_lines_keep_within_the_width_but_for_the_command(pattern: str, width: int, tmp_path: Path) -> None:
    result = analyse([PATTERNS[pattern]().write(tmp_path / "t.sqlite")])
    for blocks in (True, False):
        text = timeline_text(result, width=width, blocks=blocks)
        long = [line for line in text.splitlines() if len(line) > width and "ncu --set" not in line]
        assert long == []
        assert blocks or text.isascii()


def test_the_picture_shows_when_the_gpu_worked(tmp_path: Path) -> None:
    planted = make.Planted()
    planted.kernel(100 * MS, 50 * MS, asked=1 * MS)
    planted.copy(175 * MS, 25 * MS, 1, asked=2 * MS)
    rows = timeline_text(analyse([planted.write(tmp_path / "t.sqlite")]), width=80, blocks=False).splitlines()
    drawn = {row.split("|")[0].strip(): row.split("|")[1] for row in rows if row.count("|") == 2}
    cells = len(drawn["kernels"])
    half, three_quarters = cells // 2, cells * 3 // 4
    assert set(drawn["kernels"][: half - 1]) == {"#"} and set(drawn["kernels"][half + 1 :]) == {" "}
    assert set(drawn["host copies"][: three_quarters - 1]) == {" "} and set(
        drawn["host copies"][three_quarters + 1 :]
    ) == {"#"}
    assert set(drawn["idle"][half + 1 : three_quarters - 1]) == {"#"}
    assert [row.rsplit("|", 1)[1].strip() for row in rows if row.startswith(("kernels", "idle", "host"))] == [
        "50.0 %",
        "25.0 %",
        "25.0 %",
    ]


def test_the_command_alone_can_be_run_by_a_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make.synchronised().write(tmp_path / "t.sqlite")
    code, out, _ = run(capsys, path, "--ncu-command")
    assert code == 0 and out.count("\n") == 1 and shlex.split(out)[0] == "ncu"
    nothing = make.busy().write(tmp_path / "n.sqlite", without=("CUPTI_ACTIVITY_KIND_KERNEL",))
    code, out, err = run(capsys, nothing, "--ncu-command")
    assert (code, out) == (2, "") and "no kernel" in err
    assert run(capsys, path, "--ncu-command", "--format", "json")[0] == 2


def test_results_can_go_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make.tiny().write(tmp_path / "t.sqlite")
    target = tmp_path / "out.json"
    code, out, _ = run(capsys, path, "--format", "json", "--out", target)
    assert (code, out) == (0, "")
    jsonschema.validate(json.loads(target.read_text()), SCHEMA)


def test_one_bad_trace_does_not_take_the_others_along(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = make.tiny().write(tmp_path / "good.sqlite")
    bad = tmp_path / "bad.sqlite"
    bad.write_bytes(b"")
    code, out, err = run(capsys, good, bad, "--format", "json")
    document = json.loads(out)
    assert code == 0 and "bad.sqlite" in err and len(document["gpus"]) == 1
    assert document["unreadable"][0]["path"] == str(bad)
    assert run(capsys, good, bad, "--strict")[0] == 2
    code, out, err = run(capsys, bad, tmp_path / "absent.sqlite")
    assert (code, out) == (2, "") and err.count("\n") == 1


def test_ranks_together_name_the_one_that_the_others_wait_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A collective ends for all at once: who comes late spends little time in it."""
    paths = [
        make.collectives(length=length * MS).write(tmp_path / f"rank{number}.sqlite")
        for number, length in enumerate((3, 1, 3))
    ]
    code, out, _ = run(capsys, *paths, "--format", "json")
    document = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    both = document["together"]
    assert code == 0 and both["late"] == 1 and "trace 1" in both["notes"][0]
    (work,) = [k for k in both["kernels"] if k["name"] == "work"]
    assert (work["launches"], work["total_ns"]) == (90, 90 * 4 * MS)
    assert "3 GPUs in 3 traces" in run(capsys, *paths)[1]


def test_of_many_ranks_those_that_stand_out_are_shown_in_full(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [
        make.collectives(length=length * MS).write(tmp_path / f"rank{number}.sqlite")
        for number, length in enumerate((3, 3, 3, 3, 1, 3))
    ]
    _, out, _ = run(capsys, *paths)
    assert out.count("Profile it") == 2 and "4 more GPUs are in --format json" in out
    assert "GPU 0 NVIDIA H200 · rank4.sqlite" in out
    assert len(json.loads(run(capsys, *paths, "--format", "json")[1])["gpus"]) == 6


def test_the_host_is_named_by_the_calls_that_fill_a_gap(tmp_path: Path) -> None:
    """A launch of 3 us within a gap of 5 ms does not tell where the host was."""
    text = timeline_text(analyse([make.host_work().write(tmp_path / "t.sqlite")]))
    assert "host outside of CUDA" in text and "host in cudaLaunchKernel" not in text
    planted = make.Planted()
    for i in range(20):
        at = (10 + 7 * i) * MS
        planted.kernel(at, 2 * MS, asked=at - 10_000)
        planted.call("cudaMalloc_v3020", at + 2 * MS, at + 5 * MS)
    result = analyse([planted.write(tmp_path / "t.sqlite")])
    first = result.gpus[0].patterns[0]
    assert (first.finding.id, first.finding.rules[0]) == ("gpu_idle", "gpu_idle.calls")
    assert first.moments[0].call_share == pytest.approx(0.6)
    assert "host in cudaMalloc_v3020 for 60 % of it" in " ".join(timeline_text(result).split())


def test_moments_that_two_patterns_share_are_shown_once(tmp_path: Path) -> None:
    text = timeline_text(analyse([make.serial_copies(pageable=True).write(tmp_path / "t.sqlite")]))
    assert text.count("Same moments as pattern 1") == 1


def test_kernels_of_one_base_name_are_told_apart_in_a_narrow_table(tmp_path: Path) -> None:
    planted = make.Planted()
    names = [f"void a_name_space_of_some_length::op<a_long_argument::Kind_{i}, float>(T*)" for i in (17, 18, 23)]
    for i in range(30):
        planted.kernel((10 + i) * MS, MS, names[i % 3], "op", asked=MS)
    rows = timeline_text(analyse([planted.write(tmp_path / "t.sqlite")])).splitlines()
    shown = [row.partition("  ")[0] for row in rows if " 33.3 %" in row and not row.startswith(" ")]
    assert len(set(shown)) == 3 and all(row.startswith("op …") for row in shown)
    assert [any(mark in row for row in shown) for mark in ("17", "18", "23")] == [True, True, True]


def test_gpus_of_one_process_are_told_apart(tmp_path: Path) -> None:
    planted = make.Planted(gpus=("NVIDIA H200", "NVIDIA A100"))
    for i in range(20):
        planted.kernel((10 + 4 * i) * MS, 4 * MS, asked=MS)
        planted.kernel((10 + 4 * i) * MS, 1 * MS, asked=MS, gpu=1)
    first, second = analyse([planted.write(tmp_path / "t.sqlite")]).gpus
    assert (first.name, second.name) == ("NVIDIA H200", "NVIDIA A100")
    assert first.values["gpu_busy_pct"] == pytest.approx(100)
    assert second.values["gpu_busy_pct"] == pytest.approx(100 * 20 / 77)


def test_processes_that_call_their_gpu_0_are_told_apart_where_the_schema_tells(tmp_path: Path) -> None:
    import sqlite3

    planted = make.Planted()
    other = (1 << 48) | (777 << 24) | 777
    for i in range(20):
        planted.kernel((10 + 4 * i) * MS, 2 * MS, asked=MS)
        planted.kernel((12 + 4 * i) * MS, 2 * MS, asked=MS, thread=other)
    path = planted.write(tmp_path / "t.sqlite")
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, 5, 'NVIDIA L4', 0, 58)")
        db.execute("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (5, 0, 777)")
    gpus = analyse([path]).gpus
    assert [(g.gpu, g.name) for g in gpus] == [(0, "NVIDIA H200"), (5, "NVIDIA L4")]
    assert [g.values["kernel_launches"] for g in gpus] == [20, 20]


def test_a_teams_own_pattern_is_found_too(tmp_path: Path) -> None:
    team = tmp_path / "team"
    (team / "timeline").mkdir(parents=True)
    (team / "observations").mkdir()
    (team / "team.yaml").write_text("prefix: us\n")
    (team / "observations" / "us.yaml").write_text(
        'us_many: {test: "kernel_launches > 900", says: "{kernel_launches:.0f} launches", cites: [guide.S2]}\n'
    )
    (team / "timeline" / "us_crowd.yaml").write_text(
        "id: us_crowd\ntitle: Crowd\nscope: timeline\nwhat: Many launches.\nwhy: We count them.\n"
        "seen: [{id: us_crowd.many, when: [us_many], because: '{kernel_launches:.0f} launches', cites: [guide.S2]}]\n"
        "misleads: Never.\n"
        "fix: {id: us_fewer, summary: Launch less, typical: some, steps: [Launch less.], costs: None.}\n"
        "examples: {fires: [{kernel_launches: 1000}], silent: [{kernel_launches: 10}]}\ncites: [guide.S2]\n"
    )
    from advisor.lint.lint import lint
    from advisor.records.resources import folder

    assert [m for m in lint([folder("knowledge"), team]) if m.severity == "error"] == []
    gpu = analyse([make.tiny().write(tmp_path / "t.sqlite")], knowledge=(team,)).gpus[0]
    assert "us_crowd" in [p.finding.id for p in gpu.patterns]


def set_up_copies() -> make.Planted:
    """Pageable copies, then kernels without a gap, in a run that is much longer than the work on the GPU."""
    planted = make.Planted(duration=2_000 * MS)
    at = 10 * MS
    for _ in range(4):
        at = planted.copy(at, 10 * MS, 1, pageable=True, asked=5 * MS)
    for _ in range(10):
        at = planted.kernel(at, 4 * MS, asked=5 * MS) + 1 * US
    for _ in range(4):
        at = planted.copy(at, 10 * MS, 2, pageable=True, asked=5 * MS)
    return planted


def test_a_bound_says_of_which_time_it_is_and_what_the_run_gains(tmp_path: Path) -> None:
    text = timeline_text(analyse([set_up_copies().write(tmp_path / "t.sqlite")]), width=240)
    bound = next(line for line in text.splitlines() if "Speedup" in line and "at most 3" in line)
    assert "of the window of 120 ms; at most 1.04× of the run of 2 s" in bound, bound


def test_the_decision_itself_says_that_the_copies_may_be_set_up(tmp_path: Path) -> None:
    gpu = analyse([set_up_copies().write(tmp_path / "t.sqlite")]).gpus[0]
    assert gpu.decision.id == "fix_system_first"
    assert "100 % of the copying is before the first kernel or after the last" in gpu.decision.because
    assert "profile the kernel first" in gpu.decision.because


def test_memory_is_pinned_before_copies_overlap_even_if_the_overlap_could_gain_more(tmp_path: Path) -> None:
    gpu = analyse([set_up_copies().write(tmp_path / "t.sqlite")]).gpus[0]
    ids = [p.finding.id for p in gpu.patterns]
    gains = {p.finding.id: p.finding.speedup.estimate for p in gpu.patterns if p.finding.speedup is not None}
    assert gains["copy_not_overlapped"] > 1.1 * gains["pageable_memory"]
    assert ids.index("pageable_memory") + 1 == ids.index("copy_not_overlapped")


def test_a_caveat_is_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planted = make.Planted()
    planted.call("cudaLaunchKernel_v7000", 5 * MS, 6 * MS, 1)
    path = planted.write(tmp_path / "t.sqlite")
    code, out, err = run(capsys, path)
    assert code == 0 and " ".join(out.split()).count("activity was not traced") == 1 and err == ""
    code, out, err = run(capsys, path, "--format", "json", "--out", tmp_path / "t.json")
    assert err.count("activity was not traced") == 1
