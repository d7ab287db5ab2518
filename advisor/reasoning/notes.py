"""Notes on the class of a launch: the leading unit, units that limit together, the band, ncu's plain table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import msgspec

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import TRUE, parse_test
from advisor.knowledge.loader import load_mapping
from advisor.knowledge.schemas import ObservationDef
from advisor.knowledge.texts import fields, fill, within_sentence
from advisor.knowledge.units import (
    CLUSTER_POINTS,
    SAME_POINTS,
    compute_units,
    inner_units,
    leading_units,
    memory_units,
    unit_name,
)
from advisor.records import resources

_UTILISED = 60.0  # percent, the threshold of the classes (guide.step1.table)
_NONE: Mapping[str, ObservationDef] = MappingProxyType({})


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A note, shown if its test holds, or if all names in it are known; optionally for one class only.

    when: observations that must hold as well; without a text of its own the note has that of the first one.
    """

    text: str = ""
    test: str = ""
    when: tuple[str, ...] = ()
    of_class: str = msgspec.field(default="", name="class")
    cites: tuple[str, ...] = ()

    def holds(self, known: Mapping[str, float | str], observations: Mapping[str, ObservationDef] = _NONE) -> bool:
        """Whether to show the note; `known` are the metrics and texts of one launch."""
        tests = [self.test] if self.test else []
        tests += [observations[name].test for name in self.when]
        return fields(self.text) <= known.keys() and all(_true(test, known) for test in tests)


def _true(test: str, known: Mapping[str, float | str]) -> bool:
    """Whether a test holds; a text is no number."""
    parsed = parse_test(test)
    said = {name: known[name] for name in parsed.names & known.keys()}
    return parsed.truth({name: value for name, value in said.items() if not isinstance(value, str)}) == TRUE


@lru_cache(maxsize=4)
def notes(path: str) -> dict[str, Note]:
    """Return the notes of one file of the knowledge folder, in their order."""
    return load_mapping(resources.folder("knowledge") / path, Note)


def shown(
    path: str,
    known: Mapping[str, float | str],
    class_id: str = "",
    observations: Mapping[str, ObservationDef] = _NONE,
) -> tuple[str, ...]:
    """Return the notes of a file that apply, with their placeholders filled."""
    chosen = (n for n in notes(path).values() if n.of_class in ("", class_id) and n.holds(known, observations))
    texts = (n.text or observations[n.when[0]].says for n in chosen)
    return tuple(fill(text, known) for text in texts)


def _not_broken_down(values: Mapping[str, float]) -> list[tuple[float, str]]:
    """Return the utilisation of each side that none of its known units reaches, and the name that ncu prints for it.

    One cache whose printed throughput reaches memory throughput stands for that.
    """
    out = []
    sides = (
        ("compute_pct", "sm_throughput_pct", compute_units()),
        ("memory_pct", "memory_throughput_pct", (*memory_units(), *inner_units())),
    )
    for side, total, units in sides:
        value = values.get(side, 0.0)
        if value > max((values[unit] for unit in units if unit in values), default=0.0) + SAME_POINTS:
            caches = [
                name
                for name in ("l1_throughput_pct", "l2_throughput_pct")
                if values.get(name, 0.0) >= value - SAME_POINTS
            ]
            out.append((value, caches[0] if total == "memory_throughput_pct" and len(caches) == 1 else total))
    return out


def _caches_alone(values: Mapping[str, float]) -> list[tuple[float, str]]:
    """Return the throughput of L1 and L2 where memory throughput, which they are part of, is unknown."""
    caches = () if "memory_pct" in values else ("l1_throughput_pct", "l2_throughput_pct")
    return [(values[name], name) for name in caches if name in values]


def class_notes(catalog: Catalog, class_id: str, values: Mapping[str, float], sm_unit: str = "") -> tuple[str, ...]:
    """Return the notes of one launch that ncu profiled; they do not mention unknown values.

    sm_unit: the unit that ncu's SM throughput comes from, if it does not count as compute here.
    """
    known: dict[str, float | str] = dict(values)
    shown_units = [(values[u], u) for u in leading_units() if u in values]
    units = sorted([*shown_units, *_not_broken_down(values), *_caches_alone(values)], reverse=True)
    # Where a side is unknown, its units may lead: a unit that is hardly used is then no leader.
    if units and (units[0][0] >= _UTILISED or {"compute_pct", "memory_pct"} <= values.keys()):
        known["leader_pct"], known["leader"] = units[0][0], unit_name(units[0][1])
        together = [unit_name(u) for value, u in units if units[0][0] - value <= CLUSTER_POINTS]
        if len(together) > 1:
            known["cluster"] = ", ".join(together)
    plain = (name for name, c in catalog.classes.items() if c.plain and parse_test(c.plain).truth(values) == TRUE)
    table = next(plain, class_id)
    if class_id not in (table, "undetermined"):
        known |= {"plain_by_unit" if sm_unit else "plain": within_sentence(catalog.classes[table].title)}
        known |= {"sm_unit": sm_unit} if sm_unit else {}
    return shown("class_notes.yaml", known, class_id, catalog.observations)
