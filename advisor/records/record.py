"""The base class of records that are JSON documents or parts of one, and the markers for their fields.

The JSON has the fields in order, by their encoded names. A field equal to its default is left out; so is None, unless
the field has no default (then it is null), and a non-finite number. `written` declares a default that is written all
the same; `Internal` excludes a field from the JSON; `Pairs` and tuples with `named` become objects.
`advisor.view.writers.json` writes the records, `advisor.cli.json_schema` describes them.
"""

from __future__ import annotations

from typing import Annotated, TypeVar, dataclass_transform

import msgspec

T = TypeVar("T")
# The key in a field's schema for how it is written, and its values.
FORM = "x-form"
INTERNAL = "internal"
OBJECT = "object"


def named(*names: str) -> msgspec.Meta:
    """Mark a tuple as an object in JSON with these names of its items."""
    return msgspec.Meta(extra_json_schema={FORM: list(names)})


def _limits(**limits: float | str) -> msgspec.Meta:
    return msgspec.Meta(extra_json_schema=dict(limits))


# A field that is not in the JSON.
Internal = Annotated[T, msgspec.Meta(extra_json_schema={FORM: INTERNAL})]
# Pairs of a name and a value, written as an object in JSON.
Pairs = Annotated[tuple[tuple[str, T], ...], msgspec.Meta(extra_json_schema={FORM: OBJECT})]
Count = Annotated[int, _limits(minimum=0)]
NotNegative = Annotated[float, _limits(minimum=0)]
Positive = Annotated[float, _limits(exclusiveMinimum=0)]
Percent = Annotated[float, _limits(minimum=0, maximum=100)]
# A share, 0 to 1.
Share = Annotated[float, _limits(minimum=0, maximum=1)]
# Old time over new.
Gain = Annotated[float, _limits(minimum=1)]
# Blocks or threads in x, y and z.
Shape = tuple[Count, Count, Count]


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base class of records: the fields are those of the JSON object."""


def written(default: T, name: str | None = None) -> T:
    """Declare a default that is written to the JSON too. name: the field's name in the JSON."""
    made: T = msgspec.field(default_factory=lambda: default, name=name)
    return made
