from __future__ import annotations

import gzip
import lzma
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from advisor.readers.container import Limits
from advisor.readers.formats import sniff
from advisor.readers.launch_code import read_code
from advisor.readers.read import read
from advisor.records.errors import InputError
from tests.damaged import report


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "the file is empty"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"SQLite format 3\0" + bytes(100), "ncu-advisor timeline"),
        (b" Time (%)  Total Time (ns)  Instances\n", "ncu-advisor timeline"),
        (b'"Start (ns)","End (ns)","Name"\n', "ncu-advisor timeline"),
        (b"==12== NVPROF is profiling process 12\n", "nvprof"),
        (b"            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n", "nvprof"),
        (b"Invocations            Metric Name      Metric Description         Min         Max         Avg\n", "nvprof"),
        (b'"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n', "nvprof"),
        (b'"Start","Duration","Grid X","Grid Y","Grid Z","Block X"\n', "nvprof"),
        (b"   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*\n", "nvprof"),
        (b"Device,Kernel,Time,Speedup\n", "no ID, Process ID and Kernel Name columns"),  # a table of one's own
        (b"PK\x03\x04" + bytes(100), "zip"),
        (bytes(range(256)) * 10, "not an Nsight Compute report"),
        (b"just some words\n", "not output of ncu"),
        (b"x" * (2 << 20), "a line of more than"),
    ],
)
def test_what_is_no_profile_is_refused_with_what_it_is(tmp_path: Path, content: bytes, line: str) -> None:
    path = tmp_path / "given.ncu-rep"
    path.write_bytes(content)
    with pytest.raises(InputError, match=line) as refusal:
        read(path)
    assert str(refusal.value).startswith("given.ncu-rep: ")
    assert "\n" not in str(refusal.value)


def test_a_trace_under_its_own_name_is_sent_to_the_timeline(tmp_path: Path) -> None:
    path = tmp_path / "trace.nsys-rep"
    path.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(InputError, match=r"timeline.*nsys export"):
        read(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "absent.ncu-rep")


def test_a_folder_is_no_report(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="directory"):
        read(tmp_path)


def test_the_bytes_decide_and_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "profile.csv"
    path.write_bytes(report())
    assert sniff(path).format == "ncu-rep"


def test_every_compression_is_opened(tmp_path: Path) -> None:
    for kind, data in (
        ("xz", lzma.compress(report(), preset=0)),
        ("gz", gzip.compress(report(), 1)),
        ("zst", zstandard.ZstdCompressor().compress(report())),
    ):
        path = tmp_path / f"report.{kind}"
        path.write_bytes(data)
        assert sniff(path).wrapping == kind
        assert len(read(path, metric_filter=["duration_ns"]).frame) == 2


@pytest.mark.parametrize("pieces", [1, 3])
def test_a_compressed_report_of_ncu_is_read_as_the_report_in_it(tmp_path: Path, pieces: int) -> None:
    """`.ncu-repz` is a report in zstd, in one frame or in several: NVIDIA's own library opens these files too."""
    plain, packed = tmp_path / "plain.ncu-rep", tmp_path / "profile.ncu-repz"
    plain.write_bytes(report())
    size = -(-len(report()) // pieces)
    parts = [report()[at : at + size] for at in range(0, len(report()), size)]
    packed.write_bytes(b"".join(zstandard.ZstdCompressor().compress(part) for part in parts))
    code = f"import ncu_report; print(ncu_report.load_report({str(packed)!r}).range_by_idx(0).num_actions())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "2\n"
    whole, found = read(plain), read(packed)
    assert (found.info.format, found.info.complete) == ("ncu-rep", True)
    assert found.frame.equals(whole.frame)
    assert len(read_code(packed, 0, ["inst_executed"]).table) == len(read_code(plain, 0, ["inst_executed"]).table) > 0
    packed.write_bytes(packed.read_bytes()[:-1000])
    assert not read(packed).info.complete


def test_a_bomb_is_stopped_at_the_limit_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = tmp_path / "bomb.ncu-rep.gz"
    path.write_bytes(gzip.compress(b"NVR\0" + bytes(100 << 20), 1))
    with pytest.raises(InputError, match=r"unpack"):
        read(path, limits=Limits(unpack_ratio=2))
    assert not list((tmp_path / "temporary").iterdir())


def test_what_a_compressed_file_is_instead_is_said_under_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "notes.gz"
    path.write_bytes(gzip.compress(b"just some words\n"))
    with pytest.raises(InputError, match=r"^notes.gz: not output of ncu"):
        read(path)
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(InputError, match=r"^notes.gz: the file is empty"):
        read(path)


def test_compressed_text_is_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "details.txt.gz"
    path.write_bytes(gzip.compress((Path(__file__).parents[1] / "data" / "tour_details.txt").read_bytes()))
    found = read(path)
    assert (found.info.format, len(found.frame)) == ("text", 3)
