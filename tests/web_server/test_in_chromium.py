"""The served session in a real browser: open, choose a launch, fix, export; paths outside its folder are refused."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (extra browser-check)")
CHROMIUM = os.environ.get("NCU_ADVISOR_BROWSER") or next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs NCU_ADVISOR_BROWSER, or chromium on the PATH")

_ESCAPES = re.compile(r"\x1b(\[[0-9;?<]*[ -/]*[@-~]|\][^\x07]*\x07|.)")
_PATIENCE_S = 90.0


class Terminal:
    """A page with a session: what it was sent since the last key, without colours and positions."""

    def __init__(self, page: Any) -> None:
        self.page, self._text = page, ""
        page.on("websocket", lambda socket: socket.on("framereceived", self._received))

    def _received(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            self._text += _ESCAPES.sub(" ", frame.decode("utf-8", "replace"))

    def sees(self, text: str) -> None:
        until = time.monotonic() + _PATIENCE_S
        while text not in self._text:
            assert time.monotonic() < until, f"{text!r} did not come: {self._text[-2000:]}"
            self.page.wait_for_timeout(50)

    def types(self, line: str) -> None:
        self.presses(line[0])
        self.sees(line[0])  # a slash opens the prompt, which takes the rest
        self._text = ""
        self.page.keyboard.type(line[1:] + "\n", delay=20)

    def presses(self, key: str) -> None:
        self._text = ""
        self.page.keyboard.press(key)


@pytest.fixture
def folder(tmp_path: Path, tour_path: Path) -> Path:
    """A folder with a report and a link out of it, beside a file that is none of its business."""
    root = tmp_path / "reports"
    root.mkdir()
    shutil.copy(tour_path, root / "tour.ncu-rep")
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (root / "link.csv").symlink_to(tmp_path / "secret.csv")
    return root


@pytest.fixture
def server(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "advisor", "serve", str(folder), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield process.stdout.readline().strip(), process
    process.kill()
    process.communicate()


def test_a_session_is_used_and_confined(
    server: tuple[str, subprocess.Popen[str]], folder: Path, tmp_path: Path
) -> None:
    address, process = server
    with playwright.sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("requestfailed", lambda request: errors.append(request.url))
        terminal = Terminal(page)
        page.goto(f"data:text/html,<a href='{address}'>a page of another site</a>")
        page.click("a")
        page.wait_for_url(address.partition("?")[0])  # the token is out of the address line
        terminal.sees("Where do you want to start?")
        page.wait_for_selector("body.-first-byte")
        assert "link.csv" not in terminal._text  # it leads out of the folder

        for path in (str(tmp_path / "secret.csv"), "../secret.csv", "link.csv", "/no/such/file.csv", "~/x.csv"):
            terminal.types(path)
            terminal.sees(f"{Path(path).name}: is outside the folder")
            terminal.presses("Control+u")
            terminal.sees("Tab completes")

        terminal.types("tour.ncu-rep")
        terminal.sees("22 launches")
        terminal.presses("Enter")
        terminal.sees("How was this concluded")
        terminal.presses("f")
        terminal.sees("Cost")

        for line in (f"/compare {tmp_path / 'secret.csv'}", "/compare ../other.csv#0", "/timeline /etc/trace.sqlite"):
            terminal.types(line)
            terminal.sees("outside the folder")
        with page.expect_download(timeout=_PATIENCE_S * 1000) as coming:
            terminal.types("/export html ../../escaped.html")
        download = coming.value
        assert download.suggested_filename == "escaped.html"
        saved = tmp_path / "saved.html"
        download.save_as(saved)
        assert saved.read_text(encoding="utf-8").startswith("<!doctype html>")
        assert errors == []
        browser.close()
    assert {path.name for path in folder.iterdir()} == {"tour.ncu-rep", "link.csv"}
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == 0
    assert "Traceback" not in said
