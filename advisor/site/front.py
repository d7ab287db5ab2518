"""The front page, which leads from what ncu shows to a cause, and the lists of symptoms and causes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from advisor.explain.index import Place
from advisor.knowledge.base import catalog
from advisor.site.addresses import OWN, Addresses
from advisor.site.page import SitePage
from advisor.view.blocks import Bullets, Cell, Column, Command, Page, Paragraph, Section, Table, section

_CAUSES = 3  # of a symptom, on the front page
_ROWS = 7
_LOOK: Final = "Look for these causes"
_MEANT: Final = ("It means", _LOOK)
_ABOUT: Final = (
    "An encyclopedia of GPU bottlenecks: what Nsight Compute shows, which cause it means, how to fix it, and what the "
    "fix has gained. Every statement names its number, its threshold and its source."
)


def front_page(addresses: Addresses, counts: Mapping[str, int]) -> SitePage:
    """Build the front page. counts: the number of entries of the parts of the site."""
    rows = list(_stalls(addresses, _CAUSES))[:_ROWS]
    see = section(
        "What do you see in Nsight Compute?",
        [
            _table(("Leading stall reason", *_MEANT), rows),
            Paragraph("More: all symptoms, among them the messages of ncu's own rules, are in page:symptoms.", "dim"),
        ],
        name="see",
    )
    parts = (
        (
            "page:causes/index",
            f"{counts['causes']} causes with rules, counters, code before and after, and measured gains",
        ),
        ("page:symptoms", "from a stall reason, a class or a message of ncu to its causes"),
        ("page:course/index", f"{counts['course']} exercises with recorded profiles: predict, then look"),
        ("page:metrics/index", f"{counts['metrics']} metrics with ids, names in ncu and units"),
        ("page:timelines/index", f"{counts['timelines']} patterns of a whole program in Nsight Systems"),
        ("page:method/steps", "what to do, in which order, and when to stop"),
        ("page:caveats/index", f"{counts['caveats']} reasons not to trust a number"),
        ("page:api/python", "the program in Python, in notebooks, in scripts and for agents"),
    )
    look = section("Look it up", [Bullets(tuple(f"{name} {text}" for name, text in parts))], name="look")
    run = section("Or ask the program", [Command("ncu-advisor diagnose report.ncu-rep")], name="run")
    page = Page("Why is this CUDA kernel slow?", (Paragraph(_ABOUT, "lead"),), (see, look, run))
    return SitePage("index", "Start", page, _ABOUT, boost=2.0, contents=False)


def _stalls(addresses: Addresses, most: int = 99) -> Iterable[tuple[str, str, str]]:
    """Yield each stall with causes: its link, what it means, its causes."""
    for place in addresses.places("stall"):
        leads = place.content.get("leads_to") or ()
        if leads:
            what = str(place.content.get("what", "")).split(". ")[0].rstrip(".")
            yield f"stall:{place.id}", what, _linked(leads, most)


def _linked(names: Sequence[str], most: int = 99) -> str:
    known = catalog()
    kinds = {
        name: "diagnosis" if name in known.diagnoses else "trust" if name in known.trust else "workload"
        for name in names
    }
    return ", ".join(f"{kinds[name]}:{name}" for name in names[:most])


def _table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Table:
    return Table(tuple(map(Column, heads)), tuple(tuple(map(Cell, row)) for row in rows))


def symptoms_page(addresses: Addresses) -> SitePage:
    """Build the tables from what ncu shows to causes."""
    known = catalog()
    messages = []
    for place in addresses.places("ncu_rule"):
        for verdict in place.content.get("verdicts") or ():
            causes = [name for name in verdict.get("about", ()) if name in known.diagnoses]
            if causes and verdict.get("has"):
                said = " … ".join(verdict["has"])
                messages.append((f"“{said}”", f"ncu_rule:{place.id}", _linked(causes)))
    by_class = []
    for name, found in known.classes.items():
        causes = [d.id for d in known.diagnoses.values() if any(f"class.{name}" in rule.when for rule in d.seen)]
        if causes:
            by_class.append((f"class:{name}", found.meaning, _linked(causes)))
    tests = []
    for entry in known.diagnoses.values():
        first = next((rule for rule in entry.seen if rule.when), None)
        if first is not None:
            tests.append((f"diagnosis:{entry.id}", ", ".join(first.when), entry.what))
    about = "What Nsight Compute shows, and the causes that can be behind it."
    sections = (
        section("By leading stall reason", [_table(("Stall", *_MEANT), _stalls(addresses))], name="stalls"),
        section("By message of ncu's own rules", [_table(("ncu says", "Rule", _LOOK), messages)], name="messages"),
        section("By class", [_table(("Class", *_MEANT), by_class)], name="classes"),
        section("By test", [_table(("Cause", "All of these hold (its first rule)", "It means"), tests)], name="tests"),
    )
    return SitePage("symptoms", "Symptoms", Page("Symptoms", (Paragraph(about, "lead"),), sections), about, boost=2.0)


_LISTS: Final = {
    "diagnosis": ("Causes", "Each cause of a slow kernel that the program recognises."),
    "trust": ("Caveats", "When not to believe a number."),
    "pattern": ("Timeline patterns", "What slows a whole program, seen in a trace of Nsight Systems."),
    "workload": ("Graphics workloads", "Causes in frames and compute passes whose unit utilisations are typed in."),
}


def list_page(kind: str, places: Sequence[Place], gains: Mapping[str, str]) -> SitePage:
    """Build the list of the entries of a kind, in their order. gains: id -> the measured speedup of its exercise."""
    title, about = _LISTS[kind]
    measured = any(place.id in gains for place in places)
    columns = (Column("Cause"), Column("What it is"), *([Column("Measured gain", True)] if measured else []))
    rows = tuple(
        (
            Cell(f"{kind}:{place.id}"),
            Cell(str(place.content.get("what", ""))),
            *([Cell(gains.get(place.id, "–"))] if measured else []),
        )
        for place in places
    )
    page = Page(title, (Paragraph(about, "lead"),), (Section("", (Table(columns, rows),)),))
    return SitePage(f"{OWN[kind]}/index", f"All {title[:1].lower()}{title[1:]}", page, about, contents=False)
