from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from textwrap import indent as indent_of

import pytest

from advisor.readers.console import _without_numbers, read_console
from advisor.readers.read import read
from advisor.records.errors import InputError

DATA = Path(__file__).parents[1] / "data"
LAUNCH = "  saxpy(int, float *) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.6\n"
TABLE = """    Section: GPU Speed Of Light Throughput
    ----------------------- ------------- ------------
    Metric Name               Metric Unit Metric Value
    ----------------------- ------------- ------------
    DRAM Frequency          cycle/nsecond         6.21
    Memory Throughput                   %        80.78
    Duration                      msecond         1.73
    ----------------------- ------------- ------------

"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "ncu.log"


def test_a_launch_is_read_out_of_a_log_with_other_output(log: Path) -> None:
    log.write_text('==PROF== Profiling "saxpy" - 0: 0%....50%....100% - 9 passes\ntook 596.458 ms\n' + LAUNCH + TABLE)
    found = read(log)
    launch = found.frame.iloc[0]
    assert (launch["kernel"], launch["cc"], launch["grid"], launch["block"]) == (
        "saxpy",
        "8.6",
        (64, 1, 1),
        (256, 1, 1),
    )
    assert launch["duration_ns"] == pytest.approx(1.73e6)
    assert launch["dram_clock_hz"] == pytest.approx(6.21e9)
    assert (found.info.format, found.info.complete) == ("text", True)


def test_the_header_of_older_versions_is_read_too(log: Path) -> None:
    log.write_text("  saxpy(int, float *), 2021-Nov-17 14:13:26, Context 1, Stream 7\n" + TABLE)
    launch = read(log).frame.iloc[0]
    assert (launch["kernel"], launch["grid"], launch["cc"]) == ("saxpy", None, "")


def test_output_of_the_program_inside_a_table_does_not_become_a_metric(log: Path) -> None:
    broken = TABLE.replace("    Memory Throughput", "step 3 of 10 done, loss 0.25\n    Memory Throughput")
    broken = broken.replace("80.78", "80.78 iteration 4")
    log.write_text(LAUNCH + broken)
    launch = read(log).frame.iloc[0]
    assert launch["duration_ns"] == pytest.approx(1.73e6)
    assert launch.isna()["memory_throughput_pct"]


def test_line_numbers_of_a_viewer_are_taken_off(log: Path) -> None:
    lines = ("[1] app@127.0.0.1\n" + LAUNCH + TABLE).splitlines()
    log.write_text("".join(f"{i}: {line}\n" for i, line in enumerate(lines, 1)))
    launch = read(log).frame.iloc[0]
    assert launch["kernel_full"] == "saxpy(int, float *)"
    assert launch["duration_ns"] == pytest.approx(1.73e6)


def test_a_failed_launch_has_no_shape_and_no_values(log: Path) -> None:
    failed = (
        TABLE.replace(" 6.21", " (!) nan"[:5].rjust(5))
        .replace("6.21", "(!) nan")
        .replace("1.73", "nan")
        .replace("80.78", "nan")
    )
    log.write_text(LAUNCH.replace("(64, 1, 1)x(256, 1, 1)", "(0, 0, 0)x(0, 0, 0)") + failed)
    found = read(log)
    assert found.frame["grid"][0] is None
    assert found.frame["duration_ns"].isna().all()
    assert any("without a value" in problem for problem in found.info.problems)


def test_a_rule_that_failed_is_no_verdict(log: Path) -> None:
    rules = (
        "    OPT   Est. Speedup: 50%\n          Do this\n          and that.\n    ERR   Rule X returned an error\n\n"
    )
    log.write_text(LAUNCH + TABLE + rules)
    (rule,) = read(log).frame["rules"][0]
    assert (rule.message, rule.speedup) == ("Do this and that.", 2.0)


def test_launches_that_were_profiled_but_are_not_in_the_text_are_counted(log: Path) -> None:
    profiled = "".join(f'==PROF== Profiling "saxpy" - {i}: 0%....100% - 9 passes\n' for i in range(3))
    log.write_text(profiled + LAUNCH + TABLE)
    info = read(log).info
    assert (info.complete, info.launches_missing) == (False, 2)
    assert info.problems == ("ncu profiled 3 launches, the text holds 1",)


def test_a_summary_stands_for_the_average_of_its_launches(log: Path) -> None:
    table = """      Section: Occupancy
      ------------------- ----------- ------- ------- -------
      Metric Name         Metric Unit Minimum Maximum Average
      ------------------- ----------- ------- ------- -------
      Achieved Occupancy            %   30.00   50.00   40.00
      ------------------- ----------- ------- ------- -------
