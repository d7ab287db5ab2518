"""Match names of metrics in typed text: ids, spoken names, labels of ncu's pages, ncu's own names, and near misses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from advisor.knowledge.base import Catalog
from advisor.knowledge.spoken import spoken_names
from advisor.readers.frame import keys_of
from advisor.session.language.tables import cell
from advisor.session.records import KnowledgeIndex, Page

_UNIT = re.compile(r"_(?:pct|ns|hz|us)$")
_PER_REQUEST = re.compile(r"\s*/\s*req(?:uest)?s?\b|\bper req\b", re.IGNORECASE)  # as ncu's tables abbreviate it
_INSIDE = re.compile(r"^samples_|_not_issued_")  # only parts of other metrics
# minimum similarity (0 to 100): a typing error in a word of ten letters leaves 90, two different short names have 80
_SLIP: Final = 90.0
_AHEAD: Final = 4.0  # minimum lead in similarity over any other name
_MOST: Final = 4
_LONGEST: Final = 120
_WHOLE_WORD: Final = 3  # letters
_SHORTEST: Final = 3  # minimum length, since a shorter name resembles everything
_GOOD: Final = 62.0  # minimum similarity (0 to 100); worse suggestions are mostly wrong
_MOST_LETTERS: Final = 80


def plain(name: str) -> str:
    """Return a name in the form used for comparison: lower-case letters and digits, one blank between words."""
    name = _PER_REQUEST.sub(" per request", name)
    return re.sub(r"[\W_]+", " ", name.casefold().replace("%", " ")).strip()


def names_of(catalog: Catalog) -> tuple[tuple[str, str], ...]:
    """Return pairs (name as from `plain`, metric); a label may belong to several metrics, a spoken name to one."""
    metrics = {name: entry for name, entry in catalog.metrics.items() if not _INSIDE.search(name)}
    said = {plain(name): metric for metric, names in spoken_names().items() for name in names if metric in metrics}
    out: dict[tuple[str, str], None] = dict.fromkeys(said.items())
    for metric, entry in metrics.items():
        labels = (label.partition("/")[2] for label in entry.text)
        for name in map(plain, (metric, *_shorter(metric), *labels, *entry.names)):
            if name and name not in said:
                out[name, metric] = None
    return tuple(out)


def labels_of(catalog: Catalog) -> tuple[tuple[str, str, str], ...]:
    """Return triples (section, label, metric) of ncu's pages, and ("", ncu's own name, metric)."""
    out: dict[tuple[str, str], str] = {}
    for metric, entry in catalog.metrics.items():
        for pair in entry.text:
            for key in keys_of(pair):
                out.setdefault(key, metric)
        for name in entry.names:
            out.setdefault(("", name), metric)
    return tuple((*key, metric) for key, metric in out.items())


def _shorter(metric: str) -> Iterator[str]:
    """Yield a metric's id without its unit, and the id of a stall or pipe metric without that word."""
    short = _UNIT.sub("", metric)
    yield short
    if metric.startswith("stall_"):
        bare = short.removeprefix("stall_")
        yield from (bare, f"{bare} stall", f"stalled {bare}")
    if metric.startswith("pipe_"):
        yield f"{short.removeprefix('pipe_')} pipe"


def metrics_of(name: str, index: KnowledgeIndex, takes: Callable[[str], bool] = lambda metric: True) -> tuple[str, ...]:
    """Return the metrics that the name means: one if it is clear, several if it is ambiguous, none if it is unknown.

    takes: whether a metric could have the given value; if any could, the others are left out.
    """
    wanted = plain(name[:_LONGEST])
    if not wanted:
        return ()
    units = dict.fromkeys(metric for metric, _, _ in index.metrics)
    if name.strip() in units:
        return (name.strip(),)
    table = _table(index)
    exact = table.get(wanted, ())
    of_table = cell(wanted)
    in_table = (of_table.metric,) if of_table is not None and of_table.metric in units else ()
    for found in (exact, in_table, _beginning(wanted, table), _holding(wanted, table), _slip(wanted, table)):
        fitting = tuple(metric for metric in found if takes(metric))
        if fitting:
            return _first_asked(fitting, index)[:_MOST]
    return exact[:1]


def called(name: str, index: KnowledgeIndex) -> tuple[str, ...]:
    """Return the metrics with exactly this name."""
    return _table(index).get(plain(name[:_LONGEST]), ())


def near_metrics(name: str, index: KnowledgeIndex, most: int = 3) -> tuple[str, ...]:
    """Return the metrics with similar names, the nearest first."""
    wanted = plain(name[:_LONGEST])
    if len(wanted) < _SHORTEST:
        return ()
    table = _table(index)
    found = (metric for alike in near(wanted, table, most * 2) for metric in table[alike])
    return tuple(dict.fromkeys(found))[:most]


