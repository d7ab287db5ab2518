"""The base of the records that are JSON documents or parts of one, and what their fields can declare.

The JSON has the fields in their order, by their encoded names. A field with a default is left out where it has that
value, one whose value is None unless it has no default (then it is null), and so is a number that is not finite.
`written` gives a default that is written all the same; `Internal` keeps a field out of the JSON; `Pairs` and tuples
with `named` are objects.
`advisor.view.writers.json` writes the records, `advisor.cli.json_schema` describes them.
"""

from __future__ import annotations

from typing import Annotated, TypeVar, dataclass_transform

import msgspec

T = TypeVar("T")
# The key of a field's schema that says how it is written, and its values.
FORM = "x-form"
INTERNAL = "internal"
OBJECT = "object"


def named(*names: str) -> msgspec.Meta:
    """Makes a tuple an object in JSON: the names of its items."""
    return msgspec.Meta(extra_json_schema={FORM: list(names)})


def _limits(**limits: float | str) -> msgspec.Meta:
    return msgspec.Meta(extra_json_schema=dict(limits))


# A field for the program alone.
Internal = Annotated[T, msgspec.Meta(extra_json_schema={FORM: INTERNAL})]
# Pairs of a name and a value, which are an object in JSON.
Pairs = Annotated[tuple[tuple[str, T], ...], msgspec.Meta(extra_json_schema={FORM: OBJECT})]
Count = Annotated[int, _limits(minimum=0)]
NotNegative = Annotated[float, _limits(minimum=0)]
Positive = Annotated[float, _limits(exclusiveMinimum=0)]
Percent = Annotated[float, _limits(minimum=0, maximum=100)]
# A part of a whole.
Share = Annotated[float, _limits(minimum=0, maximum=1)]
# Old time over new.
Gain = Annotated[float, _limits(minimum=1)]
# Blocks or threads in x, y and z.
Shape = tuple[Count, Count, Count]


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """A record whose fields are those of its JSON object."""


def written(default: T, name: str | None = None) -> T:
    """The default of a field that the JSON has even where it is the default; name: in the JSON."""
    made: T = msgspec.field(default_factory=lambda: default, name=name)
    return made
