"""The packets of a served session are whole, whichever threads send them."""

from __future__ import annotations

import os
import threading

from advisor.tui import served


def test_packets_of_two_threads_do_not_mix() -> None:
    """One write is longer than what a pipe holds: it blocks midway, when another thread may write."""
    source, sink = os.pipe()
    lock = threading.Lock()
    sizes = {b"P": 300_000, b"D": 50_000}
    threads = [
        threading.Thread(target=lambda kind=kind: [served._write_whole(lock, sink, kind * sizes[kind]) for _ in "abc"])
        for kind in sizes
    ]
    for thread in threads:
        thread.start()
    total, found = 3 * sum(sizes.values()), b""
    while len(found) < total:
        found += os.read(source, 4096)
    for thread in threads:
        thread.join()
    os.close(source)
    os.close(sink)
    while found:
        kind = found[:1]
        assert found[: sizes[kind]] == kind * sizes[kind]
        found = found[sizes[kind] :]


def test_the_served_app_has_the_driver_with_whole_packets() -> None:
    assert served._ServedApp.get_driver_class(None) is served._Driver  # type: ignore[arg-type]
