"""Files read by the workers of a Dask cluster, which must see them under the same paths and have this program."""

from __future__ import annotations

import contextlib
import logging
import queue
from typing import Any

import msgspec

from advisor.errors import AdvisorError, UsageError
from advisor.pipelines.triage.one_file import Part, examine_packed

_CONNECT_S = 15
_LOGGERS = ("distributed", "distributed.client", "distributed.comm", "distributed.core")
_LEAST, _EACH = 8, 4  # files under way: at least, and for each thread of the cluster


class Cluster:
    """The cluster at `address`, such as `tcp://host:8786`; UsageError in one line where it cannot be used.

    A file whose worker dies goes to another one, by Dask itself; one over which several die is given up and named.
    """

    def __init__(self, address: str, settings: bytes) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise UsageError("--dask needs dask.distributed: pip install 'ncu-advisor[dask]'") from None
        # What the client has to say of a lost cluster is told in one line here.
        self._loggers = {name: logging.getLogger(name) for name in _LOGGERS}
        self._levels = {name: logger.level for name, logger in self._loggers.items()}
        for logger in self._loggers.values():
            logger.setLevel(logging.CRITICAL + 1)
        self._settings = settings
        self._address = address
        self._done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._open: dict[int, Any] = {}
        try:
            self._client: Any = Client(address, timeout=_CONNECT_S, set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError) as error:
            text = " ".join(str(error).split()) or type(error).__name__
            raise UsageError(f"--dask {address}: no scheduler answers there: {text[:200]}") from None

    @property
    def room(self) -> int:
        """How many files may be under way, so that no worker waits and the scheduler holds no more than it must."""
        threads = 0
        with contextlib.suppress(Exception):
            threads = sum(self._client.nthreads().values())
        return max(_LEAST, _EACH * threads)

    def put(self, number: int, path: str, label: str) -> None:
        """Hand over one file."""
        future = self._client.submit(
            examine_packed, path, label, self._settings, key=f"ncu-advisor-{id(self)}-{number}", pure=False
        )
        self._open[number] = future
        future.add_done_callback(lambda done: self._done.put((number, done)))

    def get(self, timeout: float) -> tuple[int, Part] | None:
        """A file that is done, None where none was within `timeout` seconds; UsageError where all must stop."""
        try:
            number, future = self._done.get(timeout=timeout)
        except queue.Empty:
            self._alive()
            return None
        if self._open.pop(number, None) is None:
            return None
        try:
            content: Any = future.result(timeout=_CONNECT_S)
        except AdvisorError as error:
            raise UsageError(f"--dask {self._address}: {error}") from None
        except ImportError as error:
            raise UsageError(
                f"--dask {self._address}: its workers lack this program ({error}): install ncu-advisor there"
            ) from None
        except Exception as error:
            self._alive()
            name = type(error).__name__
            if name == "KilledWorker":
                why = "each worker of the cluster that read it died"
            else:
                why = f"the cluster failed on it: {name}: {' '.join(str(error).split())[:200]}"
            part = Part(refused=why, complete=False, missing=None, again=True)
        else:
            part = msgspec.msgpack.decode(content, type=Part)
        future.release()
        return number, part

    def _alive(self) -> None:
        if self._client.status != "running":
            raise UsageError(f"--dask {self._address}: the scheduler is gone; what is done is kept: run it again")

    def stop(self) -> None:
        """Give back what is under way, and go."""
        with contextlib.suppress(Exception):
            self._client.cancel(list(self._open.values()), force=True)
        with contextlib.suppress(Exception):
            self._client.close(timeout=5)
        for name, logger in self._loggers.items():
            logger.setLevel(self._levels[name])
