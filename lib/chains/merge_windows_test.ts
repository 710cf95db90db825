// SPDX-License-Identifier: Apache-2.0

/**
 * How much L1 every check of DFSharding 2.0 leaves to others, to the byte, with the real op model: usable L1
 * minus what the op at that place takes and minus what waits there for the merge.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { present } from "../../testing/present.ts";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import { OVER_COLUMNS } from "../../testing/graph_builder.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { applyChainMerges } from "./chain_merges.ts";
import { resolveConcatChains, setConcatChainPreferences } from "./concat_chains.ts";
import type { MergeState } from "./merge_state.ts";
import { assertRoom, chainOf, needOf, outputBytes, solvedChains, USABLE } from "./testing/merge_state.ts";
import { idOf, idsOf } from "../../testing/ids.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

/** relu(a); softmax(b); gelu(c) → silu; softmax of the softmax; add of relu and silu. */
function join(builder: GraphBuilder): void {
  const [a, b, c] = [0, 1, 2].map(() => builder.argument(SQUARE));
  const first = builder.op("ttnn.relu", [present(a)], SQUARE);
  const outside = builder.op("ttnn.softmax", [present(b)], SQUARE, OVER_COLUMNS);
  const second = builder.op("ttnn.silu", [builder.op("ttnn.gelu", [present(c)], SQUARE)], SQUARE);
  const later = builder.op("ttnn.softmax", [outside], SQUARE, OVER_COLUMNS);
  builder.return(builder.op("ttnn.add", [first, second], SQUARE), later);
}

/** Whether merges keep the outputs of ops; if there are two, by the same 3-way merge. */
const merges = (...ops: readonly number[]) => (state: MergeState): boolean => {
  applyChainMerges(state);
  return ops.every((op) =>
    chainOf(state, op).spillLocation === "None" &&
    (ops.length < 2 || state.decided.reasons.of(idOf(op)).some((reason) => reason.includes("(3-way merge)")))
  );
};

Deno.test("a 3-way merge is checked at every op from the first output to the join", () => {
  const state = solvedChains(join);
  assertEquals(state.decided.schedule, idsOf(0, 1, 2, 3, 4, 5));
  const [first, second] = [outputBytes(state, 0), outputBytes(state, 3)];
  const step = merges(0, 3);
  assertRoom(join, step, 0, Infinity);
  for (const op of [1, 2, 3]) assertRoom(join, step, op, USABLE - needOf(state, op) - first);
  assertRoom(join, step, 4, USABLE - needOf(state, 4) - first - second);
  const residents = new Map([0, 3].map((op) => [op, present(chainOf(state, op).outputLayout)]));
  assertRoom(join, step, 5, USABLE - needOf(state, 5, residents, [0, 3]) - first - second);
});

Deno.test("a 3-way merge reserves both outputs until the join", () => {
  const state = solvedChains(join);
  applyChainMerges(state);
  const [first, second] = [outputBytes(state, 0), outputBytes(state, 3)];
  assertEquals([0, 1, 2, 3, 4, 5, 6].map((position) => state.reservations.bytesAt(position)), [
    first,
    first,
    first,
    first + second,
    first + second,
    first + second,
    0,
  ]);
  assertEquals([...state.residents.keys()], [0, 3]);
});

Deno.test("a 3-way merge takes the output that is made first as first, whichever operand it is", () => {
  // The concat is operand 0 and produced last: relu waits while its parts are produced, the concat does not wait.
  const half: TensorShape = { shape: [2048, 32], dataType: "bf16" };
  const whole: TensorShape = { shape: [2048, 64], dataType: "bf16" };
  const make = (builder: GraphBuilder): void => {
    const kept = builder.op("ttnn.relu", [builder.argument(whole)], whole);
    const parts = [0, 1].map(() => builder.op("ttnn.gelu", [builder.argument(half)], half));
    const joined = builder.op("ttnn.concat", parts, whole, {
      attributes: { dim: { kind: "integer", value: 1n, type: "si32" } },
    });
    builder.return(builder.op("ttnn.add", [joined, kept], whole));
  };
  const resolved = (): MergeState => {
    const state = solvedChains(make, {}, setConcatChainPreferences);
    resolveConcatChains(state);
    return state;
  };
  const state = resolved();
  assertEquals(state.decided.schedule, idsOf(0, 1, 2, 3, 4));
  const part = outputBytes(state, 1);
  assertRoom(
    make,
    merges(0, 3),
    1,
    USABLE - needOf(state, 1) - part - outputBytes(state, 0),
    resolved,
  );
  assertRoom(
    make,
    merges(0, 3),
    2,
    USABLE - needOf(state, 2) - 2 * part - outputBytes(state, 0),
    resolved,
  );
});

