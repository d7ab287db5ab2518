"""The napkin in a session: what an algorithm asks for, and what its reckoning says about a measured launch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from advisor.session import strings
from advisor.session.numbers import number_text
from advisor.session.records import Algorithm, Ask, Choice, Line, Reckoning

if TYPE_CHECKING:
    from advisor.hardware.algorithms import Parameter
    from advisor.hardware.gpus import Gpu
    from advisor.hardware.roofline import Inconsistency, Result
    from advisor.records.diagnosis import LaunchDiagnosis

DTYPE: Final = "dtype"
# What a data type of the napkin says about the type that the kernel is meant to compute in (question intended_dtype).
_INTENDED: Final = {"f64": "f64", "f32": "f32", "tf32": "tf32", "f16": "f16", "bf16": "f16", "f8": "f8", "i8": "int"}


def algorithms() -> tuple[Algorithm, ...]:
    """All algorithms of the knowledge base, each with its questions: the data type, then its parameters in order."""
    from advisor.hardware import algorithms as known

    types = tuple(Choice(key, entry.title, (key, *entry.aliases)) for key, entry in known.dtypes().items())
    dtype = Ask(
        DTYPE,
        "Which data type are its elements?",
        "The bytes follow from its size, and the peak of the arithmetic from its kind.",
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
    """A parameter as a question. Its default is offered; one that follows from the others is taken for "don't know"."""
    return Ask(
        id=name,
        ask=f"{strings.sentence_start(parameter.means)} ({name})?",
        why="",
        unit=parameter.unit,
        low=parameter.low,
        high=parameter.high,
        group="napkin",
        usual=float(parameter.default) if isinstance(parameter.default, int | float) else None,
        optional=isinstance(parameter.default, str),
    )


def gpu_of(launch: LaunchDiagnosis) -> Gpu:
    """The card of a launch: the report's own attributes win over the table; a card named by the user is the table's."""
    from advisor.hardware import gpus

    if launch.known_as and gpus.known_as(launch.gpu_name, launch.cc) != launch.known_as:
        return gpus.gpu(launch.known_as)
    return gpus.resolve(launch.metrics, launch.gpu_name, launch.cc)[0]


def reckon(name: str, parameters: Mapping[str, float | str], launch: LaunchDiagnosis) -> Reckoning:
    """The napkin of an algorithm on the launch's card, compared with what was measured.

    Where the two contradict each other (faster than possible, fewer bytes than possible), the sizes are not those of
    this launch: that is said, and nothing is concluded from them.
    """
    from advisor.hardware import ceilings
    from advisor.hardware.roofline import check
    from advisor.hardware.roofline import reckon as on_paper

    numbers = {key: float(value) for key, value in parameters.items() if not isinstance(value, str)}
    dtype = str(parameters.get(DTYPE, "f32"))
    card = gpu_of(launch)
    measured = ceilings.for_roofline(ceilings.measured(launch.gpu_name, launch.cc), card, dtype)
    result = on_paper(name, numbers, dtype=dtype, gpu_name=card, ceilings=measured)
    found = check(result, launch.metrics)
    lines = (*_needs(result), *_against(result, launch), *_said(result, found))
    answers: tuple[tuple[str, float | str], ...] = ()
    if not any(item.kind == "contradiction" for item in found):
        answers = (("theoretical_bytes", result.bytes), ("theoretical_flop", result.flop))
        answers += (("intended_dtype", _INTENDED[dtype]),) if dtype in _INTENDED else ()
    sizes = ", ".join(f"{key} {value:,.6g}" for key, value in result.parameters.items())
    bound = "" if result.expected is None else result.expected.bound
    return Reckoning(f"{result.algorithm.title}, {result.dtype.title}: {sizes}", lines, answers, bound)


def _needs(result: Result) -> tuple[Line, ...]:
    work = f"{number_text(result.flop, 'FLOP')}, {number_text(result.bytes, 'byte')}"
    lines = [Line(work, "fact", "Needs")]
    roof = result.expected
    intensity = f"{result.intensity:.4g} FLOP/byte"
    if roof is None:
        return (*lines, Line(intensity, "fact", strings.INTENSITY))
    side = "under the ridge at" if roof.bound == "memory" else "over the ridge at"
    ridge = f"{intensity}, {side} {roof.ridge:.4g}: {strings.EXPECT[roof.bound]}"
    return (*lines, Line(ridge, "fact", strings.INTENSITY))


def _against(result: Result, launch: LaunchDiagnosis) -> tuple[Line, ...]:
    floor = number_text(result.floor_ns, "ns")
    reached = number_text(result.achievable_ns, "ns")
    lines = [Line(f"{floor} at the peaks, {reached} at what good code reaches", "strong", "Least time")]
    measured = [strings.duration_text(launch.duration_ns)] if launch.duration_ns is not None else []
    for metric, unit in (("dram_bytes", "byte"), ("flop", "FLOP")):
        value = launch.metrics.get(metric)
        measured += [number_text(value, unit)] if value is not None else []
    lines += [Line(", ".join(measured), "fact", "Measured")] if measured else []
    if launch.duration_ns is not None and result.achievable_ns > 0:
        times = launch.duration_ns / result.achievable_ns
        lines.append(Line(f"{times:.2f} times what good code reaches", "fact", "That is"))
    return tuple(lines)


def _said(result: Result, found: tuple[Inconsistency, ...]) -> tuple[Line, ...]:
    lines = [Line(item.says, "warning" if item.kind != "distance" else "text") for item in found]
    if any(item.kind == "contradiction" for item in found):
        lines.append(Line("Since the two contradict each other, nothing is concluded from these sizes.", "quiet"))
    return (*lines, *(Line(note.says, "quiet") for note in result.notes))
