"""`ncu-advisor napkin`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.records.errors import EXIT_DONE, UsageError
from advisor.records.escapes import json_text
from advisor.view.text import wrap

if TYPE_CHECKING:
    from advisor.hardware.algorithms import Algorithm


def parse_sizes(args: list[str]) -> dict[str, str]:
    """`--m 4096 --n=2k` -> {"m": "4096", "n": "2k"}; UsageError for what is not of this form."""
    out: dict[str, str] = {}
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or len(word) < 3:
            raise UsageError(f"{word!r}: sizes are given as --name value, such as --m 4096")
        name, sign, value = word[2:].partition("=")
        if not sign:
            if not rest:
                raise UsageError(f"--{name} needs a value, such as --{name} 4096")
            value = rest.pop(0)
        out[name.replace("-", "_")] = value
    return out


def run(
    algorithm: str | None,
    args: list[str],
    dtype: str | None,
    gpu: str | None,
    form: str,
    *,
    write: Callable[[str, Path | None], None],
) -> int:
    """Reckon and print; without an algorithm list what there is."""
    from advisor.hardware import algorithms, ceilings, gpus, roofline
    from advisor.records import quantities
    from advisor.view.napkin import napkin_json, napkin_text

    if algorithm is None:
        if args:
            raise UsageError("name an algorithm first: `ncu-advisor napkin` lists them")
        write(_list(algorithms.algorithms()), None)
        return EXIT_DONE
    from advisor.cli import simulators

    if algorithm in simulators.SIMULATORS:
        return simulators.run(algorithm, args, dtype, gpu, form, write)
    entry = algorithms.algorithm(algorithm)
    sizes: dict[str, float] = {}
    for name, text in parse_sizes(args).items():
        if name not in entry.parameters:
            raise UsageError(f"{entry.id} has no size --{name}: it takes --{', --'.join(entry.parameters)}")
        unit = entry.parameters[name].unit
        sizes[name] = quantities.parse(text, "" if unit == "count" else unit)
    card, kind = gpus.gpu(gpu or "H100-SXM"), dtype or "f32"
    measured = ceilings.for_roofline(ceilings.of_model(card, ceilings.kept()), card, kind)
    result = roofline.reckon(algorithm, sizes, dtype=kind, gpu_name=card, ceilings=measured)
    write(json_text(napkin_json(result), indent=1) if form == "json" else napkin_text(result), None)
    return EXIT_DONE


def _list(entries: Mapping[str, Algorithm]) -> str:
    lines = ["Algorithms, and the sizes that each takes (--name value; others keep their defaults):", ""]
    for name, entry in entries.items():
        lines += wrap(f"{name:<16}{entry.title}: --{', --'.join(entry.parameters)}", 80, 2, 20)
    from advisor.cli.simulators import SIMULATORS

    lines += ["", "Simulators:", ""]
    for name, what in SIMULATORS.items():
        lines += wrap(f"{name:<16}{what}", 80, 2, 20)
    return "\n".join(lines)
