"""Folders of the user in every bad state: `python -m tests.bench.state_folders`. Linux; as root it finds more.

The real program reads a text and a compressed report, and triages them, while its cache, data, config and temporary
folders are planted, linked, unwritable, full or removed as it runs. The launches of the diagnosis must be those of an
undisturbed run; only where no temporary file can be written may a compressed report end in exit code 2 and one line.
Nothing outside the folders may change, and what was planted must neither be believed nor be gone. Prints a line for
each run; exit 1 if anything was wrong.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from advisor.hardware import ceilings
from advisor.knowledge.loader import FILE
from tests import damaged

_ROOT = Path(__file__).resolve().parents[2]
_KINDS = ("cache", "data", "config", "tmp")
_NOBODY = 65_534
Scene = Callable[[Path], Any]


def _environment(home: Path) -> dict[str, str]:
    folders = {f"XDG_{name.upper()}_HOME": str(home / name) for name in _KINDS[:3]}
    return {**os.environ, **folders, "HOME": str(home), "TMPDIR": str(home / "tmp"), "PYTHONPATH": str(_ROOT)}


def _run(home: Path, arguments: list[str], **more: Any) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "advisor", *arguments]
    done = subprocess.run(command, env=_environment(home), capture_output=True, text=True, timeout=120, **more)
    return done.returncode, done.stdout, done.stderr


def _launches(text: str) -> Any:
    document = json.loads(text)
    return document["launches"] if "launches" in document else document["groups"]


def _whole(home: Path) -> None:
    """A run before, so that there is something to plant in."""
    _run(home, ["diagnose", str(damaged.DATA / "tour_details.csv"), "--format", "json"])


def nothing(home: Path) -> None:
    """As it should be."""


def planted(home: Path) -> None:
    """A cache with other thresholds under the right digests, and ceilings, in folders that everyone may change."""
    _whole(home)
    cache = home / "cache" / "ncu-advisor" / FILE
    entries = msgspec.msgpack.decode(cache.read_bytes())
    poisoned = msgspec.msgpack.encode(entries).replace(b" > ", b" < ")
    cache.write_bytes(poisoned)
    rate = ceilings.Ceiling(1.0, 1.0, 1.0, 0.01, 20)
    card = ceilings.Ceilings("NVIDIA H200", "9.0", "2026-01-02T03:04:05+00:00", "13000", rate, rate, rate, rate)
    data = home / "data" / "ncu-advisor"
    data.mkdir(parents=True)
    (data / ceilings.FILE).write_bytes(msgspec.json.encode(ceilings.CeilingsFile(cards={"NVIDIA H200 (9.0)": card})))
    for path in (*home.rglob("*"), home):
        path.chmod(0o777 if path.is_dir() else 0o666)


def of_another(home: Path) -> None:
    """The same, but owned by another user, and closed."""
    planted(home)
    for path in home.rglob("*"):
        os.chown(path, _NOBODY, _NOBODY)
        path.chmod(0o755 if path.is_dir() else 0o644)
    os.chown(home / "tmp", 0, 0)


def links(home: Path) -> None:
    """Links to files of the user, to nowhere and to themselves, in the place of files and folders."""
    precious = home / "precious"
    precious.write_text("all of it")
    cache = home / "cache" / "ncu-advisor"
    (cache / "triage").mkdir(parents=True)
    (cache / FILE).symlink_to(precious)
    (home / "data").mkdir(exist_ok=True)
    (home / "data" / "ncu-advisor").symlink_to(home / "nowhere")
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "ncu-advisor").symlink_to(home / "config" / "ncu-advisor")
    (home / "tmp" / "ncu-advisor-scratch-4000001-abc").symlink_to(home)


def pipes(home: Path) -> None:
    """Pipes without a writer in the place of files."""
    for kind, name in (("cache", FILE), ("data", ceilings.FILE), ("config", "settings.json")):
        folder = home / kind / "ncu-advisor"
        folder.mkdir(parents=True)
        os.mkfifo(folder / name)


def files(home: Path) -> None:
    """Files in the place of folders."""
    for kind in _KINDS[:3]:
        (home / kind).write_text("no folder")


@contextmanager
def full(home: Path) -> Iterator[None]:
    """A file system of 64 kB below all folders, except the temporary one."""
    made = []
    try:
        for kind in _KINDS[:3]:
            (home / kind).mkdir()
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(home / kind)], check=True, capture_output=True
            )
            made.append(kind)
            with contextlib.suppress(OSError), (home / kind / "fill").open("wb", buffering=0) as file:
                while file.write(b"x" * 4096):
                    pass
        yield
    finally:
        for kind in made:
            subprocess.run(["umount", str(home / kind)], check=False)


@contextmanager
def full_tmp(home: Path) -> Iterator[None]:
    """A file system of 64 kB for temporary files."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(home / "tmp")], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(home / "tmp")], check=False)


