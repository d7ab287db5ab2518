"""The names that people use for the numbers, gathered once from the knowledge base for `Lore.names`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from advisor import resources
from advisor.catalog.loader import load

if TYPE_CHECKING:
    from advisor.catalog import Catalog

FILE: Final = "spoken_names.yaml"
_UNIT = re.compile(r"_(?:pct|ns|hz|us)$")
_INSIDE = re.compile(r"^samples_|_not_issued_")  # counted only to make other numbers of


def plain(name: str) -> str:
    """A name for comparing: small letters and digits, one blank for all that is between them."""
    return re.sub(r"[\W_]+", " ", name.casefold().replace("%", " ")).strip()


def own_names() -> dict[str, list[str]]:
    """Metric -> what people call it, from the knowledge base. KnowledgeError with file and line for a mistake."""
    made: dict[str, list[str]] = load(resources.folder("knowledge") / FILE, dict[str, list[str]])
    return made


def names_of(catalog: Catalog) -> tuple[tuple[str, str], ...]:
    """(name as `plain` makes it, metric). What people say stands for one metric; labels and ids may be several's."""
    metrics = {name: entry for name, entry in catalog.metrics.items() if not _INSIDE.search(name)}
    said = {plain(name): metric for metric, names in own_names().items() for name in names if metric in metrics}
    out: dict[tuple[str, str], None] = dict.fromkeys(said.items())
    for metric, entry in metrics.items():
        labels = (label.partition("/")[2] for label in entry.text)
        for name in map(plain, (metric, *_shorter(metric), *labels, *entry.names)):
            if name and name not in said:
                out[name, metric] = None
    return tuple(out)


def _shorter(metric: str) -> Iterator[str]:
    """A metric's id without its unit, and a stall's without the word."""
    short = _UNIT.sub("", metric)
    yield short
    if metric.startswith("stall_"):
        bare = short.removeprefix("stall_")
        yield from (bare, f"{bare} stall", f"stalled {bare}")
    if metric.startswith("pipe_"):
        yield f"{short.removeprefix('pipe_')} pipe"
