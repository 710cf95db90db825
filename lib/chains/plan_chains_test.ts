// SPDX-License-Identifier: Apache-2.0

/** Order and outcome of the steps of DFSharding 2.0, and how chains become a plan, with the real op model. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import { OVER_COLUMNS } from "../../testing/graph_builder.ts";
import type { CostModel, RuntimeEstimate } from "../cost/cost_model.ts";
import type { ValueId } from "../graph/graph.ts";
import type { LayoutTable } from "../layout/layout_table.ts";
import { makeLayout } from "../layout/make_layout.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { parseMemReconfigOverrides } from "../overrides/output_layout_override.ts";
import { NO_OVERRIDES } from "../overrides/overrides.ts";
import { ToyCostModel } from "../propagation/testing/toy_models.ts";
import { ChainContext } from "./chain_context.ts";
import { planDfSharding2 } from "./plan_chains.ts";
import { decide, reasonsOf } from "./testing/decide.ts";
import { solvedChains } from "./testing/merge_state.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };
const HALF: TensorShape = { shape: [2048, 32], dataType: "bf16" };
const WHOLE: TensorShape = { shape: [2048, 64], dataType: "bf16" };
const ALONG_WIDTH = { attributes: { dim: { kind: "integer", value: 1n, type: "si32" } } } as const;

function concatOf(builder: GraphBuilder): ValueId {
  const parts = [0, 1].map(() => builder.op("ttnn.relu", [builder.argument(HALF)], HALF));
  return builder.op("ttnn.concat", parts, WHOLE, ALONG_WIDTH);
}

Deno.test("a concat is resolved before forks: its result can stay for several readers", () => {
  const decided = decide("df-sharding-2", (builder) => {
    const joined = concatOf(builder);
    builder.return(builder.op("ttnn.gelu", [joined], WHOLE), builder.op("ttnn.silu", [joined], WHOLE));
  });
  const joined = decided.outputs[2] ?? "";
  assertStringIncludes(joined, "l1/height_sharded");
  assertEquals(decided.inputs.slice(3), [[joined], [joined]]);
});

Deno.test("a concat is resolved before reshapes: one that is a view keeps its result in L1", () => {
  const deep: TensorShape = { shape: [2, 1024, 64], dataType: "bf16" };
  const decided = decide("df-sharding-2", (builder) => {
    const reshaped = builder.op("ttnn.reshape", [concatOf(builder)], deep);
    builder.return(builder.op("ttnn.softmax", [reshaped], deep, OVER_COLUMNS));
  });
  assertEquals(decided.conversions[0], "%2 l1/interleaved spill");
  assertEquals(decided.outputs[3], "l1/interleaved");
});

Deno.test("forks are decided before merges", () => {
  const decided = decide("df-sharding-2", (builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    const head = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
    const join = builder.op("ttnn.multiply", [head, kept], SQUARE);
    builder.return(builder.op("ttnn.silu", [join], SQUARE), builder.op("ttnn.neg", [join], SQUARE));
  });
  const reasons = decided.functionPlan.decisions[2]?.reasons ?? [];
  const fork = reasons.findIndex((reason) => reason.includes("stays in L1, sharded, for all its readers"));
  const merge = reasons.findIndex((reason) => reason.startsWith("reads operand 1 from L1 (merge"));
  assert(fork >= 0 && fork < merge, reasons.join("; "));
});

Deno.test("the solver of df-sharding-2 counts what an op reads; that of df-sharding leaves it to the fit", () => {
  // Each op fits alone (800 KiB of output per core). Operand and output together do not.
  const big: TensorShape = { shape: [8192, 3200], dataType: "bf16" };
  const make = (builder: GraphBuilder): void => {
    builder.return(builder.op("ttnn.gelu", [builder.op("ttnn.relu", [builder.argument(big)], big)], big));
  };
  const failed = "chain 0 failed: operand 0 of %1 ttnn.gelu has no layout";
  assertStringIncludes(reasonsOf(decide("df-sharding", make), 0), "chain 0 is given up");
  const context = solvedChains(make).context;
  const plan = planDfSharding2(context, new ShardsAreFree(context.layouts), undefined);
  assertStringIncludes(plan?.decisions[0]?.reasons.join("; ") ?? "", failed);
});

/** A cost model in which reading shards is either free or expensive. */
class ShardsAreFree implements CostModel {
  readonly #layouts: LayoutTable;
  readonly #toy: ToyCostModel;
  readonly #price: number;

  constructor(layouts: LayoutTable, price = 0) {
    this.#layouts = layouts;
    this.#toy = new ToyCostModel(layouts);
    this.#price = price;
  }

