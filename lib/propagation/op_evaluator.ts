// SPDX-License-Identifier: Apache-2.0
import { LegalTensorLayoutAnalysis } from "../analysis/legal_tensor_layouts.ts";
import type { CostModel } from "../cost/cost_model.ts";
import { takesNoTime } from "../cost/takes_no_time.ts";
import type { GraphFunction, OpId, TensorShape } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import type { LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { makeLayout, shardBytes } from "../layout/make_layout.ts";
import { type OpFootprint, opFootprint, reshardSignature } from "../memory/op_footprint.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../opmodel/op_config.ts";
import type { OpModel, OpSignature, OpTraits, OutputHint, ValidConstraints } from "../opmodel/op_model.ts";
import { signatureKey, tensorKey } from "./signature_key.ts";

/** Layout per operand or result; `undefined` where there is no tensor or no layout that we understand. */
export type LayoutIds = readonly (LayoutId | undefined)[];

/** One legal way to run an op with given operand layouts. */
export interface Outcome {
  readonly outputs: LayoutIds;
  /** Equal for equal `outputs`, over all ops of the function. */
  readonly outputsId: number;
  /** Predicted µs of the op. */
  readonly microseconds: number;
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

/** A move of a tensor between two layouts that the op model accepts, with its price. */
export interface Reshard {
  readonly microseconds: number;
  /** The stop in DRAM that the move needs where no single op can do it. */
  readonly via: LayoutId | undefined;
}

/** Limits of candidate generation. */
export interface EvaluatorLimits {
  readonly maxLegalLayouts: number;
  readonly maxReshardCandidatesPerType: number;
  readonly enableL1ShardingLayouts: boolean;
  readonly rowMajorEnabled: boolean;
}

/** Facts about a layout that hot loops ask for. */
export interface LayoutFacts {
  readonly isL1: boolean;
  readonly isSharded: boolean;
  /** Bytes per core when in L1, else 0. */
  readonly l1Bytes: number;
  /** Bytes of the whole tensor, padded. */
  readonly totalBytes: number;
  readonly gridVolume: number;
}

const NO_MOVE: Reshard = { microseconds: 0, via: undefined };

/**
 * Asks op model and cost model about the ops of one function and remembers every answer, failures included, under
 * structural keys: a repeated layer asks nothing new. Policies that are compared on one function share one evaluator.
 */
export class OpEvaluator {
  readonly fn: GraphFunction;
  readonly opModel: OpModel;
  readonly layouts: LayoutTable;
  readonly cost: CostModel;
  readonly limits: EvaluatorLimits;
  readonly signatures: readonly OpSignature[];
  readonly legalLayouts: LegalTensorLayoutAnalysis;
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
  readonly #reshards: Map<string, Map<number, Reshard | null>> = new Map();
  readonly #reshardsOf: WeakMap<TensorShape, Map<number, Reshard | null>> = new WeakMap();
  readonly #reshardFootprints: WeakMap<TensorShape, Map<number, OpFootprint>> = new WeakMap();
  readonly #reshardSignatures: Map<string, OpSignature> = new Map();
  readonly #facts: LayoutFacts[] = [];
  readonly #targets: Map<string, readonly LayoutId[]> = new Map();
  readonly #interleaved: WeakMap<TensorShape, Map<number, LayoutId>> = new WeakMap();

  constructor(fn: GraphFunction, opModel: OpModel, cost: CostModel, limits: EvaluatorLimits) {
    this.fn = fn;
    this.opModel = opModel;
    this.layouts = opModel.layouts;
    this.cost = cost;
    this.limits = limits;
    this.signatures = opSignatures(fn);
    this.legalLayouts = new LegalTensorLayoutAnalysis(opModel.chip, opModel.layouts, {
      rowMajorEnabled: limits.rowMajorEnabled,
    });
    const ids = new Map<string, number>();
    this.signatureIds = this.signatures.map((signature) => {
      const key = signatureKey(signature);
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
    const known = this.#facts[id];
    if (known !== undefined) return known;
    const layout = this.layouts.get(id);
    const volume = layout.gridShape.reduce((product, extent) => product * extent, 1);
    const bytes = shardBytes(layout);
    const facts: LayoutFacts = {
      isL1: layout.bufferType === "l1",
      isSharded: isSharded(layout),
      l1Bytes: layout.bufferType === "l1" ? bytes : 0,
      totalBytes: bytes * volume,
      gridVolume: volume,
    };
    this.#facts[id] = facts;
    return facts;
  }

  /** The layout of a tensor in DRAM or L1, interleaved, with the element format and pages of `like`. */
  interleaved(tensor: TensorShape, like: LayoutId, bufferType: "dram" | "l1"): LayoutId {
    let memo = this.#interleaved.get(tensor);
    if (memo === undefined) this.#interleaved.set(tensor, memo = new Map());
    const key = like * 2 + (bufferType === "l1" ? 1 : 0);
    let id = memo.get(key);
    if (id === undefined) {
      const source = this.layouts.get(like);
      id = this.layouts.intern(makeLayout({
        shape: tensor.shape,
        dataType: source.dataType,
        tile: source.tile ?? null,
        bufferType,
        memoryLayout: "interleaved",
      }, this.opModel.chip.workerGrid));
      memo.set(key, id);
    }
    return id;
  }

  /**
   * Sharded layouts that the tensor may be resharded to: made from its actual shape, at most
   * `maxReshardCandidatesPerType` per sharding type, most shards first.
   */
  reshardTargets(tensor: TensorShape, like: LayoutId): readonly LayoutId[] {
    const layout = this.layouts.get(like);
    if (!this.limits.enableL1ShardingLayouts || tensor.shape.length === 0) return [];
    const key = `${tensor.shape.join("x")}:${layout.dataType}:${layout.tile === undefined}`;
    let targets = this.#targets.get(key);
    if (targets === undefined) {
      const page = layout.tile === undefined ? "row_major" : "tiled";
      const all = this.legalLayouts.layoutsOf(tensor, layout.dataType)[page].sharded;
      targets = this.stratify(all, this.limits.maxReshardCandidatesPerType);
      this.#targets.set(key, targets);
    }
    return targets;
  }

  /** At most `perType` layouts of each sharding type, in the given order. */
  stratify(layouts: readonly LayoutId[], perType: number): readonly LayoutId[] {
    const taken = new Map<TtnnLayout["memoryLayout"], number>();
    return layouts.filter((id) => {
      const type = this.layouts.get(id).memoryLayout;
      const count = taken.get(type) ?? 0;
      taken.set(type, count + 1);
      return count < perType;
    });
  }

  /** Layouts that an op's first result may have: interleaved first, then the most sharded ones. */
  legalOutputs(op: OpId): readonly LayoutId[] {
    const result = this.fn.ops[op]?.results[0];
    const value = result === undefined ? undefined : this.fn.values[result];
    if (value?.tensor === undefined || value.layout === undefined) return [];
    const page = value.layout.tile === undefined ? "row_major" : "tiled";
    const legal = this.legalLayouts.layoutsOf(value.tensor, value.layout.dataType)[page];
    if (!this.limits.enableL1ShardingLayouts) return legal.interleaved;
    return [...legal.interleaved, ...legal.sharded.slice(0, this.limits.maxLegalLayouts)];
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
    if (fallback.length > 0 || found.length === 0) {
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
    return answer.status === "valid" ? this.#outcomeOf(op, signature, inputs, answer) : undefined;
  }

  #outcomeOf(op: OpId, signature: OpSignature, inputs: LayoutIds, answer: ValidConstraints): Outcome {
    const outputs = answer.outputLayouts.map((layout, index) => this.#declaredType(op, index, layout));
    return {
      outputs,
      outputsId: this.outputsId(outputs),
      microseconds: takesNoTime(signature, this.traits(op), answer.aliasedOperand)
        ? 0
        : this.cost.getOpRuntime(signature, inputs, outputs, answer.config).microseconds,
      config: answer.config,
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

  /** A result keeps the element format that the input declares, whatever the backend reports (specs 02 §2.3). */
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
    const { primary, fallback } = this.opModel.outputHints(signature, this.legalOutputs(op));
    const hints = [primary, this.#trim(fallback)] as const;
    this.#hints[id] = hints;
    return hints;
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
      microseconds = takesNoTime(signature, this.traits(op), run.aliasedOperand)
        ? 0
        : this.cost.getOpRuntime(signature, inputs, chosen.outputs, run.config).microseconds;
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
    const text = JSON.stringify(config);
    const id = this.#configIdByText.get(text) ?? this.#configIdByText.size;
    this.#configIdByText.set(text, id);
    this.#configIds.set(config, id);
    return id;
  }

  /**
   * Whether and at what price a tensor can be moved from one layout to another, in one step or through DRAM;
   * `undefined` when it cannot.
   */
  reshard(tensor: TensorShape, from: LayoutId, to: LayoutId): Reshard | undefined {
    if (from === to) return NO_MOVE;
    const memo = this.#reshardsOf.get(tensor) ?? this.#rememberTensor(tensor);
    const key = from * 0x100000 + to;
    let reshard = memo.get(key);
    if (reshard === undefined) {
      reshard = this.#findReshard(tensorKey(tensor), tensor, from, to) ?? null;
      memo.set(key, reshard);
    }
    return reshard ?? undefined;
  }

  #rememberTensor(tensor: TensorShape): Map<number, Reshard | null> {
    const shape = tensorKey(tensor);
    let memo = this.#reshards.get(shape);
    if (memo === undefined) this.#reshards.set(shape, memo = new Map());
    this.#reshardsOf.set(tensor, memo);
    return memo;
  }

  #findReshard(shape: string, tensor: TensorShape, from: LayoutId, to: LayoutId): Reshard | undefined {
    if (this.#canReshard(shape, tensor, from, to)) {
      return { microseconds: this.#move(tensor, from, to), via: undefined };
    }
    const dram = this.interleaved(tensor, from, "dram");
    if (dram === from || dram === to) return undefined;
    if (!this.#canReshard(shape, tensor, from, dram) || !this.#canReshard(shape, tensor, dram, to)) {
      return undefined;
    }
    return { microseconds: this.#move(tensor, from, dram) + this.#move(tensor, dram, to), via: dram };
  }

  #move(tensor: TensorShape, from: LayoutId, to: LayoutId): number {
    return this.cost.getReshardRuntime(tensor, from, to).microseconds;
  }

  #canReshard(shape: string, tensor: TensorShape, from: LayoutId, to: LayoutId): boolean {
    const source = this.layouts.get(from);
    const target = this.layouts.get(to);
    // A memory-config op can neither retile nor change the element format (specs 02 §1.6).
    if ((source.tile === undefined) !== (target.tile === undefined)) return false;
    if (source.dataType !== target.dataType) return false;
    const signature = this.#reshardSignature(shape, tensor);
    return this.opModel.queryOpConstraints(signature, [from], to, undefined).status === "valid";
  }

  /** What one direct move does to L1. */
  reshardFootprint(tensor: TensorShape, from: LayoutId, to: LayoutId): OpFootprint {
    let memo = this.#reshardFootprints.get(tensor);
    if (memo === undefined) this.#reshardFootprints.set(tensor, memo = new Map());
    const key = from * 0x100000 + to;
    let footprint = memo.get(key);
    if (footprint === undefined) {
      const signature = this.#reshardSignature(tensorKey(tensor), tensor);
      footprint = opFootprint(this.opModel, signature, [from], [to], undefined);
      memo.set(key, footprint);
    }
    return footprint;
  }

  #reshardSignature(shape: string, tensor: TensorShape): OpSignature {
    let signature = this.#reshardSignatures.get(shape);
    if (signature === undefined) {
      signature = reshardSignature(tensor);
      this.#reshardSignatures.set(shape, signature);
    }
    return signature;
  }
}
