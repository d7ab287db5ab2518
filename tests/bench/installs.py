"""Install the wheel into empty environments: `python -m tests.bench.installs`, with options in its `--help`.

Builds wheel and sdist, checks them with twine, and installs the wheel with each Python: alone, where the commands must
work and give the same bytes of JSON, and with each extra, where what the extra is for must work. Without their extra,
the commands must say in one line what to install, with exit code 2. Then the requirements are resolved for other
systems and Pythons. Prints a line for each check; exit 1 after any failure. Needs uv, twine and the network.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "kernels" / "bank-conflicts" / "recorded" / "h200" / "profile.ncu-rep.xz"
SOURCE = ROOT / "kernels" / "bank-conflicts" / "1-tile.cu"
PYTHONS = ("3.11", "3.12", "3.13")
RESOLVED = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = ("linux", "aarch64-unknown-linux-gnu", "macos", "x86_64-apple-darwin", "windows")
SKIPPED = ("dev",)  # extras for developers of this project

ALONE = (
    ("--version",),
    ("practice", "list"),
    ("diagnose", str(REPORT)),
    ("knowledge", "lint"),
    ("explain", "coalescing"),
    ("ask", str(REPORT), "is it memory bound"),
)
SHARED = ("man/man1/ncu-advisor.1", "man/man1/ncu-advisor-diagnose.1", "zsh/site-functions/_ncu-advisor")
# Extra -> a program that shows that it works, as code or as arguments of ncu-advisor.
PARQUET = ("triage", str(REPORT), "--format", "parquet", "--out", "triage.parquet")
EMULATED = ("emulate", str(SOURCE), "--exercise", "bank-conflicts")
SHOWS: dict[str, str | tuple[str, ...]] = {
    "cuda12": "import cupy; print(cupy.__version__)",
    "cuda13": "import cupy; print(cupy.__version__)",
    "compile": "from advisor.emulator.compile import compile_cubin as c; c('__global__ void k() {}', 'k', 'sm_90')",
    "emulate": EMULATED,
    "dask": f"""
import subprocess, sys
from distributed import LocalCluster
with LocalCluster(n_workers=1, processes=False, protocol="tcp", dashboard_address=None) as cluster:
    command = [sys.executable, "-m", "advisor", "triage", {str(REPORT)!r}, "--dask", cluster.scheduler_address]
    sys.exit(subprocess.run(command).returncode)
""",
    "parquet": PARQUET,
    "mcp": "from pathlib import Path; from advisor.mcp_server.server import build; build(Path())",
    "advise": "import advisor; advisor.advise(lambda: None)",
    "serve": "import advisor.web_server.server",
    "site": ("knowledge", "site", "site"),
    "browser-check": "import playwright.sync_api, axe_playwright_python",
}
ADVISED = "import advisor; advisor.advise(lambda: None)()"
# A command without its extra: exit code 2 and one line that names the extra. `compile` has nvcc in its place.
LACKS: dict[str, tuple[str, ...]] = {
    "cuda13": ("practice", "check", "33"),
    "emulate": EMULATED,
    "dask": ("triage", str(REPORT), "--dask", "tcp://127.0.0.1:1"),
    "parquet": PARQUET,
    "mcp": ("mcp",),
    "serve": ("serve", str(REPORT)),
    "site": ("knowledge", "site", "site"),
}


@dataclass
class Matrix:
    """The checks, with a home of their own."""

    folder: Path
    failed: int = 0

    def run(self, command: Sequence[str | Path], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command with an empty environment but for the search path."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "UV_CACHE_DIR") or k.startswith("PIP_")}
        env = {**kept, "HOME": str(home), "UV_CACHE_DIR": str(self.folder / "uv"), "LANG": "C.UTF-8"}
        return subprocess.run(
            [str(word) for word in command], cwd=cwd or home, env=env, capture_output=True, text=True, timeout=1800
        )

    def tell(self, name: str, problem: str) -> None:
        """Print a line for a check; no problem: it is right."""
        self.failed += bool(problem)
        print(f"{name:60} {problem or 'ok'}", flush=True)

    def environment(self, python: str, wheel: Path, extra: str = "") -> tuple[Path, str]:
        """Make an environment with the wheel. Returns its folder of programs and what went wrong."""
        folder = self.folder / f"env-{python}-{extra or 'alone'}"
        uv = ("uv", "--system-certs", "--quiet")
        made = self.run([*uv, "venv", "--python", python, folder])
        if made.returncode == 0:
            what = f"ncu-advisor[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
            made = self.run([*uv, "pip", "install", "--python", folder / "bin" / "python", what])
        return folder / "bin", "" if made.returncode == 0 else last(made.stderr)


def last(text: str, most: int = 150) -> str:
    """Return the last line that says something."""
    return next((line.strip()[:most] for line in reversed(text.splitlines()) if line.strip()), "failed without a word")


def wrong(done: subprocess.CompletedProcess[str], code: int = 0) -> str:
    """Return what is wrong with a command that should end with `code`."""
    if "Traceback" in done.stderr:
        return f"traceback: {last(done.stderr)}"
    return "" if done.returncode == code else f"exit code {done.returncode}: {last(done.stderr or done.stdout)}"


def extras() -> tuple[str, ...]:
    """Return the extras for users."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return tuple(name for name in declared if name not in SKIPPED)


