# SPDX-License-Identifier: Apache-2.0
"""Cluster descriptions of machines with several chips."""

from __future__ import annotations

import re
import unittest

from devices import BOARDS, cluster_description


class Machines(unittest.TestCase):
    def test_chips_of_one_board_share_its_link_to_the_host_and_boards_have_their_own(self) -> None:
        for device, hosts, boards in (("n300", 1, 1), ("p150x4", 4, 4), ("p150", 1, 1)):
            text = cluster_description(device)
            self.assertEqual(len(re.findall(r"^  - \d+: \d+$", text, re.MULTILINE)), hosts, device)
            self.assertEqual(text.count("board_type"), boards, device)

    def test_no_port_has_two_links_and_every_chip_has_a_neighbour(self) -> None:
        for device, board in BOARDS.items():
            ends = [end for a, out, b, into in board.links for end in ((a, out), (b, into))]
            self.assertEqual(len(ends), len(set(ends)), device)
            if len(board.tensix_masks) > 1:
                self.assertEqual({chip for chip, _ in ends}, set(range(len(board.tensix_masks))), device)


if __name__ == "__main__":
    unittest.main()
