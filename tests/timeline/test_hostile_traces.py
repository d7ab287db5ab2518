"""Damaged, foreign and hostile files: one line, exit code 2; names are shown, never obeyed."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path

import pytest

from advisor.cli.main import main
from advisor.records.errors import InputError
from advisor.timeline import sqlite_trace
from advisor.timeline.analyse import analyse
from advisor.timeline.read import read_trace
from tests import damaged_databases
from tests.timeline import generator as make
from tests.timeline.generator import MS, US, Planted


def refused(path: Path) -> str:
    with pytest.raises(InputError) as e:
        read_trace(path)
    text = str(e.value)
    assert text.startswith(path.name) and "\n" not in text and len(text) < 400
    return text


def test_a_database_that_was_cut_is_refused(tmp_path: Path) -> None:
    path = make.busy().write(tmp_path / "t.sqlite")
    whole = path.read_bytes()
    for size in (len(whole) - 1, len(whole) // 2, 5000, 200, 30):
        path.write_bytes(whole[:size])
        refused(path)


@pytest.mark.parametrize("seed", range(30))
def test_flipped_bytes_give_an_answer_or_one_line_never_a_traceback(seed: int, tmp_path: Path) -> None:
    path = make.serial_copies().write(tmp_path / "t.sqlite")
    dice = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(dice.choice([1, 20, 400])):
        content[dice.randrange(100 if dice.random() < 0.2 else 0, len(content))] = dice.randrange(256)
    path.write_bytes(content)
    try:
        analyse([path])
    except InputError as e:
        assert "\n" not in str(e)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 3\n", "LFS"),
        (b"NVR\0\x01\0\0\0", "diagnose"),
        (b"\x1f\x8b\x08\x00", "compressed"),
        (bytes(range(256)), "not a trace"),
        (b"SQLite format 3\0" + b"\0" * 84, ""),
    ],
)
def test_what_is_no_trace_is_called_by_its_name(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    path.write_bytes(content)
    assert says in refused(path)


@pytest.mark.parametrize("table", ["CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_MEMCPY"])
def test_a_table_without_a_usable_row_counts_as_incomplete(table: str, tmp_path: Path) -> None:
    path = make.serial_copies().write(tmp_path / "t.sqlite")
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE {table} SET start = 'x', end = 'y'")
    found = analyse([path])
    assert any(f"{table} is incomplete" in problem for problem in found.traces[0].problems)


def test_a_report_of_nsys_itself_has_to_be_exported(tmp_path: Path) -> None:
    path = tmp_path / "t.nsys-rep"
    path.write_bytes(b"\x08\x01binary\0\0")
    assert "nsys export --type sqlite" in refused(path)


def test_databases_of_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER)")
    db.commit()
    assert "not from Nsight Systems" in refused(path)
    db.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
    db.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN end TO stop")
    db.commit()
    db.close()
    assert "'end'" in refused(path)


def test_what_the_database_says_of_itself_stays_on_one_line(tmp_path: Path) -> None:
    path = make.tiny().write(tmp_path / "t.sqlite")
    content = path.read_bytes()
    assert content.count(b"CREATE TABLE TARGET_INFO_GPU") == 1
    path.write_bytes(content.replace(b"CREATE TABLE TARGET_INFO_GPU", b"BROKEN\n\x1b[31m TARGET_INFO_GPU"))
    assert "\x1b" not in refused(path)


def test_views_and_triggers_of_a_file_are_not_looked_at(tmp_path: Path) -> None:
    """A view that never ends, in the place of a table."""
    path = make.busy().write(tmp_path / "t.sqlite", without=("CUPTI_ACTIVITY_KIND_MEMCPY",))
    db = sqlite3.connect(path)
    db.execute(
        "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS WITH RECURSIVE n(start) AS "
        '(SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT start, start AS "end", 1 AS bytes FROM n'
    )
    db.commit()
    db.close()
    result = analyse([path])
    assert "copy_not_overlapped" in {one.id for one in result.gpus[0].unseen}
    assert not result.traces[0].complete and "view" in result.traces[0].problems[0]


@pytest.mark.parametrize("seed", range(6))
def test_pages_that_name_each_other_do_not_keep_the_program_busy(seed: int, tmp_path: Path) -> None:
    """57 KB of a database that pretends to hold up to 10^15 rows."""
    path = make.busy().write(tmp_path / "t.sqlite")
    path.write_bytes(damaged_databases.tree(path.read_bytes(), random.Random(seed)))
    start = time.process_time()
    assert "damaged" in refused(path)
    assert time.process_time() - start < 5.0


def test_a_query_that_never_ends_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_trace, "_PATIENCE_S", 0.2)
    path = make.busy().write(tmp_path / "t.sqlite")
    with pytest.raises(InputError, match="takes too long"), sqlite_trace.opened(path) as database:
        database.rows(
            "StringIds",
            ("id",),
            "WHERE (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT sum(n) FROM c)",
        )


def test_names_are_the_same_whether_there_are_few_or_very_many(tmp_path: Path) -> None:
    planted = Planted()
    for number in range(12_000):
        planted.kernel(number * US, 500, f"kernel {number}", f"kernel {number}")
    trace = read_trace(planted.write(tmp_path / "t.sqlite"))
    assert trace.work is not None
    assert [trace.names[i] for i in trace.work.name.tolist()] == [f"kernel {number}" for number in range(12_000)]


def test_nothing_is_written_beside_a_trace(tmp_path: Path) -> None:
    path = make.busy().write(tmp_path / "t.sqlite")
    before = path.read_bytes()
    path.chmod(0o444)
    analyse([path])
    assert [p.name for p in tmp_path.iterdir()] == ["t.sqlite"] and path.read_bytes() == before


def test_rows_without_usable_times_are_left_out_and_told(tmp_path: Path) -> None:
    path = make.busy().write(tmp_path / "t.sqlite")
    db = sqlite3.connect(path)
    for start, end in (("'soon'", "5"), ("NULL", "7"), ("9.5", "10"), ("100", "50"), ("0", "0")):
        db.execute(
            'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", demangledName, shortName) '
            f"VALUES ({start}, {end}, 1, 1)"
        )
    db.commit()
    db.close()
    result = analyse([path])
    assert result.gpus[0].values["kernel_launches"] == 50
    assert not result.traces[0].complete and "5 rows" in result.traces[0].problems[0]


def test_strings_that_lead_nowhere_and_texts_in_place_of_ids(tmp_path: Path) -> None:
    path = make.busy().write(tmp_path / "t.sqlite")
    db = sqlite3.connect(path)
    db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 999999, shortName = 'typed in'")
    db.commit()
    db.close()
    gpu = analyse([path]).gpus[0]
    assert [(k.name, k.short, k.launches) for k in gpu.kernels] == [("typed in", "typed in", 50)]


NAMES = [
    "\x1b[2J\x1b[31mred",
    "[bold red]x[/]",
    "<script>alert(1)</script>",
    "a\nb\tc",
    "\u202eevil",
    "\ud800".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_shown_and_never_obeyed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planted = Planted()
    planted.range(name, 9 * MS, 900 * MS)
    at = 10 * MS
    for _ in range(30):
        at = planted.kernel(at, 2 * MS, f"void {name}(int)", name, asked=at - 10 * US) + 3 * MS
    path = planted.write(tmp_path / "t.sqlite")
    for form in ("text", "json"):
        with pytest.raises(SystemExit) as e:
            main(["timeline", str(path), "--format", form])
        out = capsys.readouterr()
        assert e.value.code == 0
        assert not {"\x1b", "\u202e", "\t"} & set(out.out if form == "text" else out.err)


def test_enormous_numbers_do_not_overflow(tmp_path: Path) -> None:
    planted = Planted()
    planted.kernel(2**62, 1 * MS, asked=1)
    planted.kernel(-(2**61), 1 * MS, asked=2)
    planted.copy(0, 2**60, size=2**62, asked=3)
    result = analyse([planted.write(tmp_path / "t.sqlite")])
    assert all(abs(v) < 1e19 for v in result.gpus[0].values.values())
