"""The command that profiles the kernel: its name, which launch, the NVTX filter, and the shell that must read it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from advisor.timeline.analyse import analyse
from advisor.timeline.results import NcuCommand
from tests.timeline.generator import MS, TID, US, Planted


def command(planted: Planted, folder: Path) -> NcuCommand:
    found = analyse([planted.write(folder / "t.sqlite")]).gpus[0].command
    assert found is not None
    return found


def options(found: NcuCommand) -> dict[str, str]:
    words = shlex.split(found.command)
    assert words[0] == "ncu" and words[-1] == "YOUR_PROGRAM"
    return {word: words[at + 1] for at, word in enumerate(words[:-1]) if word.startswith("-")}


def series(*durations: int, name: str = "void work<float>(float*)", short: str = "work") -> Planted:
    out, at = Planted(), 10 * MS
    for duration in durations:
        at = out.kernel(at, duration, name, short, asked=at - 10 * US) + 20 * US
    return out


def test_a_typical_launch_is_picked_and_the_warm_up_left_out(tmp_path: Path) -> None:
    found = command(series(9 * MS, 5 * MS, 2 * MS, 2 * MS, 2 * MS, 2 * MS, 2 * MS, 2 * MS), tmp_path)
    assert (found.skip, found.count, found.duration) == (2, 1, 2 * MS)
    assert options(found)["--launch-skip"] == "2" and options(found)["--launch-count"] == "1"


def test_of_launches_of_two_sizes_the_one_with_the_time_is_picked(tmp_path: Path) -> None:
    found = command(series(*[100 * US, 4 * MS] * 6), tmp_path)
    assert found.duration == 4 * MS and found.skip % 2 == 1 and found.skip > 0


def test_a_kernel_that_ran_once_is_not_skipped(tmp_path: Path) -> None:
    assert command(series(3 * MS), tmp_path).skip == 0


def test_launches_of_other_kernels_with_the_same_base_name_are_counted(tmp_path: Path) -> None:
    """ncu matches the base name, so its count runs over all of them."""
    out, at = Planted(), 10 * MS
    for i in range(12):
        big = i % 3 == 2
        name = "void op<Big>(T*)" if big else "void op<Small>(T*)"
        at = out.kernel(at, (3 * MS if big else 50 * US), name, "op", asked=at - 10 * US) + 20 * US
    found = command(out, tmp_path)
    # The first of the large ones is the third launch of that name; it is warm-up, the next is the sixth.
    assert (found.skip, found.duration) == (5, 3 * MS)


@pytest.mark.parametrize(
    "short", ["work", "operator()", "a$b", "x.y|z", "it's", 'say "hi"; rm -rf /', "k[0]{1}", "back\\slash", "$(id)`id`"]
)
def test_a_name_reaches_ncu_as_itself_whatever_is_in_it(short: str, tmp_path: Path) -> None:
    found = command(series(2 * MS, 2 * MS, name=f"void {short}()", short=short), tmp_path)
    wanted = options(found)["--kernel-name"]
    assert wanted.startswith("regex:^") and wanted.endswith("$")
    assert re.fullmatch(wanted.removeprefix("regex:"), short)
    assert not re.fullmatch(wanted.removeprefix("regex:"), short + "x")


@pytest.mark.parametrize("short", ["bad\nname", "\x1b[31mred", "x" * 2000])
def test_a_name_that_no_command_line_should_hold_gives_none(short: str, tmp_path: Path) -> None:
    gpu = analyse([series(2 * MS, name=f"void {short}()", short=short).write(tmp_path / "t.sqlite")]).gpus[0]
    assert gpu.command is None and gpu.kernels[0].short == short


def in_ranges(name: str, *, kind: int = 59, domain: str = "", registered: bool = False) -> Planted:
    """Five warm-up launches outside, then ten in ranges of this name."""
    out, at = Planted(), 10 * MS
    if domain:
        out.domain(domain, 4)
    for i in range(60):
        if i >= 5:
            out.range(name, at - 20 * US, at - 1 * US, kind=kind, domain=4 if domain else 0, registered=registered)
        at = out.kernel(at, 2 * MS, asked=at - 10 * US) + 50 * US
    return out


@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        (in_ranges("step"), "step/"),
        (in_ranges("step", registered=True), "step/"),
        (in_ranges("step", kind=60), "step"),
        (in_ranges("step", domain="train"), "train@step/"),
        (in_ranges("a/b@c,[d]*+"), r"a\/b\@c\,\[d\]\*\+/"),
        (in_ranges("two words"), "two words/"),
        (in_ranges("it's $HOME"), "it's $HOME/"),
    ],
)
def test_the_filter_is_written_as_ncu_wants_it(planted: Planted, expected: str, tmp_path: Path) -> None:
    found = command(planted, tmp_path)
    assert found.range == options(found)["--nvtx-include"] == expected
    assert "--nvtx" in shlex.split(found.command)


def test_within_a_range_launches_are_counted_there(tmp_path: Path) -> None:
    planted = in_ranges("step")
    found = command(planted, tmp_path)
    inside = sorted(int(row["start"]) for row in planted.rows["CUPTI_ACTIVITY_KIND_KERNEL"])[5:]
    # Five launches before the first range do not count; the first within it is warm-up.
    assert found.start == inside[1] and found.skip == 1


def test_a_range_that_holds_a_part_of_the_launches_is_no_filter(tmp_path: Path) -> None:
    out, at = Planted(), 10 * MS
    for i in range(20):
        out.range(f"step {i}", at - 20 * US, at - 1 * US)
        at = out.kernel(at, 2 * MS, asked=at - 10 * US) + 50 * US
    assert command(out, tmp_path).range == ""


@pytest.mark.parametrize("name", ["a\\b", "regex:step", "", "tab\tstop", "x" * 300])
def test_a_range_that_the_filter_cannot_name_is_none(name: str, tmp_path: Path) -> None:
    assert command(in_ranges(name), tmp_path).range == ""


def test_a_start_end_range_holds_what_any_thread_of_the_process_launches(tmp_path: Path) -> None:
    """Push/pop ranges belong to a thread, start/end ranges to the process."""
    for kind, filtered in ((60, "phase"), (59, "")):
        out = Planted()
        out.range("phase", 5 * MS, 900 * MS, kind=kind)
        for i in range(40):
            at = (10 + 5 * i) * MS
            out.kernel(at, 2 * MS, asked=at - 10 * US, thread=TID + 1)
        assert command(out, tmp_path).range == filtered


def test_the_shape_with_most_of_the_time_is_picked(tmp_path: Path) -> None:
    out, at = Planted(), 10 * MS
    for i in range(24):
        large = i % 3 == 2
        shape = {"grid": (70000, 3, 2), "block": (32, 4, 2)} if large else {"grid": (64, 1, 1)}
        at = out.kernel(at, (3 if large else 1) * MS, asked=at - 10 * US, **shape) + 20 * US
    found = command(out, tmp_path)
    assert (found.grid, found.block, found.shapes) == ((70000, 3, 2), (32, 4, 2), 2)
    assert found.shape_share == pytest.approx(60)
    # The first launch of that shape, the third of all, is its warm-up.
    assert (found.skip, found.duration) == (5, 3 * MS)
    path = out.write(tmp_path / "t.sqlite", drop=("blockZ",))
    unknown = analyse([path]).gpus[0].command
    assert unknown is not None and unknown.grid is None and unknown.shapes == 0


def test_launches_are_counted_in_the_order_in_which_they_are_asked_for(tmp_path: Path) -> None:
    """On several streams they may run in another order than they were launched in, which is ncu's."""
    out = Planted()
    out.kernel(90 * MS, 1 * MS, asked=1 * MS, stream=9)
    for i in range(10):
        out.kernel((10 + 4 * i) * MS, 2 * MS, asked=(2 + i) * MS)
    found = command(out, tmp_path)
    assert (found.start, found.skip) == (10 * MS, 1)


def test_with_several_gpus_launches_are_counted_on_each(tmp_path: Path) -> None:
    out = Planted(gpus=("NVIDIA H200", "NVIDIA H200"))
    for i in range(20):
        out.kernel((10 + 4 * i) * MS, 2 * MS, asked=MS + 2 * i * US, gpu=0)
        out.kernel((10 + 4 * i) * MS, 2 * MS, asked=MS + (2 * i + 1) * US, gpu=1)
    found = command(out, tmp_path)
    assert options(found)["--filter-mode"] == "per-gpu" and found.skip == 1 and found.each_gpu
    assert "--filter-mode" not in options(command(series(2 * MS, 2 * MS), tmp_path))


def test_collectives_are_never_the_kernel_to_profile(tmp_path: Path) -> None:
    """Replaying a collective alone waits for ever for the other ranks."""
    out, at = series(1 * MS, 1 * MS), 40 * MS
    for _ in range(20):
        at = out.kernel(at, 4 * MS, "ncclDevKernel_AllGather_RING_LL(x)", "ncclDevKernel_AllGather_RING_LL", asked=at)
    found = command(out, tmp_path)
    assert found.kernel == "work"