"""
    log.write_text("  Device 0, CC 8.6\n    saxpy(int) (64, 1, 1)x(256, 1, 1), Invocations 10\n" + table)
    found = read(log)
    assert found.frame["occupancy_achieved_pct"][0] == 40.0
    assert found.frame["cc"][0] == "8.6"
    assert "10 in all" in found.info.problems[0]


PADDED = "    Section: Other\n" + "".join(
    f"    {line:100}\n"
    for line in ("OPT   What this rule says, wrapped over two lines as ncu wraps its", "      messages.")
)


@pytest.mark.parametrize(
    ("cut", "inside"),
    [
        (TABLE + PADDED[:-20], "rule's message"),
        (TABLE + "    Section: Warp Sta", "section"),
        (TABLE + "    Section: Other\n    ----- ------ ------\n", "table"),
        (TABLE + "  copy (64, 1, 1)x(256, 1, 1), Conte", "launch"),
    ],
)
def test_a_text_that_ends_inside_anything_is_incomplete(log: Path, cut: str, inside: str) -> None:
    log.write_text(LAUNCH + cut)
    info = read(log).info
    assert not info.complete and f"ends inside a {inside}" in info.problems[0]


@pytest.mark.parametrize("whole", [TABLE, TABLE.rstrip(), TABLE + PADDED, (TABLE + PADDED).rstrip()])
def test_a_text_that_ends_where_something_ends_is_complete(log: Path, whole: str) -> None:
    log.write_text(LAUNCH + whole)
    assert read(log).info.complete


@pytest.mark.parametrize("lost", ["", "    Section: GPU Speed Of Light Throughput\n"])
def test_a_text_that_begins_inside_a_launch_is_incomplete(log: Path, lost: str) -> None:
    log.write_text(lost + TABLE + LAUNCH + TABLE)
    info = read(log).info
    assert not info.complete and "begins inside a launch" in info.problems[0]
    log.write_text("my own table\n----- -----\na b\nSection: ours\n" + LAUNCH + TABLE)
    assert read(log).info.complete


def test_a_text_cut_inside_any_line_is_incomplete() -> None:
    whole = (DATA / "tour_details.txt").read_text()
    begins = whole.index("    Section: ", whole.index("    Section: ") + 1)
    checked = 0
    for at in range(begins, len(whole), 61):
        line, rest = whole[:at].rsplit("\n", 1)[-1], whole[at:].split("\n", 1)[0]
        # Blanks at the end may have been removed from a whole text, and a bare name may be anybody's output.
        if (
            not rest.strip()
            or not line.strip()
            or (line.startswith("  ") and not line.startswith("    ") and "(" not in line)
        ):
            continue
        found = read_console(whole[:at].splitlines(), (), 100)
        assert found.problems, (line, rest)
        checked += 1
    assert checked > 300


def test_a_text_that_ends_inside_a_table_is_incomplete(log: Path) -> None:
    log.write_text(LAUNCH + TABLE[:-80])
    info = read(log).info
    assert not info.complete
    assert "ends inside a table" in info.problems[0]


def test_clocks_left_free_are_noticed(log: Path) -> None:
    assert list(read(DATA / "tour_details.txt").frame["clock_control"]) == [0.0] * 3


def test_markup_in_names_stays_text(log: Path) -> None:
    log.write_text(LAUNCH.replace("saxpy", "[bold]saxpy\x1b[31m") + TABLE)
    found = read(log)
    assert found.frame["kernel"][0] == "[bold]saxpy\\x1b[31m"
    assert found.info.complete


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("usage: ncu [options] [program] [program-arguments]\n", "help page"),
        ("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM\n", "an error of ncu, no profile: ERR_NVGPUCTRPERM"),
        ("==PROF== Connected\n==PROF== Report: /home/me/a.ncu-rep\n", "the profile itself is in /home/me/a.ncu-rep"),
        ("dram__bytes.sum          Counter    byte     # of bytes\n", "list of metric names"),
        ("    Section: nothing of ncu's\n", "no kernel launch"),
    ],
)
def test_a_page_without_measurements_is_refused_with_what_it_is(log: Path, text: str, line: str) -> None:
    log.write_text(text)
    with pytest.raises(InputError, match=line):
        read(log)


def test_only_a_number_at_the_beginning_of_a_line_is_a_line_number() -> None:
    text = ["1: a", "2: b", "3: c", "4: d", "5: e", "at 6: f", "9" * 200_000]
    assert list(_without_numbers(text)) == ["a", "b", "c", "d", "e", "at 6: f", "9" * 200_000]


OLD_TABLE = """    Section: GPU Speed Of Light
    ------------------------------------------------------- --------------- ------------------------------
    SOL FB                                                                %                          36.25
    Memory [%]                                                            %                          77.32
    Duration                                                        msecond                           3.32
    SOL TEX                                                               %                          97.85
    ------------------------------------------------------- --------------- ------------------------------

