"""The learner's folder of an exercise: the source to edit, its profiles, and its versions before a reset."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from advisor.practice.manifest import Exercise, StepDef, bundled_text
from advisor.practice.state import Store
from advisor.records.errors import InputError, UsageError
from advisor.records.files import write_bytes_whole, write_whole

_LARGEST = 1 << 20  # maximum bytes of a source
_POLL_S = 0.3  # seconds between two reads of the learner's files


class Workshop(Struct, frozen=True):
    """The files of a learner. source: the file to edit; extra: the files it uses; profiles: the folder of reports."""

    exercise: Exercise
    folder: Path
    source: Path
    extra: tuple[Path, ...]

    @property
    def profiles(self) -> Path:
        """The folder of this exercise's reports."""
        return self.folder / "profiles"

    def digest(self) -> str:
        """Return the first 12 hexadecimal digits of the SHA-256 of the learner's files."""
        state = hashlib.sha256()
        for path in (self.source, *self.extra):
            state.update(read_source(path).encode())
        return state.hexdigest()[:12]

    def untouched(self) -> bool:
        """Return whether the learner's files are still the originals."""
        pairs = zip((self.source, *self.extra), _originals(self.exercise), strict=True)
        return all(read_source(mine) == bundled_text(self.exercise.name, origin) for mine, origin in pairs)


def first_step(exercise: Exercise) -> StepDef:
    """Return the step that a learner starts from."""
    return exercise.stages[0]


def neutral_name(exercise: Exercise) -> str:
    """Return the name of the learner's folder and file: the title, since the name of an exercise reveals its cause."""
    return re.sub(r"[^a-z0-9]+", "-", exercise.title.casefold()).strip("-")


def _in(exercise: Exercise, folder: Path) -> Workshop:
    step = first_step(exercise)
    source = folder / (neutral_name(exercise) + Path(step.source).suffix)
    return Workshop(exercise, folder, source, tuple(folder / Path(x).name for x in step.extra))


def read_source(path: Path) -> str:
    """Read a source. Raises InputError if it cannot be read, is not UTF-8 or is too large."""
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"{path}: over {_LARGEST >> 20} MiB: not the source of an exercise")
        return path.read_text(encoding="utf-8")
    except OSError as e:
        raise InputError(f"{path}: cannot be read: {e.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text") from None


def start(exercise: Exercise, store: Store, folder: Path | None = None) -> tuple[Workshop, bool]:
    """Create the learner's folder if needed; return it and whether it was created. Never overwrite existing files."""
    known = store.record(exercise.name).folder
    place = (
        (folder or (Path(known) if known else store.folder / "practice" / neutral_name(exercise)))
        .expanduser()
        .absolute()
    )
    shop = _in(exercise, place)
    made = False
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise UsageError(f"{place}: cannot be created: {e.strerror}: name another with --folder") from None
    for target, origin in zip((shop.source, *shop.extra), _originals(exercise), strict=True):
        if not target.exists():
            write_whole(target, bundled_text(exercise.name, origin))
            made = True

    def remember(record: object) -> None:
        record.folder = str(place)  # type: ignore[attr-defined]

    store.change(exercise.name, remember)
    return shop, made


def _originals(exercise: Exercise) -> tuple[str, ...]:
    step = first_step(exercise)
    return (step.source, *step.extra)


def opened(exercise: Exercise, store: Store) -> Workshop:
    """Return the learner's folder of an exercise. Raises UsageError if it was not started or the source is missing."""
    known = store.record(exercise.name).folder
    if not known:
        raise UsageError(
            f"exercise {exercise.number} is not started: "
            f"`ncu-advisor practice start {exercise.number}` creates its folder"
        )
    shop = _in(exercise, Path(known))
    for path in (shop.source, *shop.extra):
        if not path.is_file():
            raise UsageError(f"{path} is gone: `ncu-advisor practice start {exercise.number}` restores the original")
    return shop


def next_save(shop: Workshop, saved: str, pause: Callable[[float], None] = time.sleep) -> str:
    """Wait until the learner's files differ from the digest `saved`; return their new digest.

    A file that is missing or unreadable is being saved. pause: waits for a number of seconds.
    """
    while True:
        try:
            now = shop.digest()
        except InputError:
            now = saved
        if now != saved:
            return now
        pause(_POLL_S)


def reset(shop: Workshop) -> tuple[Path, ...]:
    """Restore the original source; keep the learner's files next to it and return their new paths."""
    kept = []
    for target, origin in zip((shop.source, *shop.extra), _originals(shop.exercise), strict=True):
        original = bundled_text(shop.exercise.name, origin).encode()
        if target.is_file() and target.stat().st_size == len(original) and target.read_bytes() == original:
            continue
        if target.exists() or target.is_symlink():
            number = 1
            while (old := target.with_name(f"{target.stem}.before-reset-{number}{target.suffix}")).exists():
                number += 1
            # The file may not be text, so it is moved without reading it.
            target.rename(old)
            kept.append(old)
        write_bytes_whole(target, original)
    return tuple(kept)
