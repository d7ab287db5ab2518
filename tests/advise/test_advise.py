"""`advise` on functions and blocks, with an ncu that needs no GPU and writes recorded launches."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from program_machine import ROOT, Machine

import advisor
from advisor import advise
from advisor.python.advise import Advice, AdviceError
from advisor.python.payload import names_read, send_call

KERNEL = "row_per_thread"


def traced(line: str) -> None:
    """What the functions below do: leave a line in a file of the current folder."""
    with Path("ran").open("a", encoding="utf-8") as file:
        print(line, file=file)


@advise(kernel=KERNEL, report="made")
def plain(number: int, *, unit: str = "x") -> str:
    traced(f"{number}{unit}")
    return "the result"


@advise(report="made")
def failing() -> None:
    raise RuntimeError("the device is on fire")


def test_a_call_returns_the_diagnosis_that_the_command_gives_of_its_report(machine: Machine) -> None:
    found = plain(3, unit=" rows")
    assert isinstance(found, advisor.Diagnosis) and isinstance(found, Advice)
    (launch,) = found.launches
    assert launch.kernel == KERNEL and found.reports_at == (machine.home / "made.ncu-rep",)
    (same,) = advisor.diagnose(*found.reports_at).launches
    assert [f.id for f in launch.findings] == [f.id for f in same.findings] and launch.findings
    assert launch.findings[0].locations, "places of the first finding"


def test_the_function_runs_only_in_children_with_its_arguments(machine: Machine) -> None:
    plain(3, unit=" rows")
    # alone, with durations, with the metrics
    assert Path("ran").read_text(encoding="utf-8").splitlines() == ["3 rows"] * 3


def test_a_notebook_gets_one_sandboxed_page_without_scripts_from_kernel_names(machine: Machine) -> None:
    page = plain(1)._repr_html_()
    assert page.startswith("<iframe ") and 'sandbox=""' in page and page.count("<iframe") == 1
    assert KERNEL in page and "&lt;html" in page and "<script" not in page


def test_the_block_runs_here_and_again_with_the_values_that_it_found(machine: Machine) -> None:
    values = [1, 2]
    with advise(kernel=KERNEL, report="made") as found:
        values.append(3)
        traced(str(values))
    assert values == [1, 2, 3]
    assert Path("ran").read_text(encoding="utf-8").splitlines() == ["[1, 2, 3]"] * 4
    assert found.diagnosis is not None and found.diagnosis.launches[0].kernel == KERNEL


def test_an_error_in_the_block_is_the_users_own_and_nothing_is_profiled(machine: Machine) -> None:
    with pytest.raises(ZeroDivisionError), advise(report="made"):
        _ = 1 / 0
    assert machine.log == []


def _one_line(error: pytest.ExceptionInfo[AdviceError]) -> str:
    text = str(error.value)
    assert "\n" not in text and len(text) < 600
    assert error.value._render_traceback_() == [f"ncu-advisor: {text}"]
    return text


def test_without_ncu_one_line_says_so(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.program.collect.find_ncu", lambda: None)
    with pytest.raises(AdviceError) as error:
        plain(1)
    assert _one_line(error).startswith("ncu (Nsight Compute) is not on the PATH")


def test_a_function_that_fails_is_named_with_its_own_error(machine: Machine) -> None:
    with pytest.raises(AdviceError) as error:
        failing()
    text = _one_line(error)
    assert text.startswith("failing() ") and "the device is on fire" in text


def test_an_argument_that_cannot_be_sent_is_refused_before_anything_runs(machine: Machine) -> None:
    with pytest.raises(AdviceError) as error:
        plain(threading.Lock())  # type: ignore[arg-type]
    assert "an argument of plain cannot be sent" in _one_line(error) and not Path("ran").exists()


@pytest.mark.parametrize("wrong", [{"kernel": "("}, {"report": "/proc/none/made"}])
def test_wrong_options_are_one_line(machine: Machine, wrong: dict[str, Any]) -> None:
    with pytest.raises(AdviceError) as error:
        advise(**wrong)(traced)("x")
    _one_line(error)


def test_a_kernel_itself_is_no_function_to_decorate() -> None:
    with pytest.raises(AdviceError, match="not a kernel itself"):
        advise(object())  # type: ignore[call-overload]


def test_a_function_of_a_script_is_found_again_although_its_globals_cannot_be_sent(machine: Machine) -> None:
    script = machine.home / "tool.py"
    script.write_text(
        "import threading\nfrom advisor import advise\nLOCK = threading.Lock()\n\n"
        f"@advise(kernel={KERNEL!r}, report='made')\n"
        "def work(n):\n    with LOCK:\n        open('ran', 'a').write(str(n))\n\n"
        "if __name__ == '__main__':\n    print(work(7).launches[0].kernel)\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=machine.home, env=None)
    assert (done.stdout, done.returncode) == (f"{KERNEL}\n", 0), done.stderr
    assert Path("ran").read_text(encoding="utf-8") == "777"
    assert str(ROOT) not in done.stderr


def test_a_lambda_is_sent_by_value(tmp_path: Path) -> None:
    """The source of a lambda is the line around it, which is no call of it."""
    sent = send_call(tmp_path, lambda n: n + 1, (3,), {})
    with sent.file.open("rb") as file:
        pickle.load(file)
        work = pickle.load(file)
    assert work["function"](*work["arguments"]) == 4


def test_names_that_a_block_reads() -> None:
    assert names_read("y = f(x)[n.a]\nz = [i for i in q]") == {"f", "x", "n", "i", "q"}
    assert names_read("lock = make()\ntotal += 1") == {"make", "total"}
