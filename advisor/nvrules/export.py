"""Write rules for Nsight Compute's own rule engine: a section file, and one Python file that needs no packages.

The Python file holds the knowledge, and the modules of this program that derive metrics, observe, chain the rules and
estimate speedups, as they are. Nothing of that is written a second time, so that ncu shows what `diagnose` shows. What
these modules use of numpy, pandas and msgspec is in `standins`, in plain Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from advisor import __version__
from advisor.knowledge.base import Catalog
from advisor.knowledge.loader import load
from advisor.records.files import write_whole
from advisor.view.writers.ncu_section import FILE, section_text

RULE_FILE = "NcuAdvisor.py"
# What may be in the folder: our files, and what an interpreter compiles.
WRITTEN = frozenset({RULE_FILE, FILE, "__pycache__"})
_ROOT = Path(__file__).resolve().parents[1]
_STANDINS = Path(__file__).resolve().parent / "standins"
_ENTRY = "advisor.nvrules.launch"
# Packages and modules that others take the place of.
_REPLACED = {
    "numpy": "numpy",
    "pandas": "pandas",
    "msgspec": "msgspec",
    "advisor.knowledge.loader": "loader",
    "advisor.records.resources": "resources",
    "advisor.reasoning.engine.reason": "reason",
}
# Modules that no launch needs: files, processes, emulated and typed launches, experta.
_ABSENT = (
    *("advisor.knowledge.plain_yaml", "advisor.reasoning.engine.chain", "advisor.reasoning.fork_map"),
    *("advisor.readers.parent", "advisor.readers.container", "advisor.readers.formats", "advisor.readers.emulated"),
    *("advisor.readers.workload", "advisor.readers.console", "advisor.reasoning.workloads"),
    *("advisor.records.child", "advisor.records.ending", "advisor.records.scratch", "advisor.records.own_files"),
    *("advisor.records.files", "advisor.records.regular_files", "msgspec.structs"),
)
# Knowledge that decides nothing about a launch of ncu.
_LEFT_OUT = ("language/", "timeline", "graphics/", "patches", "interview", "spoken_names", "catalogue", "elsewhere")
_TOPICS = "topics/sass.yaml"
_UNREAD = ("examples", "misleads", "before", "after")


def write_rules(catalog: Catalog, folder: Path) -> tuple[Path, ...]:
    """Write the sections and the rule into a folder, and return the files. Raises an AdvisorError if that fails."""
    texts = {
        FILE: section_text(catalog.metrics),
        RULE_FILE: rule_text(catalog),
    }
    for name, text in texts.items():
        write_whole(folder / name, text)
    return tuple(folder / name for name in texts)


def rule_text(catalog: Catalog) -> str:
    """Return the text of the rule's file."""
    sources = modules()
    packages = sorted({name.rpartition(".")[0] for name in sources if "." in name} | {"msgspec"})
    lines = [
        "# Written by `ncu-advisor export ncu-rules`: do not edit. Copy it with its section into one folder, and give",
        "# that to Nsight Compute: ncu --section-folder DIR --section NcuAdvisor ...",
        "# It needs no packages. It has the knowledge and the reasoning of ncu-advisor, licensed under MIT.",
        f"VERSION = {__version__!r}",
        f"ABSENT = frozenset({sorted(set(_ABSENT) - {'msgspec.structs'})!r})",
        f"PACKAGES = frozenset({packages!r})",
        f"TOPS = frozenset({sorted({name.partition('.')[0] for name in sources})!r})",
        "KNOWLEDGE = [",
        *(line for folder in catalog.folders for line in _knowledge(folder)),
        "]",
        "MODULES = {",
        *(f"    {name!r}: {_quoted(text)}," for name, text in sources.items()),
        "}",
        (_STANDINS / "rule.py").read_text(encoding="utf-8"),
    ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{escaped}\n"""'


def _knowledge(folder: Path) -> Iterator[str]:
    yield "    {"
    for path in sorted(folder.rglob("*.yaml")):
        name = path.relative_to(folder).as_posix()
        if name.startswith(_LEFT_OUT) or (name.startswith("topics/") and name != _TOPICS):
            continue
        yield f"        {name!r}: {_slim(load(path, dict))!r},"
    yield "    },"


def _slim(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {key: _slim(value) for key, value in content.items() if key not in _UNREAD}
    return [_slim(value) for value in content] if isinstance(content, list) else content


def modules() -> dict[str, str]:
    """Return the source of every module that the rule imports, without docstrings and comments."""
    found: dict[str, str] = {}
    waiting = [_ENTRY]
    while waiting:
        name = waiting.pop()
        if name in found or name in _ABSENT:
            continue
        path = _place(name)
        if path is None:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if "." in name:
            waiting.append(name.rpartition(".")[0])
        waiting += _imports(tree)
        is_package = path.name == "__init__.py" and name == "advisor"
        found[name] = "" if is_package else ast.unparse(_bare(tree))
    return dict(sorted(found.items()))


def _place(name: str) -> Path | None:
    if name in _REPLACED:
        return _STANDINS / f"{_REPLACED[name]}.py"
    head, _, rest = name.partition(".")
    if head != "advisor":
        return None
    base = _ROOT.joinpath(*rest.split(".")) if rest else _ROOT
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def _imports(tree: ast.Module) -> Iterator[str]:
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        left += ast.iter_child_nodes(node)


def _bare(tree: ast.Module) -> ast.Module:
    """Remove the docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:] or [ast.Pass()]
    return tree
