"""Pages of many entries: metrics, tests, stalls, opcodes and the like, the table of GPUs, and the JSON documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.explain.entries import build
from advisor.explain.explain import explain
from advisor.explain.index import Index, Place
from advisor.site.addresses import GPUS, Addresses, Collection, anchor
from advisor.site.page import SitePage, reading_sections
from advisor.view.blocks import Block, Cell, Column, Fact, Facts, Page, Paragraph, Section, Table, section
from advisor.view.pages.explain import GPU_NOTE, SEE, SOURCES, gpu_table, heading_of, section_body

_WITH_SOURCES = ("term", "stall", "step", "pitfall", "topic", "formula", "erratum", "threshold", "algorithm")


def collection_page(index: Index, one: Collection, addresses: Addresses) -> SitePage:
    """Build a page with a section for each entry."""
    places = [
        place
        for kind in one.kinds
        for place in addresses.places(kind)
        if addresses.of(place).startswith(f"{one.path}#")
    ]
    made = [Paragraph(one.about, "lead"), Paragraph(f"{len(places)} entries.", "dim")]
    sections = [_entry(index, place) for place in sorted(places, key=lambda p: p.id) if place.kind == "metric"]
    sections = sections or [_entry(index, place) for place in places]
    return SitePage(one.path, one.title, Page(one.title, tuple(made), tuple(sections)), one.about)


def _entry(index: Index, place: Place) -> Section:
    made = build(index, place, place.id)
    blocks: list[Block] = [] if made.title in (place.id, "") else [Paragraph(place.id, "dim")]
    rows: list[Fact] = []
    for name, lines in made.sections:
        heading = heading_of(name)
        if not heading:
            blocks += [Paragraph(line) for line in lines]
        elif len(lines) == 1 and name not in ("code", "picture", "before", "after"):
            rows.append(Fact(heading, _ticked(name, lines[0])))
        else:
            blocks += [*([Facts(tuple(rows))] if rows else []), Paragraph(heading, "lead"), section_body(name, lines)]
            rows = []
    if made.see:
        rows.append(Fact(SEE, ", ".join(_words(index, made.see))))
    if made.cites and place.kind in _WITH_SOURCES:
        rows.append(Fact(SOURCES, "; ".join(title or key for key, title in made.cites)))
    return section(made.title or place.id, [*blocks, *([Facts(tuple(rows))] if rows else [])], name=anchor(place.id))


def _ticked(name: str, line: str) -> str:
    """Return a name, test or command as code."""
    return f"`{line}`" if name in ("names", "test", "collect", "commands", "exercise") and "`" not in line else line


def _words(index: Index, see: tuple[str, ...]) -> list[str]:
    """Return related entries as `kind:id`, which the writer links under their titles."""
    found = (word if ":" in word else (place := index.of(word)) and f"{place.kind}:{place.id}" for word in see)
    return [word for word in found if word]


def gpus_page() -> SitePage:
    """Build the table of all GPUs with their peaks and ridge points."""
    made = explain("formula:ridge_point")
    about = "Peaks and ridge points of the GPUs that the program knows."
    table = section("All GPUs", [gpu_table(made.gpus), Paragraph(GPU_NOTE, "dim")])
    page = Page("GPUs", (Paragraph(about, "lead"),), (table, *reading_sections(made)))
    return SitePage(GPUS, "GPUs", page, about)


def lookup_page(addresses: Addresses) -> SitePage:
    """Build the table of all metrics, to find one by its name in ncu."""
    rows = []
    for place in sorted(addresses.places("metric"), key=lambda p: p.id):
        content = place.content
        names = [str(name) for name in content.get("names") or ()]
        said = names or ([f"= {content['formula']}"] if content.get("formula") else [])
        rows.append(
            (
                Cell(place.id, link=addresses.of(place)),
                Cell(str(content.get("unit", ""))),
                Cell(said[0] if said else ""),
                Cell(str(content.get("title") or content.get("means", ""))),
            )
        )
    columns = (Column("Metric"), Column("Unit"), Column("In Nsight Compute, or formula"), Column("Meaning"))
    about = f"{len(rows)} metrics with their names in Nsight Compute. Type in the box to filter."
    page = Page("Find a metric", (Paragraph(about, "lead"),), (section("", [Table(columns, tuple(rows))]),))
    return SitePage("metrics/index", "Find a metric", page, about, contents=False)


def documents_page(schemas: Mapping[str, Mapping[str, Any]]) -> SitePage:
    """Build the page of the JSON documents. schemas: name -> JSON schema; `api/schemas/NAME.json` holds it."""
    about = "The JSON that the commands print. Each document names its schema in the field `schema`."
    sections = []
    for name, schema in schemas.items():
        fields = schema.get("properties", {})
        needed = set(schema.get("required", ()))
        rows = tuple(
            (Cell(f"`{field}`"), Cell(_type(about_)), Cell("always" if field in needed else "if known"))
            for field, about_ in fields.items()
        )
        blocks: list[Block] = [Paragraph(line) for line in str(schema.get("description", "")).split("\n\n") if line]
        blocks += [Table((Column("Field"), Column("Type"), Column("Present")), rows)] if rows else []
        blocks.append(Table((Column("Schema"),), ((Cell(f"{name}.json", link=f"file:api/schemas/{name}.json"),),)))
        sections.append(section(str(schema.get("$id") or name), blocks, name=anchor(name)))
    page = Page("JSON documents", (Paragraph(about, "lead"),), tuple(sections))
    return SitePage("api/documents", "JSON documents", page, about)


def _type(schema: Any) -> str:
    """Return the type of a field in a word or two."""
    if not isinstance(schema, Mapping):
        return "any"
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"][:4])) + (" …" if len(schema["enum"]) > 4 else "")
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_type, schema["anyOf"])))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items'))}"
    kinds = schema.get("type", "any")
    return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
