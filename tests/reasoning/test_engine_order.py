"""experta made deterministic: one order of firing, exact removal, nothing left behind by its import."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import advisor
from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import TRUE
from advisor.reasoning.engine.chain import Chain, ReteMatcher
from advisor.reasoning.engine.program import CompiledRule
from advisor.reasoning.engine.reason import Engine

PACKAGE = Path(advisor.__file__).parent
MANY = [
    CompiledRule(f"f{i:02}.r", f"f{i:02}", 3 + i % 3, (f"o{i % 5}",), (f"found.f{i - 1:02}",) if i % 3 else ())
    for i in range(40)
]
SCRIPT = """
import json, sys
from advisor.reasoning.engine.chain import Chain
from advisor.reasoning.engine.program import CompiledRule
rules = [CompiledRule(*r[:3], tuple(r[3]), tuple(r[4])) for r in json.load(sys.stdin)]
print(Chain(rules).conclude({f"o{i}": 2 for i in range(5)}))
"""


def run(code: str, seed: str = "0", given: str = "") -> str:
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], input=given, env=env, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout


def test_forty_rules_fire_in_the_same_order_in_fresh_processes_with_other_hash_seeds():
    given = json.dumps([[r.id, r.concludes, r.step, r.when, r.unless] for r in MANY])
    assert len({run(SCRIPT, seed, given) for seed in ("0", "1", "2", "42", "random")}) == 1


def test_rules_of_a_step_fire_by_salience_then_facts_then_id():
    rules = [CompiledRule(f"{n}.r", n, 3, ("a",), ()) for n in ("m", "c", "z", "a", "k")]
    assert Chain(rules).conclude({"a": TRUE}) == ["class.undetermined", "a.r", "c.r", "k.r", "m.r", "z.r"]


def test_a_rule_that_an_earlier_conclusion_blocks_never_fires():
    """experta's own agenda removes the wrong activation when several wait: here 30 wait and 15 are withdrawn."""
    causes = [CompiledRule(f"c{i:02}.r", f"c{i:02}", 3, (f"o{i % 2}",), ()) for i in range(30)]
    later = [CompiledRule(f"l{i:02}.r", f"l{i:02}", 4, ("always",), (f"found.c{i:02}",)) for i in range(30)]
    chain = Chain([*causes, *later])
    for odd, even in ((2, 0), (0, 2), (2, 0)):
        fired = chain.conclude({"o0": even, "o1": odd, "always": TRUE})
        blocked = {f"l{i:02}.r" for i in range(30) if (odd if i % 2 else even) == TRUE}
        assert {f for f in fired if f.startswith("l")} == {r.id for r in later} - blocked


def test_a_chain_forgets_the_run_before():
    chain = Chain([CompiledRule("x.r", "x", 3, ("a",), ()), CompiledRule("y.r", "y", 4, ("found.x",), ())])
    assert chain.conclude({"a": TRUE})[1:] == ["x.r", "y.r"]
    assert chain.conclude({"a": 1})[1:] == []
    assert chain.conclude({"a": TRUE})[1:] == ["x.r", "y.r"]


def test_two_engines_do_not_disturb_each_other(make):
    one = Engine(make([("x.r", 3, ["a"], [])]))
    other = Engine(make([("x.r", 3, [], ["a"])]))
    for _ in range(2):
        assert one.conclude({"a": TRUE}, quantified={}).findings == ("x",)
        assert other.conclude({"a": TRUE}, quantified={}).findings == ()


def test_importing_the_engine_leaves_no_alias_in_the_standard_library_and_no_log_handler():
    code = """
import collections, logging
from advisor.reasoning.engine.reason import Engine
import advisor.reasoning.engine.chain
assert not hasattr(collections, "Mapping")
assert logging.getLogger().handlers == []
logging.getLogger("experta.watchers.ENGINE").warning("never seen")
"""
    assert run(code) == ""


def test_importing_the_engine_package_imports_neither_experta_nor_numpy():
    code = (
        "import sys, advisor.reasoning.engine; print([m for m in ('experta', 'numpy', 'pandas') if m in sys.modules])"
    )
    assert run(code) == "[]\n"


def test_only_one_module_imports_experta():
    importers = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(m.partition(".")[0] == "experta" for m in modules):
                importers.add(path.relative_to(PACKAGE).as_posix())
    assert importers == {"reasoning/engine/chain.py"}


def test_the_rules_have_the_form_that_experta_would_bring_them_to() -> None:
    program = Engine(catalog()).program
    answered = CompiledRule("x.r", "x", 3, ("o1", "answer.q.yes"), ("o2", "gain.small", "found.y"))
    for rules in (program.of_pass(False), program.of_pass(True), [answered, *MANY]):
        chain = Chain(rules)
        assert ReteMatcher.prepare_ruleset(chain) == chain.matcher.prepare_ruleset(chain)
