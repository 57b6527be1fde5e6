# SPDX-License-Identifier: MIT
"""Placing: addresses for items of one's own."""
from __future__ import annotations

import ctypes
import errno
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from . import abi
from ._library import Error, c, cstring, names
from ._numbers import integers

ANYWHERE = abi.LOOM_PLACE_ANYWHERE
NONE = abi.LOOM_PLACE_NONE


@dataclass
class Item:
    """Something that needs bytes from moment ``lower`` on, until before ``upper``.

    fixed: the offset that it must have. alias: index of an earlier item that it lies in, at
    alias_offset. pools: indices of pools that it may go to; none: any. gaps: (lower, upper):
    moments at which it is not alive. excluded: (lower, upper): offsets that it must not touch.
    """

    size_bytes: int
    lower: int
    upper: int
    align_bytes: int = 1
    fixed: int | None = None
    alias: int | None = None
    alias_offset: int = 0
    pools: Sequence[int] = ()
    gaps: Sequence[tuple[int, int]] = ()
    excluded: Sequence[tuple[int, int]] = ()
    name: str = ''


@dataclass
class Pool:
    """A memory to place in; the cheapest is filled first. capacity_bytes: None: no limit."""

    capacity_bytes: int | None = None
    align_bytes: int = 1
    cost: int = 0


@dataclass
class Placement:
    """Where items lie. offsets and pools are by item, height_bytes and bound_bytes by pool."""

    offsets: list[int]
    pools: list[int]
    height_bytes: list[int]
    bound_bytes: list[int]
    proved: bool
    strategy: str
    nodes: int


class PlaceError(Error):
    """Items that cannot be placed, or are placed wrongly. first, second: those at fault, or None.
    missing_bytes: by how much the capacities of the pools fall short at least, if that is proved,
    as long as others stay. pools: indices of the pools that fall short."""

    def __init__(self, number: int, line: str, items: Sequence[Item], fault: Any) -> None:
        super().__init__(number, line)
        self.missing_bytes: int = fault.missing_bytes
        self.pools: list[int] = [i for i in range(32) if fault.pools >> i & 1]
        self.first, self.second = (items[i] if i < len(items) else None
                                   for i in (fault.first, fault.second))


@dataclass
class _Problem:
    items: Sequence[Item]
    pools: Sequence[Pool]
    apart: Sequence[tuple[int, int]]
    record: Any = field(init=False)

    def __post_init__(self) -> None:
        self.record = problem = abi.loom_place_problem()
        found = [_item(item, len(self.pools)) for item in self.items]
        problem.items, problem.num_items = (abi.loom_place_item * len(found))(*found), len(found)
        pools = [abi.loom_place_pool(ANYWHERE if pool.capacity_bytes is None else
                                     pool.capacity_bytes, pool.align_bytes, pool.cost)
                 for pool in self.pools]
        if pools:
            problem.pools = (abi.loom_place_pool * len(pools))(*pools)
            problem.num_pools = len(pools)
        pairs = [abi.loom_place_pair(first, second) for first, second in self.apart]
        if pairs:
            problem.apart = (abi.loom_place_pair * len(pairs))(*pairs)
            problem.num_apart = len(pairs)

    def call(self, function: Any, *args: Any) -> None:
        fault = abi.loom_place_fault(NONE, NONE)
        status = function(self.record, *args, fault)
        if status < 0:
            line = fault.text.decode(errors='replace') or \
                f'{function.__name__}(): {errno.errorcode.get(-status, -status)}'
            raise PlaceError(-status, line, self.items, fault)


def _item(item: Item, num_pools: int) -> abi.loom_place_item:
    gaps = [abi.loom_place_gap(lower, upper) for lower, upper in item.gaps]
    excluded = [abi.loom_place_range(lower, upper) for lower, upper in item.excluded]
    if any(not 0 <= pool < max(num_pools, 1) for pool in item.pools):
        raise ValueError(f'item {item.name!r} may go to a pool that there is not')
    return abi.loom_place_item(
        size_bytes=item.size_bytes, align_bytes=item.align_bytes, lower=item.lower,
        upper=item.upper,
        flags=(0 if item.fixed is None else abi.LOOM_PLACE_FIXED) |
        (0 if item.alias is None else abi.LOOM_PLACE_ALIAS),
        fixed=item.fixed or 0, alias=item.alias or 0, alias_offset=item.alias_offset,
        pools=sum({1 << operator.index(pool) for pool in item.pools}),
        gaps=(abi.loom_place_gap * len(gaps))(*gaps), num_gaps=len(gaps),
        excluded=(abi.loom_place_range * len(excluded))(*excluded), num_excluded=len(excluded))


def place(items: Sequence[Item], capacity_bytes: int | None = None, *,
          pools: Sequence[Pool] = (), apart: Sequence[tuple[int, int]] = (),
          strategy: str | None = None, budget: int = 0, fit_only: bool = False) -> Placement:
    """Gives each item an offset so that items alive at the same time do not overlap.

    capacity_bytes: of the one memory that there is, if no pools are given
    apart: pairs of items that must not share a byte even if they are never alive together
    strategy: see placers(). budget: search nodes at most; 0: the default
    fit_only: the first placement within the capacities will do
    """
    if capacity_bytes is not None:
        if pools:
            raise TypeError('capacity_bytes is for one memory, and there are pools')
        pools = [Pool(capacity_bytes)]
    problem = _Problem(items, pools, apart)
    options = abi.loom_place_options(None if strategy is None else cstring(strategy),
                                     budget, fit_only)
    result = abi.loom_place_result()
    problem.call(c.loom_place, options, result)
    try:
        count = result.num_pools
        return Placement(result.offsets[:len(items)], result.pools[:len(items)],
                         result.height_bytes[:count], result.bound_bytes[:count], result.proved,
                         result.strategy.decode(), result.nodes)
    finally:
        c.loom_place_result_free(result)


def check_placement(items: Sequence[Item], offsets: Sequence[int],
                    in_pools: Sequence[int] | None = None, *, pools: Sequence[Pool] = (),
                    apart: Sequence[tuple[int, int]] = ()) -> None:
    """Proves a placement, whatever made it, or raises PlaceError. in_pools: by item: its pool."""
    for given in (offsets, in_pools):
        if given is not None and len(given) != len(items):
            raise ValueError(f'there are {len(items)} items, not {len(given)}')
    problem = _Problem(items, pools, apart)
    where = integers(ctypes.c_uint64, offsets)
    which = None
    if in_pools is not None:
        which = integers(ctypes.c_uint32, in_pools)
    problem.call(c.loom_place_check, where, which)


def placers() -> dict[str, str]:
    """Strategies that place, and what each does."""
    return dict(zip(names(c.loom_place_strategy_name), names(c.loom_place_strategy_text)))
