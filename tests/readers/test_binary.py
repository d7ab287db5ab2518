from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from advisor.readers import parent
from advisor.readers.container import Limits
from advisor.readers.launch_code import read_instances
from advisor.readers.read import read, read_many
from advisor.records.errors import InputError
from advisor.records.readings import IDENTITY
from tests.changed import replace
from tests.damaged import report


@pytest.fixture(scope="module")
def frame(tour_path: Path) -> pd.DataFrame:
    return read(tour_path).frame.set_index("kernel", drop=False)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.ncu-rep"
    path.write_bytes(report())
    return path


def _access(frame: pd.DataFrame, kernel: str, space: str, kind: str) -> Any:
    return [a for a in frame.loc[kernel, "accesses"] if (a.space, a.kind) == (space, kind)]


def test_the_bundled_report_is_whole_and_its_launches_are_in_order(tour_path: Path) -> None:
    found = read(tour_path)
    assert found.info.complete
    assert (found.info.tool, found.info.format, found.info.launches_missing) == ("ncu 2025.3.1", "ncu-rep", 0)
    assert list(found.frame["index"]) == list(range(22))
    assert found.frame["kernel"].iloc[[0, 21]].tolist() == ["vector_copy", "fma_chains"]
    assert set(IDENTITY) < set(found.frame.columns)
    assert set(found.frame["gpu_name"]) == {"NVIDIA H200"}
    assert all(found.frame[c].dtype == "float64" for c in found.frame.columns if c not in IDENTITY)


def test_widths_and_sectors_of_accesses_are_those_of_the_kernels_code(frame: pd.DataFrame) -> None:
    (copy,) = _access(frame, "vector_copy", "global", "load")
    assert (copy.width, copy.sectors, copy.sectors_ideal, copy.lanes / copy.executed) == (128, 8388608, 8388608, 32)
    (strided,) = _access(frame, "particle_field", "global", "load")
    assert strided.sectors / strided.sectors_ideal == 8
    (byte,) = _access(frame, "byte_image", "global", "store")
    assert byte.width == 8
    assert math.isnan(byte.wavefronts)


def test_bank_conflicts_show_as_wavefronts_over_their_ideal(frame: pd.DataFrame) -> None:
    (load,) = _access(frame, "transpose_tile", "shared", "load")
    (store,) = _access(frame, "transpose_tile", "shared", "store")
    assert load.wavefronts / load.wavefronts_ideal == 32
    assert store.wavefronts == store.wavefronts_ideal


def test_spills_and_indexed_arrays_are_told_apart(frame: pd.DataFrame) -> None:
    spilled, indexed = frame.loc["capped_moments"], frame.loc["private_bins"]
    assert (spilled["spill_inst"], spilled["indexed_local_inst"]) == (93_434_880, 0)
    assert (indexed["spill_inst"], indexed["indexed_local_inst"]) == (0, 5_406_720)
    assert frame.loc["vector_copy", "spill_inst"] == 0


