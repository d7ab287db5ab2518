"""Temporary folders go with what they are for; what a killed run left goes at the next start, and nothing else does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from advisor.records import scratch
from advisor.records.scratch import PREFIX, ScratchFolder, remove_of, sweep

DEAD = 4_000_001  # above the largest process id that Linux gives by default


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left(place: Path, name: str, lock: bool = True, age: float = 0.0) -> Path:
    """A folder as a killed run leaves it."""
    path = place / name
    path.mkdir()
    (path / "unpacked").write_bytes(b"x")
    if lock:
        (path / "lock").touch()
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_a_folder_is_there_while_it_is_used(place: Path) -> None:
    with ScratchFolder() as name:
        assert Path(name).parent == place and Path(name).name.startswith(f"{PREFIX}{os.getpid()}-")
        assert Path(name).stat().st_mode & 0o77 == 0
        assert sweep() == 0 and Path(name).is_dir()
    assert not list(place.iterdir())


def test_all_folders_of_this_process_can_be_removed_at_once(place: Path) -> None:
    folders = [ScratchFolder() for _ in range(3)]
    scratch.remove_all()
    assert not list(place.iterdir())
    for folder in folders:
        folder.cleanup()


def test_what_a_killed_run_left_goes_at_the_next_start(place: Path) -> None:
    program = (
        "import sys, time; from advisor.records.scratch import ScratchFolder\n"
        "f = ScratchFolder(); print(f.name, flush=True)\n"
        "time.sleep(60)"
    )
    environment = {**os.environ, "TMPDIR": str(place)}
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment)
    assert child.stdout is not None
    folder = Path(child.stdout.readline().strip())
    assert folder.parent == place
    assert sweep() == 0 and folder.is_dir()  # it lives
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert folder.is_dir() and sweep() == 1 and not folder.exists()
    child.stdout.close()


def test_a_run_that_is_killed_while_it_removes_its_folder_leaves_the_lock_for_the_next_start(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ScratchFolder()
    (Path(folder.name) / "unpacked").write_bytes(b"x")
    (Path(folder.name) / "part").mkdir()
    (Path(folder.name) / "link").symlink_to(place)
    seen: list[list[str]] = []
    monkeypatch.setattr(
        tempfile.TemporaryDirectory,
        "cleanup",
        lambda self: seen.append([one.name for one in Path(self.name).iterdir()]),
    )
    monkeypatch.setattr(scratch, "_TRIES", 1)
    folder.cleanup()
    assert seen == [["lock"]] and place.is_dir()


def test_only_folders_of_ours_go(place: Path) -> None:
    old = 10 * 86_400.0
    keep = [
        left(place, f"{PREFIX}{DEAD}-new_without_lock", lock=False),
        left(place, f"{PREFIX}x-abc", age=old),
        left(place, f"ncu-advisor-{DEAD}-abc", age=old),
        left(place, f"other-{DEAD}-abc", age=old),
    ]
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    link = place / f"{PREFIX}{DEAD}-link"
    link.symlink_to(elsewhere)
    gone = [left(place, f"{PREFIX}{DEAD}-a"), left(place, f"{PREFIX}{DEAD}-b", lock=False, age=120.0)]
    (gone[0] / "way_out").symlink_to(elsewhere)
    assert sweep() == 2
    assert not any(path.exists() for path in gone)
    assert all(path.is_dir() for path in keep) and link.is_symlink() and (elsewhere / "precious").exists()


def test_a_lock_that_is_a_link_is_not_followed(place: Path) -> None:
    (place / "secret").write_text("x")
    folder = left(place, f"{PREFIX}{DEAD}-a", lock=False)
    (folder / "lock").symlink_to(place / "secret")
    assert sweep() == 0 and (place / "secret").read_text() == "x"


def test_folders_of_other_users_stay(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = left(place, f"{PREFIX}{DEAD}-a")
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    assert sweep() == 0 and folder.is_dir()


def test_folders_of_a_process_that_has_ended_go_at_once(place: Path) -> None:
    mine, other = left(place, f"{PREFIX}{DEAD}-a"), left(place, f"{PREFIX}{DEAD + 1}-a")
    remove_of(DEAD)
    assert not mine.exists() and other.is_dir()


def test_a_fork_removes_nothing_of_its_parent() -> None:
    with ScratchFolder() as name:
        process = os.fork()
        if process == 0:
            scratch.remove_all()
            os._exit(0)
        os.waitpid(process, 0)
        assert Path(name).is_dir()


def test_a_place_that_cannot_be_listed_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    assert sweep() == 0


def test_a_lock_is_never_seen_unlocked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import fcntl

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    really, seen = fcntl.flock, []

    def flock(file: object, operation: int) -> None:
        seen.append([path.name for path in tmp_path.glob("*/lock")])
        really(file, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    folder = scratch.ScratchFolder()
    assert seen == [[]], "the lock has its name only when it is locked"
    assert (Path(folder.name) / "lock").is_file()
    folder.cleanup()
