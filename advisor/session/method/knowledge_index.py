"""The steps of the method, the pitfalls and the ridge points, read from the knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from advisor.session.experiments import timeline
from advisor.session.records import Ask, Pitfall, Ridge, Step

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog

# Part III stands between the numbered steps and the annexes.


def steps(catalog: Catalog) -> tuple[Step, ...]:
    """All steps in the order of the method."""
    numbered, part_three = catalog.topic_file("steps"), catalog.topic_file("part_three")
    out: list[Step] = []
    for name, entry in numbered.items():
        if name == "IV":
            out += [_step(*item) for item in part_three.items()]
        out.append(_step(name, entry))
    return tuple(out)


def _step(name: str, entry: Mapping[str, Any]) -> Step:
    return Step(
        id=name,
        title=_text(entry, "title"),
        what=_text(entry, "what"),
        why=" ".join(text for text in (_text(entry, "why"), _text(entry, "when")) if text),
        steps=_list(entry, "steps"),
        look=_list(entry, "look"),
        commands=_list(entry, "commands"),
        exit=_text(entry, "exit"),
        misleads=_text(entry, "misleads"),
        see=_list(entry, "see"),
        exercise=_text(entry, "exercise"),
        cites=_list(entry, "cites"),
        points=_list(entry, "points"),
        formula=_text(entry, "formula"),
        example=_text(entry, "example"),
    )


def _text(entry: Mapping[str, Any], name: str) -> str:
    return " ".join(str(entry.get(name, "")).split())


def _list(entry: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(" ".join(str(item).split()) for item in entry.get(name, ()))


def pitfalls(catalog: Catalog) -> tuple[Pitfall, ...]:
    """The ways to be misled of step IV, in its order."""
    return tuple(
        Pitfall(name, _text(entry, "title"), _text(entry, "what"), _text(entry, "cure"), _text(entry, "found_by"))
        for name, entry in catalog.topic_file("pitfalls").items()
    )


def ridges() -> tuple[Ridge, ...]:
    """The ridge points of every card of the table, FLOP/byte, where its rates and its bandwidth are known."""
    from advisor.hardware import gpus

    out = []
    for name in gpus.ids():
        card = gpus.gpu(name)
        out += [Ridge(name, peak, at) for peak in card.peaks if (at := card.ridge(peak)) is not None]
    return tuple(out)


def timeline_asks(catalog: Catalog) -> tuple[Ask, ...]:
    """The numbers to ask for where there is no trace, in order: shares of the time and counts."""
    return tuple(
        Ask(
            id=metric,
            ask=ask,
            why=timeline.ASKED_WHY.get(
                metric, "It is a loss of its own, mended before any kernel; nsys shows it in the rows under the GPU."
            ),
            unit=catalog.metrics[metric].unit,
            low=0.0,
            high=100.0 if catalog.metrics[metric].unit == "%" else None,
            group="timeline",
        )
        for metric, ask, _ in timeline.ASKED
    )
