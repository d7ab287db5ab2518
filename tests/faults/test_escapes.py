"""Nothing that is written for programs holds a character that is not printed, and JSON keeps the names as they are."""

from __future__ import annotations

import io
import json
import math
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from advisor.cli.main import main
from advisor.readers.frame import clean
from advisor.records.escapes import json_text, printable
from advisor.session.transcripts.format import line
from tests.timeline.generator import MS, US, Planted

ODD = "a\x0bb\rc\x7fd\x85e\u200bf\u202eg\u2066h\ufeffi\u2028j\u00adk\U000e0041l\u00b5\u00d7m"
CSV = Path(__file__).parents[1] / "data" / "tour_details.csv"


def all_printed(text: str) -> bool:
    """Whether every line of a text is printable."""
    return all(row.isprintable() for row in text.split("\n"))


def test_json_escapes_what_is_not_printed_and_keeps_the_value() -> None:
    for text in (json_text({"name": ODD}), json_text([ODD], indent=1), line({ODD: ODD})):
        assert all_printed(text) and "\u00b5\u00d7" in text and "\\u200b" in text
    assert json.loads(json_text({ODD: [ODD, "\ud800"]})) == {ODD: [ODD, "\ud800"]}


def test_json_has_no_number_that_is_not_finite() -> None:
    assert json.loads(json_text({"a": math.nan, "b": [math.inf, 1.5], "c": (-math.inf,)})) == {
        "a": None,
        "b": [None, 1.5],
        "c": [None],
    }


def test_lines_escape_what_is_not_printed() -> None:
    made = printable(f"{ODD}\n{ODD}")
    assert all_printed(made) and made.count("\n") == 1
    assert "\\u000b" in made and "\\u200b" in made and "\\udb40\\udc41" in made


def test_names_of_reports_are_printable() -> None:
    assert clean(ODD, 100)[0].isprintable()


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report whose kernels have odd names."""
    text = CSV.read_text(encoding="utf-8")
    path = tmp_path / "odd.csv"
    path.write_text(text.replace("transpose_tile", "transpose\u200b\x0b\u202e_tile"), encoding="utf-8", newline="")
    return path


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A trace with odd names."""
    planted = Planted()
    at = 10 * MS
    for _ in range(30):
        at = planted.kernel(at, 2 * MS, f"void {ODD}(int)", ODD, asked=at - 10 * US) + 3 * MS
    return planted.write(tmp_path / "odd.sqlite")


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints."""
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert end.value.code == 0
    return capsys.readouterr().out


def test_every_form_of_every_command_prints_nothing_odd(
    report: Path, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = report.rename(report.with_name("odd\u200b\u202e.csv"))
    for arguments in (
        *(("diagnose", str(odd), "--format", form) for form in ("json", "markdown", "sarif", "text")),
        *(("triage", str(odd), "--jobs", "1", "--format", form) for form in ("json", "markdown", "sarif")),
        *(("compare", str(odd), str(odd), "--format", form) for form in ("json", "markdown", "junit")),
        *(("timeline", str(trace), "--format", form) for form in ("json", "markdown", "text")),
    ):
        out = said(capsys, *arguments)
        assert all_printed(out), arguments
        if arguments[-1] in ("json", "sarif"):
            json.loads(out)
        if arguments[-1] == "junit":
            ET.fromstring(out)


def test_what_programs_read_is_utf_8_in_any_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    raw, names = io.BytesIO(), "Ω×µ"
    with io.TextIOWrapper(raw, encoding="ascii", errors="replace") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit):
            main(["napkin", "gemm", "--m", "4", "--n", "4", "--k", "4", "--format", "json"])
        stream.write(names)
        stream.flush()
        assert raw.getvalue().decode("utf-8").endswith(names)


def test_lint_and_errors_print_nothing_odd(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "metrics.yaml").write_text("a\u200b\u202e: {mea\u200bning: 1}\n", encoding="utf-8")
    answers = tmp_path / "a.yaml"
    answers.write_text('"a\u200b\u202e\\e": 1\n', encoding="utf-8")
    for arguments in (("knowledge", "lint", str(tmp_path)), ("diagnose", str(CSV), "--answers", str(answers))):
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        printed = capsys.readouterr()
        assert end.value.code in (1, 2) and all_printed(printed.out) and all_printed(printed.err)
