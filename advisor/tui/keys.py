"""The keys of a screen as they are: which actions it has, what each key does, for footer, help and palette."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Input

from advisor.tui.widgets.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Key:
    """One action: how its keys are shown, what it is called and does, and the action with where it is found."""

    shown: str
    name: str
    says: str
    action: str
    at: DOMNode
    keys: tuple[str, ...] = ()


def bindings_of(node: DOMNode) -> list[Binding]:
    """The bindings that a class of ours declares, those of what it is made from behind them."""
    out: list[Binding] = []
    for kind in type(node).__mro__:
        if kind.__module__.startswith("advisor."):
            out += [b for b in kind.__dict__.get("BINDINGS", ()) if isinstance(b, Binding)]
    return out


def actions_of(screen: DOMNode) -> tuple[str, ...]:
    """The names of a screen's own actions."""
    names = (binding.action.partition("(")[0] for binding in bindings_of(screen) if "." not in binding.action)
    return tuple(dict.fromkeys(names))


def keys_of(app: App[int], screen: Screen[object]) -> tuple[list[Key], list[Key]]:
    """The keys of this screen and of the line in it, then those that work everywhere; each action once."""
    here = _told(app, screen, bindings_of(screen))
    for prompt in screen.query(Prompt):
        if isinstance(prompt, Input):
            here += _told(app, prompt, bindings_of(prompt))
            break
    return _once(here), _once(_told(app, app, bindings_of(app)))


def _told(app: App[int], node: DOMNode, bindings: Iterable[Binding]) -> list[Key]:
    out = []
    for binding in bindings:
        if binding.tooltip or binding.description:
            keys = tuple(binding.key.split(","))
            shown = ", ".join(app.get_key_display(Binding(key, "")) for key in keys)
            name, says = binding.description, binding.tooltip or binding.description
            out.append(Key(shown, name or says, says, binding.action, node, keys))
    return out


def _once(keys: list[Key]) -> list[Key]:
    """Keys of one action and one text, of one part of the screen, share a row."""
    rows: dict[tuple[str, str, DOMNode], Key] = {}
    for key in keys:
        same = (key.action, key.says, key.at)
        found = rows.get(same)
        both = key if found is None else replace(found, shown=f"{found.shown}, {key.shown}", keys=found.keys + key.keys)
        rows[same] = both
    return list(rows.values())


def works(key: Key) -> bool:
    """Whether the action does something now."""
    node, name = key.at, key.action
    if name.startswith("app."):
        node, name = node.app, name.removeprefix("app.")
    return bool(node.check_action(name.partition("(")[0], ()))
