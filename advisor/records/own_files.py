"""The files in which this program remembers something: only what this user alone can write counts.

Otherwise another user of the machine could plant conclusions, for example in a cache folder below /tmp. Like ssh, this
looks at the owner and the mode of the file and of its folder. The system's administrator is trusted.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from advisor.records.files import write_bytes_whole

_OTHERS, _GROUP = 0o002, 0o020


def read_own(path: Path, most: int) -> bytes:
    """Return the content of a file of at most `most` bytes. Raises OSError with a reason if it is not this user's."""
    # Without O_NONBLOCK, a pipe without a writer would block.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        if why := _why_foreign(about) or _why_foreign(path.parent.stat(), "its folder "):
            raise PermissionError(errno.EPERM, why, str(path))
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        if about.st_size > most:
            raise OSError(errno.EFBIG, f"is larger than {most >> 20} MiB", str(path))
        return file.read(most)


def write_own(path: Path, content: bytes) -> None:
    """Replace a file in a folder of this user alone. Raises OSError with a reason, UsageError if the disk is full.

    A link is followed, for a user who keeps the file elsewhere; a pipe would block, so it is refused.
    """
    make_own(path.parent)
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    write_bytes_whole(path, content)


def make_own(folder: Path) -> None:
    """Create a folder that only this user can change. Raises OSError with a reason if it exists and others can."""
    for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is not a folder", str(folder))
    if why := why_foreign(folder):
        raise PermissionError(errno.EPERM, why, str(folder))


def why_foreign(path: Path) -> str:
    """Return why a file or folder could hold what this user did not write, or ''. Raises OSError if it is missing."""
    return _why_foreign(path.stat()) or ("" if path.is_dir() else _why_foreign(path.parent.stat(), "its folder "))


def _why_foreign(about: os.stat_result, which: str = "") -> str:
    if os.name != "posix":
        return ""
    user = os.geteuid()
    trusted = {0, user}
    if user == 0:  # started by sudo, which may keep the user's home folder
        trusted.add(int(os.environ["SUDO_UID"]) if os.environ.get("SUDO_UID", "").isdecimal() else 0)
    if about.st_uid not in trusted:
        return f"{which}belongs to another user"
    if about.st_mode & _OTHERS or (about.st_mode & _GROUP and not _private_group(about)):
        return f"{which}can be changed by other users: chmod go-w"
    return ""


def _private_group(about: os.stat_result) -> bool:
    """Return whether a group is the owner's alone, as some systems give each user, with a umask of 002."""
    import grp
    import pwd

    with contextlib.suppress(KeyError):
        owner, group = pwd.getpwuid(about.st_uid), grp.getgrgid(about.st_gid)
        return owner.pw_gid == group.gr_gid and set(group.gr_mem) <= {owner.pw_name} and group.gr_name == owner.pw_name
    return False
