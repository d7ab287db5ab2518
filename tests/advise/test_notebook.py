"""`advise` in a real Jupyter kernel (nbclient), with an ncu that needs no GPU."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from program_machine import Machine

KERNEL = "row_per_thread"
LOAD = "%load_ext advisor\nNAMES = ['a', 'b']\ndef helper(n):\n    open('ran', 'a').write(f'{n} ')"


def executed(machine: Machine, *cells: str) -> list[Any]:
    """Run the cells in a new kernel and return the outputs of the last one."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(machine.home)}})
    client.execute()
    return list(notebook.cells[-1].outputs)


def texts(outputs: list[Any], name: str) -> str:
    return "".join(one.text for one in outputs if one.output_type == "stream" and one.name == name)


def test_a_cell_shows_its_page_and_sets_its_variable(machine: Machine) -> None:
    magic = f"%%advise found --kernel {KERNEL} --report made\nhelper(len(NAMES))"
    outputs = executed(machine, LOAD, magic)
    (page,) = [one.data["text/html"] for one in outputs if one.output_type == "execute_result"]
    assert page.startswith("<iframe ") and KERNEL in page
    assert (machine.home / "ran").read_text(encoding="utf-8") == "2 2 2 "
    last = executed(machine, LOAD, magic, "print(type(found).__name__, found.launches[0].kernel)")
    assert texts(last, "stdout") == f"Advice {KERNEL}\n"


def test_a_decorated_function_of_a_cell_is_sent_as_source_with_what_it_reads(machine: Machine) -> None:
    head = f"from advisor import advise\n@advise(kernel={KERNEL!r}, report='made')\n"
    define = f"{head}def work(n):\n    helper(n * len(NAMES))"
    outputs = executed(machine, LOAD, define, "work(4)")
    assert any("text/html" in one.get("data", {}) for one in outputs)
    assert (machine.home / "ran").read_text(encoding="utf-8") == "8 8 8 "


def test_a_block_of_a_cell_runs_here_too(machine: Machine) -> None:
    block = f"from advisor import advise\nwith advise(kernel={KERNEL!r}, report='made') as found:\n    helper(5)\nfound"
    outputs = executed(machine, LOAD, block)
    assert any("text/html" in one.get("data", {}) for one in outputs)
    assert (machine.home / "ran").read_text(encoding="utf-8") == "5 5 5 5 "


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("%%advise --most 0\nhelper(1)", "--most 0: a number from 1 to 100"),
        ("%%advise found again\nhelper(1)", "'again' is not understood: write %%advise"),
        ("%%advise\nhelper(", "the cell is not Python, in line 1"),
        ("%%advise\nhelper(1)\nraise OSError('broken')", "broken"),
    ],
)
def test_a_mistake_is_one_line(machine: Machine, cell: str, line: str) -> None:
    outputs = executed(machine, LOAD, cell)
    assert all(one.output_type == "stream" for one in outputs), outputs
    shown = [x for x in texts(outputs, "stderr").splitlines() if not x.startswith("ncu-advisor: running")]
    assert len(shown) == bool(line) and (not line or line in shown[0]), shown


def test_a_value_that_cannot_be_sent_is_named(machine: Machine) -> None:
    outputs = executed(machine, LOAD, "import threading\nLOCK = threading.Lock()", "%%advise\nwith LOCK: helper(1)")
    assert "'LOCK' cannot be sent to the process that ncu profiles" in texts(outputs, "stderr")


def test_without_ncu_the_decorator_shows_one_line_and_no_traceback(machine: Machine) -> None:
    hide = "import advisor.program.collect as c\nc.find_ncu = lambda: None"
    outputs = executed(machine, LOAD, hide, "%%advise\nhelper(1)")
    (line,) = texts(outputs, "stderr").splitlines()
    assert line.startswith("ncu-advisor: ncu (Nsight Compute) is not on the PATH")
