// SPDX-License-Identifier: Apache-2.0
import { l1Shards } from "../analysis/legal_op_layouts.ts";
import { LegalTensorLayoutAnalysis } from "../analysis/legal_tensor_layouts.ts";
import type { OpConfig } from "../analysis/op_config.ts";
import type { GraphFunction, GraphOp, OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { readString } from "../dialect/attribute_values.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { signatureKey } from "../opmodel/structural_key.ts";
import { type OpOverrides, opOverrides } from "../overrides/op_overrides.ts";
import { FunctionModel } from "../search/function_model.ts";
import { legalConfigs } from "../search/legal_configs.ts";
import type { LayoutIds } from "../search/ways.ts";
import type { ChainOptions } from "./chain_options.ts";
import { madeConfigs } from "./made_layouts.ts";
import { type Conventions, CURRENT_CONVENTIONS, LEGACY_CONVENTIONS } from "./conventions.ts";

/** An operand where the user asked for a conversion (`--insert-memreconfig`). */
export interface OverrideEdge {
  readonly op: OpId;
  readonly operand: number;
}

/** One function, its legal configs and the op model: what every step of the chain policies works on. */
export class ChainContext extends FunctionModel {
  readonly options: ChainOptions;
  readonly conventions: Conventions;
  /** Bytes per core that const-eval results hold. */
  readonly constEvalL1Bytes: number;
  readonly legalTensorLayouts: LegalTensorLayoutAnalysis;
  /** Legal configs per op; empty where the first result has no layout to decide. */
  readonly legalConfigs: readonly (readonly OpConfig[])[];
  /** The legal configs whose output is sharded in L1; one list for ops of one structure on one set of layouts. */
  readonly shardedConfigs: readonly (readonly OpConfig[])[];
  /** What is fixed by hand. */
  readonly overrides: ReadonlyMap<OpId, OpOverrides>;
  readonly overrideEdges: readonly OverrideEdge[];
  /** Ops that another function runs for: they write their result in any layout that the chain behind them wants. */
  readonly dispatchOps: ReadonlySet<OpId>;
  readonly #written: ReadonlySet<ValueId>;

  /** @throws {DiagnosticError} when an override is impossible */
  constructor(
    fn: GraphFunction,
    opModel: OpModel,
    options: ChainOptions,
    constEvalL1Bytes: number,
    dispatchOps: ReadonlySet<OpId> = new Set(),
  ) {
    super(fn, opModel);
    this.dispatchOps = dispatchOps;
    this.options = options;
    this.conventions = options.legacyQuirks ? LEGACY_CONVENTIONS : CURRENT_CONVENTIONS;
    this.constEvalL1Bytes = constEvalL1Bytes;
    this.overrides = opOverrides(fn, options.overrides);
    // What an override or a pin leaves open stays in rows where the result is in rows.
    const isLayoutFixed = this.overrides.values().some(({ outputLayout }) => outputLayout !== undefined);
    this.legalTensorLayouts = new LegalTensorLayoutAnalysis(opModel.chip, this.layouts, {
      rowMajorEnabled: options.rowMajorEnabled || isLayoutFixed,
    });
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

  /** Result 0 of an op; the only one whose layout is decided. */
  result(id: OpId): ValueId | undefined {
    return this.op(id).results[0];
  }

  /** Whether a value is the result of a dispatch, which takes the layout that its readers want. */
  isDispatched(value: ValueId): boolean {
    const producer = this.producer(value);
    return producer !== undefined && this.dispatchOps.has(producer) && this.conventions.solvesDispatchInputs;
  }

  /** `%12 ttnn.relu`, for reasons. */
  describeOp(id: OpId): string {
    const { name, results: [result] } = this.op(id);
    return result === undefined ? name : `${this.value(result).name} ${name}`;
  }

  /** The layout of a value in DRAM or L1, interleaved, with the element format and pages of `like`. */
  interleavedOf(value: ValueId, like: LayoutId, bufferType: "dram" | "l1"): LayoutId {
    const { tensor, name } = this.value(value);
    if (tensor === undefined) throw new RangeError(`Cannot lay out ${name}: it is not a tensor`);
    return this.interleaved(tensor, like, bufferType);
  }

  /** Operand layouts of an op as the input has them. */
  operandLayouts(id: OpId): (LayoutId | undefined)[] {
    return [...this.asInput(id).inputs];
  }

  /**
   * Whether the op's output layout is asked for by kind only, the backend choosing the shards: matmuls without a fused
   * activation (tt-metal#34500).
   */
  ignoresPhysicalLayout(id: OpId): boolean {
    const { name, attributes } = this.op(id);
    return definitionOf(name).family === "matmul" &&
      readString(attributes, "activation") === undefined;
  }

  /** The layout as it is asked for: by kind only where the op wants that. */
  requestedLayout(id: OpId, layout: LayoutId): LayoutId {
    if (!this.ignoresPhysicalLayout(id)) return layout;
    return this.layouts.intern({ ...this.layouts.get(layout), ignorePhysicalLayout: true });
  }

  /**
   * Output layouts of an op that runs with a config and makes the config's layout; `undefined` where it does not.
   *
   * @param extraL1Bytes bytes per core that other tensors hold meanwhile
   */
  madeOutputs(
    id: OpId,
    inputs: LayoutIds,
    config: OpConfig,
    extraL1Bytes = 0,
  ): LayoutIds | undefined {
    for (const hint of this.#hintsFor(id, config)) {
      const answer = this.constraints(id, inputs, hint, config.attributes, extraL1Bytes);
      if (answer.status === "invalid") continue;
      const outputs = this.inDeclaredFormats(id, answer.outputLayouts, config.outputLayout);
      if (outputs[0] === config.outputLayout) return outputs;
    }
    return undefined;
  }

  /** As {@linkcode ChainContext.madeOutputs}, or why the op does not run so. */
  outputsOf(
    id: OpId,
    inputs: LayoutIds,
    config: OpConfig,
    extraL1Bytes = 0,
  ): LayoutIds | string {
    const made = this.madeOutputs(id, inputs, config, extraL1Bytes);
    if (made !== undefined) return made;
    const refusals = this.#hintsFor(id, config).flatMap((hint) => {
      const answer = this.constraints(id, inputs, hint, config.attributes, extraL1Bytes);
      return answer.status === "invalid" ? [answer] : [];
    });
    return refusals.at(-1)?.message ?? "the op model makes another layout";
  }

  /** What the op model is asked for to get the layout of a config. */
  #hintsFor(id: OpId, { outputLayout }: OpConfig): readonly LayoutId[] {
    const requested = this.requestedLayout(id, outputLayout);
    return requested === outputLayout ? [outputLayout] : [outputLayout, requested];
  }

  /** The layout of result 0 that the backend chooses itself; `undefined` where it refuses the op. */
  chosenOutput(id: OpId, inputs: LayoutIds, { outputLayout, attributes }: OpConfig): LayoutId | undefined {
    const answer = this.constraints(id, inputs, undefined, attributes);
    return answer.status === "valid"
      ? this.inDeclaredFormats(id, answer.outputLayouts, outputLayout)[0]
      : undefined;
  }

  /** All sharded layouts of an operand in its own element format, row-major ones first. */
  shardedOperandLayouts(op: OpId, operand: number): readonly LayoutId[] {
    const value = this.op(op).operands[operand];
    const graphValue = value === undefined ? undefined : this.fn.values[value];
    if (graphValue?.tensor === undefined || graphValue.layout === undefined) return [];
    // A tensor in host memory is moved by the program, not by a chain.
    if (graphValue.layout.bufferType === "system_memory") return [];
    const pages = this.legalTensorLayouts.layoutsOf(graphValue.tensor, graphValue.layout.dataType);
    const rowMajor = this.options.rowMajorEnabled ? pages.row_major.sharded : [];
    return [...rowMajor, ...pages.tiled.sharded];
  }

  /** Whether an op makes a tensor that another one overwrites: a copy of it would not see that. */
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
