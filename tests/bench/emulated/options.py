"""The options that the benches of the emulator share."""

from __future__ import annotations

import argparse


def parser(seconds: float | None = None) -> argparse.ArgumentParser:
    """Return a parser of names and --jobs; with --seconds, processor time of a launch, if there is a default."""
    out = argparse.ArgumentParser()
    out.add_argument("--jobs", type=int, default=2)
    if seconds is not None:
        out.add_argument("--seconds", type=float, default=seconds)
    out.add_argument("names", nargs="*")
    return out
