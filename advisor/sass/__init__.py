"""What a machine instruction is: its opcode, pipe and kind of work, and what its operands say."""

from advisor.sass.opcodes import OpClass, classify, dictionary
from advisor.sass.operands import Instruction, Memory, local_use, parse

__all__ = ["Instruction", "Memory", "OpClass", "classify", "dictionary", "local_use", "parse"]
