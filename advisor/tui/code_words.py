"""What is told of a view of the code over its lists."""

from __future__ import annotations

from advisor.dialogue import events as e
from advisor.dialogue.records import Lore
from advisor.pipelines.viewing import Seen
from advisor.render.source import reason_text
from advisor.render.source_marks import count, file_name
from advisor.tui import words_views as words
from advisor.tui.code_rows import only_file

_NAME = 40  # cells of a file's name; of a longer one the end stays


def about_view(seen: Seen, sought: e.Locate | None, lore: Lore) -> list[tuple[str, str]]:
    """Measure and why, filters, how far lines can be trusted, what the report lacks: (text, style) a line."""
    view = seen.view
    told = words.MEASURE.format(title=view.measure.title, id=view.measure.id, total=count(view.total))
    reason = reason_text(seen.wanted, lore.title(seen.wanted.finding) if seen.wanted is not None else "")
    parts = [told, *([words.BECAUSE.format(reason=reason)] if reason else [])]
    if view.columns and sought is not None:
        parts.append(words.COLUMN_SET.format(columns=sought.columns))
    out = [("; ".join(parts), "")]
    filters = filters_text(sought)
    if filters:
        kept = words.FILTERS.format(filters=filters, kept=len(view.spots), total=len(seen.rows))
        out.append((kept, "$text-accent"))
    if not view.spots:
        out.append((words.NOTHING_HOT, "$text-warning"))
    if not view.has_lines:
        out.append((words.NO_LINES, "$text-warning"))
    elif view.trust is not None:
        lined, inlined = f"{view.trust.lined:.0%}", f"{view.trust.inlined:.0%}"
        only = only_file(seen)
        told = words.TRUST_IN.format(file=_name(only)) if only else ""
        out.append((words.TRUST.format(lined=lined, file=told, inlined=inlined), "$quiet"))
    if not view.has_code:
        out.append((words.NO_CODE, "$text-warning"))
    if view.has_lines and not view.texts:
        out.append((words.NO_TEXT, "$text-warning"))
    return out


def _name(file: str) -> str:
    name = file_name(file)
    return name if len(name) <= _NAME else "…" + name[-(_NAME - 1) :]


def filters_text(sought: e.Locate | None) -> str:
    """The search and the comparisons, empty where nothing is filtered."""
    if sought is None:
        return ""
    parts = [words.SEARCH.format(text=sought.search)] if sought.search else []
    return ", ".join((*parts, *sought.where))
