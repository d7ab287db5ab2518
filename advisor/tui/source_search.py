"""What is typed in the source view, as what is wanted of it."""

from __future__ import annotations

from dataclasses import replace

from advisor.records.errors import UsageError
from advisor.session import events as e
from advisor.source.columns import COLUMNS, SETS, parse_columns
from advisor.source.hotspots import parse_search, parse_where
from advisor.source.measures import MEASURES, measure

_SIGNS = "<>="


def seek(text: str, now: e.Locate | None) -> e.SourceSought | str | None:
    """The event of a typed text, beside what is shown now; what is wrong with it; None where it is nothing known.

    `/LDG` searches, `/` alone takes the search away, `share>5%` filters (one comparison a field and sign), `samples`
    and ncu's own metric names measure, `stalls` and names of columns between commas show columns, `none` shows none.
    """
    kept = now or e.Locate(0)
    sought = e.SourceSought(kept.by, kept.search, kept.where, kept.columns)
    try:
        if text.startswith("/"):
            pattern = text[1:]
            if pattern:
                parse_search(pattern)
            return replace(sought, search=pattern)
        if any(sign in text for sign in _SIGNS):
            return replace(sought, where=_with(kept.where, text))
        if text == "none":
            return replace(sought, columns="")
        names = [part.strip() for part in text.split(",")]
        # Some measures and columns share a name: the one alone is the measure.
        if text not in MEASURES and all(name in SETS or name in COLUMNS for name in names):
            parse_columns(text)
            return replace(sought, columns=text)
        if text in MEASURES or "__" in text:
            return replace(sought, by=measure(text).id)
    except UsageError as problem:
        return str(problem).replace("--where ", "").replace("--search ", "")
    return None


def _with(where: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The comparisons with one more; it takes the place of one on the same field in the same direction."""
    new = parse_where(text)
    squeezed = "".join(text.split())
    kept = tuple(old for old in where if (parse_where(old).field, parse_where(old).sign[0]) != (new.field, new.sign[0]))
    return (*kept, squeezed)
