"""The kinds of patches: each module is one, its name is the kind's, and `propose` finds the places.

A kind also needs an entry in knowledge/patches.yaml: for which diagnosis, which counter must fall, its words.
"""

from __future__ import annotations

import pkgutil
from functools import lru_cache
from importlib import import_module

from advisor.patches.proposal import Propose


@lru_cache(maxsize=1)
def kinds() -> dict[str, Propose]:
    """Return name -> function of all kinds, in the order of their names."""
    names = sorted(one.name for one in pkgutil.iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}").propose for name in names}
