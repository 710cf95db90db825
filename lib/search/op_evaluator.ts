// SPDX-License-Identifier: Apache-2.0
import { ownOpConfig } from "../analysis/own_op_config.ts";
import type { CostModel } from "../cost/cost_model.ts";
import { occupiedMicroseconds } from "../cost/occupied_time.ts";
import { takesNoTime } from "../cost/takes_no_time.ts";
import type { GraphFunction, OpId, TensorShape } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import { type OpFootprint, opFootprint } from "../memory/op_footprint.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpModel, OpSignature, OpTraits, OutputHint, ValidConstraints } from "../opmodel/op_model.ts";
import { configKey, signatureKey } from "../opmodel/structural_key.ts";
import type { OptimizerOverrides } from "../overrides/overrides.ts";
import { type CandidateLimits, LayoutCatalog, type LayoutFacts } from "./layout_catalog.ts";
import { type OverriddenHints, overriddenHints } from "./op_overrides.ts";
import { type Reshard, Reshards } from "./reshards.ts";

/** Layout per operand or result; `undefined` where there is no tensor or no layout that we understand. */
export type LayoutIds = readonly (LayoutId | undefined)[];

/** One legal way to run an op with given operand layouts. */
export interface Outcome {
  readonly outputs: LayoutIds;
  /** Equal for equal `outputs`, over all ops of the function. */
  readonly outputsId: number;
  /** Predicted µs of the op. */
  readonly microseconds: number;
  /**
   * Config that the hint carried; `undefined` leaves the op's config as the input has it. What the backend derives by
   * itself is no decision: it derives it again from the layouts.
   */
  readonly config: OpSpecificAttributes | undefined;
  /** Cores that the op's programs run on. */
  readonly cores: number;
  /** Peak bytes per core of what the op allocates itself: circular buffers, intermediates and results. */
  readonly l1PeakBytes: number;
  /** L1 bytes per core of all results. */
  readonly outputL1Bytes: number;
  /** Operand whose buffer result 0 shares. */
  readonly aliasedOperand: number | undefined;
}

/**
 * Asks op model and cost model about the ops of one function and remembers every answer, failures included, under
 * structural keys: a repeated layer asks nothing new. Policies that are compared on one function share one evaluator.
 */
export class OpEvaluator {
  readonly fn: GraphFunction;
  readonly opModel: OpModel;
  readonly layouts: LayoutTable;
  readonly cost: CostModel;
  readonly limits: CandidateLimits;
  readonly catalog: LayoutCatalog;
  readonly signatures: readonly OpSignature[];
  /** Structural id per op: equal ids, equal answers. */
  readonly signatureIds: readonly number[];
  readonly #canonical: OpSignature[] = [];
  readonly #traits: OpTraits[] = [];
  readonly #hints: (readonly [readonly OutputHint[], readonly OutputHint[]] | undefined)[] = [];
  readonly #outcomes: Map<number | string, readonly Outcome[]>[] = [];
  readonly #runtimes: Map<string, number>[] = [];
  readonly #footprints: Map<string, OpFootprint>[] = [];
  readonly #configIds: WeakMap<OpSpecificAttributes, number> = new WeakMap();
  readonly #configIdByText: Map<string, number> = new Map();
  readonly #outputsIds: Map<string, number> = new Map();
  readonly #reshards: Reshards;
  readonly #overridden: ReadonlyMap<OpId, OverriddenHints>;

