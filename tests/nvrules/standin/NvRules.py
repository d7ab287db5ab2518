"""Stands in for the module that ncu gives its rules: launches of ncu_report, and a front end that records."""

from typing import Any

import ncu_report

IAction = ncu_report.IAction
IFrontend = ncu_report.IFrontend
MsgType = ncu_report.MsgType
MarkerKind = ncu_report.MarkerKind


class Frontend:
    """Records what a rule shows; refuses calls that ncu's own front end refuses."""

    def __init__(self) -> None:
        self.shown: dict[str, Any] = {"messages": [], "speedups": [], "focus": [], "markers": []}

    def message(self, kind: Any, text: str, title: str = "") -> int:
        self.shown["messages"].append([MsgType(kind).name, str(text), str(title)])
        return len(self.shown["messages"]) - 1

    def speedup(self, message: int, kind: int, percent: float) -> None:
        assert kind in (IFrontend.SpeedupType_GLOBAL, IFrontend.SpeedupType_LOCAL) and 0 <= percent <= 100
        self.shown["speedups"].append([message, kind == IFrontend.SpeedupType_GLOBAL, float(percent)])

    def focus_metric(self, message: int, name: str, value: float, severity: int, text: str) -> None:
        assert severity in (IFrontend.Severity_SEVERITY_LOW, IFrontend.Severity_SEVERITY_HIGH)
        self.shown["focus"].append([message, name, float(value), text])

    def source_marker(self, text: str, place: int, kind: Any, *rest: Any) -> None:
        if MarkerKind(kind) is MarkerKind.SOURCE:
            file, level = rest
            assert isinstance(file, str)
        else:
            (level,) = rest
            file = ""
        self.shown["markers"].append([MsgType(level).name, file, int(place), text])


class Context:
    """One launch, as ncu gives it to a rule: the only one of the only range."""

    def __init__(self, action: Any) -> None:
        self._action, self._frontend = action, Frontend()

    def range_by_idx(self, index: int) -> Any:
        assert index == 0
        return self

    def action_by_idx(self, index: int) -> Any:
        assert index == 0
        return self._action

    def frontend(self) -> Frontend:
        return self._frontend


def get_context(handle: Context) -> Context:
    return handle
