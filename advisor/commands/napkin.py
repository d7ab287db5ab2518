"""`ncu-advisor napkin`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from advisor.errors import EXIT_DONE, UsageError


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
    from advisor import napkin
    from advisor.render.napkin import algorithms_text, napkin_json, napkin_text

    if algorithm is None:
        if args:
            raise UsageError("name an algorithm first: `ncu-advisor napkin` lists them")
        write(algorithms_text(), None)
        return EXIT_DONE
    result = napkin.napkin(algorithm, parse_sizes(args), dtype=dtype or "f32", gpu=gpu or "H100-SXM")
    write(json.dumps(napkin_json(result), indent=1) if form == "json" else napkin_text(result), None)
    return EXIT_DONE
