// SPDX-License-Identifier: Apache-2.0

/** What concats, reshapes and forks keep in L1, and how much L1 that leaves to others, with the real op model. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { present } from "../../testing/present.ts";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import { OVER_COLUMNS } from "../../testing/graph_builder.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { concatInputMemLayout, resolveConcatChains, setConcatChainPreferences } from "./concat_chains.ts";
import type { MergeState } from "./merge_state.ts";
import { applyL1ReservationsForForkOps, applyL1ReservationsForReshapes } from "./output_reservations.ts";
import { assertRoom, chainOf, needOf, outputBytes, solvedChains, USABLE } from "./testing/merge_state.ts";
import { idOf, idsOf } from "../../testing/ids.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };
const HALF: TensorShape = { shape: [2048, 32], dataType: "bf16" };
const WHOLE: TensorShape = { shape: [2048, 64], dataType: "bf16" };

function along(dim: number) {
  return { attributes: { dim: { kind: "integer", value: BigInt(dim), type: "si32" } } } as const;
}

const withPreferences = (make: (builder: GraphBuilder) => void): MergeState =>
  solvedChains(make, {}, setConcatChainPreferences);

/** relu, softmax of something else, gelu; concat of relu and gelu. */
function concat(builder: GraphBuilder): void {
  const left = builder.op("ttnn.relu", [builder.argument(HALF)], HALF);
  const outside = builder.op("ttnn.softmax", [builder.argument(HALF)], HALF, OVER_COLUMNS);
  const right = builder.op("ttnn.gelu", [builder.argument(HALF)], HALF);
  builder.return(builder.op("ttnn.concat", [left, right], WHOLE, along(1)), outside);
}

const resolves = (op: number) => (state: MergeState): boolean => {
  resolveConcatChains(state);
  return chainOf(state, op).state === "Completed";
};

Deno.test("a concat is checked with everything that runs while its inputs wait, and at itself", () => {
  const state = withPreferences(concat);
  assertEquals(state.decided.schedule, idsOf(0, 1, 2, 3));
  assert(resolves(3)(state));
  const [left, right] = [outputBytes(state, 0), outputBytes(state, 2)];
  assertRoom(concat, resolves(3), 0, Infinity, withPreferences);
  for (const op of [1, 2]) {
    assertRoom(concat, resolves(3), op, USABLE - needOf(state, op) - left, withPreferences);
  }
  const residents = new Map([0, 2].map((op) => [op, present(chainOf(state, op).outputLayout)]));
  const own = needOf(state, 3, residents, [0, 2]);
  assertRoom(concat, resolves(3), 3, USABLE - own - left - right, withPreferences);
});

Deno.test("the inputs of a concat stay, reserved until it; its own result goes to DRAM", () => {
  const state = withPreferences(concat);
  resolveConcatChains(state);
  assertEquals([0, 2, 3].map((op) => chainOf(state, op).spillLocation), ["None", "None", "DRAM"]);
  const [left, right] = [outputBytes(state, 0), outputBytes(state, 2)];
  assertEquals([0, 1, 2, 3, 4].map((position) => state.reservations.bytesAt(position)), [
    left,
    left,
    left + right,
    left + right,
    0,
  ]);
});

Deno.test("an input of a concat that others read too stays, reserved until its last reader", () => {
  const state = withPreferences((builder) => {
    const left = builder.op("ttnn.relu", [builder.argument(HALF)], HALF);
    const right = builder.op("ttnn.gelu", [builder.argument(HALF)], HALF);
    const joined = builder.op("ttnn.concat", [left, right], WHOLE, along(1));
    builder.return(joined, builder.op("ttnn.neg", [left], HALF));
  });
  resolveConcatChains(state);
  assertEquals(state.decided.schedule, idsOf(0, 1, 2, 3));
  assertEquals([0, 1].map((op) => chainOf(state, op).spillLocation), ["None", "None"]);
  const [left, right] = [outputBytes(state, 0), outputBytes(state, 1)];
  assertEquals([2, 3, 4].map((position) => state.reservations.bytesAt(position)), [left + right, left, 0]);
});

Deno.test("a concat of one tensor with itself holds it once", () => {
  const make = (builder: GraphBuilder): void => {
    const part = builder.op("ttnn.relu", [builder.argument(HALF)], HALF);
    builder.return(builder.op("ttnn.concat", [part, part], WHOLE, along(-1)));
  };
  const state = withPreferences(make);
  assert(resolves(1)(state));
  const own = needOf(state, 1, new Map([[0, present(chainOf(state, 0).outputLayout)]]), [0]);
  assertRoom(make, resolves(1), 1, USABLE - own - outputBytes(state, 0), withPreferences);
});

