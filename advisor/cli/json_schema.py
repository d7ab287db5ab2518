"""JSON schemas of the documents, generated from their record classes."""

from __future__ import annotations

import typing
from typing import Any

import msgspec

from advisor.compare.records import Compared
from advisor.explain.entries import Explanation
from advisor.hardware.roofline import NapkinDocument
from advisor.hardware.simulators import AccessDocument, OccupancyDocument
from advisor.practice.exercise_list import PracticeList
from advisor.practice.selfcheck import Selfcheck
from advisor.program.records import ProfileDocument
from advisor.reasoning.document import DiagnosisDocument
from advisor.reasoning.emulated_counts import EmulatedDocument
from advisor.records.record import FORM, INTERNAL, OBJECT
from advisor.session.answer_record import AnswerDocument
from advisor.session.export.record import SessionDocument
from advisor.session.transcripts.format import FORMAT, ActionLine, Attached, Concluded, Header, Launch
from advisor.source.document import SourceComparison, SourceDocument
from advisor.sweep.records import SweepDocument
from advisor.timeline.results import TimelineResult
from advisor.triage.results import TriageDocument
from advisor.view.writers.json import EMPTY, form_of

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REF = "#/$defs/"

TRANSCRIPT = "transcript"
# Name of each schema -> the document that it describes.
DOCUMENTS: dict[str, tuple[Any, ...]] = {
    "answer": (AnswerDocument,),
    "compare": (Compared,),
    "diagnosis": (DiagnosisDocument,),
    "emulate": (EmulatedDocument,),
    "explain": (Explanation,),
    "napkin": (NapkinDocument,),
    "practice-list": (PracticeList,),
    "profile": (ProfileDocument,),
    "selfcheck": (Selfcheck,),
    "session": (SessionDocument,),
    "simulator": (AccessDocument, OccupancyDocument),
    "source": (SourceDocument,),
    "source_compare": (SourceComparison,),
    "sweep": (SweepDocument,),
    "timeline": (TimelineResult,),
    "triage": (TriageDocument,),
}


def schema(name: str) -> dict[str, Any]:
    """Return the schema of a document, or of the lines of a transcript."""
    if name == TRANSCRIPT:
        return _transcript()
    documents = DOCUMENTS[name]
    starts, parts = _parts(documents)
    head = {"$schema": _DIALECT, "$id": documents[0].__struct_config__.tag}
    whole = parts.pop(starts[0]["$ref"].removeprefix(_REF)) if len(starts) == 1 else {"oneOf": starts}
    return {**head, **whole, "$defs": _used(whole, parts)}


def _parts(documents: tuple[Any, ...]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return references to the document classes, and all schema parts by name."""
    seen = set[Any]()
    known = {key: kind for document in documents for key, kind in _records(document, seen)}
    starts, parts = msgspec.json.schema_components(documents, ref_template=_REF + "{name}", schema_hook=_internal)
    return list(starts), {k: _record(known[k], part) if k in known else _plain(part) for k, part in parts.items()}


def _transcript() -> dict[str, Any]:
    """Return the schema of a transcript line: the header, the session's inputs, an action, or the changes it made."""
    (header, attached, launch, action, concluded), parts = _parts((Header, Attached, Launch, ActionLine, Concluded))
    first = parts["Header"]
    first["properties"]["format"] = {"const": FORMAT}
    first["required"] = ["format", *first["required"]]
    parts["ActionLine"]["additionalProperties"] = True
    whole = {
        "oneOf": [header, _only("attached", attached), _only("launch", launch), action, _only("concluded", concluded)]
    }
    head = {"$schema": _DIALECT, "$id": FORMAT, "title": "TranscriptLine"}
    return {**head, **whole, "$defs": _used(whole, parts)}


def _only(name: str, part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: part}, "required": [name], "additionalProperties": False}


def _internal(_: Any) -> dict[str, Any]:
    """Return a schema for types that only internal fields have."""
    return {FORM: INTERNAL}


def _records(hint: Any, seen: set[Any]) -> typing.Iterator[tuple[str, Any]]:
    """Yield the records in a type, with their names."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        if hint in seen:
            return
        seen.add(hint)
        yield hint.__name__, hint
        for inner in typing.get_type_hints(hint, include_extras=True).values():
            yield from _records(inner, seen)
    elif form_of(hint) != INTERNAL:
        for inner in typing.get_args(hint):
            yield from _records(inner, seen)


def _record(kind: Any, part: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a record: without internal fields, and with all always written fields required."""
    properties, required = {}, [name for name in part["required"] if name not in kind.__struct_encode_fields__]
    rows = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for name, value in part["properties"].items():
        if value.get(FORM) == INTERNAL:
            continue
        field, value = rows.get(name), _plain(value)
        always = field is not None and field.default is msgspec.NODEFAULT and field.default_factory not in EMPTY
        if field is not None and (field.required or (always and {"type": "null"} not in value.get("anyOf", ()))):
            required.append(name)
        properties[name] = value if field is None or field.required else _narrowed(value, field.default)
    text = [" ".join(lines.split()) for lines in part.get("description", "").split("\n\n")]
    shape = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"title": part["title"], "description": "\n\n".join(text), **shape}


def _plain(part: Any) -> Any:
    """Return a part of a schema in the form that the JSON writer produces."""
    if isinstance(part, list):
        return [_plain(item) for item in part]
    if not isinstance(part, dict):
        return part
    if part.get(FORM) == OBJECT:
        rest = {key: value for key, value in part.items() if key in ("title", "description")}
        return {**rest, "type": "object", "additionalProperties": _plain(part["items"]["prefixItems"][1])}
    if isinstance(part.get(FORM), list):
        named = dict(zip(part[FORM], map(_plain, part["prefixItems"]), strict=True))
        return {"type": "object", "properties": named, "required": list(named), "additionalProperties": False}
    return {key: _plain(value) for key, value in part.items() if key != "default"}


def _narrowed(part: dict[str, Any], default: Any) -> dict[str, Any]:
    """Return the schema of a field that is omitted if its value is None or the default."""
    if "enum" in part:
        return {**part, "enum": [value for value in part["enum"] if value != default]}
    if default == "" and part.get("type") == "string":
        return {**part, "minLength": 1}
    if default == () and part.get("type") == "array":
        return {**part, "minItems": 1}
    left = [item for item in part.get("anyOf", ()) if item != {"type": "null"}]
    if not left or default is not None:
        return part
    rest = {key: value for key, value in part.items() if key != "anyOf"}
    return {**rest, **left[0]} if len(left) == 1 else {**rest, "anyOf": left}


def _used(part: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts that a schema refers to, sorted by name."""
    found: dict[str, Any] = {}
    left = [part]
    while left:
        item = left.pop()
        if isinstance(item, dict):
            name = str(item.get("$ref", "")).removeprefix(_REF)
            if name in parts and name not in found:
                found[name] = parts[name]
                left.append(parts[name])
        left += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return dict(sorted(found.items()))