"""


def test_a_table_without_a_row_of_headings_is_read(log: Path) -> None:
    log.write_text("  row_sums(float const *), 2020-Jul-28 06:48:36, Context 1, Stream 7\n" + OLD_TABLE)
    found = read(log)
    launch = found.frame.iloc[0]
    assert launch["duration_ns"] == pytest.approx(3.32e6)
    assert (launch["dram_pct"], launch["l1_throughput_pct"]) == (36.25, 97.85)
    assert found.info.complete


@pytest.mark.parametrize("rows", [2, 4])
def test_a_table_without_headings_that_ends_inside_its_rows_is_incomplete(log: Path, rows: int) -> None:
    cut = "\n".join(OLD_TABLE.splitlines()[: 1 + rows])
    log.write_text("  row_sums(float const *), 2020-Jul-28 06:48:36, Context 1, Stream 7\n" + cut)
    assert not read(log).info.complete


def test_dashes_in_the_output_of_a_program_begin_no_table(log: Path) -> None:
    log.write_text(LAUNCH + TABLE + "    ---- ---- ----\n    Duration  msecond  9.99\n    ---- ---- ----\n")
    assert read(log).frame.iloc[0]["duration_ns"] == pytest.approx(1.73e6)


@pytest.mark.parametrize("indent", ["    ", ""])
def test_sections_without_any_kernel_line_are_launches_without_a_name(log: Path, indent: str) -> None:
    table = indent_of(dedent(TABLE), indent)
    log.write_text(table + table.replace("Speed Of Light Throughput", "Other") + table.replace("1.73", "2.5"))
    found = read(log)
    assert list(found.frame["kernel"]) == ["(unnamed)"] * 2
    assert list(found.frame["duration_ns"]) == pytest.approx([1.73e6, 2.5e6])
    assert "names no kernel" in found.info.problems[0] and not found.info.complete


def test_headings_alone_are_no_launch(log: Path) -> None:
    log.write_text("    Section: GPU Speed Of Light Throughput\n" * 50)
    with pytest.raises(InputError, match="no kernel launch in it can be read"):
        read(log)


def test_a_kernel_line_that_was_wrapped_after_its_name_is_read(log: Path) -> None:
    log.write_text(
        "  copy(const float *, float *) \n  (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.9\n" + TABLE
    )
    launch = read(log).frame.iloc[0]
    assert (launch["kernel"], launch["grid"], launch["block"], launch["cc"]) == ("copy", (64, 1, 1), (256, 1, 1), "8.9")


@pytest.mark.parametrize("opening", ["    OPT   Est. Speedup: 12.5%", "OPT   Estimated Speedup: 12.5%"])
def test_a_rule_of_any_version_and_indent_has_its_estimate(log: Path, opening: str) -> None:
    table = TABLE if opening.startswith(" ") else dedent(TABLE)
    log.write_text(LAUNCH + table + opening + "\n          The kernel waits.\n\n")
    (rule,) = read(log).frame.iloc[0]["rules"]
    assert (rule.message, rule.speedup) == ("The kernel waits.", pytest.approx(8 / 7))


def test_sections_before_the_first_kernel_line_are_not_dropped_without_a_word(log: Path) -> None:
    log.write_text(dedent(TABLE) * 2 + LAUNCH + TABLE)
    info = read(log).info
    assert not info.complete and "begins inside a launch" in info.problems[0]


@pytest.mark.parametrize("line", ["ERR  cudaMalloc failed", "INF  12:01:02 server started"])
def test_a_program_s_own_line_is_no_rule_and_ends_no_table(log: Path, line: str) -> None:
    log.write_text(LAUNCH + TABLE.replace("    Duration", f"{line}\n    Duration") + f"{line}\nmore of it\n")
    launch = read(log).frame.iloc[0]
    assert launch["duration_ns"] == pytest.approx(1.73e6) and launch["rules"] == ()


def test_many_headings_take_linear_time() -> None:
    found = read_console([LAUNCH, *(f"    Section: part {at}" for at in range(50_000))], (), 100)
    assert len(found.launches) == 1
