"""Convert the description of a launch, which `actions.describe` makes of NVIDIA's objects, to a launch."""

from __future__ import annotations

import math
from typing import Any

from advisor.knowledge.math_functions import function_counts
from advisor.knowledge.sampling import sampling_knowledge
from advisor.readers.csv_tables import percent_of, speedup_of
from advisor.readers.frame import Launch, Shape, one_line, short_name, without_links
from advisor.readers.numbers import Packer
from advisor.records.magnitudes import shape_of
from advisor.records.readings import Access, RuleResult
from advisor.records.sampling import SampledSeries, Sampling


def _shape(numbers: Any) -> Shape | None:
    return shape_of(numbers)


def _float(value: Any) -> float:
    return math.nan if value is None else float(value)


def launch_of(index: int, message: Any, packer: Packer) -> Launch | None:
    """Convert a child's message to a launch, or None if the child could not read it or the message is invalid."""
    if not isinstance(message, dict):
        return None
    try:
        full = str(message["full"])
        gpu, major, minor = message["device"]
        launch = Launch(
            index=index,
            kernel=str(message["name"]) or short_name(full),
            kernel_full=full,
            grid=_shape(message["grid"]),
            block=_shape(message["block"]),
            gpu_name=str(gpu or ""),
            cc=f"{int(major)}.{int(minor)}" if major is not None and minor is not None else "",
            values=packer.numbers(
                {str(name): (float(value), str(unit)) for name, (value, unit) in message["values"].items()}
            ),
            rules=tuple(_rule(*parts) for parts in message["rules"]),
        )
        if message["opcodes"] is not None:
            launch.opcodes = {str(name): float(count) for name, count in message["opcodes"].items()}
        if message["accesses"] is not None:
            launch.accesses = tuple(
                Access(str(space), str(kind), int(width), *(_float(number) for number in numbers))
                for space, kind, width, *numbers in message["accesses"]
            )
        launch.known |= {str(name): float(value) for name, value in message["patterns"].items()}
        constants = {int(bits): float(count) for bits, count in message.get("constants", ())}
        launch.known |= function_counts(constants, float(message.get("whole_products", 0.0)))
        if message["local"] is not None:
            launch.known["spill_inst"], launch.known["indexed_local_inst"] = (
                float(count) for count in message["local"]
            )
        if (sampling := message["sampling"]) is not None:
            if sampling["phases"] is not None:
                launch.known["sampling_phases"] = float(sampling["phases"])
            launch.sampling = _sampling(sampling)
        if message["built"] is not None:
            launch.known["line_info"], launch.known["debug_build"] = (float(mark) for mark in message["built"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None
    launch.known["nan_metrics"] = float(sum(not math.isfinite(value) for value, _ in launch.values.values()))
    return launch


def _sampling(message: Any) -> Sampling | None:
    """Return the samples of a launch; values without a peak become percentages of the largest."""
    made = []
    for name, one in sampling_knowledge().series.items():
        values = [float(value) for value in message["series"].get(name, ())]
        scale = 1.0 if one.scale == "percent" else 100.0 / max(values) if values and max(values) > 0 else 0.0
        if values and scale and all(map(math.isfinite, values)):
            made.append(SampledSeries(name, one.title, one.scale, tuple(round(value * scale, 2) for value in values)))
    interval = message["interval_ns"]
    return (
        Sampling(
            None if interval is None or not interval > 0 else float(interval),
            int(message["samples"]),
            int(message["runs"]),
            int(message["dropped"]),
            tuple(made),
        )
        if made
        else None
    )


def _rule(identifier: Any, title: Any, message: Any, saving: Any, local: Any = None) -> RuleResult:
    speedup = speedup_of(float(saving)) if saving is not None else None
    part = percent_of(float(local)) if local is not None else None
    return RuleResult(str(identifier), one_line(str(title)), one_line(without_links(str(message))), speedup, part)
