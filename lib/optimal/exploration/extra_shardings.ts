// SPDX-License-Identifier: Apache-2.0
import {
  EXTRA_SHARDING_HINTS,
  GRID_STEP,
  MOST_EXTRA_SHARDINGS,
  MOST_OF_L1,
  WORTHWHILE_SHARE,
} from "../limits.ts";
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId, LayoutIds, LayoutTable } from "../../layout/layout_table.ts";
import type { TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { CostClass } from "../../ops/cost_class.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { Hints } from "../../search/hints.ts";
import { isJoin } from "../../search/joins.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { OpRoles } from "../../search/op_roles.ts";
import type { OpImpl } from "../../search/impls.ts";

/**
 * Shardings of operands that make an op faster than every layout of exploration.
 *
 * Exploration tries the shardings with the most shards, which are fastest for most kernels. Exceptions: a
 * matmul reads its first operand shard by shard and waits for each, so 8 large shards may be faster than 96
 * small ones; a norm gathers one partial sum per core; a join accepts only operands with equal sharding. Every
 * op outside {@linkcode SPREAD} is queried with the other shardings of each operand and a few of exploration's
 * hints. The fastest of the faster shardings are then explored as well, for reading the value and for producing
 * it.
 */
export class ExtraShardings {
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #l1Bytes: number;
  readonly #ofValue: Map<ValueId, ReadonlySet<LayoutId>> = new Map();
  /** Extra shardings of an operand, by everything that the answer depends on. */
  readonly #extraShardings: Map<string, readonly LayoutId[]> = new Map();
  /** Extra shardings of an operand that follow from extra shardings of the op's result. */
  readonly #carried: Map<string, readonly LayoutId[]> = new Map();

  /**
   * @param l1Bytes usable L1 in bytes per core; operands, results and circular buffers of an op may take
   * {@linkcode MOST_OF_L1} of it
   * @param isSpent asked after every op, with the share of the distinct ops that was asked about; if it returns
   * true, there are no extra shardings at all
   */
  constructor(
    evaluator: OpEvaluator,
    roles: OpRoles,
    l1Bytes: number,
    isSpent: (asked: number) => boolean = () => false,
  ) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#l1Bytes = MOST_OF_L1 * l1Bytes;
    // In reverse, because a sharding wanted of a result may be wanted of its operands as well.
    const distinct = new Set(evaluator.fn.ops.map(({ id }) => evaluator.structureId(id))).size;
    const asked = new Set<number>();
    const isAsked = evaluator.fn.ops.toReversed().every(({ id }) => {
      this.#ask(id);
      return !isSpent(asked.add(evaluator.structureId(id)).size / distinct);
    });
    if (!isAsked) this.#ofValue.clear();
  }

  /** Sharded layouts of a value with which some reader of it is faster, without duplicates. */
  of(value: ValueId): readonly LayoutId[] {
    return [...this.#ofValue.get(value) ?? []];
  }

  #ask(op: OpId): void {
    const evaluator = this.#evaluator;
    const { operands } = evaluator.op(op);
    if (this.#roles.decided[op] !== true || evaluator.overrides.isOverridden(op)) return;
    const lies = operands.map((value) =>
      `${evaluator.declared[value]}${this.#keepsLayout(value) ? "kept" : ""}@${operands.indexOf(value)}`
    );
    const structure = `${evaluator.structureId(op)}|${lies.join()}`;
    if (isJoin(evaluator, op)) return this.#askJoin(op, structure);
    operands.forEach((value, operand) => {
      if (this.#keepsLayout(value)) return;
      const key = `${structure}|${operand}`;
      this.#want(value, this.#extraShardings.getOrInsertComputed(key, () => this.#fasterWith(op, operand)));
      const [result] = evaluator.op(op).results;
      const made = result === undefined ? [] : this.of(result);
      if (made.length === 0) return;
      this.#want(
        value,
        this.#carried.getOrInsertComputed(`${key}|${made.join()}`, () => this.#neededFor(op, operand, made)),
      );
    });
  }

  /** Requests equal shardings for all operands of a join, because a join accepts no other combination. */
  #askJoin(op: OpId, structure: string): void {
    const evaluator = this.#evaluator;
    const { operands } = evaluator.op(op);
    if (operands.some((value) => this.#keepsLayout(value))) return;
    const extraShardings = this.#extraShardings.getOrInsertComputed(structure, () => this.#fasterWith(op, 0));
    if (extraShardings.length === 0) return;
    const places = new Set(extraShardings.map((layout) => evaluator.facts(layout).uniformKey));
    for (const value of new Set(operands)) {
      this.#want(
        value,
        this.#shardings(value).filter((layout) => places.has(evaluator.facts(layout).uniformKey)),
      );
    }
  }

  #want(value: ValueId, layouts: readonly LayoutId[]): void {
    if (layouts.length > 0) this.#ofValue.set(value, new Set([...this.of(value), ...layouts]));
  }

  #keepsLayout(value: ValueId): boolean {
    return this.#roles.constantDerived[value] === true || this.#roles.pinned[value] === true;
  }

  /**
   * The shardings of an operand that equal extra shardings of the result, if the op is faster with them than
   * with an operand in interleaved L1. Views, conversions between tile and row-major layout, and norms leave
   * every element on its core.
   */
  #neededFor(op: OpId, operand: number, made: readonly LayoutId[]): readonly LayoutId[] {
    const evaluator = this.#evaluator;
    const { operands, results: [result] } = evaluator.op(op);
    const value = operands[operand];
    if (value === undefined || result === undefined) return [];
    const { tensor } = evaluator.value(value);
    const declared = evaluator.declared[value];
    const shape = evaluator.value(result).tensor?.shape;
    if (tensor === undefined || declared === undefined || shape === undefined) return [];
    const keepsShape = tensor.shape.join() === shape.join();
    const { costClass, viewOf } = evaluator.traits(op);
    if (viewOf !== operand && (!keepsShape || SPREAD.has(costClass))) return [];
    const microseconds = (layout: LayoutId, output: LayoutId): number =>
      this.#operandLayoutsWith(op, operand, layout).reduce((least, inputs) => {
        const impl = evaluator.query(op, inputs, output, undefined);
        if (impl?.outputs[0] !== output || !this.#hasRoom(op, inputs, impl)) return least;
        return Math.min(least, impl.microseconds);
      }, Infinity);
    const shardings = this.#shardings(value);
    const inL1 = evaluator.interleaved(tensor, declared, "l1");
    return made.flatMap((output) => {
      const { uniformKey } = evaluator.facts(output);
      const same = shardings.find((layout) => evaluator.facts(layout).uniformKey === uniformKey);
      if (same === undefined) return [];
      return microseconds(same, output) < microseconds(inL1, output) * (1 - WORTHWHILE_SHARE) ? [same] : [];
    });
  }

  /** Every sharding of a value, in tile or row-major layout as the input declares it. */
  #shardings(value: ValueId): readonly LayoutId[] {
    const evaluator = this.#evaluator;
    const { tensor } = evaluator.value(value);
    const declared = evaluator.declared[value];
    if (tensor === undefined || declared === undefined) return [];
    if (evaluator.layouts.get(declared).tile !== undefined) {
      return evaluator.catalog.shardings(tensor, declared);
    }
    const inTiles = evaluator.inOtherPages(tensor, evaluator.interleaved(tensor, declared, "dram"));
    if (inTiles === undefined) return [];
    return evaluator.catalog.shardings(tensor, inTiles).flatMap((layout) =>
      evaluator.inOtherPages(tensor, layout) ?? []
    );
  }

  /**
   * The shardings of an operand to query an op about: all, or only {@linkcode spreadGrids} if a primary hint
   * of the op has an op config.
   */
  #tried(op: OpId, value: ValueId): readonly LayoutId[] {
    const evaluator = this.#evaluator;
    const shardings = this.#shardings(value);
    const { primary } = evaluator.offeredHints(op);
    return primary.some(({ config }) => config !== undefined)
      ? spreadGrids(evaluator.layouts, shardings)
      : shardings;
  }

  /**
   * The accepted shardings of an operand with which an op takes less time than with every explored layout, by
   * more than {@linkcode WORTHWHILE_SHARE} of it; fastest first, at most {@linkcode MOST_EXTRA_SHARDINGS}.
   */
  #fasterWith(op: OpId, operand: number): readonly LayoutId[] {
    const evaluator = this.#evaluator;
    if (SPREAD.has(evaluator.traits(op).costClass)) return [];
    const value = evaluator.op(op).operands[operand];
    if (value === undefined) return [];
    const { tensor } = evaluator.value(value);
    const declared = evaluator.declared[value];
    if (tensor === undefined || declared === undefined) return [];
    const signature = evaluator.signature(op);
    const accepted = (layout: LayoutId): boolean =>
      evaluator.opModel.acceptsInput(signature, operand, layout);
    const most = evaluator.catalog.mostShards(tensor, declared)
      .filter((layout) => !isJoin(evaluator, op) || this.#isExploredOfAll(op, layout));
    const others = this.#tried(op, value).filter((layout) => !most.includes(layout) && accepted(layout));
    if (others.length === 0) return [];
    const interleaved = (["dram", "l1"] as const).map((memory) =>
      evaluator.interleaved(tensor, declared, memory)
    );
    const explored = new Set([declared, ...[...interleaved, ...most].filter(accepted)]);
    const least = (layout: LayoutId, impls: (inputs: LayoutIds) => readonly OpImpl[]): number => {
      let microseconds = Infinity;
      for (const inputs of this.#operandLayoutsWith(op, operand, layout)) {
        if (evaluator.operandL1Bytes(op, inputs) > this.#l1Bytes) continue;
        for (const impl of impls(inputs)) {
          if (this.#hasRoom(op, inputs, impl)) microseconds = Math.min(microseconds, impl.microseconds);
        }
      }
      return microseconds;
    };
    const usual = [...explored].reduce(
      (us, layout) => Math.min(us, least(layout, (inputs) => evaluator.impls(op, inputs))),
      Infinity,
    );
    const hintsFor = this.#hints(op);
    const faster = others.flatMap((layout) => {
      const hints = hintsFor(layout);
      const microseconds = least(
        layout,
        (inputs) => hints.flatMap((hint) => evaluator.impl(op, inputs, hint) ?? []),
      );
      return microseconds < usual * (1 - WORTHWHILE_SHARE) ? [{ layout, microseconds }] : [];
    });
    return faster.toSorted((a, b) => a.microseconds - b.microseconds).slice(0, MOST_EXTRA_SHARDINGS)
      .map(({ layout }) => layout);
  }

  /** Whether exploration tries the sharding of a layout for every operand of an op anyway. */
  #isExploredOfAll(op: OpId, layout: LayoutId): boolean {
    const evaluator = this.#evaluator;
    const { uniformKey } = evaluator.facts(layout);
    return evaluator.op(op).operands.every((value) => {
      const { tensor } = evaluator.value(value);
      const declared = evaluator.declared[value];
      return tensor !== undefined && declared !== undefined &&
        evaluator.catalog.mostShards(tensor, declared).some((other) =>
          evaluator.facts(other).uniformKey === uniformKey
        );
    });
  }

  #hasRoom(op: OpId, inputs: LayoutIds, { aliasedOperand, l1PeakBytes }: OpImpl): boolean {
    const own = aliasedOperand === undefined ? l1PeakBytes : 0;
    return this.#evaluator.operandL1Bytes(op, inputs) + own <= this.#l1Bytes;
  }

  /**
   * Operand layouts with one operand in a given layout. The others are in interleaved L1 (except for a join) or
   * have equal sharding (interleaved L1 if they have none); those that keep their layout are as declared.
   */
  #operandLayoutsWith(op: OpId, operand: number, layout: LayoutId): readonly LayoutIds[] {
    const evaluator = this.#evaluator;
    const { operands } = evaluator.op(op);
    const { uniformKey } = evaluator.facts(layout);
    const operandLayouts = (placed: (tensor: TensorShape, declared: LayoutId) => LayoutId): LayoutIds =>
      operands.map((value) => {
        if (value === operands[operand]) return layout;
        const { tensor } = evaluator.value(value);
        const declared = evaluator.declared[value];
        return tensor === undefined || declared === undefined || this.#keepsLayout(value)
          ? declared
          : placed(tensor, declared);
      });
    const inL1 = (tensor: TensorShape, declared: LayoutId) => evaluator.interleaved(tensor, declared, "l1");
    const onSameGrid = operandLayouts((tensor, declared) =>
      evaluator.catalog.shardings(tensor, declared).find((other) =>
        evaluator.facts(other).uniformKey === uniformKey
      ) ?? inL1(tensor, declared)
    );
    const apart = isJoin(evaluator, op) ? onSameGrid : operandLayouts(inL1);
    return apart.every((read, index) => read === onSameGrid[index]) ? [onSameGrid] : [apart, onSameGrid];
  }

  /**
   * Hints of an op for a sharding of an operand: those that leave the result to the backend; the first two for
   * interleaved results; and, of the hints for the same sharding type (blocks: and as many rows of cores), the
   * equal one and the first {@linkcode EXTRA_SHARDING_HINTS}, which have the most shards.
   */
  #hints(op: OpId): (layout: LayoutId) => Hints["primary"] {
    const evaluator = this.#evaluator;
    const { primary, fallback } = evaluator.offeredHints(op);
    const kindOf = (layout: LayoutId): string => {
      const { memoryLayout, gridShape: [rows] } = evaluator.layouts.get(layout);
      return memoryLayout === "block_sharded" ? `${memoryLayout}/${rows}` : `${memoryLayout}`;
    };
    const byKind = Map.groupBy(
      [...primary, ...fallback],
      ({ layout }) => layout === undefined ? "" : kindOf(layout),
    );
    return (layout) => {
      const { uniformKey } = evaluator.facts(layout);
      const likewise = byKind.get(kindOf(layout)) ?? [];
      const equal = likewise.filter((hint) =>
        hint.layout !== undefined && evaluator.facts(hint.layout).uniformKey === uniformKey
      );
      return [
        ...new Set([
          ...byKind.get("") ?? [],
          ...(byKind.get("interleaved") ?? []).slice(0, 2),
          ...equal,
          ...likewise.slice(0, EXTRA_SHARDING_HINTS),
        ]),
      ];
    };
  }
}

