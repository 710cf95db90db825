// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { launchPrograms } from "../../lib/programs/launch.ts";
import { getDevice } from "../devices/device_registry.ts";
import { loneChip } from "../kernels/price_program.ts";
import { pricedTensor } from "../testing/priced.ts";
import { BUNDLED_RANGES, coverageOf, type FittedRanges, parseRanges, placementOf } from "./coverage.ts";
import { estimateOf } from "./estimate.ts";
import fc from "fast-check";

const DEVICE = getDevice("n150");

const RANGES: FittedRanges = { wormhole_b0: { "eltwise_unary dram_interleaved": [10, 100] } };

function relu(rows: number, bufferType: "dram" | "l1" = "dram") {
  const tensor = pricedTensor(DEVICE, [1, 1, rows, 32], { bufferType });
  const launched = launchPrograms("eltwise_unary", {
    name: "ttnn.relu",
    attributes: new Map(),
    inputs: [tensor],
    outputs: [tensor],
    config: undefined,
  }, loneChip(DEVICE));
  assert(launched.status === "known");
  return launched;
}

Deno.test("coverageOf() widens by the factors of ten that a time lies outside of the measured ones", () => {
  const { programs } = relu(32);
  const at = (us: number) => coverageOf("wormhole_b0", "eltwise_unary", programs, us, RANGES);
  for (const us of [10, 55, 100, 6, 190]) assertEquals(at(us), { widening: 1, leastError: 0 });
  assertAlmostEquals(at(1000).widening, 2, 1e-9);
  assertEquals(at(1000).extrapolated, "10 times longer than any measured eltwise_unary");
  assertAlmostEquals(at(0.1).widening, 3, 1e-9);
  assertEquals(at(0.1).extrapolated, "1.0e+2 times shorter than any measured eltwise_unary");
});

Deno.test("coverageOf() says which place or class nobody measured", () => {
  const { programs } = relu(32, "l1");
  const elsewhere = coverageOf("wormhole_b0", "eltwise_unary", programs, 50, RANGES);
  assertEquals(elsewhere, {
    widening: 2,
    leastError: 0,
    extrapolated: "no eltwise_unary with its operand in l1 interleaved was measured",
  });
  const other = coverageOf("wormhole_b0", "upsample", programs, 50, RANGES);
  assertEquals([other.leastError, other.extrapolated], [0.5, "no upsample was measured"]);
  assertEquals(coverageOf("blackhole", "eltwise_unary", programs, 50, RANGES).leastError, 0.5);
  assertEquals(coverageOf("wormhole_b0", "view", [], 0, RANGES), { widening: 1, leastError: 0 });
});

Deno.test("coverageOf() never narrows, and widens more the farther a time lies", () => {
  const { programs } = relu(32);
  const time = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
  fc.assert(fc.property(time, time, (a, b) => {
    const [near, far] = [Math.max(100, Math.min(a, b)), Math.max(100, a, b)];
    const widening = (us: number) =>
      coverageOf("wormhole_b0", "eltwise_unary", programs, us, RANGES).widening;
    assert(widening(near) >= 1 && widening(far) >= widening(near));
  }));
});

Deno.test("estimates that no row is like have wider errors, and say why", () => {
  const inside = estimateOf(relu(32 * 640), "eltwise_unary", DEVICE);
  assertEquals([inside.extrapolated, inside.relativeError], [undefined, DEVICE.accuracy.eltwise]);
  const huge = estimateOf(relu(32 * 4_000_000), "eltwise_unary", DEVICE);
  assert(huge.extrapolated !== undefined && huge.relativeError > inside.relativeError);
  assert(huge.relativeError <= 1 && huge.ownError <= huge.relativeError);
});

Deno.test("parseRanges() refuses what is no range", () => {
  assertThrows(() => parseRanges({ x: { "matmul dram_interleaved": [3] } }), RangeError, "matmul");
  assertThrows(() => parseRanges({ x: { "matmul dram_interleaved": [3, 2] } }), RangeError, "matmul");
  for (const kinds of Object.values(BUNDLED_RANGES)) assert(Object.keys(kinds).length > 20);
});

Deno.test("placementOf() is where the first operand lies, on shards where nothing is read", () => {
  assertEquals([placementOf(relu(32).programs), placementOf([])], ["dram_interleaved", "l1_sharded"]);
});
