"""The case of an exercise: its bundled module, and the words that launch lines and answers may use."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from advisor.errors import KnowledgeError
from advisor.practice.api import Card, Work

NEEDED = ("sizes", "work", "inputs", "outputs", "reference", "TOLERANCES")


@lru_cache(maxsize=128)
def load_case(path: Path) -> ModuleType:
    """The module of a `case.py`; KnowledgeError when it cannot be loaded or lacks a part."""
    spec = importlib.util.spec_from_file_location(f"advisor_case_{path.parent.name.replace('-', '_')}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise KnowledgeError(f"{path}:1: missing")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as e:
        raise KnowledgeError(f"{path}:1: {type(e).__name__}: {e}") from None
    lacking = [part for part in NEEDED if not hasattr(module, part)]
    if lacking:
        raise KnowledgeError(f"{path}:1: lacks {', '.join(lacking)}")
    return module


def case_path(name: str) -> Path:
    """Where the case of a bundled exercise is."""
    from advisor.practice.manifest import home  # needs msgspec, which the child process must do without

    return home(name) / "case.py"


def case(name: str) -> ModuleType:
    """The module kernels/<name>/case.py; KnowledgeError when it cannot be loaded or lacks a part."""
    return load_case(case_path(name))


def launch_words(card: Card, sizes: dict[str, int]) -> dict[str, float]:
    """The names that formulas of launch lines may use."""
    limits = {"sms": card.sms, "shared_per_block": card.shared_per_block, "shared_per_sm": card.shared_per_sm}
    return {**{k: float(v) for k, v in sizes.items()}, **{k: float(v) for k, v in limits.items()}}


def work_of(name: str, step: str, sizes: dict[str, int]) -> Work:
    """What a step must do: the algorithm's work, or that of the part of it which the step does (`step_work`)."""
    module = case(name)
    part = getattr(module, "step_work", None)
    own: Work | None = part(step, sizes) if part is not None else None
    whole: Work = own if own is not None else module.work(sizes)
    return whole


def answers(name: str, step: str, sizes: dict[str, int]) -> dict[str, Any]:
    """What a person would answer about a step at these sizes; empty where the case has nothing to say."""
    return case_answers(case(name), step, sizes)


def case_answers(module: ModuleType, step: str, sizes: dict[str, int]) -> dict[str, Any]:
    """The same, of a case already loaded."""
    given = getattr(module, "answers", None)
    return dict(given(step, sizes)) if given is not None else {}
