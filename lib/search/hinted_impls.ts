// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { makeLayout, physicalUnits } from "../layout/make_layout.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OutputHint } from "../opmodel/op_model.ts";
import { type Hints, OpHints } from "./hints.ts";
import { l1Need, type OpImpl } from "./impls.ts";
import { isJoin } from "./joins.ts";
import { LayoutCatalog } from "./layout_catalog.ts";
import type { OpEvaluator } from "./op_evaluator.ts";
import type { Asked } from "./unasked_results.ts";

/**
 * Implementations in the order in which tt-mlir's compiler enumerates them
 * (tt-mlir:memory-layout-propagation): one per legal primary hint; if none of these is sharded, also one per
 * sharded fallback hint. Interleaved results after the hints exist only in the optimizer document and are not
 * tried. Ops with an override have the implementations that it leaves, in the order of {@linkcode OpEvaluator.impls}.
 */
export class HintedImpls implements Asked {
  readonly hasLadder = false;
  /** Layouts in the compiler's order. */
  readonly catalog: LayoutCatalog;
  readonly #evaluator: OpEvaluator;
  readonly #opHints: OpHints;
  readonly #l1Budget: number;
  /** By structure of op. */
  readonly #hints: Map<number, Hints> = new Map();
  readonly #cached: Map<string, readonly OpImpl[]> = new Map();

  /** @param l1Budget bytes per core that an op may fill with its operands, results and circular buffers */
  constructor(evaluator: OpEvaluator, l1Budget: number) {
    this.#evaluator = evaluator;
    this.#l1Budget = l1Budget;
    const { opModel, layouts, limits } = evaluator;
    this.catalog = new LayoutCatalog(opModel.chip, layouts, limits, "as_compiler");
    this.#opHints = new OpHints(evaluator, this.catalog, limits, evaluator.overrides, "upstream");
  }

