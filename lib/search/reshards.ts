// SPDX-License-Identifier: Apache-2.0
import type { CostModel } from "../cost/cost_model.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import {
  conversionSignature,
  footprintOf,
  type OpFootprint,
  opFootprint,
  reshardSignature,
} from "../memory/op_footprint.ts";
import type { ValidConstraints } from "../opmodel/op_model.ts";
import { conversionChain } from "../plan/conversion_chain.ts";
import type { FunctionModel } from "./function_model.ts";

/** A move of a tensor between two layouts that the op model accepts, with its price. */
export interface Reshard {
  readonly microseconds: number;
  /** The intermediate layout, if no single op makes the move. */
  readonly via: LayoutId | undefined;
}

/** Cached facts about a move. */
interface CachedMove {
  /** `undefined` if the op model refuses it. */
  readonly reshard: Reshard | undefined;
  /** How it uses L1, if it takes one step. */
  readonly footprint: OpFootprint | undefined;
  /** Whether the footprint was requested; the first request counts as a query. */
  isSized: boolean;
}

/** Cached moves of tensors of one shape and format, by their two layouts. */
interface CachedMoves {
  readonly moves: Map<number, CachedMove>;
  /** Footprints of moves that were not looked up, or that are refused. */
  readonly footprints: Map<number, OpFootprint>;
  /** Signatures of moves that keep the kind of pages and of moves that change it; `undefined` until first used. */
  keeping: OpSignature | undefined;
  retiling: OpSignature | undefined;
}

const NO_MOVE: Reshard = { microseconds: 0, via: undefined };

/** Upper limit of layouts in a run, so that two ids fit into one numeric key. */
const LAYOUT_LIMIT = 0x100000;

/** Moves of tensors between layouts, validated and priced once per shape and pair of layouts, refusals included. */
export class Reshards {
  readonly #model: FunctionModel;
  readonly #cost: CostModel;
  readonly #byShape: Map<string, CachedMoves> = new Map();
  /** The same by tensor object: searches look up few of them repeatedly. */
  readonly #byTensor: WeakMap<TensorShape, CachedMoves> = new WeakMap();

  constructor(model: FunctionModel, cost: CostModel) {
    this.#model = model;
    this.#cost = cost;
  }

  /**
   * How a tensor can be moved from one layout to another: in one step; otherwise in two, through DRAM, or for a change
   * between tiles and rows through the same memory in other pages. `undefined` if it cannot.
   */
  find(tensor: TensorShape, from: LayoutId, to: LayoutId): Reshard | undefined {
    if (from === to) return NO_MOVE;
    const { moves } = this.#cached(tensor);
    const key = from * LAYOUT_LIMIT + to;
    let move = moves.get(key);
    if (move === undefined) moves.set(key, move = this.#search(tensor, from, to));
    return move.reshard;
  }

  /** How a move in one step uses L1. */
  footprint(tensor: TensorShape, from: LayoutId, to: LayoutId): OpFootprint {
    const { moves, footprints } = this.#cached(tensor);
    const key = from * LAYOUT_LIMIT + to;
    const move = moves.get(key);
    if (move?.footprint !== undefined) {
      if (!move.isSized) this.#model.opModel.countAnswered?.();
      move.isSized = true;
      return move.footprint;
    }
    let footprint = footprints.get(key);
    if (footprint === undefined) {
      footprint = opFootprint(
        this.#model.opModel,
        this.#signature(tensor, from, to),
        [from],
        [to],
        undefined,
      );
      footprints.set(key, footprint);
    }
    return footprint;
  }

  #cached(tensor: TensorShape): CachedMoves {
    return this.#byTensor.get(tensor) ?? this.#remember(tensor);
  }