def test_the_code_alone_tells_spills_and_arrays_apart_too(tour_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A report of an older ncu has no count of spills: the child then looks at the instructions.
    older = "from advisor.readers import actions; actions.SPILLS = 'absent'; "
    _with_script(monkeypatch, older + "from advisor.readers.child import main; main()")
    frame = read(tour_path, metric_filter=["indexed_local_inst", "duration_ns"]).frame.set_index("kernel")
    assert frame.loc["capped_moments", "indexed_local_inst"] == 0
    assert frame.loc["private_bins", "indexed_local_inst"] > 4_000_000


def test_opcodes_carry_their_modifiers(frame: pd.DataFrame) -> None:
    opcodes = frame.loc["vector_copy", "opcodes"]
    assert opcodes["LDG.E.128.CONSTANT"] == 524_288
    assert sum(opcodes.values()) == frame.loc["vector_copy", "inst_executed"]


def test_rules_come_with_plain_messages_and_only_estimates_for_the_kernel(frame: pd.DataFrame) -> None:
    rules = {rule.id: rule for rule in frame.loc["transpose_tile", "rules"]}
    assert rules["SharedMemoryConflicts"].speedup == pytest.approx(7.15, abs=0.01)
    assert rules["HighPipeUtilization"].speedup is None
    assert not any("@section" in rule.message or "@url" in rule.message for rule in rules.values())


def test_how_it_was_profiled_is_known(frame: pd.DataFrame) -> None:
    assert set(frame["clock_control"]) == {0.0}
    assert set(frame["cache_control"]) == {1.0}
    assert set(frame["line_info"]) == {1.0}


def test_a_filter_reads_only_the_metrics_asked_for(small: Path) -> None:
    frame = read(small, metric_filter=["duration_ns"]).frame
    assert set(frame.columns) == {*IDENTITY, "duration_ns"}


def test_a_report_cut_in_half_gives_the_launches_before_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "half.ncu-rep"
    path.write_bytes(report()[:1_500_000])
    found = read(path)
    assert list(found.frame["kernel"]) == ["vector_copy"]
    assert (found.info.complete, found.info.launches_missing) == (False, None)
    assert "1 of the 2 launches" in found.info.problems[0]


def test_a_report_cut_before_its_first_launch_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stub.ncu-rep"
    path.write_bytes(report()[:100_000])
    with pytest.raises(InputError, match="damaged or truncated"):
        read(path)


def test_several_files_make_one_frame_and_a_refused_one_is_named(small: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.ncu-rep"
    empty.touch()
    steps: list[tuple[str, int, int]] = []
    frame, infos = read_many([small, empty, small], progress=lambda *step: steps.append(step))
    read_so_far = [step for step in steps if step[0] == "launches"]
    assert read_so_far.count(("launches", 2, 2)) >= 2 and all(0 <= done <= 2 == all_ for _, done, all_ in read_so_far)
    steps = [step for step in steps if step[0] == "read"]
    assert list(frame["report"]) == [0, 0, 2, 2]
    assert list(frame["index"]) == [0, 1, 0, 1]
    assert infos[1].problems == ("the file is empty; profile again, or copy it again",)
    assert steps[-1] == ("read", 3, 3)


def test_no_readable_file_makes_an_empty_frame(tmp_path: Path) -> None:
    frame, (info,) = read_many([tmp_path / "absent.ncu-rep"])
    assert (len(frame), info.complete, info.sha256) == (0, False, "")


def _with_script(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """The children run a script of ours, which can import the program."""
    made = parent.python_command

    def command(*arguments: str, **options: Any) -> list[str]:
        line = made(*arguments, **options)
        line[line.index("-c") + 1] = f"import sys; sys.path[:0] = sys.argv.pop(1).split({os.pathsep!r}); {script}"
        return line

    monkeypatch.setattr(parent, "python_command", command)


# Not a long sleep: the clock of a virtual machine may jump.
FOREVER = "__import__('threading').Event().wait()"


def _with_program(monkeypatch: pytest.MonkeyPatch, folder: Path, lines: str) -> None:
    """The children run the real program with `lines` before its work on the batch that begins with launch 1."""
    program = Path(parent.__file__).with_name("child.py").read_text()
    changed = program.replace(
        "    batch = Batch(", f"    if job['first'] == 1:\n        {lines}\n    batch = Batch(", 1
    )
    assert changed != program
    path = folder / "child.py"
    path.write_text(changed + "\nmain()\n")
    _with_script(monkeypatch, f"exec(compile(open({str(path)!r}).read(), 'child.py', 'exec'))")


def test_a_reading_that_nobody_waits_for_any_more_ends_its_processes(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CalledOff(Exception):  # noqa: N818
        pass

    _with_program(monkeypatch, tmp_path, FOREVER)
    started, children = time.monotonic(), []
    made = parent.Child.__init__

    def noted(self: parent.Child, *given: Any, **options: Any) -> None:
        children.append(self)
        made(self, *given, **options)

    def progress(what: str, done: int, total: int) -> None:
        if what == "launches" and done:
            raise CalledOff

    monkeypatch.setattr(parent.Child, "__init__", noted)
    with pytest.raises(CalledOff):
        read(small, limits=Limits(batch_launches=1, silence_s=600), progress=progress)
    assert time.monotonic() - started < 300
    assert children and all(child._process.poll() is not None for child in children)


LOSSES = {
    "crashes": "os.abort()",
    "hangs": FOREVER,
    "floods": "send({'index': 1, 'launch': 'x' * 10_000_000})",
    "takes all memory": "bytearray(1 << 40)",
    "sends nonsense": "os.write(1, b''); send({'index': 1, 'launch': {'name': 3}})\n        return",
}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_child_that_fails_loses_its_own_launches_only(
    loss: str, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _with_program(monkeypatch, tmp_path, LOSSES[loss])
    limits = replace(Limits(), silence_s=6, message_bytes=1 << 20)
    found = read(small, limits=limits)
    assert list(found.frame["index"]) == [0]
    assert (found.info.complete, found.info.launches_missing) == (False, 1)
    assert found.info.problems == ("1 of the 2 launches announced could not be read",)


@pytest.mark.parametrize(("state", "used", "kept"), [("R", 0.0, 2), ("D", 0.0, 2), ("R", 60.0, 1), ("S", 0.0, 1)])
def test_a_child_that_others_keep_from_working_is_waited_for(
    state: str, used: float, kept: int, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only one that works for long, or waits for nothing that will come, is ended; the other child is always heard."""
    made = parent.messages
    late: set[int] = set()

    def messages(one: parent.Child, job: dict[str, Any], silence_s: float, deadline: float) -> Any:
        if job["first"] == 1:
            late.add(one.pid)
        return made(one, job, 0.5 if job["first"] == 1 else 3600.0, deadline)

    now = iter([0.0])
    monkeypatch.setattr("advisor.records.child.schedule_of", lambda pid: (state, used))
    monkeypatch.setattr(parent, "schedule_of", lambda pid: (state, next(now, 0.0)))
    monkeypatch.setattr(parent, "messages", messages)
    _with_program(monkeypatch, tmp_path, FOREVER if kept == 1 else "import time; time.sleep(5)")
    found = read(small, limits=replace(Limits(), total_s=3600.0))
    assert late and len(found.frame) == kept and found.info.complete is (kept == 2)


def test_when_every_child_fails_the_report_is_refused_in_one_line(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _with_script(monkeypatch, "raise SystemExit(3)")
    with pytest.raises(InputError, match="none of its 2 launches"):
        read(small)


def test_large_reports_are_read_in_batches(small: Path) -> None:
    found = parent.Container(announced=0)
    sizes = [30, 30, 30, 200, 10]
    found.blocks = [parent_block(sizes)]
    limits = replace(Limits(), batch_launches=2, batch_bytes=100)
    assert parent.batches(found, limits, 2) == [(0, 2), (2, 3), (3, 4), (4, 5)]
    assert len(read(small, limits=replace(Limits(), batch_launches=1, children=1)).frame) == 2


def parent_block(sizes: list[int]) -> Any:
    from advisor.readers.container import Block

    return Block((0, 0), (), tuple((0, size) for size in sizes))


def test_the_child_stays_light() -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]; before = set(sys.modules)\n"
        "import advisor.readers.container, advisor.readers.actions, advisor.readers.child\n"
        "heavy = {'pandas', 'numpy', 'msgspec', 'yaml', 'click'}\n"
        "print(sorted(m for m in set(sys.modules) - before if m.split('.')[0] in heavy))"
    )
    root = str(Path(parent.__file__).parents[2])
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, root], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_single_instructions_come_with_line_and_code(tour_path: Path) -> None:
    table = read_instances(tour_path, 4, ["inst_executed", "memory_l1_wavefronts_shared", "no_such_metric"])
    assert list(table.columns) == [
        "pc",
        "file",
        "line",
        "sass",
        "inst_executed",
        "memory_l1_wavefronts_shared",
        "no_such_metric",
    ]
    assert table["pc"].is_monotonic_increasing
    worst = table.loc[table["memory_l1_wavefronts_shared"].idxmax()]
    assert worst["sass"].startswith("LDS")
    assert worst["file"].endswith("transpose_tile.cu")
    assert worst["line"] > 0
    assert table["no_such_metric"].isna().all()
    assert (table["memory_l1_wavefronts_shared"].fillna(-1) >= 0).all()


def test_single_instructions_of_a_text_are_refused() -> None:
    with pytest.raises(InputError, match="only a binary report"):
        read_instances(Path(__file__).parents[1] / "data" / "tour_details.txt", 0, ["inst_executed"])


def test_a_launch_that_is_not_there_has_no_instructions(small: Path) -> None:
    assert len(read_instances(small, 7, ["inst_executed"])) == 0
