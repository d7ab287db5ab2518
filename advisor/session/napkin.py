"""Napkin math in a session: the algorithms as questions, and an estimate compared with the measurement, as lines.

The rules that compare load pandas and experta, so only the worker that performs requests imports this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from advisor.hardware import algorithms as known
from advisor.hardware import ceilings, gpus
from advisor.hardware.algorithms import Parameter
from advisor.hardware.gpus import Gpu
from advisor.hardware.roofline import Inconsistency, Result
from advisor.hardware.roofline import estimate as napkin_estimate
from advisor.reasoning.napkin import check
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session.records import Algorithm, Ask, Choice, NapkinResult
from advisor.view.blocks import Line
from advisor.view.numbers import amount_text, speedup_text, time_text
from advisor.view.text import sentence_start

_EXPECT: Final = {"memory": "memory should be the limit", "compute": "arithmetic should be the limit"}

# The answer that a data type of the napkin math implies for the intended data type (question intended_dtype).
_INTENDED: Final = {"f64": "f64", "f32": "f32", "tf32": "tf32", "f16": "f16", "bf16": "f16", "f8": "f8", "i8": "int"}


def algorithms() -> tuple[Algorithm, ...]:
    """Return all algorithms of the knowledge base. Their questions: the data type, then the parameters in order."""
    types = tuple(Choice(key, entry.title, (key, *entry.aliases)) for key, entry in known.dtypes().items())
    dtype = Ask(
        "dtype",
        "Which data type do the elements have?",
        "The type sets the bytes per element and the arithmetic peak.",
        "choice",
        choices=types,
        group="napkin",
        optional=False,
    )
    return tuple(
        Algorithm(key, entry.title, (dtype, *(_ask(name, p) for name, p in entry.parameters.items())))
        for key, entry in known.algorithms().items()
    )


def _ask(name: str, parameter: Parameter) -> Ask:
    """Return a parameter as a question that offers its default. A derived parameter is calculated for "don't know"."""
    return Ask(
        id=name,
        ask=f"{sentence_start(parameter.means)} ({name})?",
        why="",
        unit=parameter.unit,
        low=parameter.low,
        high=parameter.high,
        group="napkin",
        usual=float(parameter.default) if isinstance(parameter.default, int | float) else None,
        optional=isinstance(parameter.default, str),
    )


def gpu_of(launch: LaunchDiagnosis) -> Gpu:
    """Return the GPU of a launch, from the user's answer, else the report's attributes, else the table."""
    if launch.known_as and gpus.known_as(launch.gpu_name, launch.cc) != launch.known_as:
        return gpus.gpu(launch.known_as)
    return gpus.resolve(launch.metrics, launch.gpu_name, launch.cc)[0]


def estimate(name: str, parameters: Mapping[str, float | str], launch: LaunchDiagnosis) -> NapkinResult:
    """Return the napkin math of an algorithm on the launch's GPU, compared with the measurement.

    If the two contradict each other (faster than possible, fewer bytes than possible), the sizes are not those of this
    launch: a line reports it, and no conclusion is drawn from them.
    """
    numbers = {key: float(value) for key, value in parameters.items() if not isinstance(value, str)}
    dtype = str(parameters.get("dtype", "f32"))
    gpu = gpu_of(launch)
    measured = ceilings.for_roofline(ceilings.measured(launch.gpu_name, launch.cc), gpu, dtype)
    result = napkin_estimate(name, numbers, dtype=dtype, gpu_name=gpu, ceilings=measured)
    found = check(result, launch.metrics)
    lines = (*_needs(result), *_against(result, launch), *_said(result, found))
    answers: tuple[tuple[str, float | str], ...] = ()
    if not any(item.kind == "contradiction" for item in found):
        answers = (("theoretical_bytes", result.bytes), ("theoretical_flop", result.flop))
        answers += (("napkin_ridge", result.expected.ridge),) if result.expected else ()
        answers += (("intended_dtype", _INTENDED[dtype]),) if dtype in _INTENDED else ()
    sizes = ", ".join(f"{key} {value:,.6g}" for key, value in result.parameters.items())
    bound = "" if result.expected is None else result.expected.bound
    return NapkinResult(f"{result.algorithm.title}, {result.dtype.title}: {sizes}", lines, answers, bound)


def _needs(result: Result) -> tuple[Line, ...]:
    work = f"{amount_text(result.flop, 'FLOP')}, {amount_text(result.bytes, 'byte')}"
    lines = [Line(work, "fact", "Needs")]
    roof = result.expected
    intensity = f"{result.intensity:.4g} FLOP/byte"
    if roof is None:
        return (*lines, Line(intensity, "fact", "Intensity"))
    side = "under the ridge at" if roof.bound == "memory" else "over the ridge at"
    ridge = f"{intensity}, {side} {roof.ridge:.4g}: {_EXPECT[roof.bound]}"
    return (*lines, Line(ridge, "fact", "Intensity"))


def _against(result: Result, launch: LaunchDiagnosis) -> tuple[Line, ...]:
    floor = amount_text(result.floor_ns, "ns")
    reached = amount_text(result.achievable_ns, "ns")
    lines = [Line(f"{floor} at peak rates, {reached} at the rates of good code", "strong", "Minimum time")]
    measured = [time_text(launch.duration_ns)] if launch.duration_ns is not None else []
    for metric, unit in (("dram_bytes", "byte"), ("flop", "FLOP")):
        value = launch.metrics.get(metric)
        measured += [amount_text(value, unit)] if value is not None else []
    lines += [Line(", ".join(measured), "fact", "Measured")] if measured else []
    if launch.duration_ns is not None and result.achievable_ns > 0:
        times = launch.duration_ns / result.achievable_ns
        lines.append(Line(f"{speedup_text(times)} the time at the rates of good code", "fact", "Ratio"))
    return tuple(lines)


def _said(result: Result, found: tuple[Inconsistency, ...]) -> tuple[Line, ...]:
    lines = [Line(item.says, "warning" if item.kind != "distance" else "text") for item in found]
    if any(item.kind == "contradiction" for item in found):
        lines.append(Line("The two contradict each other, so these sizes are not used.", "quiet"))
    return (*lines, *(Line(note.says, "quiet") for note in result.notes))
