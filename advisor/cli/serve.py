"""The command `ncu-advisor serve`."""

from __future__ import annotations

import ipaddress
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from advisor.cli import warn
from advisor.cli.options import PATH, Knowledge, argument, command, flag, option
from advisor.records.child import python_command
from advisor.records.errors import EXIT_DONE, UsageError
from advisor.records.extras import need


@dataclass(frozen=True, kw_only=True)
class Options(Knowledge):
    """Options of `serve`."""

    path: Path = argument(required=False, default=".", type=PATH, metavar="[REPORT|DIR]")
    host: str = option("--host", default="127.0.0.1", metavar="ADDRESS", help="The address to listen on.")
    port: int = option("--port", default=8765, type=click.IntRange(0, 65535), help="0 takes a free one.")
    sessions: int = option(
        "--sessions", default=4, type=click.IntRange(1, 64), help="Pages that may be open at a time."
    )
    gpu: str | None = option("--gpu", metavar="NAME", help="The GPU, if a report does not name it.")
    theme: str | None = option("--theme", type=click.Choice(["dark", "light"]), help="Colours; by default dark.")
    predict: bool = flag("--predict", help="Ask for your prediction before each diagnosis.")


@command(Options)
def serve(options: Options) -> int:
    """Serve the session to a browser, on this machine only unless --host is given.

    The printed address contains a token, without which nothing is answered. The session reads the folder DIR (by
    default the current one) or that of REPORT, and no other; it writes no files (exports are downloads) and starts no
    programs. Ctrl+C ends it.
    """
    need("serve", "textual_serve")
    from advisor.tui.served import Settings as Session  # loads Textual
    from advisor.web_server.server import Settings, serve  # loads the packages of the extra

    _check_host(options.host)
    root, report = _root_and_report(options.path)
    session = Session(
        root=str(root),
        report=report,
        gpu=options.gpu or "",
        theme=options.theme or "",
        predict=options.predict,
        knowledge=tuple(str(folder.resolve()) for folder in options.knowledge),
    )
    started = python_command("advisor.tui.served", msgspec.json.encode(session).decode())

    def listening(address: str) -> None:
        print(address, flush=True)
        print(f"ncu-advisor: serves {root} to who has this address, for reading only; Ctrl+C ends it", file=sys.stderr)

    serve(Settings(options.host, options.port, started, root, options.sessions), listening)
    return EXIT_DONE


def _root_and_report(path: Path) -> tuple[Path, str]:
    """Return the folder that may be read, and the report in it, empty for a folder. Raises UsageError if neither."""
    try:
        real = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as e:
        raise UsageError(f"{path}: {getattr(e, 'strerror', None) or e}") from None
    if real.is_dir():
        return real, ""
    return real.parent, real.name


def _check_host(host: str) -> None:
    """Warn of an address that others on the network reach. Raises UsageError for all addresses at once."""
    if not host.strip():
        raise UsageError("--host '': name one address or host name, by which pages ask for this server")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        loopback = host.casefold() == "localhost"
    else:
        if address.is_unspecified:
            raise UsageError(f"--host {host}: name one address or host name, by which pages ask for this server")
        loopback = address.is_loopback
    if not loopback:
        warn(f"--host {host}: whoever can read the network's traffic can read the token; safer is `ssh -L`")
