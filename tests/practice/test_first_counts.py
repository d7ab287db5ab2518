"""The counts of an exercise's first version: made in a child, kept, and never believed when they may be another's."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from advisor.practice import first_counts
from advisor.practice.first_counts import FirstCounts, Kept, count_version, version_problem
from advisor.practice.manifest import exercise, home
from advisor.records import resources
from advisor.records.child import Child
from advisor.records.emulated import EmulatedDocument
from tests.emulator.tools import needs_tools

NAME = "good-copy"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setattr(resources, "user_cache", lambda: folder)
    return folder / "first-versions" / f"{NAME}.json"


def document() -> EmulatedDocument:
    return EmulatedDocument(
        kernel="k",
        arch="sm_90",
        grid=(1, 1, 1),
        block=(32, 1, 1),
        blocks=1,
        executed_blocks=1,
        exact=True,
        spread=0.0,
        data_dependent=False,
        metrics=(),
        findings=(),
        unknown=(),
        instructions=(),
    )


def says(*lines: bytes, then: str = "") -> FirstCounts:
    """The counts with a child that prints these lines."""
    program = (
        f"import sys, time\nfor line in {lines!r}: sys.stdout.buffer.write(line + b'\\n')\nsys.stdout.flush()\n{then}"
    )
    return FirstCounts(exercise(NAME), lambda command: Child([sys.executable, "-I", "-S", "-c", program]))


def none_started(command: list[str]) -> Child:
    raise AssertionError("no child is needed")


@needs_tools
def test_a_child_counts_as_this_process_does_and_the_next_check_needs_none() -> None:
    one = exercise(NAME)
    here = count_version(version_problem(one, home(NAME) / one.stages[0].source))
    with FirstCounts(one) as first:
        first.wait_if_large()
        assert first.result() == here
    with FirstCounts(one, none_started) as again:
        assert again.result() == here


def test_that_a_version_cannot_be_counted_is_kept_too(cache: Path) -> None:
    with says(b"1000", b"null") as first:
        assert first.result() is None
    assert cache.is_file() and FirstCounts(exercise(NAME), none_started).result() is None


@pytest.mark.parametrize("lines", [(), (b"1000",), (b"1000", b"{"), (b"\xff",), (b'{"kernel": 3}',)])
def test_a_child_that_ends_early_or_says_nonsense_leaves_nothing(cache: Path, lines: tuple[bytes, ...]) -> None:
    with says(*lines) as first:
        first.wait_if_large()
        assert first.result() is None
    assert not cache.exists()


def test_a_child_that_never_ends_is_left(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_counts, "_WAIT_S", 0.2)
    with says(b"1000", then="time.sleep(60)") as first:
        assert first.result() is None
    assert not cache.exists()


@pytest.mark.parametrize(("resident", "waited"), [(1 << 20, False), (1 << 31, True)])
def test_another_version_waits_while_the_child_has_large_inputs(cache: Path, resident: int, waited: bool) -> None:
    rest = f"time.sleep(0 if {waited} else 60); print({msgspec.json.encode(document()).decode()!r})"
    with says(str(resident).encode(), then=rest) as first:
        first.wait_if_large()
        assert cache.exists() is waited


def test_kept_counts_of_another_program_exercise_or_compiler_do_not_count(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with says(msgspec.json.encode(document())) as first:
        assert first.result() == document()
    assert FirstCounts(exercise(NAME), none_started).result() == document()
    monkeypatch.setattr(first_counts, "compiler_version", lambda: "another")
    with says(b"null") as first:
        assert first.result() is None


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"digest": "x", "document": null}', b"\xff" * 99])
def test_a_damaged_kept_file_is_replaced(cache: Path, content: bytes) -> None:
    cache.parent.mkdir(parents=True, mode=0o700)
    cache.write_bytes(content)
    with says(msgspec.json.encode(document())) as first:
        assert first.result() == document()
    assert msgspec.json.decode(cache.read_bytes(), type=Kept).document == document()


def test_a_file_that_others_can_write_is_not_believed(cache: Path) -> None:
    with says(b"null") as first:
        first.result()
    cache.chmod(0o666)
    with says(msgspec.json.encode(document())) as first:
        assert first.result() == document()
