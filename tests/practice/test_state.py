"""The learner's state file: whole, typed, and safe against two terminals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.practice.state import Record, Store
from advisor.records.errors import InputError


def bump(record: Record) -> int:
    record.attempts += 1
    return record.attempts


def test_a_store_without_a_file_is_empty_and_reading_makes_none(tmp_path: Path) -> None:
    store = Store(tmp_path / "data")
    assert store.read().exercises == {}
    assert not store.folder.exists()


def test_a_change_is_there_for_the_next_reader(tmp_path: Path) -> None:
    assert Store(tmp_path).change("bank-conflicts", bump) == 1
    assert Store(tmp_path).change("bank-conflicts", bump) == 2
    assert Store(tmp_path).record("bank-conflicts").attempts == 2
    assert Store(tmp_path).record("good-copy") == Record()


def test_the_file_is_plain_json_that_a_person_can_read(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.change("good-copy", bump)
    raw = json.loads(store.path.read_text(encoding="utf-8"))
    assert raw == {"schema": "ncu-advisor/practice/1", "exercises": {"good-copy": {"attempts": 1}}}


def test_two_terminals_at_once_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from advisor.practice.state import Store\n"
        "def bump(r): r.attempts += 1\n"
        "for _ in range(25): Store(Path(sys.argv[1])).change('good-copy', bump)\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(3)]
    assert [c.wait(120) for c in children] == [0, 0, 0]
    assert Store(tmp_path).record("good-copy").attempts == 75


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": "ncu-advisor/practice/1", "exercises": {"a": {"attempts": "x"}}}', "\x00\xff"]
)
def test_a_damaged_file_is_named_and_never_overwritten(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path)
    store.path.write_text(text, encoding="latin-1")
    before = store.path.read_bytes()
    with pytest.raises(InputError, match="move it away") as caught:
        store.change("good-copy", bump)
    assert "\n" not in str(caught.value)
    assert store.path.read_bytes() == before


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.path.write_text('{"schema": "ncu-advisor/practice/9", "exercises": {}}', encoding="utf-8")
    with pytest.raises(InputError, match="another version"):
        store.read()


def test_a_change_that_fails_writes_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.change("good-copy", bump)

    def fail(record: Record) -> None:
        record.attempts = 99
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError):
        store.change("good-copy", fail)
    assert store.record("good-copy").attempts == 1


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be written"):
        Store(blocked / "inside").change("good-copy", bump)
