"""Numbers that nothing can have, in any input, are unknown or refused in one line: nothing overflows on them."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli.main import main
from advisor.readers import ptxas
from advisor.readers.frame import convert
from advisor.readers.read import read
from advisor.records.errors import InputError
from advisor.records.magnitudes import LARGEST, all_fit, plausible, shape_of, whole
from advisor.records.resources import folder
from advisor.session.transcripts import format as transcripts
from advisor.session.transcripts import recorder
from advisor.timeline.analyse import analyse
from tests.damaged import DATA

ABSURD = ("\u00b2", "\u0663", "1e308", "9" * 400, "9" * 5000, "-1", "nan", "inf", "0", "2147483648", "1e-320", "")
NUMBER = re.compile(r"\d[\d,]*\.?\d*")
TRACE = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Bytes (MB),Device,Strm,Name\n"
    "1000,500,1,128,1,1,256,1,1,,NVIDIA H200 (0),7,kernel(float*)\n"
    "2000,500,2,128,1,1,256,1,1,,NVIDIA H200 (0),7,kernel(float*)\n"
)
SUMS = (
    "Time (%),Total Time (ns),Instances,Avg (ns),Min (ns),Max (ns),Name\n"
    "80.8,444988647,5862,75910.7,1000,90000,gemm(float*)\n"
)


def test_numbers_that_are_plausible() -> None:
    assert plausible(LARGEST) == LARGEST and math.isnan(plausible(2 * LARGEST)) and math.isnan(plausible(-math.inf))
    assert (whole("12"), whole("\u00b2"), whole("\u0663"), whole("9" * 19), whole("-1"), whole("")) == (12, *[None] * 5)
    assert shape_of(("1", "2", "3")) == shape_of((1, 2.0, 3)) == (1, 2, 3)
    for parts in (
        (0, 1, 1),
        (1e300, 1, 1),
        ("9" * 400, "1", "1"),
        (math.nan, 1, 1),
        (None, 1, 1),
        (1, 1),
        (True, 1, 1),
    ):
        assert shape_of(parts) is None
    assert all_fit({"a": [1, -(2**63), "x", None, 1.5]}) and not all_fit({"a": [{"b": 2**63}]})


def test_a_conversion_that_overflows_is_unknown() -> None:
    assert math.isnan(convert(1e308, "second", "ns")) and math.isnan(convert(1e31, "", "ns"))


@pytest.mark.parametrize("absurd", ABSURD, ids=lambda text: f"{text[:6].encode('unicode_escape').decode()}-{len(text)}")
@pytest.mark.parametrize("name", ["tour_details.csv", "tour_details.txt"])
def test_a_table_whose_numbers_are_absurd_is_diagnosed_or_refused(
    name: str, absurd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (DATA / name).read_text().splitlines(keepends=True)
    path = tmp_path / name
    # The first launch: its numbers, and with them shapes and compute capability; ids and names keep theirs.
    made = [re.sub(r"(?<![\w.])\d[\d,]*\.?\d*(?![\w])", absurd, line) if at else line for at, line in enumerate(lines)]
    path.write_text("".join(made), encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["diagnose", str(path), "--format", "json"])
    out = capsys.readouterr()
    assert end.value.code in (0, 2) and len(out.err.splitlines()) <= 3
    if end.value.code == 0:
        json.loads(out.out)


def test_a_compute_capability_of_odd_digits_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    text = (DATA / "tour_details.csv").read_text()
    assert '"9.0"' in text
    for odd in ("\u00b2.\u00b2", "9" * 5000 + ".0"):
        path.write_text(text.replace('"9.0"', f'"{odd}"'), encoding="utf-8")
        with pytest.raises(SystemExit) as end:
            main(["diagnose", str(path)])
        assert end.value.code == 0


@pytest.mark.parametrize("text", [TRACE, SUMS])
@pytest.mark.parametrize("absurd", ABSURD, ids=lambda text: f"{text[:6].encode('unicode_escape').decode()}-{len(text)}")
def test_a_trace_whose_numbers_are_absurd_is_read_or_refused(text: str, absurd: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    head, _, rows = text.partition("\n")
    for wanted in (1.0, 0.5):
        count = 0

        def replaced(match: re.Match[str], wanted: float = wanted) -> str:
            nonlocal count
            count += 1
            return absurd if wanted == 1.0 or count % 2 else match[0]

        path.write_text(f"{head}\n{NUMBER.sub(replaced, rows)}", encoding="utf-8")
        try:
            analyse([path])
        except InputError as refusal:
            assert "\n" not in str(refusal)


@pytest.mark.parametrize("encoding", ["cp037", "cp500", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7"])
def test_a_trace_in_another_encoding_is_read_or_refused_in_one_line(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = TRACE + "".join(
        f"{1000 * i},500,{i},128,1,1,256,1,1,,NVIDIA H200 (0),7,kernel(float*)\n" for i in range(3, 9000)
    )
    path.write_bytes(rows.encode(encoding))
    try:
        analyse([path])
    except InputError as refusal:
        assert str(refusal).startswith("t.csv: ") and "\n" not in str(refusal) and str(refusal).isprintable()


def test_a_field_longer_than_csv_takes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TRACE + "x" * 200_000 + ",1\n")
    with pytest.raises(InputError, match=r"^t\.csv: not CSV of `nsys stats`"):
        analyse([path])


@pytest.mark.parametrize(
    "absurd", ["9" * 30, "9" * 400, "9" * 5000, "1e999", "-1", "1e308", "9223372036854775807", "0"]
)
def test_a_transcript_whose_numbers_are_absurd_is_replayed_or_refused(
    absurd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = min(folder("transcripts").glob("*.jsonl"), key=lambda path: path.stat().st_size)
    head, _, rows = source.read_text().partition("\n")
    path = tmp_path / "x.jsonl"
    for rows_ in (
        rows,
        '{"do": "launch", "position": 1, "settled": 1}\n{"concluded": {"first": 1, "confidence": 1}}\n',
    ):
        path.write_text(head + "\n" + re.sub(r"(?<=[\[ :,])-?\d+(\.\d+)?(?=[,\]} ])", absurd, rows_))
        with pytest.raises(SystemExit) as end:
            main(["replay", "--check", str(path)])
        assert end.value.code in (0, 1, 2) and len(capsys.readouterr().err.splitlines()) <= 3


def test_a_number_beyond_64_bits_is_refused_by_its_line() -> None:
    head = json.dumps({"format": transcripts.FORMAT})
    with pytest.raises(InputError, match="line 2: an integer of more than 64 bits"):
        transcripts.parse(f'{head}\n{{"do": "launch", "position": {"9" * 400}}}\n'.encode())


def test_conclusions_round_the_largest_numbers() -> None:
    assert recorder.number(sys.float_info.max) == sys.float_info.max
    assert recorder.number(5e-324) == 5e-324


def test_a_log_of_ptxas_with_absurd_numbers_is_read(tmp_path: Path) -> None:
    long = "9" * 5000
    log = (
        f"ptxas info    : Compiling entry function '_Z{long}transpose' for 'sm_90'\n"
        f"    {long} bytes stack frame, {long} bytes spill stores, {long} bytes spill loads\n"
        f"ptxas info    : Used {long} registers, {long} bytes smem\n"
    )
    (found,) = ptxas.parse(log.splitlines())
    assert found.registers is None and found.stack_bytes is None


def test_warnings_of_arithmetic_do_not_reach_stderr(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(re.sub(r'"[\d,]+\.\d+"', '"1e29"', (DATA / "tour_details.csv").read_text()))
    done = subprocess.run([sys.executable, "-m", "advisor", "diagnose", str(path)], capture_output=True, text=True)
    assert done.returncode in (0, 2) and "Warning" not in done.stderr and len(done.stderr.splitlines()) <= 3


def test_infinite_values_of_a_report_are_unknown(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(re.sub(r'"[\d,]+\.\d+"', '"' + "9" * 200 + '"', (DATA / "tour_details.csv").read_text()))
    table = read(path).frame.select_dtypes("number")
    assert not (table.abs() > LARGEST).to_numpy().any()
