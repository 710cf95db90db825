// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { DEVICE_NAMES, getDevice } from "../../sim/devices/device_registry.ts";
import { clusterDescription } from "./cluster_description.ts";

const WORMHOLE = { architecture: "wormhole_b0" } as const;

Deno.test("clusterDescription() links neighbours along both axes, and the ends of rings of more than two", () => {
  const { cluster, mesh } = clusterDescription(
    [{ chips: 2, links: 2, topology: "ring" }, { chips: 4, links: 1, topology: "ring" }],
    WORMHOLE,
  );
  assertEquals(mesh.chips["5"], [1, 1]);
  const pairs = cluster.ethernet_connections.map(([a, b]) => `${a.chip}-${b.chip}`).sort();
  assertEquals(pairs, [
    ...["0-1", "0-4", "0-4", "1-2", "1-5", "1-5", "2-3", "2-6", "2-6", "3-0", "3-7", "3-7"],
    ...["4-5", "5-6", "6-7", "7-4"],
  ]);
});

Deno.test("clusterDescription() gives every link of every machine channels of its own", () => {
  assertEquals(clusterDescription([], WORMHOLE).cluster, {
    arch: { "0": "wormhole_b0" },
    chip_unique_ids: { "0": 0 },
    ethernet_connections: [],
  });
  for (const { name, mesh } of DEVICE_NAMES.map(getDevice)) {
    const { cluster } = clusterDescription(mesh, WORMHOLE);
    const ends = cluster.ethernet_connections.flat().map(({ chip, chan }) => `${chip}:${chan}`);
    assertEquals(new Set(ends).size, ends.length, name);
    // A chip of Wormhole has 16 channels, one of Blackhole 14.
    assert(cluster.ethernet_connections.flat().every(({ chan }) => chan < 16), name);
  }
});
