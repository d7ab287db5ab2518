"""The scorer on a made-up folder: a bundled report under the names of a made-up causes file."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from bench.unseen import score
from bench.unseen.launches import Seen, find, profiled
from bench.unseen.score import Row, doubts, figures, judged, table, totals

from advisor.records import resources
from advisor.records.errors import InputError

ROOT = Path(__file__).parents[3]
REPORT = resources.folder("kernels") / "bank-conflicts" / "recorded" / "h200" / "profile.ncu-rep.xz"
# NVTX ranges of the report and others of the same length, so that the file stays whole.
RANGES = {"tile": "lib_tile_one", "padded": "lib_padded_one", "vector": "lib_vector_one"}
STEADY = {"slow_runs": [2.0] * 20, "cured_runs": [1.0] * 20, "slow": 2.0, "cured": 1.0, "speedup": 2.0}


def ours(name: str, cause: Any, **more: Any) -> dict[str, Any]:
    where = {"file": "tiles.cu", "kernel": "transpose"}
    return {"id": name, "part": "ours", "where": where, "cause": cause, "cured": {"kernel": "other"}, **more}


def healthy(name: str, kernel: str = "(?i)transp", most: float = 1.25) -> dict[str, Any]:
    entry = {"id": name, "part": "libraries", "where": {"call": "f(x)", "kernel": kernel}, "healthy": True}
    return entry | {"accept": ["near_memory_roofline"], "max_gain": most}


ENTRIES = [
    ours("tile", "bank_conflicts"),
    ours("padded", "tail_effect"),
    ours("vector", ["uncoalesced_access", "near_memory_roofline"]),
    ours("again", "excess_traffic", answers={"theoretical_bytes": 1 << 27, "reads_again": "no"}),
    ours("displaced", "bank_conflicts"),
    ours("forgotten", "bank_conflicts"),
    ours("crashed", "bank_conflicts"),
    ours("lost", "bank_conflicts"),
    healthy("lib_tile_one"),
    healthy("lib_padded_one"),
    healthy("lib_vector_one", "nosuch"),
]


def placed(report: str, launch: int, **more: Any) -> dict[str, Any]:
    return {"report": report, "launch": launch, **more}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("unseen")
    packed = REPORT.read_bytes()
    whole = lzma.decompress(packed)
    for step, name in RANGES.items():
        old, new = f"bank-conflicts/{step}".encode(), f"unseen {name}".encode()
        assert len(old) == len(new) and whole.count(old) == 1
        whole = whole.replace(old, new)
    (made / "unseen-ours-1.ncu-rep.xz").write_bytes(packed)
    (made / "unseen-ours-2.ncu-rep.xz").write_bytes(packed)
    (made / "unseen-libraries-1.ncu-rep").write_bytes(whole)
    ours_done = {"tile": 0, "padded": 1, "vector": 2, "displaced": 7}
    write(made / "profiled-ours.json", {k: placed("unseen-ours-1", v) for k, v in ours_done.items()})
    more = {"again": placed("unseen-ours-2", 1), "lost": placed("unseen-ours-3", 0)}
    more["crashed"] = placed("unseen-ours-2", 0, broken="CUDARuntimeError: misaligned address")
    write(made / "profiled-ours-more.json", more)
    # A library's number counts calls, so that only its range tells the launch.
    write(made / "profiled-libraries.json", {name: placed("unseen-libraries-1", 5) for name in RANGES.values()})
    times: dict[str, Any] = {"tile": STEADY, "padded": STEADY | {"cured_runs": [1.98] * 20, "speedup": 2 / 1.98}}
    times["vector"] = STEADY | {"wrong_slow": "AssertionError: off by 3"}
    times["crashed"] = {"broken": "the process ended"}
    write(made / "times.json", times)
    (made / "causes.yaml").write_text(yaml.safe_dump({"launches": ENTRIES}))
    return made


def write(path: Path, what: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(what))


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[str, Row]:
    found = score.score(folder, folder / "causes.yaml")
    assert [r.id for r in found] == [e["id"] for e in ENTRIES]
    return {r.id: r for r in found}


def test_a_cause_that_comes_first_is_right(rows):
    row = rows["tile"]
    assert (row.verdict, row.first, row.place) == ("right", "bank_conflicts", 1)
    assert row.told == row.gain > 1.5 and row.measured == 2.0
    assert row.error == pytest.approx(max(row.told / 2, 2 / row.told))
    assert row.low < row.told < row.high and row.ncu > 1 and not row.doubts


def test_another_first_finding_is_wrong_and_foretells_nothing(rows):
    row = rows["padded"]
    assert (row.verdict, row.first, row.place, row.told) == ("wrong", "near_memory_roofline", 0, None)
    assert row.error == pytest.approx(2 / 1.98)
    assert "did not cost time" in row.doubts[0]


def test_either_of_two_causes_is_right_and_a_wrong_result_is_doubtful(rows):
    row = rows["vector"]
    assert row.verdict == "right" and not row.right_result
    assert row.doubts == ("slow result is wrong: AssertionError: off by 3",)


def test_answers_reach_their_own_launch(rows):
    assert rows["again"].first == "excess_traffic"
    assert rows["padded"].first == "near_memory_roofline"  # the same launch without them


def test_what_did_not_run_says_why(rows):
    why = {name: rows[name].why for name in ("displaced", "forgotten", "crashed", "lost", "lib_vector_one")}
    assert all(rows[name].verdict == "not run" for name in why)
    assert "3 launches have such a name" in why["displaced"]
    assert why["forgotten"] == "was not profiled"
    assert why["crashed"] == "failed while it was timed: the process ended"
    assert why["lost"] == "there is no report unseen-ours-3.ncu-rep"
    assert "its range holds transpose" in why["lib_vector_one"]


def test_library_calls_are_found_by_their_range(rows):
    slow, good = rows["lib_tile_one"], rows["lib_padded_one"]
    assert (slow.verdict, slow.first, slow.false_alarm) == ("wrong", "bank_conflicts", True)
    assert (good.verdict, good.first, good.false_alarm) == ("right", "near_memory_roofline", False)


def test_totals_and_figures(rows):
    counts = totals(list(rows.values()))
    assert counts["right"] == {"all": [4, 6], "without doubts": [3, 4], "ours": [3, 4], "libraries": [1, 2]}
    assert counts["not_run"] == 5 and counts["false_alarms"] == [1, 2]
    assert counts["doubtful"] == ["padded", "vector"]
    of = figures(list(rows.values()))
    assert {title: by["advisor"].pairs for title, by in of.items()} == {
        "all cured pairs": 2,  # the one with the wrong result is left out
        "cause found first": 1,
        "without doubts": 1,
    }


def test_the_table_has_a_line_for_each_and_the_totals(rows):
    lines = table(list(rows.values()))
    for row in rows.values():
        assert any(line.startswith(row.id) and row.first in line for line in lines)
    assert next(line for line in lines if line.startswith("padded")).endswith("wrong, the cause is not found ?")
    assert "right: 4 of 6 (5 not run)" in lines
    assert "false alarms: 1 of 2 healthy library kernels" in lines


def finding(name: str, gain: float | None, kind: str = "diagnosis") -> Any:
    speedup = SimpleNamespace(estimate=gain, low=gain, high=gain) if gain else None
    return SimpleNamespace(id=name, kind=kind, speedup=speedup)


@pytest.mark.parametrize(
    ("found", "verdict", "alarm"),
    [
        ([], "right", False),
        ([finding("bank_conflicts", 1.2)], "right", False),
        ([finding("bank_conflicts", 1.3)], "wrong", True),
        ([finding("tail_effect", 1.2), finding("bank_conflicts", 1.3)], "right", False),
        ([finding("unexplained", None)], "wrong", True),
        ([finding("near_compute_roofline", None)], "wrong", False),
        ([finding("near_memory_roofline", None)], "right", False),
        ([finding("short_launch", None, "trust"), finding("near_memory_roofline", None)], "right", False),
    ],
)
def test_a_healthy_kernel_may_have_only_small_findings(found, verdict, alarm):
    row = judged(healthy("call"), {}, SimpleNamespace(findings=found))
    assert (row.verdict, row.false_alarm) == (verdict, alarm)


def test_a_cause_that_stands_later_is_wrong_and_its_gain_is_judged():
    found = [finding("tail_effect", 3.0), finding("bank_conflicts", 1.6)]
    row = judged(ours("x", "bank_conflicts"), STEADY, SimpleNamespace(findings=found))
    assert (row.verdict, row.place, row.gain, row.told) == ("wrong", 2, 3.0, 1.6)
    assert row.error == pytest.approx(1.25)
    assert any("the cause is number 2, told 1.60" in line for line in table([row]))


@pytest.mark.parametrize(
    ("speedup", "cured_runs", "doubtful"),
    [
        (1.30, [2 / 1.30] * 20, False),
        (1.04, [2 / 1.04] * 20, True),  # visible, but under what the advisor calls a finding
        (1.30, [0.5, 1.0, 2 / 1.30, 2.3, 2.9], True),  # within the noise
        (0.90, [2 / 0.90] * 20, True),
    ],
)
def test_a_cure_that_gives_nothing_makes_the_cause_doubtful(speedup, cured_runs, doubtful):
    times = {"slow_runs": [2.0] * 20, "cured_runs": cured_runs, "speedup": speedup}
    assert bool(doubts(ours("x", "bank_conflicts"), times)) == doubtful


SEEN = [
    Seen(10, 0, "reduce", "void reduce<int>(int*)", 5.0, ""),
    Seen(11, 1, "reduce", "void reduce<int>(int*)", 50.0, ""),
    Seen(12, 2, "reduce_all", "void reduce_all(int*)", 90.0, ""),
]


def entry(part: str, kernel: str) -> dict[str, Any]:
    return {"id": "a", "part": part, "where": {"kernel": kernel}}


def test_launches_without_ranges_are_found_by_index_or_a_name_of_their_own():
    assert find(entry("ours", "reduce"), 1, SEEN).row == 11
    assert isinstance(find(entry("ours", "reduce"), 2, SEEN), str)  # another kernel, and two have the name
    assert find(entry("ours", "reduce_all"), 0, SEEN).row == 12
    assert isinstance(find(entry("libraries", "reduce<"), 0, SEEN), str)
    assert find(entry("libraries", "_all"), 0, SEEN).row == 12


def test_of_several_kernels_in_a_range_the_longest_that_matches_counts():
    inside = [Seen(x.row, x.index, x.kernel, x.kernel_full, x.duration, "a") for x in SEEN]
    assert find(entry("libraries", "reduce<"), 0, inside).row == 11
    assert find(entry("libraries", "reduce"), 0, [*inside, Seen(13, 3, "reduce", "", 99.0, "b")]).row == 12


def test_a_try_that_worked_counts(tmp_path):
    write(tmp_path / "profiled-a.json", {"x": placed("1", 0, broken="once"), "y": placed("1", 1)})
    write(tmp_path / "profiled-b.json", {"x": placed("2", 0), "y": placed("2", 1, broken="then")})
    assert {name: place["report"] for name, place in profiled(tmp_path).items()} == {"x": "2", "y": "1"}


def test_an_empty_folder_has_not_run_and_a_wrong_one_is_refused(tmp_path, folder):
    assert {r.verdict for r in score.score(tmp_path, folder / "causes.yaml")} == {"not run"}
    with pytest.raises(InputError, match="no such folder"):
        score.score(tmp_path / "absent")
    with pytest.raises(InputError, match="no causes file"):
        score.score(tmp_path, tmp_path / "absent.yaml")
    (tmp_path / "times.json").write_text("[1]")
    with pytest.raises(InputError, match=r"times\.json: not of the form"):
        score.score(tmp_path, folder / "causes.yaml")


def test_a_report_that_is_no_report_says_so(tmp_path, folder):
    write(tmp_path / "profiled-ours.json", {"tile": placed("cut", 0)})
    (tmp_path / "cut.ncu-rep").write_bytes(b"NVR\0cut")
    row = score.score(tmp_path, folder / "causes.yaml")[0]
    assert row.verdict == "not run" and row.why.startswith("cut.ncu-rep cannot be read: ")


def test_the_command_writes_json(folder):
    words = [sys.executable, "-m", "tests.bench.unseen.score", str(folder), "--json"]
    done = subprocess.run([*words, "--causes", str(folder / "causes.yaml")], cwd=ROOT, capture_output=True, text=True)
    content = json.loads(done.stdout)
    assert [r["id"] for r in content["launches"]] == [e["id"] for e in ENTRIES]
    assert (
        content["totals"]["right"]["all"] == [4, 6] and content["figures"]["all cured pairs"]["advisor"]["pairs"] == 2
    )
    absent = subprocess.run([*words[:3], str(folder / "no")], cwd=ROOT, capture_output=True, text=True)
    assert absent.returncode == 2 and len(absent.stderr.splitlines()) == 1