Deno.test("no merge takes an output with other readers", () => {
  const make = (returned: "left" | "right") => (builder: GraphBuilder): void => {
    const left = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    const right = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.add", [left, right], SQUARE), returned === "left" ? left : right);
  };
  for (const [returned, op] of [["left", 0], ["right", 1]] as const) {
    const state = solvedChains(make(returned));
    applyChainMerges(state);
    assertEquals(chainOf(state, op).spillLocation, "DRAM");
    assertStringIncludes(state.decided.reasons.of(idOf(2)).join("; "), "has other readers");
  }
});

/** relu(a); softmax(b); gelu(c) → silu → multiply with relu. */
function midChain(builder: GraphBuilder): void {
  const [a, b, c] = [0, 1, 2].map(() => builder.argument(SQUARE));
  const kept = builder.op("ttnn.relu", [present(a)], SQUARE);
  const outside = builder.op("ttnn.softmax", [present(b)], SQUARE, OVER_COLUMNS);
  const head = builder.op("ttnn.silu", [builder.op("ttnn.gelu", [present(c)], SQUARE)], SQUARE);
  builder.return(builder.op("ttnn.multiply", [head, kept], SQUARE), outside);
}

Deno.test("a merge into a chain is checked at every op from the output to the join, the join included", () => {
  const state = solvedChains(midChain);
  assertEquals(state.decided.schedule, idsOf(0, 1, 2, 3, 4));
  const bytes = outputBytes(state, 0);
  assertRoom(midChain, merges(0), 0, Infinity);
  for (const op of [1, 2, 3]) assertRoom(midChain, merges(0), op, USABLE - needOf(state, op) - bytes);
  const residents = new Map([[0, present(chainOf(state, 0).outputLayout)]]);
  assertRoom(midChain, merges(0), 4, USABLE - needOf(state, 4, residents, [0]) - bytes);
});

Deno.test("of two outputs that do not fit together the larger one is kept", () => {
  const light: TensorShape = { ...SQUARE, dataType: "bfp_bf8" };
  const make = (builder: GraphBuilder): void => {
    const small = builder.op("ttnn.relu", [builder.argument(light)], light);
    const large = builder.op("ttnn.neg", [builder.argument(SQUARE)], SQUARE);
    const outside = builder.op("ttnn.softmax", [builder.argument(SQUARE)], SQUARE, OVER_COLUMNS);
    const scaled = builder.op("ttnn.multiply", [
      builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE),
      small,
    ], SQUARE);
    builder.return(builder.op("ttnn.add", [scaled, large], SQUARE), outside);
  };
  const state = solvedChains(make);
  const place = state.placeOf(idOf(2));
  assert(state.placeOf(idOf(0)) < place && state.placeOf(idOf(1)) < place);
  const [small, large] = [outputBytes(state, 0), outputBytes(state, 1)];
  assert(small < large);
  state.reservations.add({
    op: idOf(0),
    start: place,
    end: place,
    bytes: USABLE - needOf(state, 2) - large,
  });
  applyChainMerges(state);
  assertEquals([0, 1].map((op) => chainOf(state, op).spillLocation), ["DRAM", "None"]);
  // Both are kept if there is room for both.
  const roomy = solvedChains(make);
  applyChainMerges(roomy);
  assertEquals([0, 1].map((op) => chainOf(roomy, op).spillLocation), ["None", "None"]);
});

Deno.test("a join never runs on fewer cores than an output that it would read from L1", () => {
  const state = solvedChains((builder) => {
    const [left, right] = [0, 1].map(() => builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE));
    builder.return(builder.op("ttnn.add", [present(left), present(right)], SQUARE));
  });
  const narrow = (state.context.shardedConfigs[2] ?? []).find(({ outputLayout }) =>
    state.context.layouts.get(outputLayout).gridShape.join("x") === "4x8"
  );
  assert(narrow !== undefined);
  // As if the solver had found configs with 32 cores only.
  Object.defineProperty(chainOf(state, 2), "configOf", { value: () => narrow });
  applyChainMerges(state);
  assertEquals([0, 1].map((op) => chainOf(state, op).spillLocation), ["DRAM", "DRAM"]);
  assertStringIncludes(state.decided.reasons.of(idOf(2)).join("; "), "fewer cores");
});

