"""Reports are read where the ncu-report package is not installed: with Nsight Compute's own module, or with ncu."""

from __future__ import annotations

import importlib.util
import lzma
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.readers import library
from advisor.readers.container import Limits
from advisor.readers.launch_code import read_code
from advisor.readers.read import read
from advisor.readers.spares import SPARES
from advisor.records.errors import InputError
from tests.changed import replace
from tests.damaged import raw_csv, report

_SPEC = importlib.util.find_spec("ncu_report")
assert _SPEC is not None and _SPEC.origin is not None
PACKAGE = Path(_SPEC.origin).parents[1]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-ins are scripts with a #! line")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.ncu-rep"
    path.write_bytes(report())
    return path


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | None], None]:
    """From now on, the package is not installed, and this is the ncu that is found."""

    def install(ncu: Path | None) -> None:
        monkeypatch.setattr(library, "find_ncu", lambda: ncu)
        monkeypatch.setattr("advisor.readers.read.find_ncu", lambda: ncu)
        monkeypatch.setattr(library, "_package", lambda: None)

    monkeypatch.setattr(library, "_INSTALLED", Path("/nonexistent"))
    return install


def _executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def _module(home: Path, text: str = "") -> Path:
    """Nsight Compute's module, which the real package stands in for; it notes that it was used."""
    folder = home / "extras" / "python"
    folder.mkdir(parents=True)
    standin = f"""
import importlib, pathlib, sys
pathlib.Path({str(home / "used")!r}).touch()
sys.path.insert(0, {str(PACKAGE)!r})
del sys.modules["ncu_report"]
importlib.import_module("ncu_report")
"""
    (folder / "ncu_report.py").write_text(text or standin)
    return folder


def _ncu(path: Path, body: str) -> Path:
    return _executable(path, f"#!{sys.executable}\nimport sys\n{body}\n")


