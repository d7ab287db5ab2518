"""A child process ends when it should, with all that it started."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from advisor.profiling.process import Ended, run_child


def python(code: str, on_text: object = lambda text, whole: None, first_s: float = 30.0) -> Ended:
    return run_child([sys.executable, "-c", code], on_text, first_s)  # type: ignore[arg-type]


def gone(pid: int, within_s: float = 60.0) -> bool:
    """Whether a process ends; a zombie that nobody has waited for yet counts as ended.

    The kernel takes a killed process down in its own time, so a busy machine is given some.
    """
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def test_lines_come_whole_and_in_order_with_the_exit_code() -> None:
    seen: list[str] = []

    def on_text(text: str, whole: bool) -> None:
        if whole:
            seen.append(text)

    ended = python("print('a'); print('b' * 9000); raise SystemExit(5)", on_text)
    assert seen == ["a", "b" * 9000] and ended == Ended(5, False, "")


def test_a_line_in_pieces_is_heard_as_it_grows() -> None:
    seen: list[tuple[str, bool]] = []
    code = "import sys\nfor part in ('0%', '....50%', '....100%\\n'):\n    sys.stdout.write(part); sys.stdout.flush()"
    python(code, lambda t, whole: seen.append((t, whole)))
    assert seen[-1] == ("0%....50%....100%", True)
    assert all("0%....50%....100%".startswith(text) for text, _ in seen)


def test_what_goes_to_stderr_is_kept_from_its_end() -> None:
    ended = python("import sys; sys.stderr.write('x' * 100000 + 'the end')")
    assert ended.errors.endswith("xthe end") and len(ended.errors) == 1 << 14


def test_a_child_that_is_too_late_is_ended_with_its_own_children(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.records.child._SOFT_S", 120.0)
    code = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'while True: pass']);"
        "print(p.pid, flush=True)\nwhile True: pass"
    )
    seen: list[int] = []

    def on_text(text: str, whole: bool) -> float | None:
        seen.append(int(text))
        return 0.1

    ended = python(code, on_text)
    assert ended.late and ended.code == -15 and gone(seen[0])


def test_a_child_that_ignores_the_request_is_ended_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.records.child._SOFT_S", 0.1)
    code = "import signal; signal.signal(15, signal.SIG_IGN); print('x', flush=True)\nwhile True: pass"
    ended = python(code, lambda t, whole: 0.1)
    assert ended.late and ended.code == -9


def test_an_interruption_ends_the_child_too() -> None:
    seen: list[int] = []

    def on_text(text: str, whole: bool) -> None:
        seen.append(int(text))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        python("import os; print(os.getpid(), flush=True)\nwhile True: print(1)", on_text)
    assert gone(seen[0])


def test_a_child_that_closes_its_output_and_lives_on_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.records.child._HARD_S", 0.2)
    monkeypatch.setattr("advisor.records.child._SOFT_S", 120.0)
    ended = python("import os; os.close(1)\nwhile True: pass")
    assert ended.late and ended.code == -15


def test_each_sign_of_life_gives_more_time() -> None:
    clock = iter(float(i) for i in range(100_000))
    command = [sys.executable, "-c", "for _ in range(50): print('x', flush=True)\nwhile True: pass"]
    heard: list[str] = []

    def on_text(text: str, whole: bool) -> float:
        heard.append(text)
        return 1e6 if len(heard) < 50 else 0.0

    assert run_child(command, on_text, 1e6, clock=lambda: next(clock)).late and len(heard) >= 50
    for none in (0.0, float("nan")):
        assert run_child(command, lambda text, whole: None, none, clock=lambda: next(clock)).late


def test_a_program_that_is_not_there_raises() -> None:
    with pytest.raises(OSError, match="No such file"):
        run_child(["/nowhere/ncu"], lambda t, whole: None, 1.0)


def test_no_pipe_stays_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        python("print('x')")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
