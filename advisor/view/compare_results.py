"""A comparison together with what `--fail-on` made of it, as all forms of output show it."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import structs

from advisor.compare.records import Compared, Outcome
from advisor.view.compare import title
from advisor.view.text import shown


@dataclass(frozen=True, slots=True)
class Result:
    """outcomes: for each pair, one for each threshold."""

    compared: Compared
    outcomes: tuple[tuple[Outcome, ...], ...] = ()

    def document(self) -> Compared:
        """The comparison with the outcome of every threshold at its pair."""
        if not self.outcomes:
            return self.compared
        rows = zip(self.compared.pairs, self.outcomes, strict=True)
        return structs.replace(self.compared, pairs=tuple(structs.replace(pair, fail_on=row) for pair, row in rows))

    def lines(self, arrow: str = "->") -> tuple[str, ...]:
        """Every threshold on every pair in a line."""
        words = {True: "crossed", False: "kept", None: "not checked"}
        return tuple(
            f"{words[o.crossed]}: {shown(o.threshold.text)} on {title(pair, arrow)}: {shown(o.text)}"
            for pair, row in zip(self.compared.pairs, self.outcomes, strict=True)
            for o in row
        )

    def trouble(self) -> tuple[str, ...]:
        """The lines that a script's log needs: crossed, not checked, and what no threshold was put to."""
        out = [line for line in self.lines() if not line.startswith("kept")]
        if any(self.outcomes):
            for name, left in (("base", self.compared.base_only), ("current report", self.compared.current_only)):
                if left:
                    names = ", ".join(dict.fromkeys(shown(r.launch.kernel)[:40] for r in left[:3]))
                    more = f" and {len(left) - 3} more" if len(left) > 3 else ""
                    out.append(f"no threshold was put to what is only in the {name}: {names}{more}")
        return tuple(out)
