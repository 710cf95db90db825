// SPDX-License-Identifier: Apache-2.0
import { l1Shards } from "../analysis/legal_op_layouts.ts";
import type { OpConfig } from "../analysis/op_config.ts";
import type { GraphFunction, GraphOp, OpId, ValueId } from "../graph/graph.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { signatureKey } from "../opmodel/structural_key.ts";
import { legalConfigs } from "../search/legal_configs.ts";
import { ChainModel, type ChainOptions } from "./chain_model.ts";
import { madeConfigs } from "./made_layouts.ts";

/** An operand where the user asked for a conversion (`--insert-memreconfig`). */
export interface OverrideEdge {
  readonly op: OpId;
  readonly operand: number;
}

/** One function with its legal configs and the op model: the input of every step of the chain policies. */
export class ChainContext extends ChainModel {
  /** Legal configs per op; empty if the layout of its first result is not decided. */
  readonly legalConfigs: readonly (readonly OpConfig[])[];
  /** Legal configs whose output is sharded in L1. Ops with one structure and equal layouts share the list. */
  readonly shardedConfigs: readonly (readonly OpConfig[])[];
  readonly overrideEdges: readonly OverrideEdge[];
  readonly #written: ReadonlySet<ValueId>;

  /** @throws {DiagnosticError} when an override is impossible */
  constructor(
    fn: GraphFunction,
    opModel: OpModel,
    options: ChainOptions,
    constEvalL1Bytes: number,
    dispatchOps: ReadonlySet<OpId> = new Set(),
  ) {
    super(fn, opModel, options, constEvalL1Bytes, dispatchOps);
    this.#written = new Set(
      fn.ops.flatMap(({ id, operands }) =>
        this.traits(id).writtenOperands.flatMap((operand) => operands[operand] ?? [])
      ),
    );
    const known = new Map<string, readonly OpConfig[]>();
    this.legalConfigs = fn.ops.map((op) => {
      if (this.overrides.has(op.id) || this.#isWritten(op)) return this.#legalConfigs(op);
      const { inputs, outputs } = this.asInput(op.id);
      const key = `${signatureKey(this.signature(op.id))}|${inputs.join()}|${outputs.join()}`;
      let configs = known.get(key);
      if (configs === undefined) known.set(key, configs = this.#legalConfigs(op));
      return configs;
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

  /** Whether another op overwrites a result of this one: a copy of the result would become stale. */
  #isWritten({ results }: GraphOp): boolean {
    return results.some((value) => this.#written.has(value));
  }

  #legalConfigs(op: GraphOp): readonly OpConfig[] {
    const { id, name } = op;
    const declared = this.declaredOutput(id);
    if (declared === undefined || name === "ttnn.empty") return [];
    const { known, movable } = this.traits(id);
    const { bufferType } = this.layouts.get(declared);
    const onDevice = bufferType === "dram" || bufferType === "l1";
    return legalConfigs(this, id, {
      analysis: this.legalTensorLayouts,
      limits: this.options,
      overrides: this.overrides.get(id),
      movable: known && movable && onDevice && name !== "ttnn.to_layout" && !this.#isWritten(op),
      foldBatch: this.conventions.foldsMatmulBatch,
      isMade: this.conventions.offersMadeLayouts ? madeConfigs(this, id) : undefined,
    });
  }
}
