"""Whole folders: the same conclusions as diagnose, nothing lost to what is damaged, dies, hangs, fills up or stops."""

from __future__ import annotations

import errno
import os
import random
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import pytest

from advisor.reasoning.analysis import Analysis
from advisor.records.errors import InputError, UsageError
from advisor.triage.files import State
from advisor.triage.one_file import examine
from advisor.triage.run import Processes, triage
from advisor.triage.tally import Part, Settings
from tests.bench.triage.generate import raw_rows, table
from tests.damaged import report
from tests.triage.triage_fleet import LAUNCHES, Here, Stop, document, fleet, here, outcome, scripted, small

__all__ = ["here", "small"]


def gains(document: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(g["kernel"], g["launches"], g["duration_ns"], g["back_ns"], g.get("fix")) for g in document["groups"]]


def test_each_launch_of_the_tour_is_judged_as_diagnose_does(tour_path: Path, tour: Analysis) -> None:
    """Class, findings in order, and the time that the first fix gives back."""
    part = examine(tour_path, "tour", Settings(rows=True))
    assert len(part.rows) == len(tour.diagnosis.launches) == part.launches == 22
    for row, launch in zip(part.rows, tour.diagnosis.launches, strict=True):
        assert (row.index, row.class_id, row.duration_ns) == (launch.index, launch.verdict.id, launch.duration_ns)
        diagnoses = [f for f in launch.findings if f.kind == "diagnosis"]
        assert row.findings == tuple(f.id for f in diagnoses)
        gained = next((f for f in diagnoses if f.speedup is not None), None)
        if gained is None or gained.speedup is None:
            assert (row.fix, row.back_ns) == ("", None)
        else:
            assert launch.duration_ns is not None
            assert row.fix == gained.id
            assert row.back_ns == pytest.approx(gained.speedup.saved_ns(launch.duration_ns), abs=0.001)


def test_the_launch_that_stands_for_a_group_is_told_as_diagnose_tells_it(tour_path: Path, tour: Analysis) -> None:
    part = examine(tour_path, "tour", Settings())
    told = {(t.example.path, t.example.index): t.example for _, t in part.groups if t.example is not None}
    assert len(told) == len(part.groups) >= 20
    for (path, index), example in told.items():
        launch = tour.diagnosis.launches[index]
        first = next((f for f in launch.findings if f.kind == "diagnosis"), None)
        assert path == "tour"
        said = example.conclusion
        assert said.verdict == launch.verdict
        assert said.budget is None or launch.budget is not None
        assert (said.finding is None) == (first is None)
        if first is not None and said.finding is not None:
            assert (said.finding.id, said.finding.evidence) == (first.id, first.evidence)
            assert (said.finding.because, said.finding.speedup) == (first.because, first.speedup)
    budgets = {launch.index: launch.budget for launch in tour.diagnosis.launches if launch.budget is not None}
    assert budgets
    for index, budget in budgets.items():
        if ("tour", index) in told:
            found = told["tour", index].conclusion.budget
            assert found is not None
            assert found.together == budget.together


@pytest.mark.usefixtures("here")
def test_groups_add_up_and_the_most_to_give_back_comes_first(small: Path) -> None:
    with triage([small], jobs=2, rows=True, keep_state=False) as result:
        groups = list(result.groups())
        rows = [row for _, found in result.rows() for row in found]
        totals = result.totals
    assert totals.reports == 6
    assert totals.launches == len(rows) == 6 * LAUNCHES == sum(g.launches for g in groups)
    assert totals.groups == len(groups)
    assert [g.back_ns for g in groups] == sorted((g.back_ns for g in groups), reverse=True)
    for group in groups:
        mine = [row for row in rows if row.key.kernel_full == group.kernel_full]
        assert group.launches == len(mine)
        assert group.duration_ns == pytest.approx(sum(row.duration_ns or 0 for row in mine), abs=0.01)
        same = [row for row in mine if row.fix == group.fix]
        if len(same) == len(mine) and group.fix:
            assert group.back_ns == pytest.approx(sum(row.back_ns or 0 for row in same), abs=0.01)
    assert totals.back_ns == pytest.approx(sum(g.back_ns for g in groups))


