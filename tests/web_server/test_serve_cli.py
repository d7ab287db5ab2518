"""`ncu-advisor serve`: wrong use gives one line and exit code 2."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *arguments])
    out, err = capsys.readouterr()
    assert ended.value.code == 2 and out == ""
    assert err.count("\n") == 1 and err.startswith("ncu-advisor: ")
    return err


def test_without_the_extra_one_line_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str, *more: Any) -> Any:
        return None if name == "textual_serve" else real(name, *more)

    monkeypatch.setattr("advisor.records.extras.find_spec", find_spec)
    assert "pip install 'ncu-advisor[serve]'" in run(capsys)


def test_what_cannot_be_served_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("textual_serve", reason="needs the extra serve")
    assert "no-such-folder" in run(capsys, str(tmp_path / "no-such-folder"))
    assert "name one address" in run(capsys, str(tmp_path), "--host", "0.0.0.0")
    assert "name one address" in run(capsys, str(tmp_path), "--host", "")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1:{port}" in run(capsys, str(tmp_path), "--port", str(port))
