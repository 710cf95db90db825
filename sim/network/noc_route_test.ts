// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ARCHITECTURE_FILES } from "../devices/architecture_files.ts";
import { DEVICE_NAMES, getDevice } from "../devices/device_registry.ts";
import { type Network, networkOf } from "./network.ts";
import { describeLink, hopCount, multicastRoute, type NocId, unicastRoute } from "./noc_route.ts";

function network(name: string): Network {
  const found = networkOf(getDevice(name));
  assert(found);
  return found;
}

function words(of: Network, links: readonly number[]): string[] {
  return links.map((link) => {
    const { noc, x, y, kind } = describeLink(of, link);
    return `${noc}:${x},${y}:${kind}`;
  });
}

Deno.test("networkOf() has the torus of every bundled device", () => {
  for (const name of DEVICE_NAMES) {
    const device = getDevice(name);
    const of = network(name);
    assertEquals(of.cores, device.grid.workerRows * device.grid.workerColumns);
    assertEquals(of.nodes.length, of.cores + device.dram.banks);
    assertEquals(new Set(of.nodes.slice(0, of.cores)).size, of.cores);
    assert(of.nodes.every((node) => node >= 0 && node < of.columns * of.rows));
  }
});

Deno.test("network files give a source and a kind for every constant", () => {
  for (const { network: file } of Object.values(ARCHITECTURE_FILES)) {
    for (const entry of Object.values(file)) {
      if (typeof entry === "string") continue;
      assert(entry.source.length > 10);
      assert(["stated", "measured", "fitted", "guess"].includes(entry.kind));
    }
  }
});

Deno.test("unicastRoute() goes +x then +y on NoC0 and -y then -x on NoC1, round the torus", () => {
  const wormhole = network("n150");
  const at = (x: number, y: number) => y * wormhole.columns + x;
  assertEquals(words(wormhole, unicastRoute(wormhole, 0, at(8, 1), at(1, 2))), [
    "0:8,1:inject",
    "0:8,1:x",
    "0:9,1:x",
    "0:0,1:x",
    "0:1,1:y",
    "0:1,2:eject",
  ]);
  assertEquals(words(wormhole, unicastRoute(wormhole, 1, at(1, 1), at(9, 11))), [
    "1:1,1:inject",
    "1:1,1:y",
    "1:1,0:y",
    "1:1,11:x",
    "1:0,11:x",
    "1:9,11:eject",
  ]);
});

Deno.test("unicastRoute() has one link per hop, and there and back goes round each ring that is crossed", () => {
  const blackhole = network("p150-13x10");
  const place = fc.integer({ min: 0, max: blackhole.columns * blackhole.rows - 1 });
  fc.assert(fc.property(place, place, fc.constantFrom<NocId>(0, 1), (a, b, noc) => {
    const route = unicastRoute(blackhole, noc, a, b);
    assertEquals(route.length, hopCount(blackhole, noc, a, b) + 2);
    assertEquals(new Set(route).size, route.length);
    const sameColumn = a % blackhole.columns === b % blackhole.columns;
    const sameRow = Math.floor(a / blackhole.columns) === Math.floor(b / blackhole.columns);
    assertEquals(
      hopCount(blackhole, noc, a, b) + hopCount(blackhole, noc, b, a),
      (sameColumn ? 0 : blackhole.columns) + (sameRow ? 0 : blackhole.rows),
    );
  }));
});

Deno.test("multicastRoute() takes every link once and ends in every destination", () => {
  const wormhole = network("n150");
  const targets = wormhole.nodes.slice(0, wormhole.cores);
  const route = multicastRoute(wormhole, 0, targets[0] ?? 0, targets);
  assertEquals(new Set(route).size, route.length);
  const ends = words(wormhole, route).filter((word) => word.endsWith("eject"));
  assertEquals(ends.length, 64);
  assertEquals(words(wormhole, route).filter((word) => word.endsWith("inject")).length, 1);
});
