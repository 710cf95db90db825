// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { LayoutId, LayoutTable } from "../../layout/layout_table.ts";
import type { TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { CostClass } from "../../ops/cost_class.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { Hints } from "../../search/hints.ts";
import { isJoin } from "../../search/joins.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { OpRoles } from "../../search/op_roles.ts";
import type { LayoutIds, Way } from "../../search/ways.ts";

/** Most shardings that an op may want of one operand, the quickest ones. */
const MOST_WANTED = 3;

/** Hints of one kind that an op is asked with about a sharding, those with most shards. */
const MOST_HINTS = 5;

/** Part of its time by which an op must be quicker with a sharding to want it. */
const WORTHWHILE = 1e-3;

/**
 * Part of L1 that an op may fill beside shards that it wants. What fills nearly all of it has room by sums of bytes and
 * hardly ever by address: plans would be looked for in vain, and the bound would rest on what no plan does.
 */
const MOST_OF_L1 = 3 / 4;

/** Factor between grid extents that are tried of those that cut a tensor into shards of unequal size. */
const GRID_STEP = 1.4;

/**
 * The shards that ops are quicker with than with anything that is explored anyway.
 *
 * Explored are the shardings with most shards, which most kernels are quickest with. Not all: a product reads its first
 * operand shard by shard and waits for each, so that 8 large shards may be quicker than 96 small ones; a norm gathers
 * one partial sum per core; a join takes only what is cut alike; a convolution moves least where its input is cut like
 * its result. So every op is asked about every other sharding of an operand, in few of the many ways that exploring
 * asks about. What is quicker is explored as well: as a layout to read the value in, and as one to make it in.
 */
export class WantedShards {
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #l1Bytes: number;
  readonly #ofValue: Map<ValueId, ReadonlySet<LayoutId>> = new Map();
  /** What ops want of an operand, by everything that the answer rests on. */
  readonly #wanted: Map<string, readonly LayoutId[]> = new Map();
  /** The same of what they want because of their results. */
  readonly #carried: Map<string, readonly LayoutId[]> = new Map();

  /**
   * @param l1Bytes bytes of L1 per core that operands, results and circular buffers may take
   * @param isSpent asked before every op: whether no further one is asked
   */
  constructor(evaluator: OpEvaluator, roles: OpRoles, l1Bytes: number, isSpent: () => boolean = () => false) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#l1Bytes = MOST_OF_L1 * l1Bytes;
    // From the end: what an op carries to its operands is wanted of its results.
    for (const { id } of evaluator.fn.ops.toReversed()) {
      if (isSpent()) break;
      this.#ask(id);
    }
  }

  /** Sharded layouts of a value that some reader of it is quicker with, each once. */
  of(value: ValueId): readonly LayoutId[] {
    return [...this.#ofValue.get(value) ?? []];
  }

  #ask(op: OpId): void {
    const evaluator = this.#evaluator;
    const { operands } = evaluator.op(op);
    if (this.#roles.decided[op] !== true || evaluator.isOverridden(op)) return;
    const lies = operands.map((value) =>
      `${evaluator.declared[value]}${this.#keepsLayout(value) ? "kept" : ""}@${operands.indexOf(value)}`
    );
    const structure = `${evaluator.structureId(op)}|${lies.join()}`;
    if (isJoin(evaluator, op)) return this.#askJoin(op, structure);
    operands.forEach((value, operand) => {
      if (this.#keepsLayout(value)) return;
      const key = `${structure}|${operand}`;
      this.#want(value, known(this.#wanted, key, () => this.#quickerWith(op, operand)));
      const [result] = evaluator.op(op).results;
      const made = result === undefined ? [] : this.of(result);
      if (made.length === 0) return;
      this.#want(
        value,
        known(this.#carried, `${key}|${made.join()}`, () => this.#neededFor(op, operand, made)),
      );
    });
  }

  /** What a join wants of one operand it wants of all: it takes only what is cut alike. */
  #askJoin(op: OpId, structure: string): void {
    const evaluator = this.#evaluator;
    const { operands } = evaluator.op(op);
    if (operands.some((value) => this.#keepsLayout(value))) return;
    const wanted = known(this.#wanted, structure, () => this.#quickerWith(op, 0));
    if (wanted.length === 0) return;
    const places = new Set(wanted.map((layout) => evaluator.facts(layout).uniformKey));
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
   * Where results are wanted: the same shardings of an operand, where the op is quicker with these than with what lies in
   * interleaved L1. Views, changes of pages and norms leave every element on its core.
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
    const isAlike = tensor.shape.join() === shape.join();
    const { costClass, viewOf } = evaluator.traits(op);
    if (viewOf !== operand && (!isAlike || SPREAD.has(costClass))) return [];
    const microseconds = (layout: LayoutId, output: LayoutId): number =>
      this.#fedWith(op, operand, layout).reduce((least, inputs) => {
        const way = evaluator.query(op, inputs, output, undefined);
        if (way?.outputs[0] !== output || !this.#hasRoom(op, inputs, way)) return least;
        return Math.min(least, way.microseconds);
      }, Infinity);
    const shardings = this.#shardings(value);
    const inL1 = evaluator.interleaved(tensor, declared, "l1");
    return made.flatMap((output) => {
      const { uniformKey } = evaluator.facts(output);
      const same = shardings.find((layout) => evaluator.facts(layout).uniformKey === uniformKey);
      if (same === undefined) return [];
      return microseconds(same, output) < microseconds(inL1, output) * (1 - WORTHWHILE) ? [same] : [];
    });
  }

  /** Every sharding of a value, in the pages that it has in the input. */
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

  /** The shardings of an operand that an op is asked about: of ops with many ways to run only {@linkcode spreadGrids}. */
  #tried(op: OpId, value: ValueId): readonly LayoutId[] {
    const evaluator = this.#evaluator;
    const shardings = this.#shardings(value);
    const { primary } = evaluator.offeredHints(op);
    return primary.some(({ config }) => config !== undefined)
      ? spreadGrids(evaluator.layouts, shardings)
      : shardings;
  }

  /** The shardings of an operand that an op is quicker with than with what is explored anyway, the quickest first. */
  #quickerWith(op: OpId, operand: number): readonly LayoutId[] {
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
    const most = evaluator.catalog.reshardTargets(tensor, declared)
      .filter((layout) => !isJoin(evaluator, op) || this.#isExploredOfAll(op, layout));
    const others = this.#tried(op, value).filter((layout) => !most.includes(layout) && accepted(layout));
    if (others.length === 0) return [];
    const interleaved = (["dram", "l1"] as const).map((memory) =>
      evaluator.interleaved(tensor, declared, memory)
    );
    const explored = new Set([declared, ...[...interleaved, ...most].filter(accepted)]);
    const pages = (layout: LayoutId): readonly LayoutId[] => {
      const other = evaluator.opModel.readsEitherPages(signature, operand)
        ? evaluator.inOtherPages(tensor, layout)
        : undefined;
      return other === undefined ? [layout] : [layout, other];
    };
    const least = (layout: LayoutId, ways: (inputs: LayoutIds) => readonly Way[]): number => {
      let microseconds = Infinity;
      for (const read of pages(layout)) {
        for (const inputs of this.#fedWith(op, operand, read)) {
          if (evaluator.operandL1Bytes(op, inputs) > this.#l1Bytes) continue;
          for (const way of ways(inputs)) {
            if (this.#hasRoom(op, inputs, way)) microseconds = Math.min(microseconds, way.microseconds);
          }
        }
      }
      return microseconds;
    };
    const usual = [...explored].reduce(
      (us, layout) => Math.min(us, least(layout, (inputs) => evaluator.ways(op, inputs))),
      Infinity,
    );
    const hintsFor = this.#hints(op);
    const quicker = others.flatMap((layout) => {
      const hints = hintsFor(layout);
      const microseconds = least(
        layout,
        (inputs) => hints.flatMap((hint) => evaluator.query(op, inputs, hint.layout, hint.config) ?? []),
      );
      return microseconds < usual * (1 - WORTHWHILE) ? [{ layout, microseconds }] : [];
    });
    return quicker.toSorted((a, b) => a.microseconds - b.microseconds).slice(0, MOST_WANTED)
      .map(({ layout }) => layout);
  }

  /** Whether shards as of a layout are among the most that each operand of an op may have. */
  #isExploredOfAll(op: OpId, layout: LayoutId): boolean {
    const evaluator = this.#evaluator;
    const { uniformKey } = evaluator.facts(layout);
    return evaluator.op(op).operands.every((value) => {
      const { tensor } = evaluator.value(value);
      const declared = evaluator.declared[value];
      return tensor !== undefined && declared !== undefined &&
        evaluator.catalog.reshardTargets(tensor, declared).some((other) =>
          evaluator.facts(other).uniformKey === uniformKey
        );
    });
  }

  #hasRoom(op: OpId, inputs: LayoutIds, { aliasedOperand, l1PeakBytes }: Way): boolean {
    const own = aliasedOperand === undefined ? l1PeakBytes : 0;
    return this.#evaluator.operandL1Bytes(op, inputs) + own <= this.#l1Bytes;
  }

  /** Operands with one of them in a layout: the others in L1, interleaved or in equal shards, unless they stay where they are. */
  #fedWith(op: OpId, operand: number, layout: LayoutId): readonly LayoutIds[] {
    const evaluator = this.#evaluator;
    const { operands } = evaluator.op(op);
    const { uniformKey } = evaluator.facts(layout);
    const fed = (placed: (tensor: TensorShape, declared: LayoutId) => LayoutId): LayoutIds =>
      operands.map((value) => {
        if (value === operands[operand]) return layout;
        const { tensor } = evaluator.value(value);
        const declared = evaluator.declared[value];
        return tensor === undefined || declared === undefined || this.#keepsLayout(value)
          ? declared
          : placed(tensor, declared);
      });
    const inL1 = (tensor: TensorShape, declared: LayoutId) => evaluator.interleaved(tensor, declared, "l1");
    const alike = fed((tensor, declared) =>
      evaluator.catalog.shardings(tensor, declared).find((other) =>
        evaluator.facts(other).uniformKey === uniformKey
      ) ?? inL1(tensor, declared)
    );
    const apart = isJoin(evaluator, op) ? alike : fed(inL1);
    return apart.every((read, index) => read === alike[index]) ? [alike] : [apart, alike];
  }

  /**
   * The hints that an op is asked with about a sharding of an operand: those that leave the result to the backend, and of
   * results that are cut in the same direction (blocks into as many rows) the equal one and those with most shards.
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
          ...likewise.slice(0, MOST_HINTS),
        ]),
      ];
    };
  }
}

/**
 * Of the shardings of a tensor those whose grid cuts each dimension evenly, or into about a third fewer shards than the one
 * before: between these the times of kernels hardly differ.
 */
function spreadGrids(layouts: LayoutTable, shardings: readonly LayoutId[]): readonly LayoutId[] {
  const byCut = Map.groupBy(shardings, (id) => layouts.get(id).memoryLayout);
  return [...byCut.values()].flatMap((alike) => {
    const [rows, columns] = [0, 1].map((dimension) =>
      spreadExtents(alike.map((id) => layouts.get(id)), dimension)
    );
    return alike.filter((id) => {
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
 * Kinds of work that every core does with what lies on it, or page by page: none was ever quicker with fewer shards than
 * with the most (50 to 80 shapes of each, both chips).
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
]);

/** What a memo has under a key, found where it has nothing. */
function known(
  memo: Map<string, readonly LayoutId[]>,
  key: string,
  find: () => readonly LayoutId[],
): readonly LayoutId[] {
  let found = memo.get(key);
  if (found === undefined) memo.set(key, found = find());
  return found;
}
