"""Factors as the faces print them."""

from __future__ import annotations

import pytest

from advisor.render.text import brief_factor


@pytest.mark.parametrize(("value", "text"), [(1.04, "1"), (1.2345, "1.2"), (15.9, "16"), (99.6, "100"), (158.9, "159")])
def test_a_factor_in_a_column_is_never_a_power_of_ten(value: float, text: str) -> None:
    assert brief_factor(value) == text
