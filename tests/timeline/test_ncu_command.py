"""The command that profiles the kernel: its name, which launch, the NVTX filter, and the shell that must read it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from advisor.timeline import analyse
from advisor.timeline.ncu_command import NcuCommand
from tests.timeline.generator import MS, US, Planted


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


def test_collectives_are_never_the_kernel_to_profile(tmp_path: Path) -> None:
    """Replaying a collective alone waits for ever for the other ranks."""
    out, at = series(1 * MS, 1 * MS), 40 * MS
    for _ in range(20):
        at = out.kernel(at, 4 * MS, "ncclDevKernel_AllGather_RING_LL(x)", "ncclDevKernel_AllGather_RING_LL", asked=at)
    found = command(out, tmp_path)
    assert found.kernel == "work"
