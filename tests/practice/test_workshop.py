"""The learner's own folder: made once, never overwritten, reset with what was there kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.practice import workshop
from advisor.practice.manifest import bundled_text, exercise, names
from advisor.practice.state import Store
from advisor.records.errors import InputError, UsageError

NAME = "bank-conflicts"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


def original() -> str:
    one = exercise(NAME)
    return bundled_text(NAME, one.stages[0].source)


def test_start_makes_a_copy_of_the_first_step(store: Store) -> None:
    shop, made = workshop.start(exercise(NAME), store)
    assert made
    assert shop.source.name == "a-transpose-through-a-tile.cu"
    assert "bank" not in str(shop.source.relative_to(store.folder))  # the learner shall find the cause
    assert shop.source.read_text(encoding="utf-8") == original()
    assert shop.folder.is_relative_to(store.folder)


def test_start_again_finds_the_same_folder_and_keeps_the_edit(store: Store, tmp_path: Path) -> None:
    shop, _ = workshop.start(exercise(NAME), store, tmp_path / "mine")
    shop.source.write_text("// mine\n", encoding="utf-8")
    again, made = workshop.start(exercise(NAME), store)
    assert (again.folder, made) == (shop.folder, False)
    assert again.source.read_text(encoding="utf-8") == "// mine\n"


def test_every_exercise_has_a_folder_of_its_own() -> None:
    folders = [workshop.neutral_name(one) for one in map(exercise, names())]
    assert len(set(folders)) == len(folders) and all(folders)


def test_reset_puts_the_original_back_and_keeps_every_version(store: Store) -> None:
    shop, _ = workshop.start(exercise(NAME), store)
    assert workshop.reset(shop) == ()
    for text in ("// one\n", "// two\n"):
        shop.source.write_text(text, encoding="utf-8")
        workshop.reset(shop)
        assert shop.source.read_text(encoding="utf-8") == original()
    kept = sorted(shop.folder.glob("*.before-reset-*.cu"))
    assert [p.read_text(encoding="utf-8") for p in kept] == ["// one\n", "// two\n"]


def test_what_was_not_started_or_is_gone_is_said_with_the_command(store: Store) -> None:
    with pytest.raises(UsageError, match=r"practice start \d+"):
        workshop.opened(exercise(NAME), store)
    shop, _ = workshop.start(exercise(NAME), store)
    shop.source.unlink()
    with pytest.raises(UsageError, match="is gone"):
        workshop.opened(exercise(NAME), store)


def test_the_digest_follows_the_text(store: Store) -> None:
    shop, _ = workshop.start(exercise(NAME), store)
    first = shop.digest()
    shop.source.write_text(original() + "\n", encoding="utf-8")
    assert shop.digest() != first


def test_a_source_that_is_no_text_or_absurd_is_refused(store: Store) -> None:
    shop, _ = workshop.start(exercise(NAME), store)
    shop.source.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        workshop.read_source(shop.source)
    shop.source.write_bytes(b"/" * (1 << 20 | 1))
    with pytest.raises(InputError, match="1 MiB"):
        workshop.read_source(shop.source)


def test_a_folder_that_cannot_be_made_is_one_line(store: Store, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="--folder"):
        workshop.start(exercise(NAME), store, blocked / "inside")


def test_the_next_save_is_seen_and_a_file_that_is_being_replaced_is_waited_for(store: Store) -> None:
    shop, _ = workshop.start(exercise(NAME), store)
    text, pauses = shop.source.read_text(), []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            shop.source.unlink()
        if len(pauses) == 3:
            shop.source.write_text(text + "// changed\n")

    before = shop.digest()
    assert workshop.next_save(shop, before, pause) == shop.digest() != before
    assert len(pauses) == 3
