"""What was parsed is kept by its text: the same text comes back, another one is parsed, and nothing depends on it."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import advisor
from advisor.knowledge.loader import FILE, ParseCache, _digest, parse_cache
from advisor.records import resources
from advisor.records.errors import AdvisorError

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    test: str
    means: str = ""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "knowledge" / "x.yaml"


def kept_in(tmp_path: Path) -> ParseCache:
    return ParseCache(tmp_path / "cache" / FILE, (tmp_path / "knowledge",))


def test_what_was_kept_is_there_in_the_next_process_for_the_same_text(tmp_path: Path, place: Path) -> None:
    first = kept_in(tmp_path)
    assert first.get(place, "test: x", Entry) is None
    first.put(place, "test: x", {"test": "x"})
    first.write()
    assert kept_in(tmp_path).get(place, "test: x", Entry) == Entry("x")
    assert kept_in(tmp_path).get(place, "test: y", Entry) is None
    assert kept_in(tmp_path).get(place.with_name("y.yaml"), "test: x", Entry) is None


@given(content=PLAIN)
def test_what_comes_back_is_what_was_parsed(content: Any) -> None:
    found = ParseCache(Path("none"), (Path("knowledge"),))
    found.put(Path("knowledge/x.yaml"), "text", content)
    assert found.get(Path("knowledge/x.yaml"), "text", Any) == content  # type: ignore[arg-type]


def test_a_date_is_not_kept_since_it_would_come_back_as_text(tmp_path: Path, place: Path) -> None:
    found = kept_in(tmp_path)
    found.put(place, "a: 2026-01-01", {"a": date(2026, 1, 1)})
    assert found.get(place, "a: 2026-01-01", dict) is None


def test_what_is_not_of_the_kind_any_more_is_parsed_again(tmp_path: Path, place: Path) -> None:
    found = kept_in(tmp_path)
    found.put(place, "text", {"test": 7})
    assert found.get(place, "text", Entry) is None


def test_files_of_others_are_not_kept(tmp_path: Path) -> None:
    found = kept_in(tmp_path)
    for path in (tmp_path / "x.yaml", tmp_path / "knowledge-of-others" / "x.yaml"):
        found.put(path, "text", {})
    found.write()
    assert not (tmp_path / "cache").exists()


DEEP = b"\x91" * 200_000 + b"\xc0"
NAME = b"\xb0knowledge/x.yaml"
DAMAGED = {
    "empty": b"",
    "no content": b"\xc1",
    "several": b"\x80" * 5,
    "another shape": msgspec.msgpack.encode({"a": 1}),
    "zeros": bytes(1 << 10),
    "a name that is not UTF-8": b"\x81\xa1\xff\x92\xc4\x01a\xc0",
    "nested too deeply": b"\x81\xa1a\x92\xc4\x01a" + DEEP,
    "an entry that is not UTF-8": b"\x81" + NAME + b"\x92\xc4\x10" + _digest("text") + b"\xa1\xff",
    "an entry of another kind": b"\x81" + NAME + b"\x92\xc4\x10" + _digest("text") + b"\x07",
    "an entry nested too deeply": b"\x81" + NAME + b"\x92\xc4\x10" + _digest("text") + DEEP,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_as_none_and_is_replaced(tmp_path: Path, place: Path, content: bytes) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / FILE).write_bytes(content)
    found = kept_in(tmp_path)
    assert found.get(place, "text", dict) is None
    found.put(place, "text", {"a": 1})
    found.write()
    assert kept_in(tmp_path).get(place, "text", dict) == {"a": 1}


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path, place: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    found = kept_in(tmp_path)
    found.put(place, "text", {"a": 1})
    found.write()
    assert found.get(place, "text", dict) == {"a": 1}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_in_its_place_is_not_waited_for(tmp_path: Path, place: Path) -> None:
    (tmp_path / "cache").mkdir()
    os.mkfifo(tmp_path / "cache" / FILE)
    assert kept_in(tmp_path).get(place, "text", dict) is None


def test_two_installations_share_an_entry(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        found = ParseCache(tmp_path / FILE, (tmp_path / folder / "knowledge",))
        found.put(tmp_path / folder / "knowledge" / "x.yaml", "text", {"a": 1})
        found.write()
    assert list(msgspec.msgpack.decode((tmp_path / FILE).read_bytes())) == [f"knowledge{os.sep}x.yaml"]


def test_without_a_home_all_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home(*given: object, **more: object) -> str:
        raise RuntimeError("could not determine the home directory")

    for answer in (no_home, lambda *given, **more: "~/.cache/ncu-advisor"):
        monkeypatch.setattr("platformdirs.user_cache_dir", answer)
        with pytest.raises(AdvisorError, match="set HOME"):
            resources.user_cache()
        found = parse_cache.__wrapped__()
        place = resources.folder("knowledge") / "units.yaml"
        assert found.get(place, "text", dict) is None
        found.put(place, "text", {})
        found.write()


def test_the_knowledge_is_the_same_from_the_cache_as_from_its_files(tmp_path: Path) -> None:
    code = (
        "import msgspec; from advisor.knowledge.base import catalog; c = catalog();"
        "print(msgspec.json.encode([c.metrics, c.findings, c.classes, c.observations, c.questions]).decode())"
    )
    root = str(Path(advisor.__file__).parent.parent)
    env = {**os.environ, "PYTHONPATH": root, "XDG_CACHE_HOME": str(tmp_path)}
    # Nothing is parsed the second time.
    runs = [
        subprocess.run([sys.executable, "-c", first + code], capture_output=True, text=True, env=env, check=True).stdout
        for first in ("", "from advisor.knowledge import plain_yaml; plain_yaml.parse = None;")
    ]
    assert runs[0] == runs[1]
    assert "ncu.stalls" in runs[0]
    entries = msgspec.msgpack.decode((tmp_path / "ncu-advisor" / FILE).read_bytes())
    assert f"knowledge{os.sep}metrics.yaml" in entries
