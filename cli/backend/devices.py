# SPDX-License-Identifier: Apache-2.0
"""The boards that a mock device can stand for, as the cluster descriptions that tt-umd reads."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Board:
    """What a cluster description needs. Masks have a bit per row (Wormhole) or column (Blackhole) that is off."""

    architecture: str
    board_type: str
    unique_id: int
    #: Of the workers of each chip; the first one has the link to the host.
    tensix_masks: tuple[int, ...]
    ethernet_mask: int
    pcie_mask: int
    #: Links between chip 0 and chip 1: the channel of either.
    links: tuple[tuple[int, int], ...] = ()


#: Worker grids as rows x columns: n150 8x8, n300 two of 8x8, p150 10x11 as it is sold, p150-13x10 all that a Blackhole
#: chip has.
BOARDS: dict[str, Board] = {
    "n150": Board("wormhole_b0", "n150", 72059269369839682, (1 << 5,), 0, 0),
    "n300": Board("wormhole_b0", "n300", 72058994491072686, (1 << 5, 1 << 5), 0, 0, ((8, 0), (9, 1))),
    "p150": Board("blackhole", "p150", 4476187513037, (3 << 6,), 0x120, 2),
    "p150-13x10": Board("blackhole", "p150", 4476187513037, (0,), 0x120, 2),
}


def cluster_description(device: str) -> str:
    """The YAML text that `TT_METAL_MOCK_CLUSTER_DESC_PATH` names a file of. Raises KeyError for unknown boards."""
    board = BOARDS[device]
    chips = range(len(board.tensix_masks))
    located = board.architecture == "wormhole_b0"
    positions = "".join(f"\n  {chip}: [{chip}, 0, 0, 0]" for chip in chips) if located else " {}"
    links = "".join(
        f"\n  -\n    - chip: 0\n      chan: {near}\n    - chip: 1\n      chan: {far}"
        for near, far in board.links
    )
    return f"""arch:{"".join(f"{chr(10)}  {chip}: {board.architecture}" for chip in chips)}
chips:{positions}
chip_unique_ids:{"".join(f"{chr(10)}  {chip}: {board.unique_id + chip}" for chip in chips)}
ethernet_connections:{links or " []"}
ethernet_connections_to_remote_devices: []
chips_with_mmio:
  - 0: 0
harvesting:{"".join(_harvesting(board, chip) for chip in chips)}
boards:
  -
    - board_id: {board.unique_id}
    - board_type: {board.board_type}
    - chips:{"".join(f"{chr(10)}        - {chip}" for chip in chips)}
"""


def _harvesting(board: Board, chip: int) -> str:
    return f"""
  {chip}:
    noc_translation: true
    harvest_mask: {board.tensix_masks[chip]}
    dram_harvesting_mask: 0
    eth_harvesting_mask: {board.ethernet_mask}
    pcie_harvesting_mask: {board.pcie_mask}
    l2cpu_harvesting_mask: 0"""
