"""Exercises for the stand-in CuPy: a case, steps made of what their kernels are to do, and a runner for them."""

from __future__ import annotations

import sys
from pathlib import Path

from advisor.practice.run import Limits, Runner
from advisor.practice.tasks import Job, Request, Task

STANDIN = Path(__file__).resolve().parent / "standin"

CASE = """
from __future__ import annotations
from typing import Any
import numpy as np
from advisor.practice.api import Card, Tolerance, Work

TOLERANCES = {"y": Tolerance(1e-6, 0.0, "a product is rounded once")}
ZEROED = ()

def sizes(card: Card) -> dict[str, int]:
    return {"n": 4096}

def work(n: dict[str, int]) -> Work:
    return Work(8.0 * n["n"], 1.0 * n["n"])

def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"x": rng.random(n["n"], dtype=xp.float32)}

def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"y": xp.zeros(n["n"], xp.float32)}

def scalars(n: dict[str, int]) -> dict[str, Any]:
    return {"a": np.float32(2.0)}

def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"y": data["x"].astype(xp.float64) * 2.0}

def answers(step: str, n: dict[str, int]) -> dict[str, Any]:
    return {"theoretical_bytes": 8 * n["n"]} if step == "good" else {}
"""
RIGHT = "args[1][:] = args[0] * args[2]"


def source(python: str = RIGHT, *extra: str, launch: str = "scale<<<ceil(n / 256), 256>>>(x, y, a, n)") -> str:
    """A .cu whose kernel `scale` does what `python` says."""
    return "\n".join(
        (
            "// Doubles a vector.",
            f"// launch: {launch}",
            f"// python scale: {python}",
            *extra,
            'extern "C" __global__ void scale(const float* x, float* y, float a, int n) {',
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "  if (i < n) y[i] = a * x[i];",
            "}",
            "",
        )
    )


def exercise(folder: Path, steps: dict[str, str], case: str = CASE, name: str = "doubling", **job: object) -> Task:
    """A task of these steps (name -> source), its files written under `folder`."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "case.py").write_text(case, encoding="utf-8")
    jobs = []
    for step, text in steps.items():
        path = place / f"{step}.cu"
        path.write_text(text, encoding="utf-8")
        jobs.append(Job(step, str(path), **job))  # type: ignore[arg-type]
    return Task(name, str(place / "case.py"), tuple(jobs), seed=7)


def runner(go_on: bool = False, prefix: tuple[str, ...] = (), check: float = 120.0, **env: str) -> Runner:
    """The real child process, with the stand-in in place of CuPy."""
    limits = Limits(check=check, time=120.0, profile=120.0)
    return Runner(sys.executable, prefix, {"PYTHONPATH": str(STANDIN), **env}, limits, go_on)


def asked(*tasks: Task) -> Request:
    """A request with few runs."""
    return Request(tasks, runs=6)