  /**
   * @throws {DiagnosticError} when an override cannot be followed
   */
  constructor(
    fn: GraphFunction,
    opModel: OpModel,
    cost: CostModel,
    limits: CandidateLimits & { readonly overrides?: OptimizerOverrides },
  ) {
    this.fn = fn;
    this.opModel = opModel;
    this.layouts = opModel.layouts;
    this.cost = cost;
    this.limits = limits;
    this.signatures = opSignatures(fn);
    this.catalog = new LayoutCatalog(opModel.chip, opModel.layouts, limits);
    this.#reshards = new Reshards(opModel, cost, this.catalog);
    this.#overridden = overriddenHints(fn, this.signatures, opModel, this.catalog, limits, limits.overrides);
    const ids = new Map<string, number>();
    this.signatureIds = this.signatures.map((signature, op) => {
      const key = this.#structuralKey(op, signature);
      let id = ids.get(key);
      if (id === undefined) {
        id = this.#canonical.length;
        ids.set(key, id);
        this.#canonical.push(signature);
        this.#traits.push(opModel.traits(signature));
        this.#outcomes.push(new Map());
        this.#runtimes.push(new Map());
        this.#footprints.push(new Map());
      }
      return id;
    });
  }

  /** Equal for ops that get equal answers here: same question, same declared results, same override. */
  #structuralKey(op: OpId, signature: OpSignature): string {
    const declared = this.fn.ops[op]?.results.map((value) => {
      const layout = this.fn.values[value]?.layout;
      return layout === undefined ? "-" : this.layouts.intern(layout);
    });
    return `${signatureKey(signature)}|${declared?.join() ?? ""}|${this.#overridden.get(op)?.name ?? ""}`;
  }

  /** What the op is, whatever the layouts. */
  traits(op: OpId): OpTraits {
    const traits = this.#traits[this.signatureIds[op] ?? -1];
    if (traits === undefined) {
      throw new RangeError(`Cannot describe op ${op}: ${this.fn.name} has no such op`);
    }
    return traits;
  }

  /** Facts about a layout. */
  facts(id: LayoutId): LayoutFacts {
    return this.catalog.facts(id);
  }

  /** The layout of a tensor in DRAM or L1, interleaved, with the element format and pages of `like`. */
  interleaved(tensor: TensorShape, like: LayoutId, bufferType: "dram" | "l1"): LayoutId {
    return this.catalog.interleaved(tensor, like, bufferType);
  }

  /** How a tensor gets from one layout to another; `undefined` when it cannot. */
  reshard(tensor: TensorShape, from: LayoutId, to: LayoutId): Reshard | undefined {
    return this.#reshards.find(tensor, from, to);
  }

  /** What one direct move does to L1. */
  reshardFootprint(tensor: TensorShape, from: LayoutId, to: LayoutId): OpFootprint {
    return this.#reshards.footprint(tensor, from, to);
  }

  /** Config that an op of the input carries, for the ops whose configs are searched. */
  ownConfig(op: OpId): OpSpecificAttributes | undefined {
    const graphOp = this.fn.ops[op];
    return graphOp === undefined ? undefined : ownOpConfig(graphOp.name, graphOp.attributes);
  }

  /** Whether any op is overridden. */
  get hasOverrides(): boolean {
    return this.#overridden.size > 0;
  }

  /** Whether an override fixes the layout of the op's first result. */
  isOverridden(op: OpId): boolean {
    return this.#overridden.get(op)?.fixesLayout === true;
  }

  /**
   * All legal ways to run an op with the given operand layouts: primary hints, fallback hints when no primary gave a
   * sharded result, and below them the ladder L1 interleaved, DRAM interleaved where the op takes any hint.
   * One outcome per distinct set of result layouts and config; empty when nothing validates.
   */
  outcomes(op: OpId, inputs: LayoutIds): readonly Outcome[] {
    const id = this.signatureIds[op] ?? -1;
    const memo = this.#outcomes[id];
    if (memo === undefined) return [];
    const key = inputs.length <= 2 ? (inputs[0] ?? -1) * 0x100000 + (inputs[1] ?? -1) : inputs.join(",");
    let found = memo.get(key);
    if (found === undefined) {
      found = this.#explore(op, inputs);
      memo.set(key, found);
    }
    return found;
  }

  #explore(op: OpId, inputs: LayoutIds): readonly Outcome[] {
    const [primary, fallback] = this.#hintsOf(op);
    const found: Outcome[] = [];
    const seen = new Set<string>();
    const attempt = (hint: OutputHint): boolean => {
      const outcome = this.query(op, inputs, hint.layout, hint.config);
      if (outcome === undefined) return false;
      if (this.isOverridden(op) && outcome.outputs[0] !== hint.layout) return false;
      const key = this.runKey([], outcome);
      if (!seen.has(key)) {
        seen.add(key);
        found.push(outcome);
      }
      const first = outcome.outputs[0];
      return first !== undefined && this.facts(first).isSharded;
    };
    let gotSharded = false;
    for (const hint of primary) gotSharded = attempt(hint) || gotSharded;
    if (!gotSharded) { for (const hint of fallback) attempt(hint); }
    const free = !this.#overridden.has(op);
    if (free && (fallback.length > 0 || found.length === 0)) {
      const result = this.signatures[op]?.results[0];
      const like = this.inputLayout(op);
      if (result !== undefined && like !== undefined) {
        const buffers = this.limits.enableL1ShardingLayouts ? ["l1", "dram"] as const : ["dram"] as const;
        for (const buffer of buffers) {
          attempt({ layout: this.interleaved(result, like, buffer), config: undefined });
        }
      }
    }
    return found;
  }

  /** The layout that the input gives to the op's first result. */
  inputLayout(op: OpId): LayoutId | undefined {
    const result = this.fn.ops[op]?.results[0];
    const layout = result === undefined ? undefined : this.fn.values[result]?.layout;
    return layout === undefined ? undefined : this.layouts.intern(layout);
  }

  /** One question to the op model; `undefined` when the answer is no. */
  query(
    op: OpId,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
  ): Outcome | undefined {
    const signature = this.#canonical[this.signatureIds[op] ?? -1];
    if (signature === undefined) return undefined;
    const answer = this.opModel.queryOpConstraints(signature, inputs, hint, config);
    return answer.status === "valid" ? this.#outcomeOf(op, signature, inputs, config, answer) : undefined;
  }

  /** Why the op model refuses an op with these operands and this hint; `undefined` when it does not. */
  refusal(op: OpId, inputs: LayoutIds, hint: LayoutId | undefined): string | undefined {
    const signature = this.#canonical[this.signatureIds[op] ?? -1];
    if (signature === undefined) return undefined;
    const answer = this.opModel.queryOpConstraints(signature, inputs, hint, undefined);
    return answer.status === "valid" ? undefined : `${answer.message} [${answer.rule}, ${answer.source}]`;
  }

  #outcomeOf(
    op: OpId,
    signature: OpSignature,
    inputs: LayoutIds,
    config: OpSpecificAttributes | undefined,
    answer: ValidConstraints,
  ): Outcome {
    const outputs = answer.outputLayouts.map((layout, index) => this.#declaredType(op, index, layout));
    return {
      outputs,
      outputsId: this.outputsId(outputs),
      microseconds: takesNoTime(signature, this.traits(op), answer.aliasedOperand) ? 0 : occupiedMicroseconds(
        this.cost.getOpRuntime(signature, inputs, outputs, answer.config ?? config),
        this.cost,
      ),
      config,
      cores: answer.cores,
      l1PeakBytes: answer.l1PeakBytes,
      outputL1Bytes: answer.outputL1Bytes,
      aliasedOperand: answer.aliasedOperand,
    };
  }

  /** A small integer that stands for a list of result layouts. */
  outputsId(outputs: LayoutIds): number {
    const key = outputs.join();
    let id = this.#outputsIds.get(key);
    if (id === undefined) this.#outputsIds.set(key, id = this.#outputsIds.size);
    return id;
  }

  /** A result keeps the element format that the input declares, whatever the backend reports (tt-mlir:memory-layout-propagation). */
  #declaredType(op: OpId, index: number, id: LayoutId | undefined): LayoutId | undefined {
    const result = this.fn.ops[op]?.results[index];
    const declared = result === undefined ? undefined : this.fn.values[result]?.layout;
    if (id === undefined || declared === undefined) return id;
    const layout = this.layouts.get(id);
    if (layout.dataType === declared.dataType) return id;
    return this.layouts.intern({ ...layout, dataType: declared.dataType });
  }

  #hintsOf(op: OpId): readonly [readonly OutputHint[], readonly OutputHint[]] {
    const id = this.signatureIds[op] ?? -1;
    const known = this.#hints[id];
    if (known !== undefined) return known;
    const signature = this.#canonical[id];
    if (signature === undefined) return [[], []];
    const overridden = this.#overridden.get(op);
    const offered = overridden === undefined
      ? this.opModel.outputHints(signature, this.#legalOutputs(op))
      : undefined;
    const hints = [overridden?.hints ?? offered?.primary ?? [], this.#trim(offered?.fallback ?? [])] as const;
    this.#hints[id] = hints;
    return hints;
  }

  #legalOutputs(op: OpId): readonly LayoutId[] {
    const value = this.fn.values[this.fn.ops[op]?.results[0] ?? -1];
    if (value?.tensor === undefined || value.layout === undefined) return [];
    return this.catalog.legalOutputs(value.tensor, value.layout);
  }

  /** Fallback hints in the order given, at most `maxReshardCandidatesPerType` sharded ones of each type. */
  #trim(hints: readonly OutputHint[]): readonly OutputHint[] {
    const taken = new Map<string, number>();
    return hints.filter((hint) => {
      if (hint.layout === undefined) return true;
      const layout = this.layouts.get(hint.layout);
      if (!isSharded(layout)) return true;
      const type = `${layout.memoryLayout}`;
      const count = taken.get(type) ?? 0;
      taken.set(type, count + 1);
      return count < this.limits.maxReshardCandidatesPerType;
    });
  }

  /** Predicted time of an op in µs, as the simulator prices it. */
  runtime(op: OpId, inputs: LayoutIds, chosen: Pick<Outcome, "outputs" | "config">): number {
    const id = this.signatureIds[op] ?? -1;
    const memo = this.#runtimes[id];
    const signature = this.#canonical[id];
    if (memo === undefined || signature === undefined) return 0;
    const key = this.runKey(inputs, chosen);
    let microseconds = memo.get(key);
    if (microseconds === undefined) {
      const run = this.footprint(op, inputs, chosen);
      microseconds = takesNoTime(signature, this.traits(op), run.aliasedOperand) ? 0 : occupiedMicroseconds(
        this.cost.getOpRuntime(signature, inputs, chosen.outputs, run.config),
        this.cost,
      );
      memo.set(key, microseconds);
    }
    return microseconds;
  }

  /** What an op does to L1 with given layouts. */
  footprint(op: OpId, inputs: LayoutIds, chosen: Pick<Outcome, "outputs" | "config">): OpFootprint {
    const id = this.signatureIds[op] ?? -1;
    const memo = this.#footprints[id];
    const signature = this.#canonical[id];
    if (memo === undefined || signature === undefined) {
      throw new RangeError(`Cannot size op ${op}: ${this.fn.name} has no such op`);
    }
    const key = this.runKey(inputs, chosen);
    let footprint = memo.get(key);
    if (footprint === undefined) {
      footprint = opFootprint(this.opModel, signature, inputs, chosen.outputs, chosen.config);
      memo.set(key, footprint);
    }
    return footprint;
  }

  /** Equal for equal operand layouts, result layouts and configs. */
  runKey(inputs: LayoutIds, chosen: Pick<Outcome, "outputs" | "config">): string {
    return `${inputs.join()}>${chosen.outputs.join()}>${this.#configId(chosen.config)}`;
  }

  #configId(config: OpSpecificAttributes | undefined): number {
    if (config === undefined) return -1;
    const known = this.#configIds.get(config);
    if (known !== undefined) return known;
    const text = configKey(config);
    const id = this.#configIdByText.get(text) ?? this.#configIdByText.size;
    this.#configIdByText.set(text, id);
    this.#configIds.set(config, id);
    return id;
  }
}
