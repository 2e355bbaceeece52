"""Runs objects of WebAssembly on wasmtime: an object is a module whose functions need only be exported.

What an object has to be told by a linker, addresses of data and numbers of functions, LLVM has written into it as if it were
linked alone, at address 0 (the tool conventions call these provisional values).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import wasmtime

_EXPORTS, _CUSTOM = 7, 0
_BEFORE_EXPORTS = (1, 2, 3, 4, 5, 6)
"""Numbers of sections, in the order in which they stand."""
_FUNCTION, _DATA, _GLOBAL, _SECTION, _EVENT, _TABLE = range(6)
_UNDEFINED, _EXPLICIT_NAME = 0x10, 0x40
"""Flags of a symbol."""


class _Reader:
    def __init__(self, content: bytes, at: int = 0) -> None:
        self.content, self.at = content, at

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def number(self) -> int:
        """LEB128, unsigned."""
        value = shift = 0
        while True:
            part = self.byte()
            value |= (part & 0x7F) << shift
            shift += 7
            if part < 0x80:
                return value

    def take(self, size: int) -> bytes:
        self.at += size
        return self.content[self.at - size : self.at]

    def name(self) -> str:
        return self.take(self.number()).decode()


def _number(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def sections(code: bytes) -> list[tuple[int, bytes]]:
    """Number and content of each section."""
    assert code[:8] == b"\0asm\1\0\0\0"
    reader, found = _Reader(code, 8), []
    while reader.at < len(code):
        kind = reader.byte()
        found.append((kind, reader.take(reader.number())))
    return found


def defined_functions(code: bytes) -> dict[str, int]:
    """Name -> number, of the functions that an object defines."""
    found: dict[str, int] = {}
    for kind, content in sections(code):
        reader = _Reader(content)
        if kind != _CUSTOM or reader.name() != "linking":
            continue
        reader.number()
        while reader.at < len(content):
            part, end = reader.byte(), reader.number() + reader.at
            if part == 8:
                for _ in range(reader.number()):
                    symbol, flags = reader.byte(), reader.number()
                    if symbol == _DATA:
                        reader.name()
                        if not flags & _UNDEFINED:
                            reader.number(), reader.number(), reader.number()
                        continue
                    index = reader.number()
                    named = symbol != _SECTION and (not flags & _UNDEFINED or flags & _EXPLICIT_NAME)
                    name = reader.name() if named else ""
                    if symbol == _FUNCTION and not flags & _UNDEFINED:
                        found[name] = index
            reader.at = end
    return found


def as_module(code: bytes) -> bytes:
    """The object with its functions exported."""
    functions = defined_functions(code)
    rows = [_number(len(name.encode())) + name.encode() + b"\0" + _number(index) for name, index in functions.items()]
    exports = _number(len(rows)) + b"".join(rows)
    out, done = [code[:8]], False
    for kind, content in sections(code):
        if kind == _CUSTOM:
            continue
        if not done and kind not in _BEFORE_EXPORTS:
            out.append(bytes((_EXPORTS,)) + _number(len(exports)) + exports)
            done = True
        out.append(bytes((kind,)) + _number(len(content)) + content)
    return b"".join(out)


class Instance:
    """A running object with 16 MB of memory; ``functions`` are what it imports, given this and numbers."""

    PAGES, STACK, HEAP, FUNCTIONS = 256, 8 << 20, 9 << 20, 1000
    """Size in pages of 64 KB, where the stack begins that grows downwards, where the heap does, entries of the table."""

    def __init__(self, code: bytes, functions: Mapping[str, Callable[..., Any]] = {}) -> None:
        config = wasmtime.Config()
        config.wasm_simd = True
        self.store = wasmtime.Store(wasmtime.Engine(config))
        module = wasmtime.Module(self.store.engine, as_module(code))
        self.memory: Any = None
        given: list[Any] = []
        for one in module.imports:
            if isinstance(one.type, wasmtime.MemoryType):
                self.memory = wasmtime.Memory(self.store, wasmtime.MemoryType(wasmtime.Limits(self.PAGES, None)))
                given.append(self.memory)
            elif isinstance(one.type, wasmtime.GlobalType):
                given.append(wasmtime.Global(self.store, one.type, wasmtime.Val.i32(self.STACK)))
            elif isinstance(one.type, wasmtime.TableType):
                # What an object says of its size does not count the entry that stands for the null pointer.
                table = wasmtime.TableType(wasmtime.ValType.funcref(), wasmtime.Limits(self.FUNCTIONS, None))
                given.append(wasmtime.Table(self.store, table, None))
            else:
                assert isinstance(one.type, wasmtime.FuncType)
                given.append(wasmtime.Func(self.store, one.type, functions.get(str(one.name)) or getattr(self, str(one.name))))
        self.exports: Any = wasmtime.Instance(self.store, module, given).exports(self.store)
        self._free = self.HEAP

    def posix_memalign(self, result: int, alignment: int, size: int) -> int:
        """C's, without ever taking back."""
        self._free = (self._free + alignment - 1) // alignment * alignment
        at, self._free = self._free, self._free + size
        self.memory.write(self.store, at.to_bytes(4, "little"), result)
        return 0

    def free(self, at: int) -> None:
        """C's."""

    def place(self, content: bytes) -> int:
        """The address of a copy in the memory."""
        at, self._free = self._free, (self._free + len(content) + 63) & ~63
        self.memory.write(self.store, content, at)
        return at

    def read(self, at: int, size: int) -> bytes:
        return bytes(self.memory.read(self.store, at, at + size))

    def call(self, name: str, arguments: Sequence[int | float]) -> Any:
        return self.exports[name](self.store, *arguments)
