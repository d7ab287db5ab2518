"""The command `ncu-advisor napkin`: the roofline estimate of an algorithm, and the simulators."""

from __future__ import annotations

from dataclasses import dataclass

import click

from advisor.cli import terminal
from advisor.cli.options import argument, command, formats, option
from advisor.hardware import algorithms, ceilings, gpus, lanes, roofline, simulators
from advisor.hardware.occupancy import most_for, occupancy
from advisor.records import quantities
from advisor.records.errors import EXIT_DONE, UsageError
from advisor.view.numbers import counted
from advisor.view.pages.napkin import napkin_page
from advisor.view.pages.simulators import banks_page, coalescing_page, occupancy_page
from advisor.view.text import wrap
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json

_SIMULATORS = {
    "coalescing": "sectors per request of a global access: 'tid.y*stride + tid.x' --stride 1000 --block 32x8",
    "banks": "wavefronts of a shared-memory access, and paddings and a swizzle: 'tid.x*32 + tid.y' --block 32x8",
    "occupancy": "blocks and warps per SM: --block 256 --registers 40 --shared 16k --cc 8.6",
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of `napkin`."""

    algorithm: str | None = argument(required=False)
    dtype: str | None = option("--dtype", metavar="TYPE", help="f64, f32, f16, bf16, tf32, fp8 … (default f32).")
    gpu: str | None = option("--gpu", metavar="NAME", help="The GPU (default H100-SXM).")
    form: str = formats("text", "json", *PAGE_FORMATS)


@command(Options, context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []})
def napkin(options: Options) -> int:
    """Estimate arithmetic intensity, ridge point, expected bound and minimum time before profiling.

    Sizes are options: `ncu-advisor napkin gemm --m 4096 --n 4096 --k 4096 --dtype f32 --gpu H100-SXM`. Without an
    algorithm, list the algorithms and simulators.
    """
    context = click.get_current_context()
    args = context.args
    if options.algorithm in _HELP or any(word in _HELP for word in args):
        terminal.write(_help(context, options.algorithm))
    elif options.algorithm is None:
        if args:
            raise UsageError("name an algorithm first: `ncu-advisor napkin` lists them")
        terminal.write(_list())
    elif options.algorithm in _SIMULATORS:
        expressions, given = _split(args)
        simulate = _occupancy if options.algorithm == "occupancy" else _access
        terminal.write(simulate(options, expressions, given))
    else:
        terminal.write(_estimate(options.algorithm, options, args))
    return EXIT_DONE


def _estimate(name: str, options: Options, args: list[str]) -> str:
    entry = algorithms.algorithm(name)
    sizes: dict[str, float] = {}
    for size, text in parse_sizes(args).items():
        if size not in entry.parameters:
            raise UsageError(f"{entry.id} has no size --{size}: it takes --{', --'.join(entry.parameters)}")
        unit = entry.parameters[size].unit
        sizes[size] = quantities.parse(text, "" if unit == "count" else unit)
    gpu, dtype = gpus.gpu(options.gpu or "H100-SXM"), options.dtype or "f32"
    measured = ceilings.for_roofline(ceilings.of_model(gpu, ceilings.kept()), gpu, dtype)
    result = roofline.estimate(name, sizes, dtype=dtype, gpu_name=gpu, ceilings=measured)
    if options.form == "json":
        return document_json(roofline.napkin_document(result))
    return terminal.page_text(napkin_page(result), options.form)


def parse_sizes(args: list[str]) -> dict[str, str]:
    """Parse `--m 4096 --n=2k` into {"m": "4096", "n": "2k"}. Raises UsageError for anything else."""
    words, given = _split(args)
    if words:
        raise UsageError(f"{words[0]!r}: sizes are given as --name value, such as --m 4096")
    return given


_HELP = ("--help", "-h")


def _help(context: click.Context, name: str | None) -> str:
    """Return the help of the command, then of one algorithm or simulator: its options, their meaning and default."""
    text = context.get_help() + "\n  -h, --help                      Show this message and exit.\n"
    if name is None or name in _HELP:
        return text + "\n" + _list()
    if name in _SIMULATORS:
        rows = [f"{option_:<22}{what}" for option_, what in _SIMULATOR_OPTIONS[name]]
        lines = [f"{name}: {_SIMULATORS[name]}", "", f"Options of {name}:"]
    else:
        entry = algorithms.algorithm(name)
        rows = [f"{f'--{size} {_default(one.default)}':<22}{one.means}" for size, one in entry.parameters.items()]
        lines = [f"{entry.id}: {entry.title}. {entry.means}", "", f"Sizes of {entry.id}, with their defaults:"]
    wrapped = [line for row in rows for line in wrap(row, 80, 2, 24)]
    return "\n".join([text, *wrap(lines[0], 80), *lines[1:], *wrapped]) + "\n"


def _default(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}" if value < 1e6 else f"{value:,.0f}"


# (option, meaning) of each simulator.
_WARP = (
    ("--block 256", "threads of the block, or its shape such as 32x8"),
    ("--vector 1", "elements that each lane accesses, 1 to 16"),
    ("--offset 0", "bytes from the start of the array to its first element"),
    ("--where CONDITION", "lanes that take part, such as 'tid.x < 16'"),
    ("--row 0", "elements in a row of the array, for paddings and the swizzle"),
    ("--NAME N", "the value of a name in the index, such as --stride 1024"),
)
_SIMULATOR_OPTIONS = {
    "coalescing": _WARP,
    "banks": _WARP,
    "occupancy": (
        ("--block 256", "threads of a block"),
        ("--registers 32", "registers per thread"),
        ("--shared 0", "bytes of dynamic shared memory per block, such as 16k"),
        ("--static 0", "bytes of static shared memory per block"),
        ("--carveout BYTES", "shared memory of an SM (default: the most)"),
        ("--cc 8.6", "the compute capability, instead of --gpu"),
    ),
}


def _list() -> str:
    lines = ["Algorithms, and their sizes (--name value; every size has a default):", ""]
    for name, entry in algorithms.algorithms().items():
        lines += wrap(f"{name:<16}{entry.title}: --{', --'.join(entry.parameters)}", 80, 2, 20)
    lines += ["", "Simulators:", ""]
    for name, what in _SIMULATORS.items():
        lines += wrap(f"{name:<16}{what}", 80, 2, 20)
    return "\n".join(lines)


def _split(args: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the expressions, and the options with their values; `--bid.x` becomes bid_x."""
    words, expressions, given = list(args), [], {}
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            expressions.append(word)
            continue
        name, sign, value = word[2:].partition("=")
        if not name or (not sign and not words):
            raise UsageError(f"{word[:40]!r} needs a value, such as --block 256")
        given[name.replace("-", "_").replace(".", "_")] = value if sign else words.pop(0)
    return expressions, given


def _whole(text: str, name: str, low: int, high: int, unit: str = "") -> int:
    value = quantities.parse(text, unit)
    if value != int(value) or not low <= value <= high:
        raise UsageError(f"--{name} is a whole number from {low:,} to {high:,}, not {text[:40]!r}")
    return int(value)


def _access(options: Options, expressions: list[str], given: dict[str, str]) -> str:
    """Simulate a global or shared-memory access of one warp. Raises UsageError if the options do not fit."""
    kind = options.algorithm or ""
    if len(expressions) != 1:
        raise UsageError(f"give one index in quotes: ncu-advisor napkin {kind} 'tid.y*stride + tid.x' --stride 1024")
    if options.gpu:
        raise UsageError(f"{kind} gives the same result on every GPU: leave --gpu out")
    far = 2**40
    asked = simulators.Asked(
        expressions[0],
        options.dtype or "float",
        _whole(given.pop("vector", "1"), "vector", 1, 16),
        given.pop("block", "256"),
        _whole(given.pop("offset", "0"), "offset", -far, far, "byte"),
        given.pop("where", ""),
        _whole(given.pop("row", "0"), "row", 0, 2**20),
    )
    parameters = {name: _whole(text, name, -far, far) for name, text in given.items()}
    result = (simulators.coalescing if kind == "coalescing" else simulators.banks)(asked, parameters)
    if options.form == "json":
        return document_json(simulators.access_document(result, kind))
    page = (coalescing_page if kind == "coalescing" else banks_page)(result)
    return terminal.page_text(page, options.form)


def _occupancy(options: Options, expressions: list[str], given: dict[str, str]) -> str:
    """Calculate the occupancy of a launch. Raises UsageError if the options do not fit."""
    if expressions or options.dtype:
        raise UsageError("occupancy takes --block, --registers, --shared, --static, --carveout, and --cc or --gpu")
    if options.gpu and "cc" in given:
        raise UsageError("give --cc or --gpu, not both")
    cc = given.pop("cc", "")
    model = None if cc else gpus.gpu(options.gpu or "H100-SXM")
    limits = gpus.limits_of(cc) if model is None else model.limits or gpus.limits_of(model.cc)
    size = lanes.block(given.pop("block", "256")).threads
    registers = _whole(given.pop("registers", "32"), "registers", 1, limits.registers_per_thread)
    shared = sum(_whole(given.pop(n, "0"), n, 0, limits.shared_per_block, "byte") for n in ("shared", "static"))
    top = limits.shared_per_sm
    capacity = _whole(given.pop("carveout", str(top)), "carveout", 1, top, "byte")
    if given:
        raise UsageError(
            f"occupancy has no --{next(iter(given))[:40]}: it takes --block, --registers, --shared, --static, --cc"
        )
    result = occupancy(limits, size, registers, shared, capacity)
    more = most_for(limits, size, capacity, result.blocks + 1)
    wanted = simulators.OccupancyAsked(size, registers, shared, model.cc if model else cc)
    if options.form == "json":
        return document_json(simulators.occupancy_document(result, wanted, more))
    where = f"{model.name} (CC {model.cc})" if model else f"CC {cc}"
    title = (
        f"{counted(size, 'thread')} per block, {counted(registers, 'register')} per thread, "
        f"{counted(shared, 'byte')} of shared memory on {where}"
    )
    return terminal.page_text(occupancy_page(result, limits, title, more), options.form)
