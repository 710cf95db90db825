# SPDX-License-Identifier: Apache-2.0
"""A tiny RISC-V program that tt-metal's loader takes for a kernel.

The host code of tt-metal reads the ELF of every kernel that it compiles: it wants an executable with its code in the
first segment and its data in the second, loaded one behind the other, a relocation section for the code (kernels are
moved to where they run), and a symbol `__fw_export_end_text` that is asked of firmware. On a mock device nothing of it
runs, so one file stands for all kernels.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

_CODE_ADDRESS: Final = 0x4000
_DATA_ADDRESS: Final = 0x8000
_ELF_HEADER: Final = struct.Struct("<16sHHIIIIIHHHHHH")
_PROGRAM_HEADER: Final = struct.Struct("<8I")
_SECTION_HEADER: Final = struct.Struct("<10I")
_SYMBOL: Final = struct.Struct("<IIIBBH")
_RELOCATION: Final = struct.Struct("<IIi")

_EXECUTABLE, _RISCV, _LOAD = 2, 243, 1
_PROGBITS, _SYMTAB, _STRTAB, _RELA, _NOBITS = 1, 2, 3, 4, 8
_HI20, _LO12_I, _LO12_S = 26, 27, 28

#: `lui a5, hi(word); lw a4, lo(word)(a5); sw a4, lo(word)(a5); jal x0, 0`: loads a word, stores it, stays.
_CODE: Final = struct.pack("<4I", 0x000087B7, 0x0007A703, 0x00E7A023, 0x0000006F)
_DATA: Final = struct.pack("<4I", 7, 0, 0, 0)


@dataclass(frozen=True)
class _Section:
    name: str
    kind: int
    content: bytes = b""
    flags: int = 0
    address: int = 0
    link: int = 0
    info: int = 0
    align: int = 4
    entry_size: int = 0
    size: int = 0


def _strings(names: list[str]) -> tuple[bytes, dict[str, int]]:
    table, places = b"\0", {"": 0}
    for name in names:
        places.setdefault(name, len(table))
        if places[name] == len(table):
            table += name.encode() + b"\0"
    return table, places


def _symbols(places: dict[str, int]) -> tuple[bytes, dict[str, int], int]:
    """The symbol table, the index of every symbol, and the number of local ones."""
    rows = [
        ("_start", _CODE_ADDRESS, len(_CODE), 2, 1),
        ("data_word", _DATA_ADDRESS, 4, 1, 3),
        ("__fw_export_end_text", _DATA_ADDRESS + len(_DATA), 4, 1, 4),
    ]
    table = bytes(_SYMBOL.size) + _SYMBOL.pack(0, _CODE_ADDRESS, 0, 3, 0, 1)
    indices = {}
    local = 2
    for index, (name, address, size, kind, section) in enumerate(rows):
        table += _SYMBOL.pack(places[name], address, size, 1 << 4 | kind, 0, section)
        indices[name] = local + index
    return table, indices, local


def _relocations(word: int) -> bytes:
    kinds = [(0, _HI20), (4, _LO12_I), (8, _LO12_S)]
    return b"".join(_RELOCATION.pack(_CODE_ADDRESS + at, word << 8 | kind, 0) for at, kind in kinds)


def kernel_elf() -> bytes:
    """The file, always the same bytes."""
    string_table, places = _strings(["_start", "data_word", "__fw_export_end_text"])
    symbols, index_of, local = _symbols(places)
    sections = [
        _Section(".text", _PROGBITS, _CODE, flags=6, address=_CODE_ADDRESS),
        _Section(
            ".rela.text",
            _RELA,
            _relocations(index_of["data_word"]),
            flags=0x40,
            link=5,
            info=1,
            entry_size=12,
        ),
        _Section(".data", _PROGBITS, _DATA, flags=3, address=_DATA_ADDRESS),
        _Section(".bss", _NOBITS, flags=3, address=_DATA_ADDRESS + len(_DATA), size=8),
        _Section(".symtab", _SYMTAB, symbols, link=6, info=local, entry_size=16),
        _Section(".strtab", _STRTAB, string_table, align=1),
    ]
    section_names, name_places = _strings([section.name for section in sections] + [".shstrtab"])
    sections.append(_Section(".shstrtab", _STRTAB, section_names, align=1))

    body_at = _ELF_HEADER.size + 2 * _PROGRAM_HEADER.size
    body, offsets = b"", []
    for section in sections:
        body += bytes(-len(body) % section.align)
        offsets.append(body_at + len(body))
        body += section.content
    body += bytes(-(body_at + len(body)) % 4)
    headers = bytes(_SECTION_HEADER.size)
    for section, offset in zip(sections, offsets):
        headers += _SECTION_HEADER.pack(
            name_places[section.name],
            section.kind,
            section.flags,
            section.address,
            offset,
            section.size or len(section.content),
            section.link,
            section.info,
            section.align,
            section.entry_size,
        )
    segments = _PROGRAM_HEADER.pack(
        _LOAD, offsets[0], _CODE_ADDRESS, _CODE_ADDRESS, len(_CODE), len(_CODE), 5, 16
    )
    segments += _PROGRAM_HEADER.pack(
        _LOAD, offsets[2], _DATA_ADDRESS, _CODE_ADDRESS + len(_CODE), len(_DATA), len(_DATA) + 8, 6, 16
    )
    header = _ELF_HEADER.pack(
        b"\x7fELF\x01\x01\x01" + bytes(9),
        _EXECUTABLE,
        _RISCV,
        1,
        _CODE_ADDRESS,
        _ELF_HEADER.size,
        body_at + len(body),
        0,
        _ELF_HEADER.size,
        _PROGRAM_HEADER.size,
        2,
        _SECTION_HEADER.size,
        len(sections) + 1,
        len(sections),
    )
    return header + segments + body + headers


def object_file() -> bytes:
    """What stands for an object file; nobody reads it but the linker, which is a stand-in as well."""
    return b"\x7fELF"
