// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import { OVER_COLUMNS } from "../../testing/graph_builder.ts";
import { idOf } from "../../testing/ids.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { MEMORY_LAYOUT_POLICIES } from "./memory_layout_analysis.ts";
import { solvedChains } from "./testing/merge_state.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };
/** Bytes per core of a square in bf16 on 64 cores. */
const SHARD = 1024 * 1024 * 2 / 64;

/** Two chains that meet in a third one, and an op that no chain holds. */
function join(builder: GraphBuilder): void {
  const left = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE);
  const right = builder.op("ttnn.gelu", [builder.argument(SQUARE)], SQUARE);
  const sum = builder.op("ttnn.add", [left, right], SQUARE);
  builder.return(builder.op("ttnn.softmax", [sum], SQUARE, OVER_COLUMNS));
}

function analyse(policy: string) {
  return MEMORY_LAYOUT_POLICIES[policy]?.(solvedChains(join).context);
}

Deno.test("the analysis of merged chains tells states, where outputs go, and the reservation timeline", () => {
  assertEquals(analyse("df-sharding-2")?.lines, [
    "  schedule  %0 ttnn.relu, %1 ttnn.gelu, %2 ttnn.add, %3 ttnn.softmax",
    "  chain 0  Completed: its output stays in L1",
    "    %0 ttnn.relu  l1/block_sharded/8x8",
    "  chain 1  Completed: its output stays in L1",
    "    %1 ttnn.gelu  l1/block_sharded/8x8",
    "  chain 2  Completed: its output goes to DRAM",
    "    %2 ttnn.add  l1/block_sharded/8x8",
    `  reserved at 0-2  ${SHARD} bytes per core for %0 ttnn.relu`,
    `  reserved at 1-2  ${SHARD} bytes per core for %1 ttnn.gelu`,
    `  most reserved at 1  ${2 * SHARD} bytes per core`,
  ]);
});

Deno.test("the analysis of unmerged chains has no reservations; ops outside of chains have no config", () => {
  const analysis = analyse("df-sharding");
  assertEquals(
    analysis?.lines.filter((line) => line.includes("chain")),
    [0, 1, 2].map((id) => `  chain ${id}  Completed: its output goes to DRAM`),
  );
  assertEquals(analysis?.lines.some((line) => line.includes("reserved")), false);
  assertEquals([0, 3].map((op) => analysis?.configOf(idOf(op)) !== undefined), [true, false]);
});

Deno.test("the analysis of an interleaved policy tells what is in L1 in the order in which it runs", () => {
  assertEquals(analyse("bf-interleaved")?.lines.slice(1), [
    "  %0 ttnn.relu  l1/interleaved",
    "  %1 ttnn.gelu  l1/interleaved",
    "  %2 ttnn.add  l1/interleaved",
    "  %3 ttnn.softmax  l1/interleaved",
  ]);
});
