"""Explain a word: any id of the knowledge base, an opcode with modifiers, an ncu metric name, or a citation key.

For a fast start, this module imports neither pandas nor numpy and parses only the entries that it needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from advisor.explain import entries
from advisor.explain.entries import Explanation
from advisor.explain.index import ORDER, Index, Place, letters, norm
from advisor.records import resources
from advisor.records.errors import UsageError

__all__ = ["Explanation", "Hit", "contents", "explain", "find", "words"]

_PREFIXES = ("stall_", "step_", "annex_", "pitfall_", "formula_", "erratum_", "errata_", "pipe_", "case_", "rule_")
_SUFFIXES = ("_not_issued_pct", "_pct", "_stall", "_stalls", "s")
_CLOSE = 72.0  # score out of 100; suggestions with a lower score are useless
_HITS = 12  # maximum number of entries listed on a search page
# Words of a question that are unrelated to its subject.
_FILLERS = frozenset(
    (
        *("a", "an", "and", "are", "can", "do", "does", "for", "how", "i", "in", "is", "it", "mean", "me", "my", "of"),
        *("on", "or", "tell", "the", "to", "what", "when", "why", "with"),
    )
)


class Hit(Struct, frozen=True):
    """An entry that a search found; score is for sorting only."""

    kind: str
    id: str
    title: str
    score: float


@lru_cache(maxsize=4)
def _index(extra: tuple[Path, ...]) -> Index:
    return Index((resources.folder("knowledge"), *extra))


# Word that lists all entries of a kind -> the kind.
LISTS = {
    "diagnoses": "diagnosis",
    "workloads": "workload",
    "patterns": "pattern",
    "decisions": "decision",
    "trust entries": "trust",
    "classes": "class",
    "observations": "observation",
    "conclusions": "conclusion",
    "rules": "rule",
    "fixes": "fix",
    "questions": "question",
    "metrics": "metric",
    "stalls": "stall",
    "opcodes": "opcode",
    "gpus": "gpu",
    "calls": "call",
    "algorithms": "algorithm",
    "steps": "step",
    "pitfalls": "pitfall",
    "formulas": "formula",
    "topics": "topic",
    "terms": "term",
    "errata": "erratum",
}


def explain(word: str, extra: tuple[Path, ...] = ()) -> Explanation:
    """Return the explanation of a word; `kind:word` chooses among several meanings.

    extra: folders of teams. Raises UsageError with suggestions if the word is unknown.
    """
    index = _index(extra)
    if norm(word) in (*map(norm, LISTS), ""):
        return _list(index, norm(word))
    found = _places(index, word)
    if found:
        return entries.build(index, found[0], word, tuple(f"{p.kind}:{p.id}" for p in found[1:]))
    title = index.source_title(word.strip())
    if title is not None:
        return entries.build_source(index, word.strip(), title)
    return _searched(index, word)


def _searched(index: Index, word: str) -> Explanation:
    """Return the entry about a search text, else the entries that contain it. Raises UsageError if there are none."""
    kind, colon, _ = word.partition(":")
    wanted = _wanted(word)
    bare = " ".join(wanted)
    if bare != " ".join(word.casefold().split()) and (named := _named(index, bare)):
        return entries.build(index, named[0], bare, tuple(f"{p.kind}:{p.id}" for p in named[1:]))
    hits = [] if colon and norm(kind) in ORDER else _search(index, word, 60)
    about = [hit for hit in hits if all(_within(w, _head(index, hit)) for w in wanted)]
    if max(map(len, wanted), default=0) < 3:
        hits = []  # too short for a search in texts
    if any(all(_within(w, _head(index, hit, sentences=False)) for w in wanted) for hit in about):
        best, *others = sorted(about, key=lambda h: (norm(h.title) != norm(word), ORDER.index(h.kind), -h.score))
        return entries.build(index, _place(index, best), best.id, tuple(f"{h.kind}:{h.id}" for h in others[:_HITS]))
    if len(hits) == 1:
        return entries.build(index, _place(index, hits[0]), hits[0].id)
    if hits:
        shown = hits[:_HITS]
        lines = tuple(dict.fromkeys(f"{h.id}: {h.title}" if h.title and h.title != h.id else h.id for h in shown))
        see = tuple(f"{h.kind}:{h.id}" for h in shown)
        return Explanation("search", norm(_shown(word)) or "search", _shown(word), (("hits", lines),), (), see)
    raise UsageError(_unknown(index, word))


def _list(index: Index, word: str) -> Explanation:
    """Return all ids of one kind or, without a word, the kinds and their numbers of entries."""
    by_kind: dict[str, list[str]] = {}
    for place in index.everything():
        by_kind.setdefault(place.kind, []).append(place.id)
    chosen = next((plural for plural in LISTS if norm(plural) == word), "")
    if chosen:
        ids = sorted(dict.fromkeys(by_kind.get(LISTS[chosen], ())))
        return Explanation("list", chosen, chosen, (("what", (", ".join(ids),)),), (), ())
    rows = tuple(f"{plural}: {len(set(by_kind.get(kind, ())))}" for plural, kind in LISTS.items())
    return Explanation("list", "everything", "all kinds of entries", (("kinds", rows),), (), tuple(LISTS))


def _places(index: Index, word: str) -> list[Place]:
    """Return the entries that a word names, most likely first."""
    kind, colon, rest = word.partition(":")
    if colon and norm(kind) in ORDER:
        return [p for p in _named(index, rest) if p.kind == norm(kind)]
    return _named(index, word)


def _named(index: Index, word: str) -> list[Place]:
    key = norm(word)
    if "__" in word:
        found = _by_ncu_name(index, word.strip())
        if found:
            return found
    stalls = [p for p in index.places.get(_bare(key), ()) if p.kind == "stall"] if key.startswith("stall") else []
    if stalls:
        return stalls + index.places.get(key, [])
    exact = index.places.get(key, [])
    if any(p.kind not in ("source", "unit") for p in exact):
        return exact
    called = _by_alias(index, key)
    if called or exact:
        return called + exact
    for form in _forms(key):
        if form in index.places:
            return index.places[form]
    opcode = _opcode(index, word)
    if opcode:
        return [opcode]
    within = "." + key
    ended = [p for k, found in index.places.items() if k.endswith(within) for p in found]
    ended = sorted((p for p in ended if p.kind not in ("rule", "fix")), key=lambda p: ORDER.index(p.kind))
    return ended or _by_label(index, key)


def _by_alias(index: Index, key: str) -> list[Place]:
    """Return the first entry that lists the word as an alias, such as a GPU name; ignore all punctuation."""
    found = index.called.get(letters(key))
    return [] if found is None else [found]


def _by_label(index: Index, key: str) -> list[Place]:
    """Return the metric with this label on a page of ncu; ignore all punctuation."""
    plain = letters(key)
    named = ((label, p) for p in index.everything() if p.kind == "metric" for label in p.content.get("text", ()))
    return [p for label, p in named if letters(label.rpartition("/")[2]) == plain][:1]


def _bare(key: str) -> str:
    key = key.removeprefix("stall_").removeprefix("stalled_")
    for suffix in _SUFFIXES[:2]:
        key = key.removesuffix(suffix)
    return key


def _forms(key: str) -> Iterator[str]:
    """Yield other spellings of a normalised word: without its kind, in the singular, with its kind."""
    for prefix in _PREFIXES:
        if key.startswith(prefix):
            yield key[len(prefix) :]
            yield prefix[:-1] + "." + key[len(prefix) :]
    for suffix in _SUFFIXES:
        yield key.removesuffix(suffix)
    yield key + "s"
    yield "pipe_" + key.removesuffix("_pipe")
    yield key.replace(".", "_")
    yield key.replace("_", ".")


def _opcode(index: Index, word: str) -> Place | None:
    """Return the entry of an opcode by its longest known stem, such as LDG for LDG.E.128, or None."""
    parts = word.strip().upper().split(".")
    for length in range(len(parts), 0, -1):
        stem = ".".join(parts[:length])
        place = index.of(stem, "opcode")
        place = place or next((p for name, p in index.aliases if p.kind == "opcode" and name == stem), None)
        if place:
            return place
    return None


def _by_ncu_name(index: Index, word: str) -> list[Place]:
    """Return entries about an ncu metric name: a stall, a metric (also by the start of its name), else a warning."""
    stall = re.fullmatch(r"smsp__warp_(?:cycles_per_issue_)?stall_(\w+?)(?:_pct)?", word)
    if stall and (place := index.of(stall[1], "stall")):
        return [place]
    whole = re.compile(rf"(?<![\w.:]){re.escape(word)}(?![\w.:])")
    named = [p for p in index.everything() if p.kind in ("stall", "metric") and whole.search(index.block(p))]
    if not named:
        begun = re.compile(rf"(?<![\w.:]){re.escape(word)}\.")
        named = [p for p in index.everything() if p.kind == "metric" and begun.search(index.block(p))][:1]
    if not named:
        return [p for p in index.everything() if p.kind in ("pitfall", "topic") and word in index.block(p)][:1]
    return sorted(named, key=lambda p: ORDER.index(p.kind))


def _unknown(index: Index, word: str) -> str:
    from rapidfuzz import fuzz, process

    choices = index.names
    # Partial matching compares the shorter word with parts of the longer one, so very short words would always match.
    names = [name for name in choices if len(name) >= max(3.0, len(word) / 2)]
    close = process.extract(norm(word), names, scorer=fuzz.WRatio, limit=6, score_cutoff=_CLOSE)
    by_text = [hit.id for hit in _search(index, word, 4)]
    meant = list(dict.fromkeys([*(choices[name] for name, _, _ in close[: 2 if by_text else 4]), *by_text]))[:4]
    shown = _shown(word)
    if not meant:
        return f"no entry for {shown!r}: try the name of a finding, a stall, an opcode, a metric or a term"
    return f"no entry for {shown!r}; did you mean {', '.join(meant)}?"


def _shown(word: str) -> str:
    return word.strip()[:60].encode("unicode_escape").decode("ascii")


def _wanted(text: str) -> list[str]:
    """Return the significant words of a search."""
    return [w for w in re.split(r"[^a-z0-9_.]+", text.casefold()) if w and w not in _FILLERS]


def _within(word: str, text: str) -> bool:
    """Return whether a word of the text starts with this word, singular or plural; a short word must match fully."""
    end = r"(?![a-z0-9])" if len(word) < 3 else ""
    return re.search(rf"(?<![a-z0-9]){re.escape(_stem(word))}{end}", text) is not None


def _stem(word: str) -> str:
    """Return a word without its plural ending."""
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _place(index: Index, hit: Hit) -> Place:
    return next(p for p in index.places[norm(hit.id)] if (p.kind, p.id) == (hit.kind, hit.id))


def _head(index: Index, hit: Hit, sentences: bool = True) -> str:
    """Return the names of an entry: its id, its title and its aliases.

    sentences: whether also what an observation says, which is no name, though it stands in the place of a title.
    """
    place = _place(index, hit)
    names = [name for name, p in index.aliases if p == place]
    title = [hit.title] if sentences or hit.kind != "observation" else []
    return " ".join([hit.id, hit.id.replace("_", " "), *title, *names]).casefold()


def find(text: str, limit: int = 20, extra: tuple[Path, ...] = ()) -> tuple[Hit, ...]:
    """Return entries whose id, title or body contain all words of the text, best first, at most `limit`."""
    return tuple(_search(_index(extra), text, limit))


def _search(index: Index, text: str, limit: int) -> list[Hit]:
    wanted = _wanted(text)
    if not wanted or limit < 1:
        return []
    hits: dict[tuple[str, str], Hit] = {}
    stems = [_stem(w) for w in wanted]
    for place, body, name in index.searched:
        if not all(stem in body or stem in name for stem in stems):
            continue
        title = index.title(place)
        head = f"{place.id} {title}".casefold()
        score = sum(10.0 * (w in head) + 20.0 * (w == norm(place.id)) + min(5, body.count(w)) for w in wanted)
        hits[place.kind, place.id] = Hit(place.kind, place.id, title, score)
    return sorted(hits.values(), key=lambda h: (-h.score, ORDER.index(h.kind), h.id))[:limit]


def contents(extra: tuple[Path, ...] = ()) -> tuple[Hit, ...]:
    """Return every entry that can be explained, including sources, but not rules and fixes, which findings contain."""
    index = _index(extra)
    places = sorted((p for p in index.everything() if p.kind not in ("rule", "fix")), key=lambda p: (p.kind, p.id))
    return tuple(Hit(p.kind, p.id, index.title(p), 0.0) for p in places)


def words(extra: tuple[Path, ...] = ()) -> tuple[str, ...]:
    """Return every id that can be explained, sorted, without rules, fixes and sources."""
    return tuple(sorted({p.id for p in _index(extra).everything() if p.kind not in ("rule", "fix", "source")}))
