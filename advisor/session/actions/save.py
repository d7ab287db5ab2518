"""Write the session to a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from advisor.session.action import Action, Command, Listing, Result, Typed, shape
from advisor.session.actions.help import NotUnderstood
from advisor.session.language import files
from advisor.session.records import Card
from advisor.session.requests import Completed, Event, UserEvent, Write
from advisor.session.state import State
from advisor.session.transitions import add, wait
from advisor.view.blocks import Line
from advisor.view.writers import PAGE_FORMATS

KINDS: Final = ("transcript", *PAGE_FORMATS, "json")
FORMS: Final = tuple(files.ENDINGS[form][1:] for form in (*PAGE_FORMATS, "json"))


class WriteAsked(UserEvent, frozen=True, tag="write"):
    """The session is written to a file (fields as in requests.Write)."""

    what: str
    path: str


def _write_asked(state: State, event: WriteAsked) -> State:
    """Write the session unless the file would be empty: a page shows work on exercises, a transcript does not."""
    anything = state.diagnosis is not None or bool(state.answers) or state.timeline is not None
    practised = event.what != "transcript" and state.exercising is not None and bool(state.exercising.worked)
    if event.what not in KINDS or not (anything or practised):
        return state
    return wait(state, Write(event.what, event.path))


def _written(state: State, request: Write, result: Any) -> State:
    lines = [Line(str(result), "strong", "File")]
    if request.what == "transcript":
        text = f"ncu-advisor replay {result} replays it; with --check it reports conclusions that differ"
        lines.append(Line(text, "quiet"))
    else:
        others = [form for form in FORMS if form != files.ENDINGS[request.what][1:]]
        lines.append(Line(f"Other formats: {', '.join(f'/export {form}' for form in others)}", "quiet"))
    again = any(isinstance(old, Completed) and (old.request, old.result) == (request, result) for old in state.log)
    title = "Saved again to the same file" if again else "Saved"
    return add(state, Card("note", title, tuple(lines), state.position, label="Note"))


def _save(line: Typed, state: State) -> Event:
    path = files.home(line.text.strip().strip("\"'"))
    return WriteAsked("transcript", path or files.default_name(state.paths or state.traces, "transcript"))


def _export(line: Typed, state: State) -> Event:
    first, _, rest = line.text.partition(" ")
    what = files.form_of(first)
    path = files.home((rest if what else line.text).strip().strip("\"'"))
    # The key and the bare command write the page that every browser shows.
    what = what or files.form_by_ending(path) or ("" if path else files.form_of("html"))
    if not what:
        forms = tuple(f"/export {form}" for form in FORMS)
        wanted = f"{', '.join(FORMS[:-1])} or {FORMS[-1]}"
        return NotUnderstood(f"/export {line.rest}".strip(), forms, f"Name the format: {wanted}.")
    return WriteAsked(what, path or files.default_name(state.paths or state.traces, what))


def _save_to(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return listing(rest, ()) if rest else (files.default_name(state.paths or state.traces, "transcript"),)


def _export_to(rest: str, state: State, listing: Listing) -> Iterable[str]:
    form, blank, path = rest.partition(" ")
    if not blank:
        return (f"{name} " for name in FORMS if name.startswith(form.casefold()))
    default = files.default_name(state.paths or state.traces, files.form_of(form) or "markdown")
    return (f"{form} {found}" for found in ((default,) if not path else listing(path, ())))


_SAVE: Final = Command(
    "save",
    "save this session for replay",
    _save,
    "[file]",
    shapes=(shape("save(?: it| this| the session)? (?:as|to|in|into)", _save),),
    complete=_save_to,
    explicit=True,
)
_EXPORT: Final = Command(
    "export",
    "export the session as a page or as data",
    _export,
    f"{'|'.join(FORMS)} [file]",
    shapes=(shape("export(?: it| this| the session)? (?:as|to|in|into)", _export),),
    complete=_export_to,
    key="e",
    short="Export",
)

ACTIONS: Final = (
    Action(
        WriteAsked,
        _write_asked,
        "saves the session as {what}",
        (_SAVE, _EXPORT),
        keeps_view=True,
        results=(Result(Write, _written),),
    ),
)
