"""Why something was concluded, or was not: a tree to fold and unfold, and all of the node under the cursor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static, Tree
from textual.widgets.tree import TreeNode

from advisor.session import events as e
from advisor.session.language import understand as commands
from advisor.session.language.names import near, pick
from advisor.session.state import State
from advisor.tui import words_views as words
from advisor.tui.layout import safe
from advisor.tui.proof_tree import Node, tree
from advisor.tui.screens.panel import PanelScreen
from advisor.tui.styles import MARKS, PLAIN_MARKS
from advisor.tui.widgets.banner import Banner
from advisor.tui.widgets.busy import Busy
from advisor.tui.widgets.note import Note
from advisor.tui.widgets.placed import Panes, Side
from advisor.tui.widgets.prompt import Prompt

_COLOURS = {"holds": "text-success", "fails": "text-error", "unknown": "quiet"}
_WIDEST = 400  # characters of a label; the pane has all of it


class ProofTree(Tree[Node]):
    """Left folds, right unfolds; Enter explains instead of folding."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "fold(True)", "Fold", show=False, id="prooftree.fold", tooltip=words.TIP_FOLD_ONE),
        Binding("right", "fold(False)", "Unfold", show=False, id="prooftree.unfold", tooltip=words.TIP_UNFOLD_ONE),
        Binding("enter", "select_cursor", "Explain", id="prooftree.explain", tooltip=words.TIP_EXPLAIN),
        Binding("space", "toggle_node", "Fold", id="prooftree.toggle", tooltip=words.TIP_FOLD),
    ]

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__("", id=ident)
        self.auto_expand = False
        self.guide_depth = 3
        self.show_guides = blocks
        self._marks = MARKS if blocks else PLAIN_MARKS
        self._signs = ("▾ ", "▸ ") if blocks else ("- ", "+ ")

    def fill(self, top: Node) -> None:
        """Show this tree, unfolded as its nodes say."""
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
        """The sign of folding, the mark with its colour, the words; what is too long ends in an ellipsis."""
        data = node.data
        became = data.became if data is not None else ""
        sign = self._signs[0 if node.is_expanded else 1] if node.allow_expand else "  "
        text = Text(sign, style=base_style, no_wrap=True)
        if became:
            colour = self.app.theme_variables.get(_COLOURS[became], "")
            mark_style = Style.parse(f"bold {colour}") if colour.startswith("#") else Style(bold=True)
            text.append(f"{self._marks[became]} ", style=mark_style)
        label = Text(str(node.label), no_wrap=True)
        label.stylize(style)
        text.append_text(label)
        depth = _depth(node)
        text.truncate(max(self.scrollable_content_region.width - depth * self.guide_depth, 1), overflow="ellipsis")
        return text

    def action_fold(self, fold: bool) -> None:
        """Fold the node, or go to the one above; unfold it, or go to its first child."""
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


def _depth(node: TreeNode[Node]) -> int:
    """How many nodes lie above."""
    depth, above = 0, node.parent
    while above is not None:
        depth, above = depth + 1, above.parent
    return depth


def _label(node: Node) -> str:
    text = safe(node.label).replace("\n", " ")
    return text if len(text) <= _WIDEST else text[:_WIDEST] + "…"


