# The rule itself: what Nsight Compute calls. Everything above is data for it.
import importlib
import importlib.abc
import importlib.util
import sys


class _Absent:
    """What a launch in Nsight Compute does not need: files, child processes, experta."""

    def __init__(self, *values, **named):
        raise NotImplementedError("not part of the exported rules")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the modules in this file."""

    def find_spec(self, name, path=None, target=None):
        if name in MODULES or name in ABSENT:
            return importlib.util.spec_from_loader(name, self, is_package=name in PACKAGES)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        if name in ABSENT:
            module.__getattr__ = lambda attribute: _Absent
            return
        exec(compile(MODULES[name], f"<ncu-advisor {name}>", "exec"), module.__dict__)


def _ours(name):
    return name.partition(".")[0] in TOPS


class _Scope:
    """While it is open, imports find the modules in this file and no others of the same names."""

    kept = {}

    def __enter__(self):
        self.finder = _Finder()
        self.others = {name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)}
        sys.modules.update(_Scope.kept)
        sys.meta_path.insert(0, self.finder)

    def __exit__(self, *error):
        sys.meta_path.remove(self.finder)
        _Scope.kept = {name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)}
        sys.modules.update(self.others)


def diagnose(action):
    """Return what the rule says about a launch, see advisor.nvrules.launch."""
    with _Scope():
        loader = importlib.import_module("advisor.knowledge.loader")
        loader.FOLDERS[:] = KNOWLEDGE
        base = importlib.import_module("advisor.knowledge.base")
        launch = importlib.import_module("advisor.nvrules.launch")
        return launch.told(base.catalog(tuple(loader.Place(at) for at in range(1, len(KNOWLEDGE)))), action)


def get_identifier():
    return "NcuAdvisorFinding"


def get_name():
    return "ncu-advisor: first finding"


def get_description():
    return "Why this kernel is slow, by the rules of ncu-advisor " + VERSION


def get_section_identifier():
    return "NcuAdvisor"


def _constant(kind, name):
    """Return a constant of NvRules by the names that versions of ncu have for it."""
    import NvRules

    for spelled in (f"{kind}_{name}", f"{kind}_MSG_{name}", f"{kind}_SEVERITY_{name}"):
        if hasattr(NvRules.IFrontend, spelled):
            return getattr(NvRules.IFrontend, spelled)
    return getattr(getattr(NvRules, kind), name)


def apply(handle):
    import NvRules

    context = NvRules.get_context(handle)
    action = context.range_by_idx(0).action_by_idx(0)
    frontend = context.frontend()
    said = diagnose(action)
    warning = _constant("MsgType", "WARNING")
    message = frontend.message(_constant("MsgType", said["kind"]), said["text"], said["title"])
    if said["saving"] is not None:
        frontend.speedup(message, _constant("SpeedupType", "GLOBAL"), said["saving"])
    severity = _constant("Severity", "HIGH")
    for name, value, text in said["focus"]:
        frontend.focus_metric(message, name, value, severity, text)
    for file, place, text in said["marks"]:
        if file:
            frontend.source_marker(text, place, _constant("MarkerKind", "SOURCE"), file, warning)
        else:
            frontend.source_marker(text, place, _constant("MarkerKind", "SASS"), warning)
