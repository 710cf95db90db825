// SPDX-License-Identifier: Apache-2.0
import type { OpConfig } from "../analysis/op_config.ts";
import type { OpId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { LayoutIds } from "../search/ways.ts";
import type { ChainContext } from "./chain_context.ts";

/**
 * Whether the op model makes the sharded layout of a config from operands that a chain can bring: those of the input,
 * the first one in shards, or all of them in shards (a concat of chains).
 */
export function isMade(context: ChainContext, op: OpId, config: OpConfig): boolean {
  const declared = context.asInput(op).inputs;
  const makes = (inputs: LayoutIds): boolean =>
    typeof context.outputsOf(op, inputs, config) !== "string" ||
    context.chosenOutput(op, inputs, config) === config.outputLayout;
  if (makes(declared)) return true;
  const sharded = declared.map((_, operand) => shardedAlike(context, op, operand, config.outputLayout));
  return (sharded[0] ?? []).some((first) => makes([first, ...declared.slice(1)])) ||
    makes(declared.map((layout, operand) => sharded[operand]?.[0] ?? layout));
}

/** An operand in the kind of shards that a result has: on the result's grid where it has tiles for it, and on most cores. */
function shardedAlike(
  context: ChainContext,
  op: OpId,
  operand: number,
  result: LayoutId,
): readonly LayoutId[] {
  const { layouts } = context;
  const { memoryLayout, gridShape } = layouts.get(result);
  const alike = context.shardedOperandLayouts(op, operand)
    .filter((id) => layouts.get(id).memoryLayout === memoryLayout);
  const onGrid = alike.filter((id) => layouts.get(id).gridShape.join() === gridShape.join());
  return [...new Set([...onGrid, ...alike.slice(0, 1)])];
}
