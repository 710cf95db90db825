// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { launchPrograms } from "../../lib/programs/launch.ts";
import { getDevice } from "../devices/device_registry.ts";
import { loneChip } from "../kernels/price_program.ts";
import { pricedTensor } from "../testing/priced.ts";
import {
  BUNDLED_RANGES,
  coverageOf,
  type FittedRanges,
  parseRanges,
  placementOf,
  predictedError,
} from "./coverage.ts";
import { estimateOf } from "./estimate.ts";
import fc from "fast-check";

const DEVICE = getDevice("n150");

const RANGES: FittedRanges = { wormhole_b0: { "eltwise_unary dram_interleaved": [10, 100, 1] } };

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
  const at = (us: number) => coverageOf("wormhole_b0", "eltwise_unary", "dram_interleaved", us, RANGES);
  for (const us of [10, 55, 100, 6, 190]) assertEquals(at(us), { widening: 1, leastError: 0 });
  assertAlmostEquals(at(1000).widening, 2, 1e-9);
  assertEquals(at(1000).extrapolated, "10 times longer than any measured eltwise_unary");
  assertAlmostEquals(at(0.1).widening, 3, 1e-9);
  assertEquals(at(0.1).extrapolated, "1.0e+2 times shorter than any measured eltwise_unary");
});

Deno.test("coverageOf() names unmeasured places and classes", () => {
  const elsewhere = coverageOf("wormhole_b0", "eltwise_unary", "l1_interleaved", 50, RANGES);
  assertEquals(elsewhere, {
    widening: 2,
    leastError: 0,
    extrapolated: "no eltwise_unary with its operand in l1 interleaved was measured",
  });
  const other = coverageOf("wormhole_b0", "upsample", "l1_interleaved", 50, RANGES);
  assertEquals([other.leastError, other.extrapolated], [0.5, "no upsample was measured"]);
  assertEquals(coverageOf("blackhole", "eltwise_unary", "l1_interleaved", 50, RANGES).leastError, 0.5);
  assertEquals(coverageOf("wormhole_b0", "view", undefined, 0, RANGES), { widening: 1, leastError: 0 });
});

Deno.test("coverageOf() never narrows, and widens more the farther a time lies", () => {
  const time = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
  fc.assert(fc.property(time, time, (a, b) => {
    const [near, far] = [Math.max(100, Math.min(a, b)), Math.max(100, a, b)];
    const widening = (us: number) =>
      coverageOf("wormhole_b0", "eltwise_unary", "dram_interleaved", us, RANGES).widening;
    assert(widening(near) >= 1 && widening(far) >= widening(near));
  }));
});

Deno.test("estimates without a similar row have wider errors, with the reason", () => {
  const inside = estimateOf(relu(32 * 640), "eltwise_unary", DEVICE);
  assertEquals(inside.extrapolated, undefined);
  const huge = estimateOf(relu(32 * 4_000_000), "eltwise_unary", DEVICE);
  assert(huge.extrapolated !== undefined && huge.relativeError > inside.relativeError);
  assert(huge.relativeError <= 1 && huge.ownError <= huge.relativeError);
});

Deno.test("predictedError() is wider for products whose blocks the backend chose, and for programs of a few µs", () => {
  const at = (us: number, isChosen: boolean) =>
    predictedError(DEVICE, "matmul", "dram_interleaved", us, isChosen).relativeError;
  assert(at(500, true) > 1.4 * at(500, false));
  assert(at(1, false) > at(20, false));
  // Noise of 0.2 µs is no part of a long program's error.
  assertAlmostEquals(at(100, false), at(500, false), 0.01);
});

Deno.test("parseRanges() refuses other text", () => {
  assertThrows(() => parseRanges({ x: { "matmul dram_interleaved": [3] } }), RangeError, "matmul");
  assertThrows(() => parseRanges({ x: { "matmul dram_interleaved": [3, 2, 1] } }), RangeError, "matmul");
  assertThrows(() => parseRanges({ x: { "matmul dram_interleaved": [2, 3] } }), RangeError, "matmul");
  for (const kinds of Object.values(BUNDLED_RANGES)) assert(Object.keys(kinds).length > 20);
});

Deno.test("placementOf() is where the first operand lies, on shards where nothing is read", () => {
  assertEquals([placementOf(relu(32).programs), placementOf([])], ["dram_interleaved", "l1_sharded"]);
});
