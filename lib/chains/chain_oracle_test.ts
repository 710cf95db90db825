// SPDX-License-Identifier: Apache-2.0

/** The questions of the shard solver, answered by the real op model, asked of one chain. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { idOf, idsOf } from "../../testing/ids.ts";
import { present } from "../../testing/present.ts";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import { OVER_COLUMNS } from "../../testing/graph_builder.ts";
import { describeLayout } from "../layout/describe.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { parseOutputLayoutOverrides } from "../overrides/output_layout_override.ts";
import { NO_OVERRIDES } from "../overrides/overrides.ts";
import type { PolicyOptions } from "../policy/options.ts";
import type { ChainContext } from "./chain_context.ts";
import {
  ChainOracle,
  type ChainOracleOptions,
  type CheckShardCompatible,
  shrinksCores,
} from "./chain_oracle.ts";
import { solveChain } from "./solve_chain.ts";
import { L1ChainConfig } from "./l1_chain_config.ts";
import { solvedChains } from "./testing/merge_state.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

function contextOf(
  make: (builder: GraphBuilder) => void,
  options: Partial<PolicyOptions> = {},
): ChainContext {
  return solvedChains(make, options).context;
}

function oracleOf(
  context: ChainContext,
  ops: readonly number[],
  options: ChainOracleOptions = { countOperandBytes: false },
): ChainOracle {
  return new ChainOracle(context, idsOf(...ops), options);
}

/** relu, subtract of an argument, exp: one chain. */
function line(builder: GraphBuilder): void {
  const head = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
  const difference = builder.op("ttnn.subtract", [head, builder.argument(SQUARE)], SQUARE);
  builder.return(builder.op("ttnn.exp", [difference], SQUARE));
}

Deno.test("subtract and exp are solved in a chain, in shards", () => {
  const state = solvedChains(line);
  assertEquals(state.chains.map(({ ops, state }) => [ops, state]), [[idsOf(0, 1, 2), "Completed"]]);
  for (const op of [0, 1, 2]) {
    const layout = present(state.chains[0]?.configOf(idOf(op))).outputLayout;
    assert(isSharded(state.context.layouts.get(layout)));
  }
});

// tt-mlir:shard-solver-document §1
Deno.test("a custom compatibility check replaces the op model for the first op and for every edge", () => {
  const context = contextOf(line);
  const asked: [operand: number, consumer: number][] = [];
  const narrowest = (op: number) =>
    present(
      context.shardedConfigs[op]?.findLast(({ outputLayout }) =>
        isSharded(context.layouts.get(outputLayout))
      ),
    );
  const check: CheckShardCompatible = (operand, input, consumer, config) => {
    asked.push([operand, consumer]);
    if (consumer === 0) assertEquals(describeLayout(context.layouts.get(input)), "dram/interleaved");
    return config === narrowest(consumer) ? config.outputLayout : undefined;
  };
  const chain = new L1ChainConfig(0);
  for (const op of [0, 1, 2]) chain.addOp(idOf(op));
  chain.build();
  solveChain(context, chain, { countOperandBytes: false, customCheckShardCompatible: check }, undefined);
  assertEquals(chain.state, "Completed");
  for (const op of [0, 1, 2]) assertEquals(chain.configOf(idOf(op)), narrowest(op));
  const operands = [0, 1, 2].map((op) => context.op(idOf(op)).operands[0]);
  for (const op of [0, 1, 2]) {
    assert(asked.some(([operand, consumer]) => operand === operands[op] && consumer === op));
  }
  // What it says is not kept for others.
  const usual = oracleOf(context, [0, 1, 2]).firstOpInput();
  assert(usual.kind === "configs" && usual.configs.length > 1);
});

Deno.test("a config counts only where the custom check says its own layout", () => {
  const context = contextOf(line);
  const [first, second] = present(context.shardedConfigs[1]);
  const oracle = oracleOf(context, [0, 1, 2], {
    countOperandBytes: false,
    customCheckShardCompatible: (_operand, _input, _consumer, config) =>
      config === second ? config.outputLayout : first?.outputLayout,
  });
  const compatible = oracle.compatibleConfigs({ producer: 0, consumer: 1, operand: 0 }, 0);
  assertEquals(compatible.filter((config) => config > 1), []);
});

Deno.test("the first op reads operand 0 from DRAM, in rows where its producer is told to make rows", () => {
  const make = (builder: GraphBuilder): void => {
    const [a, b] = ["told", "free"].map((location) =>
      builder.op("ttnn.softmax", [builder.argument(SQUARE)], SQUARE, {
        location: `"${location}"`,
        ...OVER_COLUMNS,
      })
    );
    builder.return(
      builder.op("ttnn.gelu", [present(a)], SQUARE),
      builder.op("ttnn.gelu", [present(b)], SQUARE),
    );
  };
  const overrides = { ...NO_OVERRIDES, outputLayouts: parseOutputLayoutOverrides("told=row_major") };
  const context = contextOf(make, { overrides });
  assert(context.shardedConfigs[2] === context.shardedConfigs[3], "both have the same configs");
  const configs = (op: number) => oracleOf(context, [op]).firstOpInput();
  assertNotEquals(configs(2), configs(3));
  const free = contextOf(make);
  assertEquals(oracleOf(free, [2]).firstOpInput(), configs(3));
});

Deno.test("which conversions help depends on the operand, and on what counts as occupied", () => {
  const wide: TensorShape = { shape: [2048, 2048], dataType: "bf16" };
  const context = contextOf((builder) =>
    builder.return(builder.op("ttnn.matmul", [builder.argument(wide), builder.argument(wide)], wide))
  );
  const [alone, counted] = [false, true].map((countOperandBytes) =>
    oracleOf(context, [0], { countOperandBytes })
  );
  const layouts = (oracle: ChainOracle | undefined, operand: number) =>
    [...present(oracle).reshardLayouts({ consumer: 0, operand })].map(([config, list]) =>
      `${config}: ${list}`
    );
  const left = layouts(alone, 0);
  assert(left.length > 0);
  assertNotEquals(layouts(alone, 1), left);
  assertNotEquals(layouts(counted, 0), left);
});

Deno.test("no op of two operands runs on fewer cores than a sharded operand, any other may", () => {
  const context = contextOf(line);
  const volumes = (op: number) => present(context.shardedConfigs[op]).map(({ outputLayout }) => outputLayout);
  const [most, ...others] = volumes(1);
  const fewest = present(others.at(-1));
  assert(shrinksCores(context, idOf(1), fewest, [present(most)]));
  assert(!shrinksCores(context, idOf(1), present(most), [fewest]));
  assert(!shrinksCores(context, idOf(2), fewest, [present(most)]));
});

Deno.test("configs of two ops go together where the second keeps the shards of the first", () => {
  const context = contextOf(line);
  const oracle = oracleOf(context, [0, 1, 2]);
  const layouts = (op: number) => present(context.shardedConfigs[op]).map(({ outputLayout }) => outputLayout);
  layouts(1).forEach((layout, config) => {
    const compatible = oracle.compatibleConfigs({ producer: 1, consumer: 2, operand: 0 }, config);
    assertEquals(compatible.map((other) => layouts(2)[other]), [layout]);
  });
});