def _first_asked(metrics: tuple[str, ...], index: KnowledgeIndex) -> tuple[str, ...]:
    """Return the metrics with those of an interview first, since pages show them at the top."""
    asked = {ask.id for ask in index.interview}
    return tuple(sorted(metrics, key=lambda metric: metric not in asked))


@lru_cache(maxsize=4)
def _names(names: tuple[tuple[str, str], ...], metrics: tuple[tuple[str, str, str], ...]) -> dict[str, tuple[str, ...]]:
    out: dict[str, dict[str, None]] = {}
    for said, metric in (*names, *((plain(metric), metric) for metric, _, _ in metrics)):
        out.setdefault(said, {})[metric] = None
    return {said: tuple(found) for said, found in out.items()}


@lru_cache(maxsize=4)
def rows_named(pages: tuple[Page, ...]) -> dict[str, tuple[str, ...]]:
    """Return the metrics by the names of the rows of all pages of an interview."""
    out: dict[str, tuple[str, ...]] = {}
    for page in pages:
        for metric, row, _ in page.rows:
            out[plain(row)] = (*out.get(plain(row), ()), metric)
    return out


def _table(index: KnowledgeIndex) -> dict[str, tuple[str, ...]]:
    return _names(index.names, index.metrics)


def _beginning(wanted: str, table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    return _all(found for said, found in table.items() if said.startswith(wanted + " "))


def _holding(wanted: str, table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    words = set(wanted.split())
    return _all(found for said, found in table.items() if words <= set(said.split()))


def _all(found: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(metric for metrics in found for metric in metrics))


def _slip(wanted: str, table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the metrics whose name differs only by a typing error, if no other name is near."""
    if len(wanted) < 5:
        return ()
    from rapidfuzz import fuzz, process  # loads slowly: only for a name that no list has

    hits = process.extract(wanted, list(table), scorer=fuzz.ratio, limit=4, score_cutoff=_SLIP - _AHEAD)
    if not hits or hits[0][1] < _SLIP:
        return ()
    close = [said for said, score, _ in hits if score > hits[0][1] - _AHEAD]
    if any(_has_other_word(wanted, said) for said in close):
        return ()
    return _all(table[said] for said in close)


def _has_other_word(one: str, other: str) -> bool:
    """Return whether one name has a whole word more than the other: that is another name, not a typing error."""
    letters = abs(len(one.replace(" ", "")) - len(other.replace(" ", "")))
    return len(one.split()) != len(other.split()) and letters >= _WHOLE_WORD


def squash(text: str) -> str:
    """Return a text for comparison, without differences of case, blanks, dashes and underscores."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def near(text: str, names: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """Return at most `most` names that resemble the text, the nearest first; ties in the order of the names."""
    wanted = squash(text)[:_MOST_LETTERS]
    pool = list(dict.fromkeys(names))
    if not wanted or not pool:
        return ()
    from rapidfuzz import fuzz, process  # as above

    found = process.extract(
        wanted, pool, scorer=fuzz.WRatio, processor=lambda s: squash(s)[:_MOST_LETTERS], limit=most, score_cutoff=_GOOD
    )
    return tuple(name for name, _, _ in sorted(found, key=lambda hit: (-hit[1], hit[2])))


def pick(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the name that the text equals, else all names that begin with it."""
    wanted = squash(text)
    pool = list(dict.fromkeys(names))
    equal = [name for name in pool if squash(name) == wanted]
    if equal or not wanted:
        return tuple(equal[:1])
    return tuple(name for name in pool if squash(name).startswith(wanted))


def named(text: str, titles: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """Return the id whose id or title begins with the text ('' unless there is exactly one), and suggestions."""
    by_word = {word: name for name, title in titles.items() for word in (title, name) if word}
    found = tuple(dict.fromkeys(by_word[word] for word in pick(text, by_word))) if text else ()
    if len(found) == 1:
        return found[0], ()
    return "", found[:4] or tuple(dict.fromkeys(by_word[word] for word in near(text, by_word)))


def begun(text: str, names: Iterable[str]) -> list[str]:
    """Return the names that begin with the text, else those with a word that begins with it."""
    wanted, pool = squash(text), list(dict.fromkeys(names))
    if not wanted:
        return pool
    begun = [name for name in pool if squash(name).startswith(wanted)]
    return begun or [name for name in pool if any(word.startswith(wanted) for word in squash(name).split())]
