"""Run one function, block or cell in a process of its own, which the profiler starts with the name of a file.

The file holds two pickles that the parent wrote into a folder that only this user can open: a `setup`, and the work,
for which the import path of the parent is needed.
"""

from __future__ import annotations

import importlib
import os
import pickle
import runpy
import sys
import types
from pathlib import Path
from typing import Any

# In this process a decorated function just runs.
INSIDE = "NCU_ADVISOR_INSIDE"
_MAIN = "__ncu_advisor_main__"


def found(module: str, name: str, main: str) -> Any:
    """Return the function of that qualified name. main: the file of the parent's `__main__`, run under another name."""
    if module == "__main__":
        kept = types.ModuleType(_MAIN)  # so that the globals of its functions stay, and compilers find the module
        sys.modules[_MAIN] = kept
        kept.__dict__.update(runpy.run_path(main, run_name=_MAIN))
        first, *rest = name.split(".")
        target = getattr(kept, first)
    else:
        rest = name.split(".")
        target = importlib.import_module(module)
    for part in rest:
        target = getattr(target, part)
    return target


def run_sources(sources: list[tuple[str, str]], names: dict[str, Any]) -> None:
    """Execute source files in order. sources: (file, text); names: their globals."""
    for file, text in sources:
        exec(compile(text, file, "exec"), names)


def main() -> None:
    """Do the work of the file."""
    os.environ[INSIDE] = "1"
    with Path(sys.argv[1]).open("rb") as file:
        setup = pickle.load(file)
        sys.path[:] = setup["path"]
        sys.argv = ["ncu-advisor"]
        work = pickle.load(file)
    if "sources" in work:
        names = {"__name__": "__main__", "__builtins__": __builtins__, **work["names"]}
        run_sources(work["sources"], names)
        return
    function = work["function"] if "function" in work else found(*work["place"])
    function(*work["arguments"], **work["named"])
