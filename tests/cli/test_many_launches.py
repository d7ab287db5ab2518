"""Reports of thousands of launches: a part of them is in memory at a time, and the document is the same."""

from __future__ import annotations

import errno
import io
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.main import main
from advisor.readers.read import read
from advisor.reasoning import diagnose as module
from advisor.reasoning import packed
from tests.bench.scale import _launches


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    return Path(_launches(folder, 60)[1])


def _document(report: Path, capsys: pytest.CaptureFixture[str], form: str = "json") -> str:
    with pytest.raises(SystemExit) as ended:
        main(["diagnose", str(report), "--format", form, "--jobs", "1"])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("form", ["json", "text", "markdown", "html", "sarif"])
def test_parts_give_the_bytes_of_the_whole(
    report: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    whole = _document(report, capsys, form)
    sizes: list[int] = []
    real = module.analyse_frame

    def counted(catalog, inputs, forks=1):  # type: ignore[no-untyped-def]
        sizes.append(len(inputs.frame))
        return real(catalog, inputs, forks)

    monkeypatch.setattr(module, "analyse_frame", counted)
    monkeypatch.setattr("advisor.cli.diagnose.PART", 25)
    monkeypatch.setattr(module.diagnose_in_parts, "__defaults__", (1, 25))
    assert _document(report, capsys, form) == whole
    assert sizes == [25, 25, 10]


def test_launches_are_packed_where_no_file_can_be_written(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launches = module.analyse([report]).diagnosis.launches[:6]

    class Full(io.BytesIO):
        def __init__(self, buffering: int = 0) -> None:
            super().__init__()

        def write(self, data: Any) -> int:
            if self.tell() > 10_000:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data)

    for made in (Full, _no_folder):
        monkeypatch.setattr(packed.tempfile, "TemporaryFile", made)
        with packed.PackedLaunches() as kept:
            for launch in launches:
                kept.add(launch)
            assert tuple(kept) == launches
            kept.replace(1, launches[5])
            assert (kept[1], kept[2], kept[-1], len(kept)) == (launches[5], launches[2], launches[5], 6)
            assert kept[1:3] == [launches[5], launches[2]]


def _no_folder(buffering: int = 0) -> Any:
    raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")


def test_a_launch_takes_little_more_than_its_numbers(report: Path, tmp_path: Path) -> None:
    """Over 250 numbers with their units; as texts, tuples and dictionaries they took 45 kB."""
    read(report)  # what is loaded once
    taken = []
    for count in (100, 400):
        path = Path(_launches(tmp_path, count)[1])
        tracemalloc.start()
        read(path)
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert (taken[1] - taken[0]) / 300 < 15_000