Deno.test("a join reads a converted operand as converted, and what waits beside it counts", () => {
  // As if the solver had inserted a conversion to L1 interleaved before operand 1 of multiply.
  const converted = (): MergeState => {
    const state = solvedChains(midChain);
    const value = present(state.context.op(idOf(4)).operands[1]);
    const layout = state.context.interleavedOf(value, present(chainOf(state, 0).outputLayout), "l1");
    Object.defineProperty(chainOf(state, 4), "reconfigs", { value: [{ op: 4, operand: 1, layout }] });
    return state;
  };
  const state = converted();
  const [reconfig] = chainOf(state, 4).reconfigs;
  assert(reconfig !== undefined);
  const own = needOf(state, 4, new Map([[0, reconfig.layout]]));
  assertRoom(midChain, merges(0), 4, USABLE - own - outputBytes(state, 0), converted);
});

Deno.test("chains without a solution get no merges, and no reasons for it", () => {
  const state = solvedChains(midChain);
  const before = [...state.decided.reasons.of(idOf(4))];
  chainOf(state, 4).fail("on purpose");
  applyChainMerges(state);
  assertEquals(chainOf(state, 0).spillLocation, "DRAM");
  assertEquals(state.decided.reasons.of(idOf(4)), before);
});

const LEGACY = (make: (builder: GraphBuilder) => void): MergeState =>
  solvedChains(make, { legacyQuirks: true });

Deno.test("legacyQuirks keeps the largest of the outputs that pass, wherever it joins", () => {
  const light: TensorShape = { ...SQUARE, dataType: "bfp_bf8" };
  for (const largeFirst of [false, true]) {
    const state = LEGACY((builder) => {
      const small = builder.op("ttnn.relu", [builder.argument(light)], light);
      const large = builder.op("ttnn.neg", [builder.argument(SQUARE)], SQUARE);
      let value = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
      for (const other of largeFirst ? [large, small] : [small, large]) {
        value = builder.op("ttnn.multiply", [value, other], SQUARE);
      }
      builder.return(value);
    });
    applyChainMerges(state);
    assertEquals([0, 1].map((op) => chainOf(state, op).spillLocation), ["DRAM", "None"]);
  }
});

Deno.test("legacyQuirks looks one op behind the join for room", () => {
  const make = (builder: GraphBuilder): void => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    const head = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.silu", [builder.op("ttnn.multiply", [head, kept], SQUARE)], SQUARE));
  };
  const state = LEGACY(make);
  assertEquals(state.decided.schedule, idsOf(0, 1, 2, 3));
  const config = chainOf(state, 3).configOf(idOf(3));
  const input = chainOf(state, 2).configOf(idOf(2))?.outputLayout;
  const answer = state.context.constraints(idOf(3), [input], config?.outputLayout, undefined);
  assert(answer.status === "valid");
  // Upstream does not count operands.
  assertRoom(make, merges(0), 3, USABLE - answer.l1PeakBytes - outputBytes(state, 0), LEGACY);
});

Deno.test("legacyQuirks checks a merge at every op behind the output, and the join as the chain has it", () => {
  const bytes = outputBytes(LEGACY(midChain), 0);
  assertRoom(midChain, merges(0), 1, USABLE - needOf(LEGACY(midChain), 1) - bytes, LEGACY);
  const beside = (builder: GraphBuilder): void => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    const outside = builder.op("ttnn.softmax", [builder.argument(SQUARE)], SQUARE, OVER_COLUMNS);
    builder.return(builder.op("ttnn.multiply", [outside, kept], SQUARE));
  };
  const state = LEGACY(beside);
  assertEquals(state.decided.schedule, idsOf(0, 1, 2));
  // The join itself reads the output where it waits, and is not checked once more as if it read it from DRAM.
  const inputs = [...state.context.operandLayouts(idOf(2))];
  inputs[1] = present(chainOf(state, 0).outputLayout);
  const config = chainOf(state, 2).configOf(idOf(2));
  const answer = state.context.constraints(idOf(2), inputs, config?.outputLayout, undefined);
  assert(answer.status === "valid");
  assertRoom(beside, merges(0), 2, USABLE - answer.l1PeakBytes - outputBytes(state, 0), LEGACY);
  assertRoom(
    beside,
    merges(0),
    1,
    USABLE - needOf(LEGACY(beside), 1) - outputBytes(LEGACY(beside), 0),
    LEGACY,
  );
});
