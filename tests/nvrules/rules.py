"""Apply the exported rule to reports, and compare it with `diagnose`."""

from __future__ import annotations

import importlib.util
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

STANDIN = Path(__file__).parent / "standin"
KERNELS = Path(__file__).parents[2] / "kernels"


def applied(folder: Path, *reports: Path, python: str = sys.executable) -> list[dict[str, Any]]:
    """Return what the rule of a folder shows on each launch of the reports, in their order."""
    spec = importlib.util.find_spec("ncu_report")
    assert spec is not None and spec.origin is not None
    only = folder / "ncu_report_only"  # a folder with this package and no other
    only.mkdir(exist_ok=True)
    if not (only / "ncu_report").exists():
        (only / "ncu_report").symlink_to(Path(spec.origin).parent)
    command = [python, "-I", "-S", str(STANDIN / "apply_rule.py"), str(folder), str(only), *map(str, reports)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env={**os.environ, "HOME": "/"})
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def unpacked(report: Path, folder: Path) -> Path:
    """Return the report, unpacked into the folder if it is compressed."""
    if report.suffix != ".xz":
        return report
    out = folder / report.parent.relative_to(KERNELS.parent).as_posix().replace("/", "-")
    out = out.with_name(f"{out.name}.ncu-rep")
    out.write_bytes(lzma.decompress(report.read_bytes()))
    return out
