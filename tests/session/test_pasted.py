"""Pasted parts of ncu's output: every form of a row gives the same number, and no text raises."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from advisor.session.language.pasted import in_order, read
from advisor.session.records import KnowledgeIndex


@cache
def index() -> KnowledgeIndex:
    from advisor.session import services

    return services.knowledge_index()


# (section, label, metric): those of a section whose label is not also a row of another metric there.
LABELS = [
    (section, label, metric)
    for section, label, metric in index().labels
    if section and "/" not in section and "[" not in label and index().unit(metric) in ("%", "cycle")
]
TIMES = {"ns": 1.0, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9, "second": 1e9}
SIZES = {"byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}


PARTS = ["Duration  us  1,2.3", "-----  ----", '"', "|", "\x1b[", "==PROF==", "12", "Metric Name", '"ID","Process ID",']
ANY = st.text(st.characters(), max_size=300) | st.lists(st.sampled_from(PARTS)).map("\n".join)


def console(section: str, *rows: tuple[str, str, str]) -> str:
    line = f"    {'-' * 60} {'-' * 15} {'-' * 20}"
    body = [f"    {label:60} {unit:>15} {value:>20}" for label, unit, value in rows]
    head = f"    {'Metric Name':60} {'Metric Unit':>15} {'Metric Value':>20}"
    return "\n".join([f"    Section: {section}", line, head, line, *body, line])


FORMS = {
    "console": lambda section, label, unit, value: console(section, (label, unit, value)),
    "row": lambda section, label, unit, value: f"    Section: {section}\n    {label:50} {unit:>12} {value:>12}",
    "colon": lambda section, label, unit, value: f"Section: {section}\n{label}: {value} {unit}",
    "tabs": lambda section, label, unit, value: f"Section: {section}\n{label}\t{unit}\t{value}",
    "coloured": lambda section, label, unit, value: f"Section: {section}\n\x1b[1m{label}\x1b[0m\t{value} {unit}",
    "html": lambda section, label, unit, value: (
        f"Section: {section}\n<tr><td>{label}</td><td>{unit}</td><td>{value}</td></tr>"
    ),
    "bars": lambda section, label, unit, value: f"Section: {section}\n| {label} | {unit} | {value} |",
    "csv": lambda section, label, unit, value: (
        f'"0","11","host","k(int)","1","7","(256,1,1)","(9,1,1)","0","9.0","{section}","{label}","{unit}","{value}"'
    ),
}


@settings(max_examples=60, deadline=None)
@example(("GPU Speed Of Light Throughput", "L2 Cache Throughput", "l2_throughput_pct"), "colon", 1.0, False)
@given(st.sampled_from(LABELS), st.sampled_from(sorted(FORMS)), st.floats(0.01, 99.5), st.booleans())
def test_a_row_of_any_section_is_read_in_every_form(row: tuple[str, str, str], form: str, value: float, comma: bool):
    section, label, metric = row
    number = f"{value:.2f}".replace(".", ",") if comma else f"{value:.2f}"
    found = dict(read(FORMS[form](section, label, index().unit(metric) or "", number), index()).values)
    if form == "csv" and metric not in found:
        # Without its section, as in CSV rows without a header, a label may belong to several metrics.
        assert len({m for _, name, m in index().labels if name == label}) > 1
    else:
        assert found == {metric: pytest.approx(round(value, 2))}


@settings(max_examples=40, deadline=None)
@given(st.floats(1, 900), st.sampled_from(sorted(TIMES)), st.sampled_from(sorted(FORMS)))
def test_times_become_nanoseconds(value: float, unit: str, form: str):
    text = FORMS[form]("GPU Speed Of Light Throughput", "Duration", unit, f"{value:.2f}")
    assert dict(read(text, index()).values) == {"duration_ns": pytest.approx(round(value, 2) * TIMES[unit])}


@settings(max_examples=30, deadline=None)
@given(st.floats(1, 900), st.sampled_from(sorted(SIZES)))
def test_sizes_become_bytes_and_own_names_are_known(value: float, unit: str):
    found = read(f"dram__bytes.sum  {unit}  {value:.2f}", index())
    assert dict(found.values) == {"dram_bytes": pytest.approx(round(value, 2) * SIZES[unit])}


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 10**9), st.sampled_from([",", "'", "\u00a0", "\u202f", ""]))
def test_separators_of_thousands_are_dropped(value: int, mark: str):
    text = f"{value:,}".replace(",", mark)
    assert dict(read(f"Elapsed Cycles\tcycle\t{text}", index()).values) == {"sm_cycles_elapsed": value}


@settings(max_examples=80, deadline=None)
@given(ANY)
def test_no_text_raises_and_what_is_read_is_finite_and_not_negative(text: str):
    found = read(text, index())
    assert all(value >= 0 and value < float("inf") for _, value in found.values)
    assert all("\n" not in line for line in found.unread)
    in_order(text, index().interview)


def test_a_table_with_minimum_maximum_and_average_gives_the_average():
    dashes = "    ------------------- ----------- ------------ ------------ ------------"
    head = "    Metric Name         Metric Unit      Minimum      Maximum      Average"
    row = "    Elapsed Cycles            cycle        1,000        3,000        2,000"
    text = "\n".join(["    Section: GPU Speed Of Light Throughput", dashes, head, dashes, row, dashes])
    assert dict(read(text, index()).values) == {"sm_cycles_elapsed": 2000}


def test_advice_of_ncu_between_the_rows_is_not_read_as_numbers():
    text = console("Occupancy", ("Achieved Occupancy", "%", "37.50"))
    text += "\n\n    OPT   Est. Speedup: 62.5%\n          The 4.00 theoretical warps per scheduler: 12 of 16.\n"
    found = read(text, index())
    assert dict(found.values) == {"occupancy_achieved_pct": 37.5} and found.unread == ()


@pytest.mark.parametrize(
    ("text", "values", "unread"),
    [
        ("60, 5 ms, 40", [60, 40], ["5 ms: expected a percentage, such as 83%"]),
        ("60, foo, 40", [60, 40], ["foo: expected a percentage, such as 83%"]),
        ("60, n/a, 40", [60, 40], []),
    ],
)
def test_a_list_in_the_order_of_a_page_leaves_out_only_its_bad_items(text: str, values: list[float], unread: list[str]):
    rows = [ask for ask in index().interview if ask.unit == "%"][:3]
    found = in_order(text, rows)
    assert found is not None and dict(found.values) == dict(zip((rows[0].id, rows[2].id), values, strict=True))
    assert [line.endswith(end) for line, end in zip(found.unread, unread, strict=True)] == [True] * len(unread)


def test_names_with_numbers_are_no_list_in_the_order_of_a_page():
    rows = [ask for ask in index().interview if ask.unit == "%"][:3]
    assert in_order("dram, 83%", rows) is None and in_order("dram 83%, l2 7%", rows) is None
