// SPDX-License-Identifier: Apache-2.0
import type { OpConfig } from "../analysis/op_config.ts";
import { usableL1Bytes } from "../device/chip_description.ts";
import type { OpId } from "../graph/graph.ts";
import { sameExtents } from "../layout/extents.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { reportedL1Bytes } from "../opmodel/tensor.ts";
import type { LayoutIds } from "../search/ways.ts";
import type { ChainModel } from "./chain_model.ts";

/**
 * Tests whether an op can produce the sharded layout of a config, according to the op model, from operands that
 * a chain can supply: those of the input, the first one sharded, or all of them sharded (a concat of chains).
 *
 * @returns the test for the configs of one op
 */
export function madeConfigs(model: ChainModel, op: OpId): (config: OpConfig) => boolean {
  const declared = model.asInput(op).inputs;
  const makes = (inputs: LayoutIds, config: OpConfig): boolean =>
    model.madeOutputs(op, inputs, config) !== undefined ||
    model.chosenOutput(op, inputs, config) === config.outputLayout;
  const brought = new Map<LayoutId, readonly LayoutIds[]>();
  const broughtFor = (result: LayoutId): readonly LayoutIds[] => {
    let inputs = brought.get(result);
    if (inputs === undefined) brought.set(result, inputs = broughtInShards(model, op, declared, result));
    return inputs;
  };
  const mayFit = fittingLayouts(model, op);
  return (config) =>
    mayFit(config.outputLayout) &&
    (makes(declared, config) || broughtFor(config.outputLayout).some((inputs) => makes(inputs, config)));
}

/** Which layouts of an op's result would fit an empty L1; the op model refuses all others anyway. */
function fittingLayouts(model: ChainModel, op: OpId): (layout: LayoutId) => boolean {
  const { layouts, opModel: { chip } } = model;
  const { results: [result] } = model.op(op);
  const tensor = result === undefined ? undefined : model.value(result).tensor;
  const answer = model.constraints(op, model.asInput(op).inputs, model.declaredOutput(op), undefined);
  const made = answer.status === "valid" ? answer.outputLayouts[0] : undefined;
  if (tensor === undefined || made === undefined || model.mayShareBuffer(op)) return () => true;
  // The backend chooses the format of results, independent of their memory.
  const { dataType } = layouts.get(made);
  const usable = usableL1Bytes(chip, model.options.tensorL1UsageCap, model.constEvalL1Bytes);
  const { shape } = tensor;
  return (id) => reportedL1Bytes({ shape, layout: { ...layouts.get(id), dataType } }, chip) <= usable;
}

/** Operand layouts that a chain can supply to an op with a sharded result. */
function broughtInShards(
  model: ChainModel,
  op: OpId,
  declared: LayoutIds,
  result: LayoutId,
): readonly LayoutIds[] {
  const sharded = declared.map((_, operand) => shardedAlike(model, op, operand, result));
  return [
    ...(sharded[0] ?? []).map((first) => [first, ...declared.slice(1)]),
    declared.map((layout, operand) => sharded[operand]?.[0] ?? layout),
  ];
}

/**
 * Layouts of an operand with the same kind of shards as a result: one on the result's grid if the operand has
 * enough tiles for it, and one on most cores.
 */
function shardedAlike(
  model: ChainModel,
  op: OpId,
  operand: number,
  result: LayoutId,
): readonly LayoutId[] {
  const { layouts } = model;
  const { memoryLayout, gridShape } = layouts.get(result);
  const alike = model.shardedOperandLayouts(op, operand)
    .filter((id) => layouts.get(id).memoryLayout === memoryLayout);
  const onGrid = alike.filter((id) => sameExtents(layouts.get(id).gridShape, gridShape));
  return [...new Set([...onGrid, ...alike.slice(0, 1)])];
}