  getOpRuntime(...[op, inputs, outputs]: Parameters<CostModel["getOpRuntime"]>): RuntimeEstimate {
    const shards =
      inputs.filter((id) => id !== undefined && this.#layouts.get(id).bufferType === "l1").length;
    const estimate = this.#toy.getOpRuntime(op, inputs, outputs);
    return { ...estimate, microseconds: 1 + shards * this.#price };
  }

  getReshardRuntime(...[tensor, from, to]: Parameters<CostModel["getReshardRuntime"]>): RuntimeEstimate {
    return { ...this.#toy.getReshardRuntime(tensor, from, to), microseconds: 1 };
  }
}

Deno.test("df-sharding-2 keeps chains unmerged where merged they are predicted to be slower, and says so", () => {
  const planWith = (price: number) => {
    const { fn, opModel, options } = solvedChains((builder) => {
      const left = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
      const right = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
      builder.return(builder.op("ttnn.add", [left, right], SQUARE));
    }).context;
    const context = new ChainContext(fn, opModel, options, 0);
    return planDfSharding2(context, new ShardsAreFree(opModel.layouts, price), undefined);
  };
  const keptIn = (price: number): number | undefined => planWith(price)?.counters?.["outputs kept in L1"];
  assertEquals([keptIn(0), keptIn(10)], [2, 0]);
  assertStringIncludes(
    planWith(10)?.decisions[0]?.reasons.join("; ") ?? "",
    "df-sharding-2 keeps the chains unmerged: merged they are slower",
  );
});

Deno.test("df-sharding fails the chains of concats, and only those", () => {
  const decided = decide("df-sharding", (builder) => {
    builder.return(builder.op("ttnn.gelu", [concatOf(builder)], WHOLE));
  });
  assertStringIncludes(reasonsOf(decided, 2), "only df-sharding-2 keeps the inputs of a concat in L1");
  assert(decided.outputs[0]?.startsWith("l1/"));
  assert(decided.outputs[3]?.startsWith("l1/"));
});

Deno.test("the first conversion of a spilled output reads it from L1, later ones read the spill", () => {
  const decided = decide("df-sharding", (builder) => {
    const kept = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    builder.return(builder.op("ttnn.gelu", [kept], SQUARE), builder.op("ttnn.silu", [kept], SQUARE));
  }, { options: { solveForOptimalFirstOpInput: true } });
  assertEquals(decided.inputs.slice(1), [["l1/block_sharded/8x8"], ["l1/block_sharded/8x8"]]);
  // gelu reads relu's own result, silu a copy of the spilled one.
  const { conversions } = decided.functionPlan;
  assertEquals(conversions.slice(1, 3).map(({ beforeOp, source }) => [beforeOp, source.kind]), [
    [1, "value"],
    [2, "conversion"],
  ]);
  assertEquals(decided.conversions, [
    "%arg0 l1/block_sharded/8x8 reshard",
    "%0 dram/interleaved spill",
    "%0 l1/block_sharded/8x8 reshard",
    "%1 dram/interleaved spill",
    "%2 dram/interleaved spill",
  ]);
});

Deno.test("the first reader of a spilled output converts it out of L1, later ones out of DRAM", () => {
  const { functionPlan: { decisions, conversions } } = decide("df-sharding", (builder) => {
    const fork = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
    const [a, b] = ["first", "second"].map((location) =>
      builder.op("ttnn.gelu", [fork], SQUARE, { location: `"${location}"`, ...OVER_COLUMNS })
    );
    builder.return(...[a, b].filter((value) => value !== undefined));
  }, {
    options: { overrides: { ...NO_OVERRIDES, memReconfigs: parseMemReconfigOverrides("first=0,second=0") } },
  });
  // Both want it as it is born, so the first one needs no copy; the second reads back what was spilled.
  assertEquals(conversions.slice(0, 2).map(({ reason }) => reason), ["spill", "override"]);
  assertEquals(decisions[1]?.operands, [{ kind: "value" }]);
  assertEquals(decisions[2]?.operands, [{ kind: "conversion", conversion: 1 }]);
  assertEquals(conversions[1]?.source, { kind: "conversion", conversion: 0 });
});

Deno.test("an op outside chains gets the layouts that it makes, and DRAM where it takes no shards, whatever the input declares", () => {
  const positions: TensorShape = { shape: [32], dataType: "si32" };
  const count = (value: bigint) => ({ kind: "integer", value, type: "ui32" }) as const;
  const heads = (count: number): TensorShape => ({ shape: [1, 32, count, 128], dataType: "bf16" });
  const decided = decide("df-sharding", (builder) => {
    const qkv = builder.argument({ shape: [1, 1, 32, 2560], dataType: "bf16" });
    const cache = builder.argument({ shape: [32, 2, 128, 128], dataType: "bf16" }, { isKvCache: true });
    const layout = makeLayout(
      { ...positions, bufferType: "l1", memoryLayout: "block_sharded", grid: [1, 1], tile: null },
      { rows: 1, columns: 1 },
    );
    const at = builder.argument(positions, { layout });
    const split = [heads(16), heads(2), heads(2)];
    const [query, key] = builder.multiOp("ttnn.nlp_create_qkv_heads_decode", [qkv], split, {
      attributes: { num_heads: count(16n), num_kv_heads: count(2n) },
    });
    assert(query !== undefined && key !== undefined);
    builder.multiOp("ttnn.paged_update_cache", [cache, key, at], []);
    builder.return(query);
  });
  assertEquals(decided.outputs[0], "l1/height_sharded/32x1");
  assertEquals(decided.inputs[1], [
    "dram/interleaved",
    "l1/height_sharded/32x1",
    "dram/interleaved/row_major",
  ]);
});

Deno.test("a to_layout outside chains stays in its operand's memory, whatever memory the input declares", () => {
  const rows = { ...SQUARE, memoryLayout: "interleaved", tile: null } as const;
  const grid = { rows: 8, columns: 8 };
  const decided = decide("df-sharding", (builder) => {
    const untilized = builder.op("ttnn.to_layout", [builder.argument(SQUARE)], SQUARE, {
      attributes: { layout: { kind: "dialect", dialect: "ttnn", mnemonic: "layout", body: "row_major" } },
      layouts: [makeLayout({ ...rows, bufferType: "l1" }, grid)],
    });
    builder.return(untilized);
  });
  assertEquals(decided.inputs[0], ["dram/interleaved"]);
  assertEquals(decided.outputs[0], "dram/interleaved/row_major");
});