Deno.test("a concat counts its dimension from either end, and wants nothing along a batch", () => {
  const wanted = (rank: number, dim: number): string | undefined => {
    const shape = [2, 64, 64].slice(3 - rank);
    const state = solvedChains((builder) => {
      const part: TensorShape = { shape, dataType: "bf16" };
      const parts = [0, 1].map(() => builder.op("ttnn.relu", [builder.argument(part)], part));
      const place = dim < 0 ? rank + dim : dim;
      const whole: TensorShape = {
        shape: shape.map((extent, at) => at === place ? 2 * extent : extent),
        dataType: "bf16",
      };
      builder.return(builder.op("ttnn.concat", parts, whole, along(dim)));
    });
    return concatInputMemLayout(state.context, idOf(2));
  };
  assertEquals([1, -1, 0, -2].map((dim) => wanted(2, dim)), [
    "height_sharded",
    "height_sharded",
    "width_sharded",
    "width_sharded",
  ]);
  assertEquals([0, -3, 2, -2].map((dim) => wanted(3, dim)), [
    undefined,
    undefined,
    "height_sharded",
    "width_sharded",
  ]);
});

Deno.test("a concat tells nothing to a chain that joins it on the way", () => {
  let preferred: unknown = "not asked";
  solvedChains(
    (builder) => {
      const parts = [0, 1].map(() => builder.op("ttnn.relu", [builder.argument(HALF)], HALF));
      const joined = builder.op("ttnn.concat", parts, WHOLE, along(1));
      const head = builder.op("ttnn.softmax", [builder.argument(WHOLE)], WHOLE, OVER_COLUMNS);
      builder.return(builder.op("ttnn.add", [builder.op("ttnn.gelu", [head], WHOLE), joined], WHOLE));
    },
    {},
    (context, decided) => {
      setConcatChainPreferences(context, decided);
      const chain = decided.chains.find(({ ops }) => ops.includes(idOf(4)) && ops.includes(idOf(5)));
      assert(chain !== undefined);
      preferred = chain.preferredOutputMemLayout;
    },
  );
  assertEquals(preferred, undefined);
});

Deno.test("a concat reads only shards", () => {
  const state = solvedChains((builder) => {
    const parts = [0, 1].map(() => builder.op("ttnn.reshape", [builder.argument(SQUARE)], SQUARE));
    builder.return(
      builder.op("ttnn.concat", parts, { shape: [1024, 2048], dataType: "bf16" }, along(1)),
    );
  });
  for (const op of idsOf(0, 1)) {
    const value = present(state.context.op(op).results[0]);
    const outputLayout = state.context.interleavedOf(value, present(state.context.declared[value]), "l1");
    state.addResidentOp(op, { outputLayout, attributes: undefined });
  }
  resolveConcatChains(state);
  assertStringIncludes(state.decided.reasons.of(idOf(2)).join("; "), "operand 0 is not sharded");
});

/** relu; a reshape of it that is not a view; softmax of that. */
function reshaped(builder: GraphBuilder): void {
  const head = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
  const flat: TensorShape = { shape: [2048, 512], dataType: "bf16" };
  builder.return(builder.op("ttnn.softmax", [builder.op("ttnn.reshape", [head], flat)], flat, OVER_COLUMNS));
}

const keepsReshape = (state: MergeState): boolean => {
  applyL1ReservationsForReshapes(state);
  return state.chainOf(idOf(1))?.state === "Completed";
};

Deno.test("a reshape and the chain before it stay in L1 interleaved where all readers of the reshape run", () => {
  const state = solvedChains(reshaped);
  assert(keepsReshape(state));
  assertEquals(chainOf(state, 0).spillLocation, "L1Interleaved");
  const bytes = outputBytes(state, 1);
  assertEquals([0, 1, 2, 3].map((position) => state.reservations.bytesAt(position)), [0, bytes, bytes, 0]);
  const residents = new Map([[1, present(chainOf(state, 1).outputLayout)]]);
  assertRoom(reshaped, keepsReshape, 1, Infinity);
  assertRoom(reshaped, keepsReshape, 2, USABLE - needOf(state, 2, residents, [1]) - bytes);
});

Deno.test("the chain before a reshape goes to DRAM where the reshape does not stay", () => {
  const state = solvedChains(reshaped);
  state.reservations.add({ op: idOf(0), start: 2, end: 2, bytes: USABLE });
  applyL1ReservationsForReshapes(state);
  assertEquals(chainOf(state, 0).spillLocation, "DRAM");
  assertEquals(state.chainOf(idOf(1)), undefined);
});

