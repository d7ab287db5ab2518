"""The names that people use for the numbers, gathered once from the knowledge base for `Lore.names`.

Which number a name stands for: an id, what people say, a label of ncu's pages, ncu's own name, or nearly so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from advisor.knowledge.loader import load
from advisor.records import resources
from advisor.session.language.suggestions import near
from advisor.session.records import Lore

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog


_UNIT = re.compile(r"_(?:pct|ns|hz|us)$")


_INSIDE = re.compile(r"^samples_|_not_issued_")  # counted only to make other numbers of


def plain(name: str) -> str:
    """A name for comparing: small letters and digits, one blank for all that is between them."""
    return re.sub(r"[\W_]+", " ", name.casefold().replace("%", " ")).strip()


def own_names() -> dict[str, list[str]]:
    """Metric -> what people call it, from the knowledge base. KnowledgeError with file and line for a mistake."""
    made: dict[str, list[str]] = load(resources.folder("knowledge") / "spoken_names.yaml", dict[str, list[str]])
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


# Of 100: a slip of the finger in a word of ten letters leaves 90, two short names that differ come to 80.
_SLIP: Final = 90.0


_AHEAD: Final = 4.0  # and no other name may come near


_MOST: Final = 4


_LONGEST: Final = 120


_SHORTEST: Final = 3  # what is shorter resembles everything


def metrics_of(name: str, lore: Lore, takes: Callable[[str], bool] = lambda metric: True) -> tuple[str, ...]:
    """The metrics that the name stands for: one where it is clear, several where it is not, none where it is unknown.

    takes: whether a metric could have the value that was given; the others are not meant where some could.
    """
    wanted = plain(name[:_LONGEST])
    if not wanted:
        return ()
    units = dict.fromkeys(metric for metric, _, _ in lore.metrics)
    if name.strip() in units:
        return (name.strip(),)
    table = _table(lore)
    exact = table.get(wanted, ())
    for found in (exact, _beginning(wanted, table), _holding(wanted, table), _slip(wanted, table)):
        fitting = tuple(metric for metric in found if takes(metric))
        if fitting:
            return _first_asked(fitting, lore)[:_MOST]
    return exact[:1]


def called(name: str, lore: Lore) -> tuple[str, ...]:
    """The metrics that are called exactly so."""
    return _table(lore).get(plain(name[:_LONGEST]), ())


def near_metrics(name: str, lore: Lore, most: int = 3) -> tuple[str, ...]:
    """The metrics whose names resemble the name, the nearest first."""
    wanted = plain(name[:_LONGEST])
    if len(wanted) < _SHORTEST:
        return ()
    table = _table(lore)
    found = (metric for alike in near(wanted, table, most * 2) for metric in table[alike])
    return tuple(dict.fromkeys(found))[:most]


def _first_asked(metrics: tuple[str, ...], lore: Lore) -> tuple[str, ...]:
    """Those first that an interview asks for: they are what pages show in front."""
    asked = {ask.id for ask in lore.interview}
    return tuple(sorted(metrics, key=lambda metric: metric not in asked))


@lru_cache(maxsize=4)
def _names(names: tuple[tuple[str, str], ...], metrics: tuple[tuple[str, str, str], ...]) -> dict[str, tuple[str, ...]]:
    out: dict[str, dict[str, None]] = {}
    for said, metric in (*names, *((plain(metric), metric) for metric, _, _ in metrics)):
        out.setdefault(said, {})[metric] = None
    return {said: tuple(found) for said, found in out.items()}


def _table(lore: Lore) -> dict[str, tuple[str, ...]]:
    return _names(lore.names, lore.metrics)


def _beginning(wanted: str, table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    return _all(found for said, found in table.items() if said.startswith(wanted + " "))


def _holding(wanted: str, table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    words = set(wanted.split())
    return _all(found for said, found in table.items() if words <= set(said.split()))


def _all(found: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(metric for metrics in found for metric in metrics))


def _slip(wanted: str, table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What differs from the name by a slip of the finger, if nothing else does."""
    if len(wanted) < 5:
        return ()
    from rapidfuzz import fuzz, process

    hits = process.extract(wanted, list(table), scorer=fuzz.ratio, limit=4, score_cutoff=_SLIP - _AHEAD)
    if not hits or hits[0][1] < _SLIP:
        return ()
    close = [said for said, score, _ in hits if score > hits[0][1] - _AHEAD]
    return _all(table[said] for said in close)
