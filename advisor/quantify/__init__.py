"""How much time each unit needs, what a fix would change, and what limits next."""

from advisor.quantify.model import Model, build, speedups
from advisor.quantify.terms import TERMS

__all__ = ["TERMS", "Model", "build", "speedups"]