/**
 * The shardings of a tensor whose grid extents are kept in both dimensions: every extent that divides the tensor
 * evenly; and, in descending order, the largest extent, then each that is at most 1 / {@linkcode GRID_STEP} of the
 * last one kept in this order. Kernel times differ little in between.
 */
function spreadGrids(layouts: LayoutTable, shardings: readonly LayoutId[]): readonly LayoutId[] {
  const bySharding = Map.groupBy(shardings, (id) => layouts.get(id).memoryLayout);
  return [...bySharding.values()].flatMap((group) => {
    const [rows, columns] = [0, 1].map((dimension) =>
      spreadExtents(group.map((id) => layouts.get(id)), dimension)
    );
    return group.filter((id) => {
      const [height = 1, width = 1] = layouts.get(id).gridShape;
      return rows?.has(height) === true && columns?.has(width) === true;
    });
  });
}

/** The extents of grids in one dimension that {@linkcode spreadGrids} keeps. */
function spreadExtents(shardings: readonly TtnnLayout[], dimension: number): ReadonlySet<number> {
  let whole = Infinity;
  const extents = new Set<number>();
  for (const { gridShape, shardShape } of shardings) {
    const extent = gridShape[dimension] ?? 1;
    whole = Math.min(whole, extent * (shardShape[dimension] ?? 1));
    extents.add(extent);
  }
  let last = Infinity;
  return new Set(
    [...extents].toSorted((a, b) => b - a).filter((extent) => {
      const isNext = extent * GRID_STEP <= last;
      if (isNext) last = extent;
      return isNext || whole % extent === 0;
    }),
  );
}

/**
 * Cost classes that want no extra shardings. Most of their kernels work on local shards or page by page: none was ever
 * faster with fewer shards than with the most (50 to 80 shapes of each, both chips). Convolutions move their input into
 * shards of their own anyway: two of three queries about those of ResNet-50 served this search, for 0.06 %
 * (n150) and 0.3 % (p150) of its time; after op configs were chosen, 28 plans took 0.09 % longer with it than
 * without (geometric mean; a ResNet-18 3.8 % longer, a Segformer 0.7 % less).
 */
const SPREAD: ReadonlySet<CostClass> = new Set<CostClass>([
  "eltwise_unary",
  "eltwise_binary",
  "eltwise_ternary",
  "softmax",
  "reduction",
  "permute",
  "reshape",
  "slice",
  "pool",
  "conv2d",
]);
