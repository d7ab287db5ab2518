"""Cut a page to the length of an answer: whole blocks in their order, and a line that names what is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from advisor.view.blocks import Block, Bullets, Code, Facts, Outline, Page, Plain, Section, Table
from advisor.view.writers.markdown import page_markdown

TOKENS: Final = 1500
# Tokenizers of language models cut English with numbers and code into pieces of 3 to 4 characters.
CHARACTERS: Final = TOKENS * 3
_RESERVE: Final = 300  # characters for the line that names what is left out
# A program reads the text as it is, so an id must not have backslashes; a bar would still end a cell.
_ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]<>#~!&$@:.)+=-])")
_FENCE: Final = "```"


def brief(page: Page, most: int = CHARACTERS) -> str:
    """Return the page as Markdown of at most `most` characters.

    The blocks before the sections come first. A list, outline, table or code that does not fit ends early; a section
    that does not fit is named in the last line.
    """
    whole = _text(page)
    if len(whole) <= most:
        return whole
    room = most - _RESERVE
    kept, cut = _fitting(Page(page.title, (), ()), page.made, room)
    left = ["the rest of the summary"] if cut else []
    for each in page.sections:
        inside, cut = _section_fitting(kept, each, room)
        if inside is None:
            left.append(each.title)
            continue
        kept = inside
        left += [f"the rest of {each.title!r}"] if cut else []
    text = _text(kept).rstrip("\n")
    note = f"Left out for length: {'; '.join(dict.fromkeys(left))}"
    return f"{text}\n\n{note[: _RESERVE - 8].rstrip()}.\n"


def _text(page: Page) -> str:
    """Return the page as Markdown without escapes outside of code."""
    inside, lines = False, []
    for line in page_markdown(page).split("\n"):
        fence = line.lstrip().startswith(_FENCE)
        lines.append(line if inside or fence else _ESCAPED.sub(r"\1", line))
        inside ^= fence
    return "\n".join(lines)


def _fitting(page: Page, blocks: Sequence[Block], room: int) -> tuple[Page, bool]:
    """Return the page with as many of the blocks in `made` as fit, and whether some are missing."""
    for block in blocks:
        fits = next((p for p in _shorter(block) if len(_text(_with(page, p))) <= room), None)
        if fits is None:
            return page, True
        page = _with(page, fits)
        if fits is not block:
            return page, True
    return page, False


def _section_fitting(page: Page, one: Section, room: int) -> tuple[Page | None, bool]:
    """Return the page with as much of the section as fits (None: nothing of it), and whether some is missing."""
    blocks: list[Block] = []
    best: Page | None = None
    for block in one.blocks:
        for part in _shorter(block):
            tried = replace(page, sections=(*page.sections, replace(one, blocks=(*blocks, part))))
            if len(_text(tried)) <= room:
                blocks.append(part)
                best = tried
                break
        else:
            return best, True
        if blocks[-1] is not block:
            return best, True
    return best, False


def _with(page: Page, block: Block) -> Page:
    return replace(page, made=(*page.made, block))


def _shorter(block: Block) -> Iterator[Block]:
    """Return the block, then ever shorter beginnings of it, if it is a list of parts."""
    yield block
    match block:
        case Outline(lines=parts) | Code(lines=parts) | Plain(lines=parts):
            name = "lines"
        case Bullets(items=parts):
            name = "items"
        case Facts(rows=parts) | Table(rows=parts):
            name = "rows"
        case _:
            return
    count = len(parts) * 3 // 4
    while count > 0:
        change: dict[str, object] = {name: parts[:count]}
        if isinstance(block, Table) and block.notes:
            change["notes"] = block.notes[:count]
        yield replace(block, **change)
        count = count * 3 // 4