  #remember(tensor: TensorShape): CachedMoves {
    const shape = shapeKey(tensor);
    let cached = this.#byShape.get(shape);
    if (cached === undefined) {
      cached = { moves: new Map(), footprints: new Map(), keeping: undefined, retiling: undefined };
      this.#byShape.set(shape, cached);
    }
    this.#byTensor.set(tensor, cached);
    return cached;
  }

  #search(tensor: TensorShape, from: LayoutId, to: LayoutId): CachedMove {
    const direct = this.#answer(tensor, from, to);
    if (direct === undefined) {
      return { reshard: this.#inTwoSteps(tensor, from, to), footprint: undefined, isSized: false };
    }
    const signature = this.#signature(tensor, from, to);
    return {
      reshard: { microseconds: this.#price(tensor, from, to, direct), via: undefined },
      footprint: footprintOf(this.#model.opModel, signature, [to], direct, undefined, undefined),
      isSized: this.#cached(tensor).footprints.has(from * LAYOUT_LIMIT + to),
    };
  }

  #inTwoSteps(tensor: TensorShape, from: LayoutId, to: LayoutId): Reshard | undefined {
    let best: Reshard | undefined;
    for (const via of this.#intermediatesBetween(tensor, from, to)) {
      if (via === undefined || via === from || via === to) continue;
      const first = this.#answer(tensor, from, via);
      const second = first === undefined ? undefined : this.#answer(tensor, via, to);
      if (first === undefined || second === undefined) continue;
      const microseconds = this.#price(tensor, from, via, first) + this.#price(tensor, via, to, second);
      if (best === undefined || microseconds < best.microseconds) best = { microseconds, via };
    }
    return best;
  }

  #intermediatesBetween(
    tensor: TensorShape,
    from: LayoutId,
    to: LayoutId,
  ): LayoutIds {
    const model = this.#model;
    const { layouts, opModel } = model;
    const [source, target] = [layouts.get(from), layouts.get(to)];
    if (!isRetiled(source, target)) return [model.interleaved(tensor, from, "dram")];
    const [first, , ...more] = conversionChain(tensor, source, target, opModel.chip);
    const within = [to, from].map((end) =>
      isOnHost(layouts.get(end)) ? undefined : model.inOtherPages(tensor, end)
    );
    return first === undefined || more.length > 0 ? within : [layouts.intern(first.layout), ...within];
  }

  /**
   * µs of one move. A pure reshard launches exactly the programs of the op model's answer, which are priced
   * directly.
   */
  #price(
    tensor: TensorShape,
    from: LayoutId,
    to: LayoutId,
    { programs, aliasedOperand }: ValidConstraints,
  ): number {
    const signature = this.#signature(tensor, from, to);
    const moves = aliasedOperand === undefined &&
      this.#model.opModel.traits(signature).costClass === "reshard";
    return (moves ? this.#cost.launchedMicroseconds?.(programs, false) : undefined) ??
      this.#cost.getReshardRuntime(tensor, from, to).microseconds;
  }

  /** The op model's answer for one move; `undefined` if it refuses it, or the move would produce another layout. */
  #answer(tensor: TensorShape, from: LayoutId, to: LayoutId): ValidConstraints | undefined {
    const { layouts, opModel } = this.#model;
    const source = layouts.get(from);
    const target = layouts.get(to);
    if (source.dataType !== target.dataType) return undefined;
    // Memory-config ops cannot change between tiles and rows, and ops that can change nothing else
    // (tt-mlir:memory-layout-propagation).
    if (isRetiled(source, target) && conversionChain(tensor, source, target, opModel.chip).length > 1) {
      return undefined;
    }
    // On the device, tensors from or to the host must be in interleaved DRAM (conversion_chain.ts).
    if (isOnHost(source) !== isOnHost(target) && !isInDram(isOnHost(source) ? target : source)) {
      return undefined;
    }
    const signature = this.#signature(tensor, from, to);
    const answer = opModel.queryOnce?.(signature, [from], to, undefined) ??
      opModel.queryOpConstraints(signature, [from], to, undefined);
    // No move produces a layout that the input declares for another chip, interleaved over other cores.
    return answer.status === "valid" && answer.outputLayouts[0] === to ? answer : undefined;
  }

  #signature(tensor: TensorShape, from: LayoutId, to: LayoutId): OpSignature {
    const { layouts, opModel } = this.#model;
    const [source, target] = [layouts.get(from), layouts.get(to)];
    const cached = this.#cached(tensor);
    return isRetiled(source, target)
      ? cached.retiling ??= conversionSignature(tensor, source, target, opModel.chip)
      : cached.keeping ??= reshardSignature(tensor);
  }
}

/** Whether exactly one of two layouts is tiled. */
function isRetiled(a: TtnnLayout, b: TtnnLayout): boolean {
  return (a.tile === undefined) !== (b.tile === undefined);
}

function isOnHost({ bufferType }: TtnnLayout): boolean {
  return bufferType === "system_memory";
}

function isInDram({ bufferType, memoryLayout }: TtnnLayout): boolean {
  return bufferType === "dram" && memoryLayout === "interleaved";
}

function shapeKey(tensor: TensorShape): string {
  return `${tensor.shape.join("x")}:${tensor.dataType}`;
}
