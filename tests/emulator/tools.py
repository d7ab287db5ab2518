"""What the tests of the emulator and of the commands on it share."""

from __future__ import annotations

import pytest

from advisor.cli.main import main
from advisor.emulator.compile import cubin_compiler
from advisor.emulator.cubin import nvdisasm

needs_tools = pytest.mark.skipif(
    nvdisasm() is None or cubin_compiler() is None, reason="needs the extra `emulate` (compiler and nvdisasm)"
)


def run(*arguments: str) -> int:
    """Run the program in this process; return its exit code."""
    try:
        return main(list(arguments)) or 0
    except SystemExit as e:
        return int(e.code or 0)
