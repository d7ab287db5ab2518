"""The pages of an interview: the numbers of one section of ncu, asked together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from advisor.knowledge.base import Catalog
from advisor.knowledge.loader import load
from advisor.records import resources
from advisor.session.records import Ask, Page

PREFIX: Final = "page:"  # of the question id of a page
_ASK: Final = "{section}: which numbers does ncu show? ({where})"
_HOW: Final = (
    "Type the numbers in this order, paste the rows from ncu, or press / and type names with numbers "
    "(dram 83%, l2 hit 41%). "
    "A dash stands for an unknown number; what you leave out counts as unknown."
)


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    row: str
    how: str = ""
    after: str = ""


class _Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    section: str
    where: str
    rows: dict[str, _Row]


def pages(catalog: Catalog) -> tuple[Page, ...]:
    """Return the pages of knowledge/interview.yaml with the rows whose metrics the catalog knows, in their order.

    Raises KnowledgeError with file and line.
    """
    made: dict[str, _Page] = load(resources.folder("knowledge") / "interview.yaml", dict[str, _Page])
    return tuple(
        Page(
            PREFIX + name,
            page.section,
            page.where,
            tuple((metric, row.row, row.how) for metric, row in page.rows.items() if metric in catalog.metrics),
            tuple((metric, row.after) for metric, row in page.rows.items() if row.after),
        )
        for name, page in made.items()
    )


def pages_by_metric(pages: Sequence[Page]) -> dict[str, Page]:
    """Return the page that has each metric: the first, of several."""
    return {name: page for page in reversed(pages) for name, _, _ in page.rows}


def is_due(page: Page, metric: str, known: Mapping[str, float]) -> bool:
    """Return whether a row can be asked: the number that it comes after is known and not 0."""
    after = dict(page.after).get(metric, "")
    return not after or known.get(after, 0.0) > 0


def page_ask(page: Page, asks: Collection[Ask]) -> Ask:
    """Return the question for those rows of a page that are among these questions, in the page's order."""
    of = {ask.id: ask for ask in asks}
    rows = tuple(of[metric] for metric, _, _ in page.rows if metric in of)
    changes = tuple(dict.fromkeys(name for row in rows for name in row.would_change))
    title = _ASK.format(section=page.section, where=page.where)
    return Ask(page.id, title, _HOW, "page", would_change=changes, group="page", rows=rows)
