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
    #: Links as chip and channel of either end.
    links: tuple[tuple[int, int, int, int], ...] = ()
    #: Whether every chip is a board of its own, with a link to the host.
    apart: bool = False

    @property
    def alignment(self) -> int:
        """Bytes of which a buffer takes whole multiples, in DRAM and in L1."""
        return 64 if self.architecture == "blackhole" else 32


def _between(chip: int, other: int, channels: range) -> tuple[tuple[int, int, int, int], ...]:
    return tuple((chip, channel, other, channel) for channel in channels)


#: Worker grids as rows x columns: n150 8x8, n300 two of 8x8, p150 10x11 as it is sold, p150-13x10 all that a Blackhole
#: chip has. Links of several p150 as tt-umd describes machines of them: four ports to either neighbour.
BOARDS: dict[str, Board] = {
    "n150": Board("wormhole_b0", "n150", 72059269369839682, (1 << 5,), 0, 0),
    "n300": Board(
        "wormhole_b0", "n300", 72058994491072686, (1 << 5, 1 << 5), 0, 0, ((0, 8, 1, 0), (0, 9, 1, 1))
    ),
    "p150": Board("blackhole", "p150", 4476187513037, (3 << 6,), 0x120, 2),
    "p150-13x10": Board("blackhole", "p150", 4476187513037, (0,), 0x120, 2),
    "p150x2": Board(
        "blackhole", "p150", 4476187513037, (3 << 6,) * 2, 0x120, 2, _between(0, 1, range(4, 8)), apart=True
    ),
    "p150x4": Board(
        "blackhole",
        "p150",
        4476187513037,
        (3 << 6,) * 4,
        0x120,
        2,
        (
            *_between(0, 2, range(4, 8)),
            *_between(0, 3, range(8, 12)),
            *_between(1, 3, range(4, 8)),
            *_between(1, 2, range(8, 12)),
        ),
        apart=True,
    ),
}


def cluster_description(device: str) -> str:
    """The YAML text that `TT_METAL_MOCK_CLUSTER_DESC_PATH` names a file of. Raises KeyError for unknown boards."""
    board = BOARDS[device]
    chips = range(len(board.tensix_masks))
    located = board.architecture == "wormhole_b0"
    positions = "".join(f"\n  {chip}: [{chip}, 0, 0, 0]" for chip in chips) if located else " {}"
    links = "".join(
        f"\n  -\n    - chip: {near}\n      chan: {out}\n    - chip: {far}\n      chan: {into}"
        for near, out, far, into in board.links
    )
    groups = [[chip] for chip in chips] if board.apart else [list(chips)]
    return f"""arch:{"".join(f"{chr(10)}  {chip}: {board.architecture}" for chip in chips)}
chips:{positions}
chip_unique_ids:{"".join(f"{chr(10)}  {chip}: {board.unique_id + chip}" for chip in chips)}
ethernet_connections:{links or " []"}
ethernet_connections_to_remote_devices: []
chips_with_mmio:{"".join(f"{chr(10)}  - {group[0]}: {group[0]}" for group in groups)}
harvesting:{"".join(_harvesting(board, chip) for chip in chips)}
boards:{"".join(_board(board, group) for group in groups)}
"""


def _board(board: Board, chips: list[int]) -> str:
    return f"""
  -
    - board_id: {board.unique_id + chips[0]}
    - board_type: {board.board_type}
    - chips:{"".join(f"{chr(10)}        - {chip}" for chip in chips)}"""


def _harvesting(board: Board, chip: int) -> str:
    return f"""
  {chip}:
    noc_translation: true
    harvest_mask: {board.tensix_masks[chip]}
    dram_harvesting_mask: 0
    eth_harvesting_mask: {board.ethernet_mask}
    pcie_harvesting_mask: {board.pcie_mask}
    l2cpu_harvesting_mask: 0"""