  /** Every legal implementation of an op with the given operand layouts within the L1 budget, in the order of the hints. */
  impls(op: OpId, inputs: LayoutIds): readonly OpImpl[] {
    const evaluator = this.#evaluator;
    if (evaluator.overrides.isOverridden(op)) {
      return evaluator.impls(op, inputs).filter((impl) => this.#need(inputs, impl) <= this.#l1Budget);
    }
    const key = `${evaluator.structureId(op)}:${inputs.join()}`;
    return this.#cached.getOrInsertComputed(key, () => this.#ask(op, inputs));
  }

  #ask(op: OpId, inputs: LayoutIds): readonly OpImpl[] {
    const { primary: offered, fallback } = this.offeredHints(op);
    const primary = this.#besideShards(op, inputs, offered);
    const asked = primary.flatMap((hint) => this.#answer(op, inputs, hint));
    return asked.some((impl) => this.#isSharded(impl))
      ? asked
      : [...asked, ...fallback.flatMap((hint) => this.#answer(op, inputs, hint))];
  }

  /**
   * The compiler's hints for these operands, for ops whose rule offers shards without a config: with a
   * sharded first operand, hints with the operand's memory layout and grid; for a join of interleaved
   * operands, no sharded hints.
   */
  #besideShards(op: OpId, [input]: LayoutIds, hints: readonly OutputHint[]): readonly OutputHint[] {
    const { layouts } = this.#evaluator;
    const shardsOf = (id: LayoutId | undefined): TtnnLayout | undefined => {
      const layout = id === undefined ? undefined : layouts.get(id);
      return layout !== undefined && isSharded(layout) ? layout : undefined;
    };
    const offersShards = hints.some(({ layout, config }) => layout === undefined && config === undefined) &&
      hints.some(({ layout }) => shardsOf(layout) !== undefined);
    const read = shardsOf(input);
    if (!offersShards || (read === undefined && !isJoin(this.#evaluator, op))) return hints;
    return hints.filter(({ layout }) => {
      const made = shardsOf(layout);
      return made?.memoryLayout === read?.memoryLayout && made?.gridShape.join() === read?.gridShape.join();
    });
  }

  #answer(op: OpId, inputs: LayoutIds, { layout, config }: OutputHint): readonly OpImpl[] {
    const evaluator = this.#evaluator;
    if (this.#mixesShards(inputs, config)) return [];
    const impl = evaluator.query(op, inputs, layout, config);
    const written = impl === undefined
      ? layout === undefined ? this.#written(op, inputs, config) : undefined
      : config?.kind === "conv2d"
      ? this.#withoutIdleCores(op, impl)
      : undefined;
    const asWritten = written === undefined ? undefined : evaluator.query(op, inputs, written, config);
    const made = asWritten !== undefined && asWritten.outputs[0] === written ? asWritten : impl;
    return made === undefined || this.#need(inputs, made) > this.#l1Budget ? [] : [made];
  }

  /** L1 bytes per core while an op runs. A value read twice counts twice, as in the compiler's queries. */
  #need(inputs: LayoutIds, impl: OpImpl): number {
    return l1Need(this.#evaluator.l1Bytes(inputs), impl);
  }

  /** Why nothing is legal with these operand layouts. */
  refusal(op: OpId, inputs: LayoutIds): string {
    const reason = this.#evaluator.refusal(op, inputs, undefined);
    if (reason !== undefined) return reason;
    const impl = this.#evaluator.query(op, inputs, undefined, undefined);
    return impl === undefined
      ? "no hint gives a result that can be used"
      : `needs ${this.#need(inputs, impl)} bytes of L1 per core, the budget is ${this.#l1Budget}`;
  }

  /**
   * Whether a convolution config requests another memory layout than that of the sharded activation; the
   * compiler never queries these.
   */
  #mixesShards([input]: LayoutIds, config: OpSpecificAttributes | undefined): boolean {
    const made = config?.kind === "conv2d" ? config.conv2dConfig?.shardLayout : undefined;
    if (made === undefined || input === undefined) return false;
    const layout = this.#evaluator.layouts.get(input);
    return isSharded(layout) && layout.memoryLayout !== made;
  }

  /**
   * The layout that the compiler writes if the backend allocates larger shards than the layout attribute
   * states; `undefined` otherwise.
   */
  #written(op: OpId, inputs: LayoutIds, config: OpSpecificAttributes | undefined): LayoutId | undefined {
    const answer = this.#evaluator.constraints(op, inputs, undefined, config);
    return answer.status === "invalid" ? answer.written : undefined;
  }

  /**
   * The result of a sharded convolution on the grid ⌈extent / shard⌉ of non-empty shards, as the backend of
   * October 2026 places it when asked with a conv config; our op model places it on the cores of the activation,
   * as that backend does without a config (`conv1d`). `undefined` if both grids agree.
   */
  #withoutIdleCores(op: OpId, { outputs: [first] }: OpImpl): LayoutId | undefined {
    const evaluator = this.#evaluator;
    const [result] = evaluator.signature(op).results;
    if (first === undefined || result === undefined) return undefined;
    const layout = evaluator.layouts.get(first);
    const { memoryLayout, shardShape, tile, bufferType, gridShape, dataType } = layout;
    if (!isSharded(layout) || tile === undefined) return undefined;
    const [rows = 1, columns = 1] = physicalUnits(result.shape, tile).map((extent, axis) =>
      Math.ceil(extent / (shardShape[axis] ?? extent))
    );
    if (rows === gridShape[0] && columns === gridShape[1]) return undefined;
    return evaluator.layouts.intern(
      makeLayout(
        { shape: result.shape, dataType, tile, bufferType, memoryLayout, grid: [rows, columns] },
        evaluator.opModel.chip.workerGrid,
      ),
    );
  }

  #isSharded({ outputs: [first] }: OpImpl): boolean {
    return first !== undefined && this.#evaluator.facts(first).isSharded;
  }

  /** The hints to query, in the compiler's order. */
  offeredHints(op: OpId): Hints {
    const evaluator = this.#evaluator;
    return this.#hints.getOrInsertComputed(evaluator.structureId(op), () => {
      const { primary, fallback } = this.#opHints.offered(op);
      const { maxReshardCandidatesPerType } = evaluator.limits;
      const inShards = fallback.filter(({ layout }) =>
        layout !== undefined && isSharded(evaluator.layouts.get(layout))
      );
      // Compute configs are not searched, unless the user allows fidelities.
      return {
        primary: this.#opHints.inAllowedFidelities(op, primary),
        fallback: maxReshardCandidatesPerType === 0 ? [] : inShards,
      };
    });
  }
}
