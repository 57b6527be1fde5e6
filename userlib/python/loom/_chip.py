# SPDX-License-Identifier: MIT
"""Chips: what plans are made for."""
from __future__ import annotations

import ctypes
import operator
import os
from typing import Any

from . import abi
from ._arrays import DType
from ._library import Record, c, call, cpath, cstring, names, record, take

Region = abi.drm_loom_region


class Chip:
    """The description of a chip, from a name ("soft", see Chip.names()) or a file of YAML."""

    def __init__(self, path_or_name: str | os.PathLike[str] = 'soft') -> None:
        self._record = abi.drm_loom_chip()
        call(c.loom_chip_load, cpath(path_or_name), self._record)

    @classmethod
    def parse(cls, text: str | bytes, name: str = 'chip') -> Chip:
        """The same from YAML in memory. name: stands for the file in errors."""
        encoded = text.encode() if isinstance(text, str) else bytes(text)
        found = abi.drm_loom_chip()
        call(c.loom_chip_parse, encoded, len(encoded), cstring(name), found)
        return cls._of(found)

    @classmethod
    def _of(cls, value: abi.drm_loom_chip) -> Chip:
        chip = cls.__new__(cls)
        chip._record = abi.drm_loom_chip.from_buffer_copy(value)
        return chip

    @staticmethod
    def names() -> list[str]:
        """The chips that the library brings with it."""
        return names(c.loom_chip_name)

    @property
    def name(self) -> str:
        """Its name."""
        return self._record.name.decode()

    @property
    def lanes(self) -> int:
        """Lanes of its engine: the banks of its SRAM."""
        return self._record.region[Region.SRAM].banks

    def part(self, lanes: int) -> Chip:
        """The same with fewer lanes: what to plan for a partition of a device."""
        lanes = operator.index(lanes)
        if not 1 <= lanes <= self.lanes:
            raise ValueError(f'lanes: {lanes}, and {self.name} has {self.lanes}')
        chip = self._of(self._record)
        chip._record.region[Region.SRAM].banks = lanes
        return chip

    @property
    def dtypes(self) -> set[DType]:
        """The types of elements that it has."""
        return {kind for kind in DType if self._record.dtypes >> kind & 1}

    def region(self, region: Region) -> Record:
        """Banks of a kind: struct drm_loom_chip_region. 0 banks: it has none."""
        return record(self._record.region[Region(region)])

    def record(self) -> Record:
        """All its figures: struct drm_loom_chip."""
        return record(self._record)

    def yaml(self) -> str:
        """The description as a file, of which Chip.parse() makes the same again."""
        text = ctypes.POINTER(ctypes.c_char)()
        call(c.loom_chip_write, self._record, text)
        return take(text).decode()

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Chip) and bytes(self._record) == bytes(other._record)

    def __hash__(self) -> int:
        return hash(bytes(self._record))

    def __repr__(self) -> str:
        return f'<loom.Chip {self.name}>'


def chip_of(chip: Chip | str | os.PathLike[str]) -> Chip:
    """A chip, or the one of that name."""
    return chip if isinstance(chip, Chip) else Chip(chip)
