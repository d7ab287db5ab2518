"""The proof screen: why a conclusion was or was not drawn, as a tree, with details of the node under the cursor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace
from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from advisor.session import events as e
from advisor.session.language import understand as commands
from advisor.session.language.names import near, pick
from advisor.session.records import KnowledgeIndex, Proved
from advisor.session.state import State
from advisor.session.views import requests_of
from advisor.tui.drawing import PLAIN_SIGNS, safe
from advisor.tui.screens.base import PanelScreen, hidden
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import Banner, Note
from advisor.view.blocks import SIGNS
from advisor.view.numbers import amount_text, comparison_text, counted, plural
from advisor.view.pages.estimate import estimate_lines
from advisor.view.text import cut, fix_status, sentence_start

if TYPE_CHECKING:
    from advisor.reasoning.engine.explain import BlockedRule, Clause, FixProof, Flip, Proof, RuleProof
    from advisor.records.diagnosis import Comparison

_LETS: Final = {
    0: "false, so it does not block the rule",
    1: "unknown, so confidence is lower",
    2: "true: blocks the rule",
}
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_DEEPEST: Final = 6  # maximum number of levels of nested findings; real proofs have far fewer
_STATUS: Final = {0: "fails", 1: "unknown", 2: "holds"}


class Node(Struct, frozen=True):
    """A node of the tree.

    status: holds, fails, unknown or empty; about: the full text, for the pane beside the tree; word: the knowledge
    entry about it, empty if there is none; open: whether it is expanded at first.
    """

    label: str
    status: str = ""
    about: tuple[str, ...] = ()
    word: str = ""
    children: tuple[Node, ...] = ()
    open: bool = True


def tree(result: Any, finding: str, index: KnowledgeIndex) -> Node:
    """Build the proof tree of a finding or class from a records.Proved or a tuple of BlockedRule."""
    title = index.title(finding)
    if isinstance(result, Proved) and hasattr(result.proof, "rules"):
        rules = result.proof.rules
        said = f"concluded by {len(rules)} {plural(len(rules), 'rule')}"
        children = (
            *_rules(result.proof, index, 0),
            *_estimate(result.proof),
            *_fixes(result.proof, index),
            *_flips(result.flips, finding, index),
        )
        return Node(f"{title}: {said}", "holds", (title, said), finding, children)
    blocked = tuple(rule for rule in result if hasattr(rule, "failing")) if isinstance(result, tuple) else ()
    said = "not concluded: what blocked each rule" if blocked else "No rule concludes this about a single launch."
    return Node(f"{title}: {said}", "fails", (title, said), finding, tuple(_blocked(rule, index) for rule in blocked))


def _rules(proof: Proof, index: KnowledgeIndex, depth: int) -> list[Node]:
    return [_rule(rule, proof.concludes, index, depth) for rule in proof.rules]


def _rule(rule: RuleProof, concludes: str, index: KnowledgeIndex, depth: int) -> Node:
    label = f"rule {rule.rule_id}: fired"
    about = (sentence_start(rule.because), label) if rule.because else (label,)
    children = (*(_clause(clause, index, depth) for clause in rule.clauses), *_sources(rule.cites, index))
    return Node(about[0], "holds", about, concludes.removeprefix("class."), children)


def _estimate(proof: Proof) -> list[Node]:
    """Return the node of the speedup: under it each unit with its factor, closed at first."""
    if proof.estimate is None:
        return []
    first, *rest = estimate_lines(proof.estimate)
    children: list[Node] = []
    for line in rest:
        text = f"{line.label}: {line.text}" if line.label else line.text
        if line.depth > 1 and children:
            under = children.pop()
            children.append(replace(under, children=(*under.children, Node(text, "", (text,)))))
        else:
            children.append(Node(text, "", (text,), open=False))
    return [Node(f"speedup {first.text}", "", (first.text,), "", tuple(children), open=False)]


_FITS = {"suits": "holds", "general": "holds", "unknown": "unknown", "unsuitable": "fails"}


def _fixes(proof: Proof, index: KnowledgeIndex) -> list[Node]:
    """Return the nodes of the fixes; those that do not suit are together in one, closed at first."""
    suit: list[Node] = []
    others: list[Node] = []
    for at, fix in enumerate(proof.fixes):
        (others if fix.status == "unsuitable" else suit).append(_fix(fix, at == 0, index))
    if not others:
        return suit
    label = f"{counted(len(others), 'fix')} not suited to this launch"
    return [*suit, Node(label, "", (label,), children=tuple(others), open=False)]


def _fix(fix: FixProof, chosen: bool, index: KnowledgeIndex) -> Node:
    """Return the node of a fix: whether it suits the launch, by its conditions. Only the chosen one is open."""
    label = f"fix: {fix.summary} ({fix_status(fix.status, chosen)})"
    rule = (f"rule {fix.rule_id}",) if fix.clauses else ()
    about = (label, *((sentence_start(fix.because),) if fix.because else ()), *rule)
    children = (*(_clause(clause, index, 0) for clause in fix.clauses), *_sources(fix.cites, index))
    return Node(label, _FITS[fix.status], about, fix.fix, children, open=chosen)


def _blocked(rule: BlockedRule, index: KnowledgeIndex) -> Node:
    status = "holds" if rule.fired else "fails"
    label = f"rule {rule.rule_id}: {'fired' if rule.fired else 'did not fire'}"
    kept = (*rule.failing, *rule.blocking, *rule.unknown)
    children = (*(_clause(clause, index, 0) for clause in kept), *_sources(rule.cites, index))
    return Node(label, status, (label,), rule.concludes, children)


def _clause(clause: Clause, index: KnowledgeIndex, depth: int) -> Node:
    """Return the node of one condition. An `unless` lets the rule fire when it is false, as mark and text show."""
    unless = clause.role == "unless"
    status = _STATUS[2 - clause.truth if unless else clause.truth]
    name = clause.name.partition(".")[2] if clause.name.startswith(("class.", "found.")) else clause.name
    says = next((item.says for item in clause.evidence if item.observation == clause.name), "") or index.title(name)
    state = _LETS[clause.truth] if unless else status
    said = f"unless {says}" if unless else sentence_start(says)
    children = [_number(item, index) for item in clause.evidence]
    if clause.proof is not None and depth < _DEEPEST:
        children += _rules(clause.proof, index, depth + 1)
    return Node(f"{said} ({state})", status, (said, state), name, tuple(children))


def _number(item: Comparison, index: KnowledgeIndex) -> Node:
    """Return the node of a number: its test and margin, with the source of the threshold below it."""
    value = "unknown" if item.value is None else amount_text(item.value, item.unit)
    means = (f"{name}: {text}" for name, _, text in index.metrics if name == item.metric)
    about = (comparison_text(item), *means)
    status = "unknown" if item.holds is None else "holds" if item.holds else "fails"
    label = f"{item.metric} = {value}, tested {item.test}"
    return Node(label, status, about, _known(item.metric, index), tuple(_sources(item.cites, index)), open=False)


def _known(text: str, index: KnowledgeIndex) -> str:
    """Return the first metric in a formula, or the text itself if it names no known metric."""
    names = {name for name, *_ in index.metrics}
    return next((name for name in _NAME.findall(text) if name in names), text)


def _sources(cites: tuple[str, ...], index: KnowledgeIndex) -> list[Node]:
    names = tuple(index.source(key) for key in cites)
    leaves = tuple(Node(text, "", (text, key)) for key, text in zip(cites, names, strict=True))
    return [Node("Sources", "", names, "", leaves, open=False)] if leaves else []


def _flips(flips: tuple[Flip, ...], concluded: str, index: KnowledgeIndex) -> list[Node]:
    """Return the nearest values at which the conclusion flips; leave out the flip of one of several reasons."""
    if not flips:
        return []
    leaves = []
    for flip in flips:
        then = [name for name in (flip.then.class_id, *flip.then.findings) if name]
        if concluded in then:
            continue
        at, now = amount_text(flip.turns_at, flip.unit), amount_text(flip.value, flip.unit)
        after = "; ".join(index.title(name) for name in then)
        text = f"{flip.metric} = {at} (now {now}): then {after}"
        leaves.append(Node(text, "", (text,), flip.metric))
    label = "Flips if" if leaves else "No single number flips it"
    return [Node(label, "", (label,), "", tuple(leaves))]


_COLOURS = {"holds": "text-success", "fails": "text-error", "unknown": "quiet"}
_WIDEST = 400  # maximum number of characters of a label; the pane shows the full text
_FOLD = "Collapse or expand the node; a does so for the whole tree"


class ProofTree(Tree[Node]):
    """A tree in which Left collapses, Right expands, and Enter explains."""

    BINDINGS: ClassVar[list[BindingType]] = [
        hidden("left", "fold(True)", "Fold", "Collapse, or go to the parent"),
        hidden("right", "fold(False)", "Unfold", "Expand, or go to the first child"),
        Binding("enter", "select_cursor", "Explain", tooltip="Explain the word under the cursor"),
        Binding("space", "toggle_node", "Fold", tooltip=_FOLD),
    ]

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__("", id=ident)
        self.auto_expand = False
        self.guide_depth = 3
        self.show_guides = blocks
        self._marks = SIGNS if blocks else PLAIN_SIGNS
        self._signs = ("▾ ", "▸ ") if blocks else ("- ", "+ ")

    def fill(self, top: Node) -> None:
        """Show this tree, and expand the nodes that are marked as open."""
        self.clear()
        self.root.data = top
        self.root.set_label(_label(top))
        self._add(self.root, top)
        self.root.expand()
        self.cursor_line = 0
        self.scroll_home(animate=False)

    def _add(self, under: TreeNode[Node], node: Node) -> None:
        for child in node.children:
            if child.children:
                self._add(under.add(_label(child), child, expand=child.open), child)
            else:
                under.add_leaf(_label(child), child)

    def render_label(self, node: TreeNode[Node], base_style: Style, style: Style) -> Text:
        data = node.data
        status = data.status if data is not None else ""
        sign = self._signs[0 if node.is_expanded else 1] if node.allow_expand else "  "
        text = Text(sign, style=base_style, no_wrap=True)
        if status:
            colour = self.app.theme_variables.get(_COLOURS[status], "")
            mark_style = Style.parse(f"bold {colour}") if colour.startswith("#") else Style(bold=True)
            text.append(f"{self._marks[status]} ", style=mark_style)
        text.append_text(Text(str(node.label), style, no_wrap=True))
        depth, above = 0, node.parent
        while above is not None:
            depth, above = depth + 1, above.parent
        text.truncate(max(self.scrollable_content_region.width - depth * self.guide_depth, 1), overflow="ellipsis")
        return text

    def action_fold(self, fold: bool) -> None:
        node = self.cursor_node
        if node is None:
            return
        if fold and node.is_expanded and node.children:
            node.collapse()
        elif fold and node.parent is not None:
            self.move_cursor(node.parent)
        elif not fold and node.allow_expand and not node.is_expanded:
            node.expand()
        elif not fold and node.children:
            self.move_cursor(node.children[0])


def _label(node: Node) -> str:
    return cut(safe(node.label).replace("\n", " "), _WIDEST)


class ProofScreen(PanelScreen):
    """The proof screen. The tree has the focus; the prompt accepts the name of another finding."""

    opens: ClassVar[Mapping[str, str]] = {"/": "", ":": ""}
    home = "ProofTree"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "another(1)", "Next finding", tooltip="Next finding, or the class"),
        hidden("N", "another(-1)", "Previous finding", "Previous finding, or the class"),
        Binding("a", "fold_all", "Fold all", tooltip=_FOLD),
        Binding(
            "slash,colon",
            "prompt",
            "Why not",
            key_display="/",
            tooltip="Show any finding by its name, concluded or not",
        ),
        Binding("ctrl+r", "again", "Retry", tooltip="Retry what failed or was cancelled"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._shown: object = None
        self._folded = False

    def compose(self) -> ComposeResult:
        yield Banner(blocks=self.blocks)
        yield Note("about")
        with Container(id="panes"):
            yield ProofTree(blocks=self.blocks, ident="tree")
            with VerticalScroll(id="side", can_focus=False):
                yield Note("detail")
        yield self.prompt_line(Prompt((), ident="prompt"))
        yield KeyLine()

    def show(self, state: State) -> None:
        """Show the proof of the view's subject."""
        launch, subject = state.launch, state.view_subject
        self.banner("Proof", launch.kernel if launch is not None else "")
        result = _result(state)
        lines: list[tuple[str, str]] = []
        if launch is not None and subject:
            lines.append((self._order(state), "$quiet"))
        if isinstance(result, e.Failed):
            lines.append((f"! {result.message} Ctrl+R retries.", "$text-error"))
        elif result is None:
            lines.append(("please wait", "$quiet"))
        self.query_one("#about", Note).say(lines)
        if result is not self._shown:
            self._shown = result
            view = self.query_one(ProofTree)
            title = state.knowledge.title(subject)
            pending = result is None or isinstance(result, e.Failed)
            view.fill(Node(title, "", (title,), subject) if pending else tree(result, subject, state.knowledge))
            self._folded = False
            self._detail(view.root.data)
        example = next((name for name, _ in state.knowledge.findings if state.finding_of(name) is None), "")
        self.query_one(Prompt).placeholder = f"name a finding, such as {example or subject}; Tab returns to the tree"
        self.refresh_bindings()
        self.prepare_soon()

    def prepare(self, state: State) -> None:
        """Build the proofs of the next and the previous finding, if the user does nothing else meanwhile."""
        if state.position is not None and state.view_subject:
            beside = (self._beside(state, by) for by in (1, -1))
            self.app.runner.prepare(e.Prove("how", state.position, name, quiet=True) for name in beside if name)

    def _beside(self, state: State, by: int) -> str:
        """Return the next or previous of the class and the findings; empty if there is none."""
        names, subject = self._names(state), state.view_subject
        at = names.index(subject) + by if subject in names else 0
        return names[at % len(names)] if names else ""

    def _order(self, state: State) -> str:
        """Return the position of the subject among the class and the findings."""
        names = self._names(state)
        if state.view_subject not in names:
            return "not concluded"
        at = names.index(state.view_subject)
        what = "finding" if at else "class"
        return f"{what}, {at + 1} / {len(names)}: {state.knowledge.title(state.view_subject)}"

    @staticmethod
    def _names(state: State) -> list[str]:
        launch = state.launch
        return [] if launch is None else [launch.verdict.id, *(finding.id for finding in launch.findings)]

    def _detail(self, node: Node | None) -> None:
        lines = () if node is None else node.about
        self.query_one("#detail", Note).say([(line, "" if n == 0 else "$quiet") for n, line in enumerate(lines)])

    # User actions

    @on(Tree.NodeHighlighted)
    def _moved(self, event: Tree.NodeHighlighted[Node]) -> None:
        self._detail(event.node.data)

    @on(Tree.NodeSelected)
    def _selected(self, event: Tree.NodeSelected[Node]) -> None:
        word = event.node.data.word if event.node.data is not None else ""
        if word:
            self.app.dispatch(e.ViewShown("knowledge", word))

    def is_command(self, text: str) -> bool:
        return text in commands.commands()

    def typed(self, text: str) -> None:
        name = _finding(text.lstrip("/"), self.app.state)
        if name is not None:
            self.app.dispatch(e.ViewShown("proof", name))
        else:
            self.app.warn(f"No finding is called {text[:80]}.")

    def action_prompt(self) -> None:
        self.query_one(Prompt).focus()

    def action_another(self, by: int) -> None:
        name = self._beside(self.app.state, by)
        if name:
            self.app.dispatch(e.ViewShown("proof", name))

    def action_fold_all(self) -> None:
        view = self.query_one(ProofTree)
        self._folded = not self._folded
        if self._folded:
            for node in view.root.children:
                node.collapse_all()
            view.cursor_line = 0
        else:
            view.root.expand_all()

    def action_again(self) -> None:
        self.app.dispatch(e.ViewShown("proof", self.app.state.view_subject))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return isinstance(_result(self.app.state), e.Failed) if action == "again" else True


def _result(state: State) -> object:
    wanted = requests_of(state) if state.view == "proof" else ()
    return state.result(wanted[0]) if wanted else None


def _finding(text: str, state: State) -> str | None:
    """Return the finding or class that a typed text names by id or title, by their beginning, or by similarity."""
    titles = {title: name for name, title in reversed(state.knowledge.findings) if title}
    names = {name: name for name, _ in state.knowledge.findings} | titles
    found = pick(text, names) or near(text, names, most=1)
    return names[found[0]] if found else None