def test_one_process_or_two_the_document_is_the_same(small: Path) -> None:
    assert outcome(small, jobs=1) == outcome(small, jobs=2)


def test_kernels_of_one_name_and_another_shape_are_two_groups(tmp_path: Path) -> None:
    rows = raw_rows()
    shape = rows[0].index("Grid Size")
    other = [*rows[:3], list(rows[2])]
    other[3][shape] = "(7, 1, 1)"
    (tmp_path / "two.csv").write_text(table(other, random.Random(1), 2).replace("_", "-"))
    part = examine(tmp_path / "two.csv", "two", Settings(kernel="vector"))
    assert {key.grid for key, _ in part.groups} == {(65536, 1, 1), (7, 1, 1)}


@pytest.mark.usefixtures("here")
def test_a_kernel_pattern_leaves_the_rest_out_and_none_is_an_error(small: Path) -> None:
    import re

    with triage([small], kernel=re.compile("vector_copy"), jobs=1, keep_state=False) as result:
        assert {g.kernel.rpartition("_")[0] for g in result.groups()} == {"vector_copy"}
    with pytest.raises(InputError, match="no launch of 6 reports matches"):
        outcome(small, kernel=re.compile("nothing"))


@pytest.mark.usefixtures("here")
def test_what_is_damaged_or_foreign_is_named_and_costs_nothing_else(tmp_path: Path, small: Path) -> None:
    folder = tmp_path / "mixed"
    (folder / "deep" / "er").mkdir(parents=True)
    whole = sorted(small.iterdir())
    for file in whole[:2]:
        (folder / "deep" / file.name).write_bytes(file.read_bytes())
    (folder / "cut.ncu-rep").write_bytes(report()[:900_000])
    (folder / "rest.ncu-rep").write_bytes(report()[:-100_000])
    (folder / "empty.ncu-rep").write_bytes(b"")
    (folder / "none.ncu-repz").write_bytes(b"")
    (folder / "notes.txt").write_text("milk, bread")
    (folder / "main.cu").write_text("int main() {}")
    (folder / "deep" / "er" / "gone.csv").symlink_to(tmp_path / "nowhere.csv")
    found = outcome(folder)
    names = {Path(entry["path"]).name: entry for entry in found["troubled"]}
    assert set(names) == {"cut.ncu-rep", "rest.ncu-rep", "empty.ncu-rep", "none.ncu-repz"}
    assert "empty" in names["empty.ncu-rep"]["refused"]
    assert names["rest.ncu-rep"]["launches"] == 1 and "truncated" in " ".join(names["rest.ncu-rep"]["problems"])
    assert [Path(entry["path"]).name for entry in found["foreign"]] == ["notes.txt"]
    assert [Path(entry["path"]).name for entry in found["problems"]] == ["gone.csv"]
    assert found["totals"]["reports"] == 3
    assert found["totals"]["launches"] == 2 * LAUNCHES + 1
    kept = outcome(folder / "deep")
    ours = {g["kernel"]: g["back_ns"] for g in found["groups"]}
    assert all(ours[g["kernel"]] == g["back_ns"] for g in kept["groups"])


