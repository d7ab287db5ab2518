"""What reading one file may cost. Every bound ends in one clear line for the user, never in a hang or a full disk."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on reading one file.

    children: processes at a time; batch_launches, batch_bytes: what one child reads (bytes of launch records, each of
    which takes about ten times its size in memory); silence_s: seconds a child may go without delivering a launch;
    total_s: seconds for all of it; child_memory: address space of a child in bytes (where the system enforces it);
    message_bytes: what a child may send; unpacked_bytes and unpack_ratio: size of a decompressed file, absolute and as
    a multiple of the compressed one (real reports shrink 10 to 70 times); text_bytes, text_lines and line_chars: size
    of a text or CSV file, its lines, its longest line; search_lines: lines in which its first launch must begin;
    launches: of one file; name_chars: longest kernel name kept.
    """

    children: int = 2
    batch_launches: int = 40
    batch_bytes: int = 48 * MIB
    silence_s: float = 12.0
    total_s: float = 180.0
    child_memory: int = 2048 * MIB
    message_bytes: int = 128 * MIB
    unpacked_bytes: int = 2048 * MIB
    unpack_ratio: int = 400
    text_bytes: int = 256 * MIB
    text_lines: int = 10_000_000
    line_chars: int = 1 << 20
    search_lines: int = 2_000_000
    launches: int = 100_000
    name_chars: int = 20_000
