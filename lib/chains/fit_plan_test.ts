// SPDX-License-Identifier: Apache-2.0

/** What is given up if a plan does not fit by address, with the real op model; bytes are per core of 8x8. */

import { OVER_COLUMNS } from "../../testing/graph_builder.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { TensorShape } from "../ops/op_signature.ts";
import { NO_OVERRIDES } from "../overrides/overrides.ts";
import { convolve, imagesType } from "./testing/convolution.ts";
import { decide, reasonsOf } from "./testing/decide.ts";

function bf16(...shape: number[]): TensorShape {
  return { shape, dataType: "bf16" };
}

const SMALL = bf16(32, 32);

Deno.test("of two outputs that wait beside an op that does not fit, the larger one goes to DRAM", () => {
  // Upstream reserves nothing, so that both merges pass: 819200 bytes of relu beside 409600 or 204800 fit into
  // 1325652, beside both they do not.
  const [large, small, middle] = [bf16(8192, 1600), bf16(8192, 800), bf16(8192, 3200)];
  const decided = decide("df-sharding-2", (builder) => {
    const first = builder.op("ttnn.relu", [builder.argument(large)], large);
    const second = builder.op("ttnn.relu", [builder.argument(small)], small);
    const between = builder.op("ttnn.relu", [builder.argument(middle)], middle);
    const joins = [[first, large], [second, small]] as const;
    const results = joins.map(([kept, shape]) =>
      builder.op("ttnn.multiply", [builder.op("ttnn.gelu", [builder.argument(shape)], shape), kept], shape)
    );
    builder.return(between, ...results);
  }, { options: { legacyQuirks: true } });
  assert(decided.l1.timeline.withinBudget);
  assertStringIncludes(reasonsOf(decided, 0), "its result goes to DRAM: %2 ttnn.relu does not fit");
  assertStringIncludes(reasonsOf(decided, 1), "its result stays in L1 for operand 1");
  assert(!reasonsOf(decided, 1).includes("its result goes to DRAM"));
  assertEquals(decided.functionPlan.counters?.["demotions"], 1);
});

Deno.test("a spilled output that waits for a conversion is read back from DRAM before its chain is given up", () => {
  // relu's 409600 bytes wait for the conversion before gelu, which --insert-memreconfig asks for; 983040 bytes in
  // between do not fit beside them.
  const [waiting, between] = [bf16(8192, 1600), bf16(8192, 3840)];
  const decided = decide("df-sharding", (builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(waiting)], waiting);
    const middle = builder.op("ttnn.relu", [builder.argument(between)], between);
    const later = builder.op("ttnn.softmax", [builder.argument(SMALL)], SMALL, OVER_COLUMNS);
    const first = builder.op("ttnn.gelu", [kept], waiting, { location: 'loc("first")' });
    builder.return(middle, later, first, builder.op("ttnn.silu", [kept], waiting));
  }, { options: { overrides: { ...NO_OVERRIDES, memReconfigs: new Map([["first", [0]]]) } } });
  assert(decided.l1.timeline.withinBudget);
  assertStringIncludes(reasonsOf(decided, 0), "its result is read back from DRAM: %1 ttnn.relu does not fit");
  assert(decided.outputs.slice(0, 2).every((layout) => layout.startsWith("l1/")));
  assertEquals(decided.functionPlan.counters?.["given up"], 0);
});

Deno.test("what an op reads goes to DRAM where its own buffers do not fit: a convolution is cut into slices then", () => {
  // The second level of a U-Net: 239360 bytes of halo, 155648 of the result and the kernel's buffers exceed 1323646.
  const images = { batch: 1, height: 240, width: 320 };
  const decided = decide("bf-interleaved", (builder) => {
    const device = builder.argument(undefined);
    const weight = builder.argument(bf16(64, 64, 3, 3), { argumentType: "parameter" });
    const relu = builder.op("ttnn.relu", [builder.argument(imagesType(images))], imagesType(images));
    builder.return(convolve(builder, [relu, weight, device], images));
  });
  assert(decided.l1.timeline.withinBudget);
  assertEquals(decided.outputs, ["dram/interleaved", "dram/interleaved"]);
  assertStringIncludes(reasonsOf(decided, 0), "its result goes to DRAM");
});
