// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import { dramInterleavedTiled } from "../../testing/graph_builder.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { MergeState } from "./merge_state.ts";
import { chainOf, needOf, outputBytes, solvedChains, USABLE } from "./testing/merge_state.ts";
import { idOf } from "../../testing/ids.ts";
import { present } from "../../testing/present.ts";
import type { ValueId } from "../graph/graph.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

/** relu, and an op that reads it. */
function readBy(name: string, result: TensorShape = SQUARE, attributes = {}) {
  return (builder: GraphBuilder): void => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    const reader = builder.op(name, [kept], result, { attributes });
    builder.return(reader, kept);
  };
}

function outputOf(state: MergeState, op: number): LayoutId {
  const { outputLayout } = chainOf(state, op);
  assert(outputLayout !== undefined);
  return outputLayout;
}

Deno.test("a stretch of the schedule ends where an op does not run on what waits, in a chain or not", () => {
  // rms_norm produces shards only from shards, and it has to produce an interleaved result.
  const state = solvedChains(readBy("ttnn.rms_norm"));
  const held = new Map([[idOf(0), outputOf(state, 0)]]);
  assertStringIncludes(state.rangeRefusal(1, 1, held) ?? "", "%1 ttnn.rms_norm: ");
  assertEquals(state.rangeRefusal(1, 1, new Map()), undefined);
  // The same if the output is kept permanently and nothing else is held.
  state.keep(chainOf(state, 0), outputOf(state, 0), 1, false);
  assertStringIncludes(state.rangeRefusal(1, 1, new Map()) ?? "", "%1 ttnn.rms_norm: ");
  assertEquals(state.rangeRefusal(0, 0, held), undefined);
  assertEquals(state.rangeRefusal(2, 9, held), undefined);
});

Deno.test("reductions do not read shards that wait; interleaved tensors they do", () => {
  const attributes = {
    dim_arg: { kind: "array", elements: [{ kind: "integer", value: 1n, type: "i32" }] },
    keep_dim: { kind: "bool", value: true },
  } as const;
  for (const name of ["ttnn.mean", "ttnn.sum", "ttnn.max", "ttnn.min"]) {
    const state = solvedChains(readBy(name, { shape: [1024, 1], dataType: "bf16" }, attributes));
    const sharded = outputOf(state, 0);
    assertStringIncludes(
      state.rangeRefusal(1, 1, new Map([[idOf(0), sharded]])) ?? "",
      "misread sharded inputs",
    );
    const interleaved = state.context.interleavedOf(idOf(1), sharded, "l1");
    assertEquals(state.rangeRefusal(1, 1, new Map([[idOf(0), interleaved]])), undefined, name);
  }
});

Deno.test("a to_layout does not move what waits in L1", () => {
  const dram = dramInterleavedTiled(SQUARE);
  const rowMajor = { ...dram, tile: undefined, shardShape: [1024, 1024] };
  const state = solvedChains((builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.to_layout", [kept], SQUARE, { layouts: [rowMajor] }), kept);
  });
  const held = new Map([[idOf(0), outputOf(state, 0)]]);
  assertStringIncludes(state.rangeRefusal(1, 1, held) ?? "", "it changes pages only, not memory");
  state.reservations.add({ op: idOf(0), start: 1, end: 1, bytes: USABLE });
  assertEquals(state.rangeRefusal(1, 1, new Map()), undefined);
});

Deno.test("an operand in L1 counts once at its reader, unless a reservation already holds it", () => {
  const twice = (builder: GraphBuilder): void => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.multiply", [kept, kept], SQUARE));
  };
  const solved = solvedChains(twice);
  const residents = new Map([[idOf(0), outputOf(solved, 0)]]);
  const own = needOf(solved, 1, residents);
  assertEquals(own - needOf(solved, 1, residents, [0]), outputBytes(solved, 0));
  // It is only kept, held by this very merge, or reserved.
  for (const [isHeld, isReserved] of [[false, false], [true, false], [false, true]] as const) {
    const runsBeside = (bytes: number): boolean => {
      const state = solvedChains(twice);
      state.keep(chainOf(state, 0), outputOf(state, 0), 1, isReserved);
      state.reservations.add({ op: idOf(1), start: 1, end: 1, bytes });
      return state.rangeRefusal(1, 1, isHeld ? residents : new Map()) === undefined;
    };
    assertEquals([runsBeside(USABLE - own), runsBeside(USABLE - own + 1)], [true, false]);
  }
});

Deno.test("chain ops read what waits as it waits, what their chain makes as it makes it, and conversions as converted", () => {
  const state = solvedChains((builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    const head = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.multiply", [builder.op("ttnn.silu", [head], SQUARE), kept], SQUARE));
  }, { solveForOptimalFirstOpInput: true });
  const [first] = chainOf(state, 1).reconfigs;
  assert(first !== undefined);
  assertEquals(state.chainInputs(idOf(1), new Map()), [first.layout]);
  assertEquals(state.chainInputs(idOf(2), new Map()), [
    chainOf(state, 1).configOf(idOf(1))?.outputLayout,
  ]);
  const waiting = new Map([[idOf(0), outputOf(state, 0)]]);
  assertEquals(state.chainInputs(idOf(3), waiting)[1], outputOf(state, 0));
  assertEquals(
    state.chainInputs(idOf(3), new Map())[1],
    state.context.declared[state.context.op(idOf(0)).results[0] ?? -1],
  );
});

Deno.test("only the last op of a completed chain ends it", () => {
  const state = solvedChains((builder) => {
    const head = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.silu", [head], SQUARE));
  });
  const result = (op: number): ValueId => present(state.context.op(idOf(op)).results[0]);
  assertEquals(state.chainEndingWith(result(0)), undefined);
  assertEquals(state.chainEndingWith(result(1)), chainOf(state, 0));
  chainOf(state, 0).fail("on purpose");
  assertEquals(state.chainEndingWith(result(1)), undefined);
});
