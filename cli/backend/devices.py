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
    tensix_mask: int
    ethernet_mask: int
    pcie_mask: int


#: Worker grids as rows x columns: n150 8x8, p150 10x11 as it is sold, p150-13x10 all that a Blackhole chip has.
BOARDS: dict[str, Board] = {
    "n150": Board("wormhole_b0", "n150", 72059269369839682, 1 << 5, 0, 0),
    "p150": Board("blackhole", "p150", 4476187513037, 3 << 6, 0x120, 2),
    "p150-13x10": Board("blackhole", "p150", 4476187513037, 0, 0x120, 2),
}


def cluster_description(device: str) -> str:
    """The YAML text that `TT_METAL_MOCK_CLUSTER_DESC_PATH` names a file of. Raises KeyError for unknown boards."""
    board = BOARDS[device]
    located = board.architecture == "wormhole_b0"
    position = "\n  0: [0, 0, 0, 0]" if located else " {}"
    return f"""arch:
  0: {board.architecture}
chips:{position}
chip_unique_ids:
  0: {board.unique_id}
ethernet_connections: []
ethernet_connections_to_remote_devices: []
chips_with_mmio:
  - 0: 0
harvesting:
  0:
    noc_translation: true
    harvest_mask: {board.tensix_mask}
    dram_harvesting_mask: 0
    eth_harvesting_mask: {board.ethernet_mask}
    pcie_harvesting_mask: {board.pcie_mask}
    l2cpu_harvesting_mask: 0
boards:
  -
    - board_id: {board.unique_id}
    - board_type: {board.board_type}
    - chips:
        - 0
"""
