"""Find data folders: bundled ones (next to the package in a checkout, inside it in a wheel) and the user's."""

from __future__ import annotations

from pathlib import Path

from advisor.records.errors import AdvisorError

_PACKAGE = Path(__file__).resolve().parents[1]
_MARKERS = {"knowledge": "classification.yaml", "kernels": "tour", "transcripts": ""}


def folder(name: str) -> Path:
    """Return the folder `knowledge`, `kernels` or `transcripts`. Raises AdvisorError if the installation lacks it."""
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        path = base / name
        if path.is_dir() and (path / _MARKERS[name]).exists():
            return path
    raise AdvisorError(f"the folder {name!r} is missing from this installation: install ncu-advisor again")


def example_or(path: Path) -> Path:
    """Return the bundled workload file of a bare name (`blur`, `blur.yaml`) if no such file exists, else the path."""
    try:
        if path.name != str(path) or path.exists():
            return path
        found = folder("transcripts") / "workloads" / (path.name.removesuffix(".yaml") + ".yaml")
        return found if found.is_file() else path
    except (AdvisorError, OSError, ValueError):
        return path


def user_data() -> Path:
    """Return the user's data folder for this program, without creating it."""
    return _of_user("user_data_dir")


def user_cache() -> Path:
    """Return the user's cache folder for this program, without creating it."""
    return _of_user("user_cache_dir")


def user_config() -> Path:
    """Return the user's settings folder for this program, without creating it."""
    return _of_user("user_config_dir")


def _of_user(which: str) -> Path:
    import platformdirs

    try:
        found = Path(getattr(platformdirs, which)("ncu-advisor", appauthor=False))
    except RuntimeError:
        found = Path()
    if not found.is_absolute():
        raise AdvisorError("this user has no home folder: set HOME to a writable folder")
    return found