@pytest.mark.usefixtures("here")
def test_a_file_that_is_named_is_never_passed_over(tmp_path: Path, small: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("milk, bread")
    one = sorted(small.iterdir())[0]
    # The same file by name, by its folder and by a link counts once.
    link = tmp_path / "again.csv"
    link.symlink_to(one)
    with triage([notes, one, link, one], jobs=1, keep_state=False) as result:
        assert [Path(r.path).name for r in result.troubled()] == ["notes.txt"]
        assert result.totals.launches == LAUNCHES


@pytest.mark.usefixtures("here")
def test_nothing_at_all_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such file or folder"):
        outcome(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no report in it"):
        outcome(tmp_path)
    (tmp_path / "bad.ncu-rep").write_bytes(b"")
    with pytest.raises(InputError, match=r"bad\.ncu-rep: the file is empty"):
        outcome(tmp_path)


def test_a_process_that_dies_costs_one_file_and_is_named(
    tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted(monkeypatch)
    folder = tmp_path / "reports"
    files = fleet(folder, 5)
    files[1].rename(folder / "deadly.csv")
    files[3].rename(folder / "once.csv")
    (folder / "once.mark").touch()
    state = tmp_path / "state.bin"
    found = outcome(folder, jobs=2, state=state)
    assert [Path(entry["path"]).name for entry in found["troubled"]] == ["deadly.csv"]
    assert "died 2 times (exit code 9)" in found["troubled"][0]["refused"]
    assert found["troubled"][0]["again"] is True
    assert found["totals"]["launches"] == 4 * LAUNCHES
    assert not (folder / "once.mark").exists()
    # The state stays for another try, which reads that one file alone.
    monkeypatch.undo()
    listener = Stop()
    again = outcome(folder, state=state, tell=listener)
    assert (listener.seen[0].files_done, again["troubled"]) == (4, [])
    assert gains(again) == gains(outcome(folder))
    assert not state.exists()


def test_a_process_that_is_silent_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch)
    import msgspec

    workers = Processes(1, msgspec.msgpack.encode(Settings()), silence_s=0.2)
    try:
        found = workers.submit(str(tmp_path / "silent.csv"), "silent.csv")
        assert wait([found], 60).done
        part = workers.part(found)
    finally:
        workers.stop()
    assert "died" in part.refused and part.again


@pytest.mark.usefixtures("here")
def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path, small: Path) -> None:
    state = tmp_path / "state.bin"
    with pytest.raises(KeyboardInterrupt):
        outcome(small, state=state, tell=Stop(after=2))
    assert state.exists()
    listener = Stop()
    found = outcome(small, state=state, tell=listener)
    assert listener.seen[0].resumed
    assert listener.seen[0].files_done >= 2
    assert listener.seen[-1].files_done == 6
    assert found == outcome(small)
    assert not state.exists()


@pytest.mark.usefixtures("here")
def test_new_files_join_an_interrupted_run(tmp_path: Path) -> None:
    folder, state = tmp_path / "reports", tmp_path / "state.bin"
    fleet(folder, 2)
    with pytest.raises(KeyboardInterrupt):
        outcome(folder, state=state, tell=Stop(after=1))
    fleet(folder / "more", 1)
    (folder / "more" / "run00.csv").rename(folder / "more" / "late.csv")
    listener = Stop()
    found = outcome(folder, state=state, tell=listener)
    assert (listener.seen[0].files, listener.seen[0].resumed) == (3, True)
    assert found == outcome(folder)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("change", ["edited", "removed", "option"])
def test_a_state_that_does_not_fit_is_not_used(tmp_path: Path, change: str) -> None:
    folder, state = tmp_path / "reports", tmp_path / "state.bin"
    files = fleet(folder, 3)
    with pytest.raises(KeyboardInterrupt):
        outcome(folder, state=state, tell=Stop(after=2))
    options: dict[str, Any] = {}
    if change == "edited":
        files[0].write_text(table(raw_rows(), random.Random(99), LAUNCHES + 1))
    elif change == "removed":
        files[0].unlink()
    else:
        options["gpu"] = "H100-SXM"
    listener = Stop()
    found = outcome(folder, state=state, tell=listener, **options)
    assert (listener.seen[0].files_done, listener.seen[0].resumed) == (0, False)
    assert found == outcome(folder, **options)


@pytest.mark.usefixtures("here")
def test_a_file_that_is_no_state_is_left_alone(tmp_path: Path, small: Path) -> None:
    state = tmp_path / "state.bin"
    state.write_bytes(b"something else entirely, of some length" * 100)
    with pytest.raises(UsageError, match="is not a triage state file"):
        outcome(small, state=state)
    assert state.read_bytes().startswith(b"something else")


@pytest.mark.usefixtures("here")
def test_a_full_disk_in_the_middle_loses_nothing_and_is_named(
    tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, made, left = tmp_path / "state.bin", State._append, [4]

    def append(self: State, content: bytes) -> None:
        left[0] -= 1
        if left[0] < 0:
            made(self, content[:100])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        made(self, content)

    monkeypatch.setattr(State, "_append", append)
    with pytest.raises(KeyboardInterrupt), triage([small], jobs=1, rows=True, state=state) as result:
        found = document(result)
        assert "no space left" in found["problems"][0]["why"]
        assert found["totals"]["launches"] == 6 * LAUNCHES
        assert [len(rows) for _, rows in result.rows()] == [LAUNCHES] * 6
        raise KeyboardInterrupt
    assert gains(found) == gains(outcome(small))
    # What was written before the disk was full is not read again.
    monkeypatch.undo()
    monkeypatch.setattr("advisor.triage.run.Processes", Here)
    listener = Stop()
    again = outcome(small, state=state, rows=True, tell=listener)
    assert listener.seen[0].files_done == 3
    assert gains(again) == gains(found)


@pytest.mark.usefixtures("here")
def test_a_state_that_cannot_be_kept_is_named_and_nothing_else(tmp_path: Path, small: Path) -> None:
    (tmp_path / "file").touch()
    found = outcome(small, state=tmp_path / "file" / "state.bin")
    assert "cannot be saved" in found["problems"][0]["why"]
    assert found["totals"]["reports"] == 6


@pytest.mark.usefixtures("here")
def test_two_runs_at_once_do_not_share_a_state(tmp_path: Path, small: Path) -> None:
    state = tmp_path / "state.bin"
    with triage([small], jobs=1, state=state) as first:
        second = outcome(small, state=state)
        assert "another run" in second["problems"][0]["why"]
        assert gains(second) == gains(document(first))


def test_a_full_disk_while_unpacking_is_for_another_try(tour_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from advisor.readers import read

    def full(*_: Any) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(read, "unpack", full)
    part = examine(tour_path, "tour", Settings())
    assert "temporary files is full" in part.refused
    assert part.again


def test_launches_lost_for_want_of_room_are_not_taken_for_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cut report stays damaged where there is room for a copy; where there is none nobody can tell."""
    from shutil import disk_usage

    from advisor.triage import one_file

    cut = tmp_path / "cut.ncu-rep"
    cut.write_bytes(report()[:-100_000])
    assert examine(cut, "cut", Settings()).launches == 1
    monkeypatch.setattr(one_file.shutil, "disk_usage", lambda place: disk_usage(place)._replace(free=10))
    part = examine(cut, "cut", Settings())
    assert (part.launches, part.again) == (0, True)
    assert "temporary files is full" in part.refused


def test_a_file_that_is_not_there_for_the_reader_is_no_stranger(tmp_path: Path) -> None:
    part = examine(tmp_path / "notes.txt", "notes.txt", Settings())
    assert (part.foreign, part.again) == (False, True)
    assert "no such file" in part.refused


def test_a_mistake_of_ours_costs_one_file(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import msgspec

    from advisor.triage import one_file

    def broken(*_: Any) -> Part:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(one_file, "_examine", broken)
    one = str(sorted(small.iterdir())[0])
    packed = one_file.examine_packed(one, "one", msgspec.msgpack.encode(Settings()))
    assert "ZeroDivisionError: by nothing" in msgspec.msgpack.decode(packed, type=Part).refused


def test_another_version_on_the_other_side_is_refused(small: Path) -> None:
    import msgspec

    from advisor.triage.one_file import examine_packed

    with pytest.raises(UsageError, match="install the same version"):
        examine_packed("x", "x", msgspec.msgpack.encode(Settings(version="0.0.0")))