class ProofScreen(PanelScreen):
    """The tree has the keys; the line below takes the name of another finding."""

    opens: ClassVar[Mapping[str, str]] = {"/": "", "w": ""}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "another(1)", "Next finding", id="proof.next", tooltip=words.TIP_NEXT_FINDING),
        Binding("N", "another(-1)", "Finding before", show=False, id="proof.before", tooltip=words.TIP_FINDING_BEFORE),
        Binding("e", "fold_all", "Fold all", id="proof.fold", tooltip=words.TIP_FOLD),
        Binding("slash,w", "prompt", "Why not", id="proof.another", tooltip=words.TIP_ANOTHER),
        Binding("r", "again", "Again", id="proof.again", tooltip=words.TIP_AGAIN),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._shown: object = None
        self._folded = False

    def compose(self) -> ComposeResult:
        """The tree, under or beside it all of the node at hand, the prompt."""
        yield Banner()
        yield Note("about")
        with Panes():
            yield ProofTree(blocks=self.blocks, ident="tree")
            with Side():
                yield Note("detail")
        yield Busy(blocks=self.blocks)
        with Horizontal(id="ask"):
            yield Static("› " if self.blocks else "> ", id="sign", markup=False)
            yield Prompt((), ident="prompt")
        yield self.footer()

    def on_mount(self) -> None:
        """Keys go to the tree."""
        self.query_one(ProofTree).focus()
        self.show(self.app.state)

    def show(self, state: State) -> None:
        """Show the proof of the view's subject."""
        launch, subject = state.launch, state.view_subject
        self.banner(words.PROOF, launch.kernel if launch is not None else "")
        result = _told(state)
        lines: list[tuple[str, str]] = []
        if launch is not None and subject:
            lines.append((self._order(state), "$quiet"))
        if isinstance(result, e.Failed):
            lines.append((f"! {result.message} {words.AGAIN}", "$text-error"))
        elif result is None:
            lines.append((words.ONE_MOMENT, "$quiet"))
        self.query_one("#about", Note).say(lines)
        if result is not self._shown:
            self._shown = result
            view = self.query_one(ProofTree)
            if result is None or isinstance(result, e.Failed):
                view.fill(Node(state.knowledge.title(subject), "", (state.knowledge.title(subject),), subject))
            else:
                view.fill(tree(result, subject, state.knowledge))
            self._folded = False
            self._detail(view.root.data)
        example = next((name for name, _ in state.knowledge.findings if state.finding_of(name) is None), "")
        self.query_one(Prompt).placeholder = words.PROOF_PROMPT.format(example=example or subject)
        self.app.offer(self)

    def _order(self, state: State) -> str:
        """What n goes through: the class, then the findings; where among them this one stands."""
        names = self._names(state)
        if state.view_subject not in names:
            return words.WHAT["absent"]
        at = names.index(state.view_subject)
        what = words.WHAT["class" if at == 0 else "finding"]
        return f"{what}, {at + 1} / {len(names)}: {state.knowledge.title(state.view_subject)}"

    @staticmethod
    def _names(state: State) -> list[str]:
        launch = state.launch
        return [] if launch is None else [launch.verdict.id, *(finding.id for finding in launch.findings)]

    def _detail(self, node: Node | None) -> None:
        lines = () if node is None else node.about
        self.query_one("#detail", Note).say([(line, "" if n == 0 else "$quiet") for n, line in enumerate(lines)])

    # What the user does

    @on(Tree.NodeHighlighted)
    def _moved(self, event: Tree.NodeHighlighted[Node]) -> None:
        self._detail(event.node.data)

    @on(Tree.NodeSelected)
    def _selected(self, event: Tree.NodeSelected[Node]) -> None:
        word = event.node.data.word if event.node.data is not None else ""
        if word:
            self.app.dispatch(e.ViewShown("knowledge", word))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        event.input.clear()
        if text.startswith("/") and text in commands.commands():
            self.app.say(text)
            return
        self.query_one(ProofTree).focus()
        name = _finding(text.lstrip("/"), self.app.state) if text else None
        if name is not None:
            self.app.dispatch(e.ViewShown("proof", name))
        elif text:
            self.notify(safe(words.NO_FINDING.format(text=text[:80])), severity="warning", markup=False)

    def action_leave(self) -> None:
        """Out of the prompt first, then of the screen."""
        prompt = self.query_one(Prompt)
        if prompt.has_focus and not self.app.state.waiting:
            prompt.clear()
            self.query_one(ProofTree).focus()
        else:
            super().action_leave()

    def action_prompt(self) -> None:
        """Type the name of a finding."""
        self.query_one(Prompt).focus()

    def action_another(self, by: int) -> None:
        """The next or former of the class and the findings."""
        names = self._names(self.app.state)
        if names:
            subject = self.app.state.view_subject
            at = names.index(subject) + by if subject in names else 0
            self.app.dispatch(e.ViewShown("proof", names[at % len(names)]))

    def action_fold_all(self) -> None:
        """Fold all rules, or unfold everything."""
        view = self.query_one(ProofTree)
        self._folded = not self._folded
        if self._folded:
            for node in view.root.children:
                node.collapse_all()
            view.cursor_line = 0
        else:
            view.root.expand_all()

    def action_again(self) -> None:
        """Try again what failed."""
        self.app.dispatch(e.ViewShown("proof", self.app.state.view_subject))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
        return isinstance(_told(self.app.state), e.Failed) if action == "again" else True


def _told(state: State) -> object:
    """What was told for the view, None while it is waited for."""
    from advisor.session.views import requests_of

    wanted = requests_of(state) if state.view == "proof" else ()
    return state.result(wanted[0]) if wanted else None


def _finding(text: str, state: State) -> str | None:
    """The finding or class that a typed text means: its id or title, their beginning, or what resembles them."""
    titles = {title: name for name, title in reversed(state.knowledge.findings) if title}
    names = {name: name for name, _ in state.knowledge.findings} | titles
    found = pick(text, names) or near(text, names, most=1)
    return names[found[0]] if found else None
