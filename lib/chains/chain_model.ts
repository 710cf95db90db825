// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../ops/attributes/matmul.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { LegalTensorLayoutAnalysis } from "../analysis/legal_tensor_layouts.ts";
import type { OpConfig } from "../analysis/op_config.ts";
import type { GraphFunction, OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import type { OpModel } from "../opmodel/op_model.ts";
import { definitionOf } from "../ops/op_book.ts";
import { type OpOverrides, opOverrides } from "../overrides/op_overrides.ts";
import type { OptimizerOverrides } from "../overrides/overrides.ts";
import { FunctionModel } from "../search/function_model.ts";
import { type Conventions, CURRENT_CONVENTIONS, LEGACY_CONVENTIONS } from "./conventions.ts";

/** One function with the op model, as chains query it: which layouts an op produces with a config. */
export class ChainModel extends FunctionModel {
  readonly options: ChainOptions;
  readonly conventions: Conventions;
  /** Bytes per core that const-eval results occupy. */
  readonly constEvalL1Bytes: number;
  readonly legalTensorLayouts: LegalTensorLayoutAnalysis;
  /** Decisions made by hand. */
  readonly overrides: ReadonlyMap<OpId, OpOverrides>;
  /** Ops that dispatch to another function; the callee can write its result in any layout. */
  readonly dispatchOps: ReadonlySet<OpId>;

  /** @throws {DiagnosticError} when an override is impossible */
  constructor(
    fn: GraphFunction,
    opModel: OpModel,
    options: ChainOptions,
    constEvalL1Bytes: number,
    dispatchOps: ReadonlySet<OpId>,
  ) {
    super(fn, opModel);
    this.dispatchOps = dispatchOps;
    this.options = options;
    this.conventions = options.legacyQuirks ? LEGACY_CONVENTIONS : CURRENT_CONVENTIONS;
    this.constEvalL1Bytes = constEvalL1Bytes;
    this.overrides = opOverrides(fn, options.overrides);
    // An override may ask for row-major pages, so they are listed as soon as one fixes a layout.
    const isLayoutFixed = this.overrides.values().some(({ outputLayout }) => outputLayout !== undefined);
    this.legalTensorLayouts = new LegalTensorLayoutAnalysis(opModel.chip, this.layouts, {
      rowMajorEnabled: options.rowMajorEnabled || isLayoutFixed,
    });
  }

  /** Result 0 of an op, the only one whose layout is decided. */
  result(id: OpId): ValueId | undefined {
    return this.op(id).results[0];
  }

  /** Whether readers choose a value's layout: dispatch results, by `solvesDispatchInputs`. */
  isDispatched(value: ValueId): boolean {
    const producer = this.producer(value);
    return producer !== undefined && this.dispatchOps.has(producer) && this.conventions.solvesDispatchInputs;
  }

  /** For example `%12 ttnn.relu`; used in reasons. */
  describeOp(id: OpId): string {
    const { name, results: [result] } = this.op(id);
    return result === undefined ? name : `${this.value(result).name} ${name}`;
  }

  /** The interleaved layout of a value in DRAM or L1, with the element format and pages of `like`. */
  interleavedOf(value: ValueId, like: LayoutId, bufferType: "dram" | "l1"): LayoutId {
    const { tensor, name } = this.value(value);
    if (tensor === undefined) throw new RangeError(`Cannot lay out ${name}: it is no tensor`);
    return this.interleaved(tensor, like, bufferType);
  }

  /** Operand layouts of an op in the input. */
  operandLayouts(id: OpId): (LayoutId | undefined)[] {
    return [...this.asInput(id).inputs];
  }

  /**
   * Whether only the kind of the op's output layout is requested and the backend chooses the shards: for
   * matmuls without a fused activation (tt-metal#34500).
   */
  ignoresPhysicalLayout(id: OpId): boolean {
    const { name, attributes } = this.op(id);
    return definitionOf(name).family === "matmul" &&
      readAttributes({ attributes }, MATMUL).activation === undefined;
  }

  /** The layout as it is requested: only its kind, if the op needs that. */
  requestedLayout(id: OpId, layout: LayoutId): LayoutId {
    if (!this.ignoresPhysicalLayout(id)) return layout;
    return this.layouts.intern({ ...this.layouts.get(layout), ignorePhysicalLayout: true });
  }

  /**
   * Output layouts of an op with a config, if it runs and produces the config's layout; otherwise `undefined`.
   *
   * @param extraL1Bytes bytes per core that other tensors hold at the same time
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

  /** As {@linkcode ChainModel.madeOutputs}, but gives the reason if the op does not run or makes another layout. */
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

  /** Hints that may make the op model produce the layout of a config. */
  #hintsFor(id: OpId, { outputLayout }: OpConfig): readonly LayoutId[] {
    const requested = this.requestedLayout(id, outputLayout);
    return requested === outputLayout ? [outputLayout] : [outputLayout, requested];
  }

  /** The layout that the backend itself chooses for result 0; `undefined` if it refuses the op. */
  chosenOutput(id: OpId, inputs: LayoutIds, { outputLayout, attributes }: OpConfig): LayoutId | undefined {
    const answer = this.constraints(id, inputs, undefined, attributes);
    return answer.status === "valid"
      ? this.inDeclaredFormats(id, answer.outputLayouts, outputLayout)[0]
      : undefined;
  }

  /**
   * All sharded layouts of an operand in its own element format: row-major ones, with `--row-major-enabled`, then
   * tiled ones. Empty for a host tensor.
   */
  shardedOperandLayouts(op: OpId, operand: number): readonly LayoutId[] {
    const value = this.op(op).operands[operand];
    const graphValue = value === undefined ? undefined : this.fn.values[value];
    if (graphValue?.tensor === undefined || graphValue.layout === undefined) return [];
    // A tensor in host memory is moved to the device by the program, not by a chain.
    if (graphValue.layout.bufferType === "system_memory") return [];
    const pages = this.legalTensorLayouts.layoutsOf(graphValue.tensor, graphValue.layout.dataType);
    const rowMajor = this.options.rowMajorEnabled ? pages.row_major.sharded : [];
    return [...rowMajor, ...pages.tiled.sharded];
  }
}

/** Options of the chain architecture; names and defaults follow ttmlir-opt. */
export interface ChainOptions {
  /** `--tensor-l1-usage-cap`: share of L1 that may be used. */
  readonly tensorL1UsageCap: number;
  /** `--max-legal-layouts`: sharded layouts that are considered per op. */
  readonly maxLegalLayouts: number;
  /** `--row-major-enabled`. */
  readonly rowMajorEnabled: boolean;
  /** `--override-output-layout`, `--insert-memreconfig`, `--override-conv2d-config`, `--override-conv3d-config`. */
  readonly overrides: OptimizerOverrides;
  /** `--memreconfig-enabled`: whether operands may be converted. */
  readonly memReconfigEnabled: boolean;
  /**
   * `--l1-interleaved-fallback-analysis-enabled`: whether remaining results move to L1 interleaved where they
   * fit.
   */
  readonly l1InterleavedFallback: boolean;
  /** `--solve-for-optimal-first-op-input`: whether the shard solver picks the layout of a chain's input. */
  readonly solveForOptimalFirstOpInput: boolean;
  /** `--legacy-quirks`: whether bugs of upstream that change decisions are reproduced. */
  readonly legacyQuirks: boolean;
}
