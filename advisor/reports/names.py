"""Kernel names and messages are data: shown as they are, control characters escaped, absurd lengths cut."""

from __future__ import annotations

import re

# C0, DEL, C1, line separators and the marks that turn the direction of text around.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LINK = re.compile(r"@(section|url|sass|source):(.*?)@", re.DOTALL)
_OPERATOR = re.compile(r"(?:^|::|\s)(operator\s*(?:\(\)|\[\]|[-+*/%^&|~!=<>]{1,3}))$")
_ARGUMENTS = re.compile(r"<(?!unnamed>)|\((?!anonymous namespace\))")
_SPACE = re.compile(r"\s+")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def clean(text: str, limit: int) -> tuple[str, str]:
    """The text without anything a terminal would obey, and what had to be done to it ('' if nothing)."""
    done = ""
    cut = text
    if len(text) > limit:
        cut = text[:limit] + f"... ({len(text) - limit:,} more characters)"
        done = f"a name of {len(text):,} characters is cut to {limit:,}"
    safe = _CONTROL.sub(_escape, cut)
    if safe != cut and not done:
        done = "a name holds control characters, shown escaped"
    return safe, done


def one_line(text: str, limit: int = 4000) -> str:
    """A message on one line, whitespace folded, control characters escaped, at most `limit` characters."""
    return clean(_SPACE.sub(" ", text).strip(), limit)[0]


def without_links(message: str) -> str:
    """A message with its links (`@section:…:text@`, `@url:text:…@`, `@sass:…@`, `@source:…@`) cut to their text."""
    return _LINK.sub(_link_text, message)


def _link_text(match: re.Match[str]) -> str:
    kind, body = match.groups()
    if kind == "url":
        return body.partition(":")[0]
    # section:<id>:<text>, sass:<address>:<text>, source:<file>:<line>:<text>; a file may hold a colon (C:\...).
    return body.rpartition(":")[2] if kind == "source" else body.partition(":")[2]


def short_name(full: str) -> str:
    """The function's own name out of a demangled signature: no return type, scope, template or call arguments.

    >>> short_name("void at::native::<unnamed>::kernel<float, (int)4>(at::Tensor &, T4)")
    'kernel'
    """
    text = _SPACE.sub(" ", full).strip().removesuffix(" const")
    if text.endswith(")"):
        text = _before_group(text, "(", ")")
    if found := _OPERATOR.search(text):
        return found.group(1)
    if text.endswith(">"):
        text = _before_group(text, "<", ">")
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        if text[i] in ")>]" and text[i - 1 : i + 1] != "->":
            depth += 1
        elif text[i] in "(<[":
            depth -= 1
        elif depth == 0 and (text[i - 1 : i + 1] == "::" or text[i] == " "):
            text = text[i + 1 :]
            break
    if not text or any(mark in text for mark in "<>()"):
        # Brackets that do not match: ncu shortens long names anywhere. The name ends where the first arguments begin.
        text = _ARGUMENTS.split(full, maxsplit=1)[0].rpartition("::")[2].strip().rpartition(" ")[2]
    return text or full


def _before_group(text: str, opening: str, closing: str) -> str:
    """`text` without the bracketed group that ends it; unchanged if the brackets do not match or nothing is left."""
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        if text[i] == closing and text[i - 1 : i + 1] != "->":
            depth += 1
        elif text[i] == opening:
            depth -= 1
            if depth == 0:
                return text[:i].rstrip() or text
    return text