Deno.test("a reshape that is a view of a DRAM tensor stays one", () => {
  const state = solvedChains((builder) => {
    const view = builder.op(
      "ttnn.reshape",
      [builder.argument({ shape: [2, 512, 1024], dataType: "bf16" })],
      SQUARE,
    );
    builder.return(builder.op("ttnn.softmax", [view], SQUARE, OVER_COLUMNS));
  });
  applyL1ReservationsForReshapes(state);
  assertEquals(state.chainOf(idOf(0)), undefined);
  assertStringIncludes(state.decided.reasons.of(idOf(0)).join("; "), "in DRAM it is a view");
});

Deno.test("a reshape that is returned is passed over; the original stopped there", () => {
  const make = (builder: GraphBuilder): void => {
    const flat: TensorShape = { shape: [2048, 512], dataType: "bf16" };
    const [first, second] = [0, 1].map(() => builder.op("ttnn.reshape", [builder.argument(SQUARE)], flat));
    builder.return(present(first), builder.op("ttnn.softmax", [present(second)], flat, OVER_COLUMNS));
  };
  const kept = (legacyQuirks: boolean): boolean => {
    const state = solvedChains(make, { legacyQuirks });
    applyL1ReservationsForReshapes(state);
    return state.chainOf(idOf(1)) !== undefined;
  };
  assertEquals([kept(false), kept(true)], [true, false]);
});

/** relu read by gelu, and at the end by silu; softmax of something else in between. */
function fork(builder: GraphBuilder): void {
  const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
  const first = builder.op("ttnn.gelu", [kept], SQUARE);
  const outside = builder.op("ttnn.softmax", [builder.argument(SQUARE)], SQUARE, OVER_COLUMNS);
  const second = builder.op("ttnn.multiply", [kept, outside], SQUARE);
  builder.return(first, second);
}

const forks = (state: MergeState): boolean => {
  applyL1ReservationsForForkOps(state);
  return chainOf(state, 0).spillLocation !== "DRAM";
};

Deno.test("a fork is checked at every op until its last reader, and reserved until there", () => {
  const state = solvedChains(fork);
  assertEquals(state.decided.schedule, idsOf(0, 1, 2, 3));
  assert(forks(state));
  assertEquals(chainOf(state, 0).spillLocation, "None");
  const layout = present(chainOf(state, 0).outputLayout);
  const bytes = outputBytes(state, 0);
  assertEquals([0, 3, 4].map((position) => state.reservations.bytesAt(position)), [bytes, bytes, 0]);
  const residents = new Map([[0, layout]]);
  const sharded = (other: MergeState): boolean => {
    applyL1ReservationsForForkOps(other);
    return chainOf(other, 0).spillLocation === "None";
  };
  assertRoom(fork, sharded, 0, Infinity);
  for (const op of [1, 2, 3]) {
    assertRoom(fork, sharded, op, USABLE - needOf(state, op, residents, [0]) - bytes);
  }
});

Deno.test("a fork with an interleaved-only reader is interleaved in L1, and reserved as such", () => {
  const make = (builder: GraphBuilder): void => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(...[0, 1].map(() => builder.op("ttnn.rms_norm", [kept], SQUARE)));
  };
  const state = solvedChains(make);
  assert(forks(state));
  assertEquals(chainOf(state, 0).spillLocation, "L1Interleaved");
  const interleaved = state.context.interleavedOf(
    idOf(1),
    present(chainOf(state, 0).outputLayout),
    "l1",
  );
  assertEquals(state.residents.get(idOf(0)), interleaved);
  const bytes = state.bytes(interleaved);
  assertEquals([0, 2, 3].map((position) => state.reservations.bytesAt(position)), [bytes, bytes, 0]);
  const residents = new Map([[0, interleaved]]);
  assertRoom(make, forks, 2, USABLE - needOf(state, 2, residents, [0]) - bytes);
});

Deno.test("a fork goes to DRAM where a reader takes it in no way that L1 has", () => {
  const state = solvedChains((builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(...[0, 1].map(() => builder.op("ttnn.rms_norm", [kept], SQUARE)));
  });
  state.reservations.add({ op: idOf(0), start: 2, end: 2, bytes: USABLE });
  assertEquals(forks(state), false);
  assertStringIncludes(
    state.decided.reasons.of(idOf(0)).join("; "),
    "its result goes to DRAM: sharded, %1 ttnn.rms_norm",
  );
});

Deno.test("a fork stays for a reader whose chain has no solution, and for none that returns it", () => {
  const make = (builder: GraphBuilder): void => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.gelu", [kept], SQUARE), builder.op("ttnn.silu", [kept], SQUARE));
  };
  const state = solvedChains(make);
  chainOf(state, 1).fail("on purpose");
  assert(forks(state));
  const returned = solvedChains((builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.gelu", [kept], SQUARE), kept);
  });
  assertEquals(forks(returned), false);
});
