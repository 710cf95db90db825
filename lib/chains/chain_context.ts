// SPDX-License-Identifier: Apache-2.0
import { l1Shards } from "../analysis/legal_op_layouts.ts";
import type { OpConfig } from "../analysis/op_config.ts";
import { usableL1Bytes } from "../device/chip_description.ts";
import type { GraphFunction, GraphOp, OpId } from "../graph/graph.ts";
import { sameExtents } from "../layout/extents.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { signatureKey } from "../opmodel/structural_key.ts";
import { reportedL1Bytes } from "../opmodel/tensor.ts";
import { legalConfigs } from "../search/legal_configs.ts";
import { pinnedValues } from "../search/op_roles.ts";
import { ChainModel, type ChainOptions } from "./chain_model.ts";

/** An operand where the user asked for a conversion (`--insert-memreconfig`). */
export interface OverrideEdge {
  readonly op: OpId;
  readonly operand: number;
}

/** One function with its legal configs and the op model: the input of every step of the chain policies. */
export class ChainContext extends ChainModel {
  /** Legal configs per op: those of its declared layout if no policy may move it; empty without a result layout. */
  readonly legalConfigs: readonly (readonly OpConfig[])[];
  /** Legal configs whose output is sharded in L1. Ops with one structure and equal layouts share the list. */
  readonly shardedConfigs: readonly (readonly OpConfig[])[];
  readonly overrideEdges: readonly OverrideEdge[];
  readonly #pinned: readonly boolean[];

  /** @throws {DiagnosticError} when an override is impossible */
  constructor(
    fn: GraphFunction,
    opModel: OpModel,
    options: ChainOptions,
    constEvalL1Bytes: number,
    dispatchOps: ReadonlySet<OpId> = new Set(),
  ) {
    super(fn, opModel, options, constEvalL1Bytes, dispatchOps);
    this.#pinned = pinnedValues(this);
    const cached = new Map<string, readonly OpConfig[]>();
    this.legalConfigs = fn.ops.map((op) => {
      if (this.overrides.has(op.id) || this.#isPinned(op)) return this.#legalConfigs(op);
      const { inputs, outputs } = this.asInput(op.id);
      const key = `${signatureKey(this.signature(op.id))}|${inputs.join()}|${outputs.join()}`;
      return cached.getOrInsertComputed(key, () => this.#legalConfigs(op));
    });
    const sharded = new Map([...new Set(this.legalConfigs)].map((configs) => [
      configs,
      configs.filter(({ outputLayout }) => l1Shards(this.layouts.get(outputLayout)) !== undefined),
    ]));
    this.shardedConfigs = this.legalConfigs.map((configs) => sharded.get(configs) ?? []);
    this.overrideEdges = fn.ops.flatMap((op) =>
      (this.overrides.get(op.id)?.memReconfigs ?? []).filter((operand) => operand < op.operands.length)
        .map((operand) => ({ op: op.id, operand }))
    );
  }

  /** Whether a result of an op must keep its layout, such as one that another op overwrites. */
  #isPinned({ results }: GraphOp): boolean {
    return results.some((value) => this.#pinned[value] === true);
  }

  #legalConfigs(op: GraphOp): readonly OpConfig[] {
    const { id, name } = op;
    const declared = this.declaredOutput(id);
    if (declared === undefined || name === "ttnn.empty") return [];
    const { isOpaque, movable } = this.traits(id);
    const { bufferType } = this.layouts.get(declared);
    const onDevice = bufferType === "dram" || bufferType === "l1";
    return legalConfigs(this, id, {
      analysis: this.legalTensorLayouts,
      limits: this.options,
      overrides: this.overrides.get(id),
      movable: !isOpaque && movable && onDevice && name !== "ttnn.to_layout" && !this.#isPinned(op),
      foldBatch: this.conventions.foldsMatmulBatch,
      isMade: this.conventions.offersMadeLayouts ? madeConfigs(this, id) : undefined,
    });
  }
}

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
    return brought.getOrInsertComputed(result, () => broughtInShards(model, op, declared, result));
  };
  const mayFit = fittingLayouts(model, op);
  return (config) =>
    mayFit(config.outputLayout) &&
    (makes(declared, config) || broughtFor(config.outputLayout).some((inputs) => makes(inputs, config)));
}

/** A test for layouts of an op's result that fit an empty L1; the op model refuses all others. */
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
  const sharded = declared.map((_, operand) => shardedEqually(model, op, operand, result));
  return [
    ...(sharded[0] ?? []).map((first) => [first, ...declared.slice(1)]),
    declared.map((layout, operand) => sharded[operand]?.[0] ?? layout),
  ];
}

/**
 * Layouts of an operand with the memory layout of a sharded result: one on the result's grid if the operand
 * has enough tiles, and one on the most cores.
 */
function shardedEqually(
  model: ChainModel,
  op: OpId,
  operand: number,
  result: LayoutId,
): readonly LayoutId[] {
  const { layouts } = model;
  const { memoryLayout, gridShape } = layouts.get(result);
  const equivalent = model.shardedOperandLayouts(op, operand)
    .filter((id) => layouts.get(id).memoryLayout === memoryLayout);
  const onGrid = equivalent.filter((id) => sameExtents(layouts.get(id).gridShape, gridShape));
  return [...new Set([...onGrid, ...equivalent.slice(0, 1)])];
}
