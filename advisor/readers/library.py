"""Find NVIDIA's reader of reports: its ncu-report package, the Python module of an installed Nsight Compute, or ncu.

All three come from the same sources. ncu itself prints a report only as a table: without instructions, source lines
and time samples.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

from advisor.profiling.ncu import find_ncu, version_in
from advisor.profiling.process import Ended, ended_by
from advisor.readers.container import Limits
from advisor.readers.frame import one_line
from advisor.records.child import Child
from advisor.records.errors import InputError

INSTALL = "install it with `pip install ncu-report` (Linux x86-64 and aarch64, Windows, macOS arm64)"
_INSTALLED = Path("/opt/nvidia/nsight-compute")
_MODULES = ("extras/python", "python")  # the second in the application of macOS
_HEAD = 1 << 16
# What a script that runs ncu says about the installation: the place, or only the version in a name.
_PLACE = re.compile(r"/[\w./+-]*nsight-compute[\w./+-]*", re.IGNORECASE)
_VERSION = re.compile(r"nsight-compute[-/](\d+(?:\.\d+)+)", re.IGNORECASE)


class NoLibraryError(InputError):
    """NVIDIA's library is not there, or does not load."""


def module_folder() -> str:
    """Return the folder to import `ncu_report` from, or '' without it. The package goes before an installation."""
    spec = _package()
    if spec is not None and spec.origin is not None:
        return str(Path(spec.origin).parents[1 if spec.submodule_search_locations else 0])
    ncu = find_ncu()
    return beside(ncu) if ncu is not None else ""


def _package() -> ModuleSpec | None:
    return importlib.util.find_spec("ncu_report")


def missing() -> str:
    """Return why there is no `module_folder`, and what to install."""
    ncu = find_ncu()
    if ncu is None:
        return (
            "neither NVIDIA's ncu-report package, which reads .ncu-rep files, nor an installed Nsight Compute (ncu) is "
            f"found: {INSTALL}"
        )
    return f"NVIDIA's ncu-report package is not installed, nor its Python module beside {ncu}: {INSTALL}"


def beside(ncu: Path) -> str:
    """Return the folder of the Python module in the installation that the executable `ncu` belongs to, or ''."""
    for home in _homes(ncu.resolve()):
        for place in _MODULES:
            module = home / place / "ncu_report.py"
            if module.is_file() and _trusted(module):
                return str(home / place)
    return ""


def _trusted(module: Path) -> bool:
    """Return whether a file that is imported belongs to this user or to root: `ncu` may lie in a shared folder."""
    return os.name != "posix" or module.stat().st_uid in (0, os.getuid())


def _homes(ncu: Path) -> Iterator[Path]:
    """Yield the folders that may be the installation: that of the executable, else what a script there runs."""
    yield from ncu.parents[:3]  # the program itself is in target/SYSTEM
    try:
        with ncu.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return
    script = head.decode("utf-8", "replace") if head.startswith(b"#!") else ""
    for place in map(Path, _PLACE.findall(script)):
        yield from (place, place.parent)
    named = set(_VERSION.findall(script))
    patterns = ("nsight-compute*", "lib/nsight-compute*")
    others = [found for folder in ncu.parents[1:2] for pattern in patterns for found in folder.glob(pattern)]
    others += _INSTALLED.glob("*")

    def order(home: Path) -> tuple[bool, tuple[int, ...]]:
        return home.name.removeprefix("nsight-compute-") in named, version_in(home)

    yield from sorted(others, key=order, reverse=True)


def write_table(ncu: Path, name: str, report: Path, target: Path, limits: Limits) -> None:
    """Write the raw page of a report to `target` as CSV in base units, printed by ncu.

    report: path that ends in .ncu-rep; name: of the file in errors. Raises InputError with the error of ncu.
    """
    options = ("--csv", "--page", "raw", "--print-units", "base")
    errors, written = list[str](), 0
    try:
        child = Child([str(ncu), "--import", str(report), *options], most_bytes=limits.text_bytes + _HEAD)
    except OSError as error:
        raise InputError(f"{name}: {ncu} cannot be started: {(error.strerror or 'unknown error').lower()}") from None
    try:
        child.end_input()
        child.allow(limits.total_s)
        with target.open("wb") as out:
            for line in child.lines():
                written += len(line) + 1
                if written > limits.text_bytes:
                    raise InputError(f"{name}: its table is larger than {limits.text_bytes >> 20} MiB: {INSTALL}")
                if line.startswith(b"==ERROR=="):
                    errors.append(line.decode("utf-8", "replace"))
                out.write(line + b"\n")
        code = child.wait()
    except TimeoutError:
        raise InputError(f"{name}: {ncu} --import did not end within {limits.total_s:.0f} s") from None
    finally:
        child.close()
    if code != 0 or errors:
        how = ended_by(Ended(code, False, child.errors), text="\n".join(errors))
        raise InputError(f"{name}: {ncu} --import {one_line(how, 300)}")