def no_tmp(home: Path) -> None:
    """No temporary folder at all."""
    (home / "tmp").rmdir()


@contextmanager
def removed(home: Path, kinds: tuple[str, ...] = _KINDS[:3]) -> Iterator[None]:
    """All folders removed again and again while the program runs."""
    stop = threading.Event()

    def remove() -> None:
        while not stop.wait(0.02):
            for kind in kinds:
                for path in list((home / kind).glob("*")):
                    shutil.rmtree(path, ignore_errors=True)

    thread = threading.Thread(target=remove)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def removed_tmp(home: Path) -> Any:
    """Temporary folders removed again and again."""
    return removed(home, ("tmp",))


SCENES: tuple[Scene, ...] = (
    *(nothing, planted, of_another, links, pipes, files, full, full_tmp, no_tmp, removed, removed_tmp),
)
_MAY_FAIL = (full_tmp, no_tmp, removed_tmp)


def judge(scene: Scene, name: str, arguments: list[str], wanted: Any) -> tuple[str, float]:
    """What is wrong, and the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "tmp").mkdir()
        made = scene(home)
        kept = {path: path.read_bytes() for path in home.rglob("*") if path.is_file() and made is None}
        start = time.monotonic()
        with made if made is not None else contextlib.nullcontext():
            code, out, err = _run(home, arguments)
        seconds = time.monotonic() - start
        if "Traceback" in err or len(err.splitlines()) > 3:
            return f"stderr: {err[-200:]}", seconds
        changed = [path.name for path, data in kept.items() if not path.exists() or path.read_bytes() != data]
        if changed and scene is not nothing:
            return f"changed: {changed}", seconds
        if code == 2 and scene in _MAY_FAIL and name != "text":
            return "", seconds
        if code != 0:
            return f"exit {code}: {err[-200:]}", seconds
        if scene in _MAY_FAIL and name == "triage" and json.loads(out)["troubled"]:
            return "", seconds  # the file that could not be unpacked is named
        return ("" if _launches(out) == wanted else "another result"), seconds


def main() -> int:
    """Prints a line for each run; 1 if anything was wrong."""
    bad = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        reports = Path(folder)
        (reports / "a.csv").write_bytes((damaged.DATA / "tour_details.csv").read_bytes())
        (reports / "b.ncu-rep.xz").write_bytes((damaged.DATA / "section_report.ncu-rep.xz").read_bytes())
        commands = {
            "text": ["diagnose", str(reports / "a.csv"), "--format", "json"],
            "packed": ["diagnose", str(reports / "b.ncu-rep.xz"), "--format", "json"],
            "triage": ["triage", str(reports), "--jobs", "2", "--format", "json"],
        }
        wanted: dict[str, Any] = {}
        for scene in SCENES:
            if scene in (full, full_tmp, of_another) and os.geteuid() != 0:
                continue
            for name, arguments in commands.items():
                if scene is nothing:
                    with tempfile.TemporaryDirectory() as home:
                        (Path(home) / "tmp").mkdir()
                        wanted[name] = _launches(_run(Path(home), arguments)[1])
                wrong, seconds = judge(scene, name, arguments, wanted[name])
                runs, bad = runs + 1, bad + bool(wrong)
                print(f"{scene.__name__:12} {name:7} {seconds:5.1f} s  {wrong}", flush=True)
    print(f"{runs} runs, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