def alone(matrix: Matrix, python: str, wheel: Path) -> str:
    """Check the wheel without extras. Returns the digest of a diagnosis as JSON."""
    programs, problem = matrix.environment(python, wheel)
    matrix.tell(f"{python}, alone: install", problem)
    if problem:
        return ""
    for arguments in ALONE:
        short = " ".join(arguments).replace(str(REPORT), "REPORT")
        matrix.tell(f"{python}, alone: {short}", wrong(matrix.run([programs / "ncu-advisor", *arguments])))
    matrix.run([programs / "ncu-advisor", "practice", "start", "33"])
    for extra, arguments in LACKS.items():
        done = matrix.run([programs / "ncu-advisor", *arguments])
        problem = wrong(done, 2)
        if not problem and (len(done.stderr.splitlines()) > 1 or f"[{extra}]" not in done.stderr):
            problem = f"not one line that names the extra: {last(done.stderr)}"
        matrix.tell(f"{python}, alone: without the extra {extra}", problem)
    done = matrix.run([programs / "python", "-c", ADVISED])
    named = done.returncode and "[advise]" in last(done.stderr, 1000)
    matrix.tell(f"{python}, alone: without the extra advise", "" if named else last(done.stderr))
    shared = programs.parent / "share"
    absent = [name for name in SHARED if not (shared / name).is_file()]
    matrix.tell(f"{python}, alone: man pages and completions", f"absent: {', '.join(absent)}" if absent else "")
    done = matrix.run([programs / "ncu-advisor", "diagnose", REPORT, "--format", "json"])
    matrix.tell(f"{python}, alone: JSON of a diagnosis", wrong(done) or ("" if '"findings"' in done.stdout else "none"))
    return hashlib.sha256(done.stdout.encode()).hexdigest()


def with_extra(matrix: Matrix, python: str, wheel: Path, extra: str) -> None:
    """Check what an extra is for."""
    programs, problem = matrix.environment(python, wheel, extra)
    matrix.tell(f"{python}, {extra}: install", problem)
    if not problem:
        shown = SHOWS[extra]
        command = [programs / "python", "-c", shown] if isinstance(shown, str) else [programs / "ncu-advisor", *shown]
        matrix.tell(f"{python}, {extra}: works", wrong(matrix.run(command)))


def resolutions(matrix: Matrix, chosen: Sequence[str]) -> Iterator[None]:
    """Resolve the requirements, from wheels alone but for those that have none."""
    for extra in chosen:
        for platform in PLATFORMS:
            bad = []
            for python in RESOLVED:
                command = ["uv", "--system-certs", "--quiet", "pip", "compile", ROOT / "pyproject.toml"]
                command += ["--python-version", python, "--python-platform", platform]
                command += ["--only-binary", ":all:", "--no-binary", "frozendict", "--no-header", "--no-annotate"]
                done = matrix.run([*command, *(("--extra", extra) if extra else ())])
                if done.returncode:
                    bad.append(f"{python}: {last(done.stderr)}")
            matrix.tell(f"resolves: {extra or 'alone'} on {platform}", "; ".join(bad))
            yield


def main(argv: list[str] | None = None) -> int:
    """Run the checks."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", nargs="*", default=list(PYTHONS), help="Pythons of this machine")
    parser.add_argument("--extra", nargs="*", default=list(extras()), help="these extras alone")
    parser.add_argument("--extras-on", nargs="*", help="Pythons for the extras, by default all")
    parser.add_argument("--no-resolver", action="store_true", help="without other systems")
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="installs-") as name:
        matrix = Matrix(Path(name))
        dist = matrix.folder / "dist"
        built = subprocess.run([sys.executable, "-m", "build", "--outdir", dist, ROOT], capture_output=True, text=True)
        matrix.tell("wheel and sdist: build", wrong(built))
        if built.returncode:
            return 1
        twine = [sys.executable, "-m", "twine", "check", "--strict", *dist.iterdir()]
        checked = subprocess.run(twine, capture_output=True, text=True)
        matrix.tell("wheel and sdist: twine check --strict", wrong(checked))
        wheel = next(dist.glob("*.whl"))
        digests = {python: alone(matrix, python, wheel) for python in given.python}
        same = len(set(digests.values())) == 1
        matrix.tell("JSON of a diagnosis, the same bytes", "" if same else str(digests))
        for python in given.extras_on if given.extras_on is not None else given.python:
            for extra in given.extra:
                with_extra(matrix, python, wheel, extra)
        if not given.no_resolver:
            for _ in resolutions(matrix, ["", *given.extra]):
                pass
        print(f"{matrix.failed} failed")
        return 1 if matrix.failed else 0


if __name__ == "__main__":
    sys.exit(main())
