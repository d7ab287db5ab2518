"""Turn operands into functions that read and write them; note which registers an instruction uses and defines.

A getter takes a group and returns an array of (count, 32), (count, 1) for uniform values or (1, 1) for constants. A
putter takes a group, the lanes to write (None: all of the group) and the value. What an instruction uses and defines is
noted as the functions are made, so it cannot differ from what is executed.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from advisor.emulator.program import Instruction, Operand, RefusedError
from advisor.emulator.state import Array, Group

if TYPE_CHECKING:
    from advisor.emulator.machine import Machine

Getter = Callable[[Group], Any]
Putter = Callable[[Group, Any, Any], None]
Run = Callable[[Group, Any], Any]
Register = tuple[str, int]
MASK32 = 0xFFFFFFFF
_SPECIAL_FLOATS = {"INF": 0x7F800000, "QNAN": 0x7FFFFFFF, "SNAN": 0x7FBFFFFF}
_SPECIAL_DOUBLES = {"INF": 0x7FF00000, "QNAN": 0x7FFFFFFF, "SNAN": 0x7FF7FFFF}
_SPECIAL_HALVES = {"INF": 0x7C00, "QNAN": 0x7FFF, "SNAN": 0x7DFF}


def number_bits(text: str, form: str) -> int:
    """Return the 32 bits that an immediate stands for. form: int, float, double (the upper word) or half (16 bits)."""
    word = text.strip().upper()
    body = word.lstrip("+-")
    sign = word.startswith("-")
    if body in ("INF", "QNAN", "SNAN"):
        table = {"float": _SPECIAL_FLOATS, "double": _SPECIAL_DOUBLES, "half": _SPECIAL_HALVES}.get(form)
        if table is None:
            table = _SPECIAL_FLOATS
        return table[body] | (((1 << 15) if form == "half" else (1 << 31)) if sign else 0)
    if body.startswith("0X") or form == "int":
        try:
            return int(text, 0) & MASK32
        except ValueError:
            raise RefusedError(f"the number {text[:40]} is not an integer") from None
    real = float(text)
    if form == "half":
        return int(np.float16(real).view(np.uint16))
    if form == "double":
        return int(struct.unpack("<Q", struct.pack("<d", real))[0] >> 32)
    with np.errstate(all="ignore"):
        return int(np.float32(real).view(np.uint32))


def scalar(value: int, dtype: Any = np.uint32) -> Array:
    """Return a value as an array of (1, 1), which broadcasts and wraps without warnings."""
    return np.full((1, 1), value, dtype)


class Build:
    """The functions of one instruction. value: whether its results are needed, or only what is counted.

    uses: registers that addresses, branches and counts depend on; data: those that only results depend on.
    """

    def __init__(self, machine: Machine, at: int, ins: Instruction, value: bool = True) -> None:
        self.machine, self.at, self.ins, self.value = machine, at, ins, value
        self.state = machine.state
        self.uses: set[Register] = set()
        self.data: set[Register] = set()
        self.defs: set[Register] = set()
        self.noting = self.data
        self.reads: str = ""  # spaces that it loads from and stores to
        self.writes: str = ""
        self.control = False  # it may change the program counter
        self.always = False  # it must be executed even if its results are not needed

    def modifiers(self, *known: str) -> tuple[str, ...]:
        """Return the modifiers. Raises RefusedError for one that is not in `known`."""
        for modifier in self.ins.modifiers:
            if modifier not in known:
                raise RefusedError(f"{self.ins.name} is not emulated")
        return self.ins.modifiers

    def refuse(self, why: str = "") -> RefusedError:
        """Return the error that refuses this instruction."""
        return RefusedError(f"{self.ins.name} is not emulated" + (f": {why}" if why else ""))

    def operand(self, index: int) -> Operand:
        """Return an operand. Raises RefusedError if there are fewer."""
        if index >= len(self.ins.operands):
            raise self.refuse("an operand is missing")
        return self.ins.operands[index]

    # Reading

    def raw(self, op: Operand, form: str = "int", after: int = 0) -> Getter:
        """Return the getter of the 32 bits of an operand, without its sign and inversion. after: word of a pair."""
        state = self.state
        if op.kind == "R":
            if op.index < 0:
                return lambda g: _ZERO
            index = op.index + after
            self.machine.check_register(index)
            self.noting.add(("R", index))
            values = state.values
            return lambda g: values[index, g.at]
        if op.kind == "UR":
            if op.index < 0:
                return lambda g: _ZERO
            place = op.index + after
            self.noting.add(("UR", place))
            uniform = state.uniform
            return lambda g: uniform[place, g.at]
        if op.kind == "number":
            bits = number_bits(op.text, form)
            if form == "double":
                bits = bits if after else 0
            elif form == "long":
                value = int(op.text, 0)
                bits = (value >> (32 * after)) & MASK32
            constant = scalar(bits)
            return lambda g: constant
        if op.kind == "constant":
            return self._constant(op, after)
        if op.kind in ("P", "UP"):
            found = self.predicate(op)
            return lambda g: found(g).astype(np.uint32)
        raise self.refuse(f"an operand of kind {op.kind}")

    def _constant(self, op: Operand, after: int) -> Getter:
        bank = self.machine.bank(op.bank)
        offset = op.offset + 4 * after
        if op.base < 0 and op.uniform < 0:
            found = scalar(bank.word(offset, self.at))
            return lambda g: found
        base = self.raw(Operand("R", op.base)) if op.base >= 0 else self.raw(Operand("UR", op.uniform))
        at = self.at
        return lambda g: bank.words(base(g).astype(np.int64) + offset, at)

    def u32(self, op: Operand) -> Getter:
        """Return the getter of an integer operand, with -, ~ and the inversion applied."""
        get = self.raw(op)
        if op.absolute or op.suffixes:
            raise self.refuse(f"the operand modifier {'.'.join(op.suffixes) or '||'}")
        if op.negative and op.kind != "number":
            return lambda g: np.negative(get(g))
        if op.inverted:
            return lambda g: np.invert(get(g))
        return get

    def f32(self, op: Operand, ftz: bool = False) -> Getter:
        """Return the getter of a float operand; ftz: subnormal values become zero."""
        if op.suffixes:
            raise self.refuse(f"the operand modifier {'.'.join(op.suffixes)}")
        get = self.raw(op, "float")
        absolute, negative = op.absolute, op.negative and op.kind != "number"
        if not absolute and not negative and not ftz:
            return lambda g: get(g).view(np.float32)

        def read(g: Group) -> Array:
            found: Array = get(g).view(np.float32)
            if absolute:
                found = np.abs(found)
            if negative:
                found = np.negative(found)
            return flush(found) if ftz else found

        return read

    def u64(self, op: Operand) -> Getter:
        """Return the getter of a pair of registers, a 64-bit constant or an immediate, as uint64."""
        form = "long" if op.kind == "number" else "int"
        low, high = self.raw(op, form, 0), self.raw(op, form, 1)
        negative, inverted = op.negative and op.kind != "number", op.inverted

        def read(g: Group) -> Array:
            found = join(low(g), high(g))
            return np.negative(found) if negative else np.invert(found) if inverted else found

        return read

    def f64(self, op: Operand) -> Getter:
        """Return the getter of a double."""
        low, high = self.raw(op, "double", 0), self.raw(op, "double", 1)
        absolute, negative = op.absolute, op.negative and op.kind != "number"

        def read(g: Group) -> Array:
            found: Array = join(low(g), high(g)).view(np.float64)
            if absolute:
                found = np.abs(found)
            return np.negative(found) if negative else found

        return read

    def predicate(self, op: Operand) -> Getter:
        """Return the getter of a predicate operand as bool."""
        if op.kind not in ("P", "UP"):
            raise self.refuse("a predicate is expected")
        planes = self.state.predicates if op.kind == "P" else self.state.uniform_predicates
        index, inverted = op.index, op.inverted
        if index < 0:
            constant = np.full((1, 1), not inverted)
            return lambda g: constant
        self.noting.add((op.kind, index))
        if inverted:
            return lambda g: ~planes[index, g.at]
        return lambda g: planes[index, g.at]

    # Writing

    def put(self, op: Operand, after: int = 0) -> Putter:
        """Return the putter of 32 bits to a register. Raises RefusedError for another operand."""
        if op.kind not in ("R", "UR"):
            raise self.refuse("a register is expected")
        if op.index < 0:
            return _drop
        index = op.index + after
        planes = self.state.values if op.kind == "R" else self.state.uniform
        if op.kind == "R":
            self.machine.check_register(index)
        self.defs.add((op.kind, index))
        return _putter(planes, index)

    def put_float(self, op: Operand) -> Putter:
        """Return the putter of float32 values to a register."""
        if op.kind != "R" or op.index < 0:
            put = self.put(op)
            return lambda g, m, value: put(g, m, np.asarray(value, np.float32).view(np.uint32))
        self.machine.check_register(op.index)
        self.defs.add(("R", op.index))
        return _putter(self.state.floats, op.index)

    def put64(self, op: Operand) -> Putter:
        """Return the putter of 64-bit values to a pair of registers."""
        low, high = self.put(op), self.put(op, 1)

        def write(g: Group, m: Any, value: Array) -> None:
            bits = np.asarray(value).view(np.uint64)
            low(g, m, bits.astype(np.uint32))
            high(g, m, (bits >> np.uint64(32)).astype(np.uint32))

        return write

    def put_predicate(self, op: Operand) -> Putter:
        """Return the putter of a predicate."""
        if op.kind not in ("P", "UP"):
            raise self.refuse("a predicate is expected")
        if op.index < 0:
            return _drop
        self.defs.add((op.kind, op.index))
        return _putter(self.state.predicates if op.kind == "P" else self.state.uniform_predicates, op.index)


_ZERO = scalar(0)


def _drop(g: Group, m: Any, value: Any) -> None:
    return None


def _putter(planes: Array, index: int) -> Putter:
    plane = planes[index]
    uniform = plane.shape[1] == 1

    def write(g: Group, m: Any, value: Any) -> None:
        at = g.at
        if uniform and m is not None:
            m = m.any(axis=1, keepdims=True)
        if m is None:
            plane[at] = value
        elif type(at) is slice:
            np.copyto(plane[at], value, where=m)
        else:
            kept = plane[at]
            np.copyto(kept, value, where=m)
            plane[at] = kept

    return write


def join(low: Any, high: Any) -> Array:
    """Return two uint32 arrays as one of uint64."""
    out: Array = high.astype(np.uint64) << np.uint64(32)
    return np.asarray(out | low)


_SIGN = np.uint32(0x80000000)
_SMALLEST = np.float32(2.0**-126)


def flush(value: Array) -> Array:
    """Return float32 values with subnormal ones replaced by zeros of their sign."""
    small = np.abs(value) < _SMALLEST
    if not small.any():
        return value
    bits = value.view(np.uint32)
    return np.where(small, bits & _SIGN, bits).view(np.float32)