def _prints(table: Path) -> str:
    """The body of an ncu that prints this table of the report, as `--import` does, and refuses other options."""
    return f"""
assert sys.argv[1] == "--import" and sys.argv[2].endswith(".ncu-rep"), sys.argv
assert open(sys.argv[2], "rb").read(3) == b"NVR"
assert sys.argv[3:] == ["--csv", "--page", "raw", "--print-units", "base"], sys.argv
print("==PROF== Connected")
sys.stdout.write(open({str(table)!r}).read())
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "printed.csv"
    path.write_text("".join(raw_csv().splitlines(keepends=True)[:4]))
    return path


def test_the_module_beside_ncu_takes_the_place_of_the_package(
    small: Path, tmp_path: Path, install: Callable[[Path | None], None]
) -> None:
    whole = read(small)
    home = tmp_path / "nsight-compute" / "2025.3.1"
    _module(home)
    ncu = _executable(home / "ncu", "")
    install(ncu)
    found = read(small)
    assert (home / "used").exists()
    assert found.info == whole.info and found.info.format == "ncu-rep"
    assert found.frame.equals(whole.frame)
    assert len(read_code(small, 0, ["inst_executed"]).table) > 0


WRAPPERS = {
    "the place": 'exec "{home}/ncu" "$@"\n',
    "the version": 'exec "$CUDA_HOME/nsight-compute-2025.3.1/ncu" "$@"\n',
    "nothing": 'exec "$(find_it)" "$@"\n',
}


@pytest.mark.parametrize("says", WRAPPERS)
def test_a_script_that_runs_ncu_leads_to_its_installation(
    says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "opt" / "nvidia" / "nsight-compute"
    home, newer = installed / "2025.3.1", installed / "2026.2.0"
    for folder in (home, newer):
        _module(folder, "pass")
    monkeypatch.setattr(library, "_INSTALLED", installed if says != "the place" else tmp_path / "empty")
    real = _executable(tmp_path / "cuda-13.0" / "bin" / "ncu", "#!/bin/sh\n" + WRAPPERS[says].format(home=home))
    link = tmp_path / "bin" / "ncu"
    link.parent.mkdir()
    link.symlink_to(real)
    expected = newer if says == "nothing" else home
    assert library.beside(link) == str(expected / "extras" / "python")


@pytest.mark.parametrize(
    ("executable", "home"),
    [
        ("2025.3.1/ncu", "2025.3.1"),
        ("2025.3.1/target/linux-desktop-glibc_2_11_3-x64/ncu", "2025.3.1"),
        ("cuda-12.4/bin/ncu", "cuda-12.4/nsight-compute-2024.1.1"),
        ("usr/bin/ncu", "usr/lib/nsight-compute"),
    ],
)
def test_the_module_is_found_where_installers_put_it(
    executable: str, home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "_INSTALLED", tmp_path / "empty")
    ncu = _executable(tmp_path / executable, "\x7fELF")
    assert library.beside(ncu) == ""
    assert library.beside(_executable(tmp_path / executable, "#!/bin/sh\n")) == ""
    folder = _module(tmp_path / home, "pass")
    assert library.beside(ncu) == str(folder)


def test_without_the_module_ncu_prints_the_table(
    small: Path, table: Path, tmp_path: Path, install: Callable[[Path | None], None]
) -> None:
    whole = read(small)
    SPARES.close()
    ncu = _ncu(tmp_path / "bin" / "ncu", _prints(table))
    install(ncu)
    for path in (small, _packed(small)):
        found = read(path)
        assert (found.info.format, found.info.complete, found.info.tool) == ("raw-csv", True, whole.info.tool)
        (problem,) = found.info.problems
        assert problem.startswith(f"read as a table through {ncu}, without instructions and source lines: ")
        # The table was printed of the same profile; its second launch is another one.
        assert found.frame["kernel"][0] == whole.frame["kernel"][0]
        for name in ("duration_ns", "dram_pct", "issue_active", "cache_control"):
            assert found.frame[name][0] == pytest.approx(whole.frame[name][0], rel=0.01, abs=0.005), (
                name
            )  # two decimals
    with pytest.raises(InputError, match=r"nor its Python module beside .*pip install ncu-report"):
        read_code(small, 0, ["inst_executed"])


def _packed(path: Path) -> Path:
    packed = path.with_suffix(".xz")
    packed.write_bytes(lzma.compress(path.read_bytes(), preset=0))
    return packed


def test_a_module_that_does_not_load_leaves_ncu_itself(
    small: Path, table: Path, tmp_path: Path, install: Callable[[Path | None], None]
) -> None:
    _module(tmp_path, "raise ImportError('GLIBC_2.99 not found')")
    install(_ncu(tmp_path / "ncu", _prints(table)))
    found = read(small)
    assert found.info.format == "raw-csv" and len(found.frame) == 2
    assert "GLIBC_2.99 not found" in found.info.problems[0]


def test_a_launch_that_ncu_does_not_print_is_missing(
    small: Path, table: Path, tmp_path: Path, install: Callable[[Path | None], None]
) -> None:
    table.write_text("".join(raw_csv().splitlines(keepends=True)[:3]))
    install(_ncu(tmp_path / "ncu", _prints(table)))
    info = read(small).info
    assert (info.complete, info.launches_missing) == (False, 1)


FAILURES: dict[str, tuple[str, str]] = {
    "an error": (
        "print('==ERROR== The report is too new.'); sys.exit(1)",
        "exit code 1: ==ERROR== The report is too new",
    ),
    "an error and success": ("print('==ERROR== Failed to open.')", "Failed to open"),
    "no words": ("sys.exit(7)", "exit code 7"),
    "no table": ("print('hello')", "no kernel launch in it can be read"),
    "a crash": ("import os; os.abort()", "SIGABRT"),
    "a hang": ("__import__('threading').Event().wait()", "did not end within 2 s"),
    "a flood": ("while True: print('x' * 1000)", "larger than 1 MiB"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_what_ncu_cannot_print_is_refused_in_one_line(
    failure: str, small: Path, tmp_path: Path, install: Callable[[Path | None], None]
) -> None:
    body, line = FAILURES[failure]
    install(_ncu(tmp_path / "ncu", body))
    limits = replace(Limits(), total_s=2.0 if failure == "a hang" else 60.0, text_bytes=1 << 20)
    with pytest.raises(InputError, match=line) as refusal:
        read(small, limits=limits)
    assert str(refusal.value).startswith("small.ncu-rep: ") and "\n" not in str(refusal.value)


def test_without_any_of_them_one_line_says_what_to_install(small: Path, install: Callable[[Path | None], None]) -> None:
    install(None)
    for call in (lambda: read(small), lambda: read_code(small, 0, [])):
        with pytest.raises(InputError, match=r"neither .* nor .* is found: .*pip install ncu-report") as refusal:
            call()
        assert "\n" not in str(refusal.value)


def test_a_compressed_table_needs_no_library(tmp_path: Path, install: Callable[[Path | None], None]) -> None:
    install(None)
    path = tmp_path / "raw.csv.xz"
    path.write_bytes(lzma.compress(raw_csv().encode()))
    assert len(read(path).frame) == 3
