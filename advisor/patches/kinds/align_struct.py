"""Align a struct to 16 or 8 bytes, its size unchanged, so that neighbouring members are loaded together."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, field, walk
from advisor.patches.types import SIZES, clean, structure


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each struct that the kernel reaches through a pointer."""
    used = {clean(p.type) for f in source.reached(cause.kernel) for p in f.parameters if p.pointers}
    used |= {clean(d.type) for f in source.reached(cause.kernel) for d in source.declarations(f.body) if d.pointers}
    for node in walk(source.root, "struct_specifier"):
        title, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if body is None:
            continue
        holder = node.parent
        names = {source.at(title)} if title is not None else set()
        if holder is not None and holder.type == "type_definition":
            names |= {source.at(n) for n in holder.children_by_field_name("declarator")}
        names &= used
        if not names:
            continue
        name, line = min(names), source.line(node)
        rows = structure(source, name)
        sizes = [(SIZES.get(kind.rstrip("*"), 0), count) for _, kind, count in rows]
        if any("*" in kind and count == 1 for _, kind, count in rows) or not all(s and c for s, c in sizes):
            yield Unsuited(line, f"the size of {name} is not known")
            continue
        if len({s for s, _ in sizes}) > 1:
            yield Unsuited(line, f"members of {name} have different sizes, so that it may have gaps")
            continue
        total = sum(s * c for s, c in sizes)
        wide = 16 if total % 16 == 0 else 8 if total % 8 == 0 else 0
        if wide <= sizes[0][0]:
            yield Unsuited(line, f"{total} bytes of {name} are no multiple of 8: its size would change")
            continue
        word = node.children[0]
        # __align__ is blanked in what is parsed: an aligned struct is left alone.
        between = source.text[word.end_byte : field(node, "body").start_byte]
        if b"align" in between:
            continue
        yield Proposal(
            line,
            (Edit(word.end_byte, word.end_byte, f" __align__({wide})"),),
            f"{name}, {total} bytes, is aligned to {wide} bytes; its size stays",
        )
