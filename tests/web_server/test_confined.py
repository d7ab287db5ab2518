"""What a served session refuses: paths out of its folder, programs, exercises; what it writes goes to the browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from advisor.records.errors import UsageError
from advisor.records.guard import is_within, refused
from advisor.session import events as e
from advisor.session.confined import confined
from advisor.session.executor import sources as real
from advisor.session.state import State
from advisor.session.transcripts.attachments import Memory
from advisor.tui.served import listed

SOURCES = real()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a report, a folder below it, and links out of it and back."""
    folder = tmp_path / "reports"
    (folder / "below").mkdir(parents=True)
    for path in (folder / "a.csv", folder / "below" / "b.ncu-rep", tmp_path / "secret.csv", folder / "c.md"):
        path.write_text("x", encoding="utf-8")
    (folder / "out.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    return folder


INSIDE = ["a.csv", "below/b.ncu-rep", "below/../a.csv", "no/such.csv", "./a.csv"]
OUTSIDE = ["../secret.csv", "out.csv", "up/secret.csv", "/etc/passwd", "below/../../secret.csv", "a\0.csv", "", "~"]


@pytest.mark.parametrize("name", INSIDE)
def test_paths_below_the_folder_are_read(root: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(root)
    assert is_within(name, root)


@pytest.mark.parametrize("name", [name for name in OUTSIDE if name not in ("", "~")])
def test_paths_out_of_the_folder_are_refused_before_anything_asks_whether_they_exist(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(root)
    asked: list[Any] = []
    live = replace(SOURCES, analyse=lambda *given: asked.append(given), trace=lambda *given: asked.append(given))
    sources = confined(live, root, Memory(), lambda name, text: None)
    quiet: Any = lambda *_: None  # noqa: E731
    for read in (
        lambda: sources.analyse([Path(name)], None, quiet),
        lambda: sources.trace([Path(name)], quiet),
        lambda: sources.side(name),
        lambda: sources.side(f"{name}#0"),
    ):
        with pytest.raises(UsageError, match="outside the folder"):
            read()
    assert asked == []
    assert "\0" not in refused(name)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("x.html", "x.html"),
        ("../../etc/x.html", "x.html"),
        ("C:\\Windows\\x.html", "x.html"),
        ("a\r\nSet-Cookie: b.html", "a-Set-Cookie-b.html"),
        ("x", "x.html"),
        ("..", "session.html"),
        ("", "session.html"),
    ],
)
def test_an_export_is_sent_under_a_plain_name_and_not_written(
    root: Path, monkeypatch: pytest.MonkeyPatch, typed: str, name: str
) -> None:
    monkeypatch.chdir(root)
    before = sorted(root.rglob("*"))
    sent: list[tuple[str, str]] = []
    sources = confined(SOURCES, root, Memory(), lambda *given: sent.append(given))
    assert sources.write(e.Write("html", typed), State()) == name
    assert [one for one, _ in sent] == [name]
    assert sent[0][1].startswith("<!")
    assert sorted(root.rglob("*")) == before


def test_exercises_are_refused_in_one_line(root: Path) -> None:
    sources = confined(SOURCES, root, Memory(), lambda name, text: None)
    with pytest.raises(UsageError, match="not available in a served session"):
        sources.practise(e.Practise("list"), lambda *_: None)


def test_the_start_screen_lists_what_may_be_opened(root: Path) -> None:
    assert listed(root) == ("a.csv", "below/b.ncu-rep")


_TRIES = """
import json, os, sqlite3, socket, subprocess, sys, tempfile
from pathlib import Path
from advisor.records.guard import confine
from advisor.tui.served import may_start
from advisor.records.child import python_command
root, other = Path(sys.argv[1]), Path(sys.argv[2])
os.chdir(root)
confine([root], may_start)
tries = {
    "read inside": lambda: (root / "a.csv").read_text(),
    "list inside": lambda: os.listdir(root),
    "temporary": lambda: tempfile.TemporaryFile().write(b"x"),
    "own data": lambda: __import__("advisor.knowledge.base").knowledge.base.catalog(()).metrics,
    "reader": lambda: subprocess.Popen(python_command("advisor.readers.child"), stdin=subprocess.DEVNULL).wait(),
    "read outside": lambda: (other / "secret.csv").read_text(),
    "read by a link": lambda: (root / "out.csv").read_text(),
    "read upwards": lambda: open("../secret.csv"),
    "low level": lambda: os.open("/etc/passwd", os.O_RDONLY),
    "bytes": lambda: open(b"/etc/passwd"),
    "list outside": lambda: os.listdir(other),
    "scan outside": lambda: os.scandir(other),
    "database": lambda: sqlite3.connect(f"file:{other}/secret.csv?mode=ro", uri=True),
    "write inside": lambda: (root / "new").write_text("x"),
    "append": lambda: open(root / "a.csv", "a"),
    "remove": lambda: (root / "a.csv").unlink(),
    "rename": lambda: os.rename(root / "a.csv", tempfile.gettempdir() + "/a"),
    "link": lambda: os.symlink("/etc", root / "etc"),
    "folder": lambda: (root / "new").mkdir(),
    "chmod": lambda: os.chmod(root / "a.csv", 0o777),
    "shell": lambda: os.system("true"),
    "program": lambda: subprocess.run(["true"]),
    "shell program": lambda: subprocess.run("true", shell=True),
    "our exercises": lambda: subprocess.run(python_command("advisor.practice.worker")),
    "other python": lambda: subprocess.run([sys.executable, "-c", "1"]),
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "connect": lambda: socket.create_connection(("127.0.0.1", 9)),
}
out = {}
for name, attempt in tries.items():
    try:
        attempt(); out[name] = "done"
    except PermissionError as e:
        out[name] = "refused" if str(e).find("this session") >= 0 else f"other {e}"
    except Exception as e:
        out[name] = repr(e)
print(json.dumps(out))
"""
_ALLOWED = {"read inside", "list inside", "temporary", "own data", "reader"}


def test_the_process_itself_reads_one_folder_and_writes_and_starts_nothing(root: Path, tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    env = {**os.environ, "TMPDIR": str(tmp_path / "scratch")}
    command = [sys.executable, "-c", _TRIES, str(root), str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert found.returncode == 0, found.stderr
    results = json.loads(found.stdout)
    assert {name for name, result in results.items() if result == "done"} == _ALLOWED
    assert {result for name, result in results.items() if name not in _ALLOWED} == {"refused"}, results
