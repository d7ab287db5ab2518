"""The names that a question can contain beside the vocabulary, from the knowledge base."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from advisor.explain import explain
from advisor.hardware import gpus
from advisor.knowledge.base import catalog
from advisor.knowledge.loader import load
from advisor.records import resources
from advisor.session.language.lexicon import Known
from advisor.session.language.names import names_of

# Metrics that a launch of a report does not have.
_ELSEWHERE = ("metrics_timeline", "metrics_graphics", "metrics_reasoning")
# The kinds of entries that people ask about by name.
_KINDS = ("stall", "term", "formula", "topic", "diagnosis", "trust", "pitfall", "opcode")


@lru_cache(maxsize=4)
def known(folders: tuple[Path, ...] = ()) -> Known:
    """Return the names of metrics, findings, terms and GPUs, with a team's folders."""
    base = catalog(folders)
    titles = {name: entry.title for name, entry in base.findings.items()}
    files = (resources.folder("knowledge") / f"{name}.yaml" for name in _ELSEWHERE)
    others = {metric for file in files for metric in load(file, dict[str, Any])}
    metrics = tuple((name, metric) for name, metric in names_of(base) if metric not in others)
    metrics += tuple((raw, name) for name, entry in base.metrics.items() if name not in others for raw in entry.names)
    terms = tuple(hit.id for hit in explain.contents(folders) if hit.kind in _KINDS)
    return Known(
        metrics, tuple(titles.items()), terms, tuple(gpus.table().index.items()), entries=explain.words(folders)
    )
