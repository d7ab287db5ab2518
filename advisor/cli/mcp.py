"""The command `ncu-advisor mcp`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from advisor.cli.options import PATH, Knowledge, command, option
from advisor.records.errors import EXIT_DONE
from advisor.records.extras import need


@dataclass(frozen=True, kw_only=True)
class Options(Knowledge):
    """Options of `mcp`."""

    root: Path = option("--root", type=PATH, default=Path(), metavar="DIR", help="The only folder that may be read.")


@command(Options)
def mcp(options: Options) -> int:
    """Serve the diagnoses to coding agents: the Model Context Protocol over standard input and output.

    A client starts this command by itself, for example with `{"command": "ncu-advisor", "args": ["mcp", "--root",
    "profiles"]}`. The tools only read, and only files below --root (default: the current folder).
    """
    need("mcp", "mcp")
    from advisor.mcp_server.server import build  # loads the SDK of the extra

    build(options.root, options.knowledge).run("stdio")
    return EXIT_DONE
