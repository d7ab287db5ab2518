"""What another user planted in the folders of the user is not believed, not run and not overwritten through."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from advisor.knowledge.loader import FILE, ParseCache
from advisor.practice.state import Store
from advisor.records.errors import InputError
from advisor.records.own_files import _why_foreign, make_own, read_own, why_foreign
from advisor.session.transcripts import autosave
from advisor.triage.files import Done, State
from advisor.triage.tally import Part
from advisor.tui.opening import NAME as SETTINGS
from advisor.tui.opening import Settings

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners and modes are a matter of POSIX")


def about(uid: int, mode: int = 0o100600, gid: int = 0) -> os.stat_result:
    return os.stat_result((mode, 0, 0, 1, uid, gid, 0, 0, 0, 0))


def test_only_files_of_this_user_and_of_root_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("SUDO_UID", "1001")
    assert not _why_foreign(about(1000)) and not _why_foreign(about(0))
    assert "another user" in _why_foreign(about(1001))
    assert "go-w" in _why_foreign(about(1000, 0o100602)) and "go-w" in _why_foreign(about(1000, 0o100660, gid=77_777))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert not _why_foreign(about(1001)) and "another user" in _why_foreign(about(1002))


def test_a_folder_is_made_for_the_user_alone_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        make_own(tmp_path / "a" / "b")
        (tmp_path / "open").mkdir()
    finally:
        os.umask(old)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b")] == [0o700, 0o700]
    with pytest.raises(PermissionError, match="other users"):
        make_own(tmp_path / "open")
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        make_own(tmp_path / "file")


def test_a_file_is_read_only_where_nobody_else_can_write(tmp_path: Path) -> None:
    path = tmp_path / "own" / "file"
    make_own(path.parent)
    path.write_bytes(b"mine")
    assert read_own(path, 10) == b"mine" and not why_foreign(path)
    with pytest.raises(OSError, match="larger"):
        read_own(path, 3)
    path.parent.chmod(0o777)
    with pytest.raises(PermissionError, match="its folder can be changed"):
        read_own(path, 10)
    path.parent.chmod(0o700)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(OSError, match="regular"):  # without waiting for a writer
        read_own(path, 10)


def test_parsed_knowledge_that_others_can_change_is_neither_believed_nor_kept(tmp_path: Path) -> None:
    yaml = tmp_path / "knowledge" / "x.yaml"
    yaml.parent.mkdir()
    file = tmp_path / "cache" / FILE
    first = ParseCache(file, (yaml.parent,))
    first.put(yaml, "a: 1", {"a": 1})
    first.write()
    entries = msgspec.msgpack.decode(file.read_bytes())
    entries["knowledge/x.yaml"][1] = {"a": 666}
    planted = msgspec.msgpack.encode(entries)
    file.write_bytes(planted)
    assert ParseCache(file, (yaml.parent,)).get(yaml, "a: 1", dict) == {"a": 666}  # the user's own file is believed
    file.parent.chmod(0o777)
    second = ParseCache(file, (yaml.parent,))
    assert second.get(yaml, "a: 1", dict) is None
    second.put(yaml, "a: 1", {"a": 1})
    second.write()
    assert file.read_bytes() == planted


def test_the_cache_is_not_written_through_a_link_or_into_a_pipe(tmp_path: Path) -> None:
    yaml, precious = tmp_path / "knowledge" / "x.yaml", tmp_path / "thesis.tex"
    yaml.parent.mkdir()
    precious.write_text("all of it")
    for name, plant in (("a", lambda path: path.symlink_to(precious)), ("b", os.mkfifo)):
        file = tmp_path / name / FILE
        make_own(file.parent)
        plant(file)
        cache = ParseCache(file, (yaml.parent,))
        cache.put(yaml, "a: 1", {"a": 1})
        cache.write()
        assert not file.is_file() or file.is_symlink()
    assert precious.read_text() == "all of it"
    os.mkfifo(tmp_path / "a" / SETTINGS)
    Settings(tmp_path / "a").choose("dark")


def test_a_state_of_triage_that_is_a_link_destroys_nothing(tmp_path: Path) -> None:
    precious = tmp_path / "thesis.tex"
    precious.write_text("all of it")
    place = tmp_path / "triage" / "0.state"
    make_own(place.parent)
    place.symlink_to(precious)
    state = State(place, "purpose")
    assert list(state.done()) == [] and state.trouble and not state.add(Done("x", 1, 1, Part()))
    state.close(keep=True)
    assert precious.read_text() == "all of it"


def test_sessions_progress_and_settings_of_others_are_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "sessions"
    make_own(place)
    (place / "a.jsonl").write_text('{"format": "ncu-advisor/transcript/1"}\n{"do": "began", "paths": ["/x"]}\n')
    assert len(autosave.kept(place)) == 1
    (place / "a.jsonl").chmod(0o666)
    assert autosave.kept(place) == ()
    store = Store(tmp_path / "data")
    store.change("one", lambda record: setattr(record, "solved", True))
    store.path.chmod(0o666)
    with pytest.raises(InputError, match="can be changed by other users"):
        store.read()
    with pytest.raises(InputError):
        store.change("one", lambda record: setattr(record, "solved", False))
    store.path.chmod(0o600)
    assert store.record("one").solved
    settings = Settings(tmp_path / "config")
    settings.choose("light")
    assert settings.theme == "light"
    settings.folder.chmod(0o777)
    assert settings.theme == ""
    settings.choose("dark")
    settings.folder.chmod(0o700)
    assert settings.theme == "light"
