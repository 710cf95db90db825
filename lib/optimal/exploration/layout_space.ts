// SPDX-License-Identifier: Apache-2.0
import type { GraphOp, OpId, ValueId } from "../../graph/graph.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import { congestedOpMicroseconds } from "../../search/congested_times.ts";
import { isJoin, mixesPages } from "../../search/joins.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import { isMovable, type OpRoles } from "../../search/op_roles.ts";
import type { Choice } from "../../search/impls.ts";
import { FORESEEN, NARROW } from "../limits.ts";
import { exploreKept, exploreOp } from "./explore_op.ts";
import { ExtraShardings } from "./extra_shardings.ts";
import {
  type ExplorationLimits,
  fixedOp,
  type Impl,
  type ImplTable,
  relaxedOp,
  rowOf,
} from "./impl_table.ts";

/**
 * The layouts that a bound ranges over, and the implementations of every op within them.
 *
 * Layouts in which a value may be produced: every result that the op model accepts for an explored combination
 * of operand layouts, and the declared one. Layouts in which it may be read: those; DRAM and L1 interleaved; the
 * two layouts with most shards of every sharding type ({@linkcode LayoutCatalog.mostShards}); every sharding that
 * makes one reader faster than all of these ({@linkcode ExtraShardings}), and if there is one for a row-major
 * value, the shards of whole tiles with most shards too; interleaved layouts in other pages for a join that mixes
 * pages; and what an override requires of a reader. A constant that only one matmul or convolution reads is read
 * as it is produced, if plans are `hinted`. Computed in one forward pass over the schedule.
 */
export class LayoutSpace {
  readonly evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #limits: ExplorationLimits;
  readonly #tables: ImplTable[];
  readonly #tableByKey: Map<string, ImplTable> = new Map();
  readonly #reads: (readonly LayoutId[] | undefined)[];
  readonly #lists: Map<string, readonly LayoutId[]> = new Map();
  /** {@linkcode producedLayouts} lists by content. */
  readonly #producedLists: Map<string, LayoutIds> = new Map();
  /** The same, by the lists of results that an op may produce and the index of the result in them. */
  readonly #producedListsOf: WeakMap<readonly LayoutIds[], LayoutIds[]> = new WeakMap();
  /** By value: the value at the start of its chain of views. */
  readonly #roots: ValueId[];
  /** Rows that are priced with congestion. */
  readonly #congested: WeakSet<Impl> = new WeakSet();
  #repriced = 0;
  /** By choice: the row last found for it. Assignments give equal ops the same choice object, one after the other. */
  readonly #rows: WeakMap<Choice, { readonly table: ImplTable; readonly row: Impl | undefined }> =
    new WeakMap();
  /** By row: its choice object. */
  readonly #choices: WeakMap<Impl, Choice> = new WeakMap();
  readonly #start: number;
  #isCut = false;
  #isNarrowed = false;
  readonly #extraShardings: ExtraShardings;
  /** Joins whose operands are declared in tiles and in rows. */
  readonly #mixedJoins: ReadonlySet<OpId>;

  constructor(evaluator: OpEvaluator, roles: OpRoles, limits: ExplorationLimits) {
    this.evaluator = evaluator;
    this.#roles = roles;
    this.#limits = limits;
    this.#roots = evaluator.fn.values.map((value) => value.id);
    const { wideUs = Infinity } = limits;
    const mostExtraUs = (asked: number): number =>
      wideUs / 2 * Math.min(1, Math.max(FORESEEN.share, FORESEEN.times * asked));
    this.#start = evaluator.work.microseconds;
    this.#extraShardings = new ExtraShardings(
      evaluator,
      roles,
      limits.l1Bytes,
      (asked) => this.#isNarrowed ||= this.#exploredUs >= mostExtraUs(asked),
    );
    this.#mixedJoins = new Set(
      evaluator.fn.ops.map(({ id }) => id).filter((op) => isJoin(evaluator, op) && mixesPages(evaluator, op)),
    );
    this.#tables = [];
    this.#reads = [];
    for (const op of evaluator.fn.ops) {
      this.#isNarrowed ||= this.#exploredUs >= wideUs;
      this.#tables.push(this.#explore(op));
      this.#followViews(op);
    }
  }

  /** The implementations of an op. */
  table(op: OpId): ImplTable {
    const table = this.#tables[op];
    if (table === undefined) {
      throw new RangeError(`Cannot look up op ${op}: ${this.evaluator.fn.name} has no such op`);
    }
    return table;
  }

  /**
   * All layouts in which a value may be produced or read; empty for values that are not tensors.
   */
  layoutsOf(value: ValueId): readonly LayoutId[] {
    return this.#reads[value] ??= this.#one(this.#readLayouts(value));
  }

  /**
   * Layout of a value per choice of its op, or the only layout of a value that no op produces. Equal lists
   * are one object; long functions have few distinct ones.
   */
  producedLayouts(value: ValueId): LayoutIds {
    const { definition } = this.evaluator.value(value);
    if (definition.kind === "argument") return this.#singleProducedLayouts([this.evaluator.declared[value]]);
    const { op, index } = definition;
    const { outputs } = this.table(op);
    let lists = this.#producedListsOf.get(outputs);
    if (lists === undefined) this.#producedListsOf.set(outputs, lists = []);
    return lists[index] ??= this.#singleProducedLayouts(outputs.map((made) => made[index]));
  }

  #singleProducedLayouts(layouts: LayoutIds): LayoutIds {
    const key = layouts.join();
    const cached = this.#producedLists.get(key) ?? layouts;
    this.#producedLists.set(key, cached);
    return cached;
  }

  /** The representative of all equal lists, by which facts about them are cached. */
  #one(layouts: readonly LayoutId[]): readonly LayoutId[] {
    const key = layouts.join();
    const cached = this.#lists.get(key) ?? layouts;
    this.#lists.set(key, cached);
    return cached;
  }

  /** Bytes of L1 per core that a choice of an op needs; 0 if the op's table does not contain the choice. */
  l1BytesOf(op: OpId, choice: Choice): number {
    return this.#rowOf(op, choice)?.l1Bytes ?? 0;
  }

  /** The choice for a row of a table; always the same object, so that facts about it can be cached. */
  choiceOf({ reads, outputs }: ImplTable, row: Impl, reason: string): Choice {
    let choice = this.#choices.get(row);
    if (choice === undefined || choice.reasons[0] !== reason) {
      choice = {
        inputs: row.reads.map((read, operand) => reads[operand]?.[read]),
        outputs: outputs[row.output] ?? [],
        config: row.config,
        reasons: [reason],
      };
      this.#choices.set(row, choice);
    }
    return choice;
  }

  /** The row of a choice; `undefined` if the op's table does not contain the choice. */
  #rowOf(op: OpId, choice: Choice): Impl | undefined {
    const table = this.table(op);
    let cached = this.#rows.get(choice);
    if (cached === undefined || cached.table !== table) {
      cached = { table, row: rowOf(table, choice) };
      this.#rows.set(choice, cached);
    }
    return cached.row;
  }

  /** µs of an op as the bound prices it. */
  microseconds(op: OpId, choice: Choice): number {
    const { evaluator } = this;
    const { inputs, ...chosen } = choice;
    return this.#rowOf(op, choice)?.microseconds ?? evaluator.runtime(op, inputs, chosen);
  }

  /** How many implementations have got another price by {@linkcode addCongestion}. */
  get repriced(): number {
    return this.#repriced;
  }

  /**
   * Adds NoC congestion to the price of an implementation, from now on and for all ops that share its table. Only
   * ops that change layouts have any.
   *
   * @returns whether the price has risen
   */
  addCongestion(op: OpId, choice: Choice): boolean {
    const table = this.table(op);
    const row = this.#rowOf(op, choice);
    if (row === undefined || this.#congested.has(row)) return false;
    const microseconds = congestedOpMicroseconds(this.evaluator, op, choice) ??
      row.microseconds;
    if (microseconds === row.microseconds) {
      this.#congested.add(row);
      return false;
    }
    this.#repriced++;
    const congested = { ...row, microseconds };
    this.#congested.add(congested);
    const priced = (rows: readonly Impl[]) => rows.map((other) => other === row ? congested : other);
    const next = { ...table, rows: priced(table.rows), smaller: priced(table.smaller) };
    this.#tables.forEach((other, index) => {
      if (other === table) this.#tables[index] = next;
    });
    return microseconds > row.microseconds;
  }

  /** Number of ops that had too many combinations of operand layouts to explore. */
  get relaxedOps(): number {
    return this.#tables.filter((table) => table.relaxed).length;
  }

  /** µs of work on the exploration. */
  get #exploredUs(): number {
    return this.evaluator.work.microseconds - this.#start;
  }

  /** Whether some ops were explored with few layouts ({@linkcode NARROW}), because the exploration took long. */
  get isNarrowed(): boolean {
    return this.#isNarrowed;
  }

  /** Whether the budget ended the exploration before its last op. */
  get isCut(): boolean {
    return this.#isCut;
  }

  #explore(op: GraphOp): ImplTable {
    const isFree = this.#isFree(op);
    if (!isFree && this.#roles.readsElsewhere[op.id] !== true) return fixedOp(this.evaluator, op.id);
    const reads = op.operands.map((value, operand) => this.#readsOf(op.id, operand, value));
    const key = this.#keyOf(op, reads, isFree);
    const cached = this.#tableByKey.get(key);
    if (cached !== undefined) return cached;
    if (!isFree || !this.#isNarrowed) {
      return this.#tableFor(op, key, reads, isFree, this.#limits);
    }
    const few = reads.map((layouts, operand) => this.#fewReads(op, operand, layouts));
    return this.#tableFor(op, `narrow ${this.#keyOf(op, few, isFree)}`, few, isFree, {
      ...this.#limits,
      ...NARROW,
    });
  }

  /** Everything that the table of an op depends on. */
  #keyOf(op: GraphOp, reads: readonly LayoutIds[], isFree: boolean): string {
    const { evaluator } = this;
    const kept = isFree ? "" : `kept on ${evaluator.asInput(op.id).inputs.join()}`;
    return `${this.#extraShardingsOf(op, isFree).join()}|${evaluator.structureId(op.id)}|${
      reads.map((axis) => axis.join()).join("|")
    }|${this.#sharedBuffers(op)}|${
      this.#producedForJoin(op).map((layouts) => layouts.join()).join("|")
    }|${kept}`;
  }

  #tableFor(
    op: GraphOp,
    key: string,
    reads: readonly LayoutIds[],
    isFree: boolean,
    limits: ExplorationLimits,
  ): ImplTable {
    const { evaluator } = this;
    const cached = this.#tableByKey.get(key);
    if (cached !== undefined) return cached;
    if (limits.isSpent?.() === true) {
      this.#isCut = true;
      return relaxedOp(evaluator, op.id);
    }
    const pattern = this.#sharedBuffers(op);
    const extraShardings = this.#extraShardingsOf(op, isFree);
    let table = isFree
      ? exploreOp(evaluator, op.id, reads, this.#producedForJoin(op), pattern, limits, extraShardings) ??
        relaxedOp(evaluator, op.id)
      : exploreKept(evaluator, op.id, reads, pattern, limits);
    if (table.rows.length === 0) {
      // The layouts that an override requires may be outside the explored ones.
      table = evaluator.overrides.isOverridden(op.id)
        ? relaxedOp(evaluator, op.id)
        : fixedOp(evaluator, op.id);
    }
    this.#tableByKey.set(key, table);
    return table;
  }

  /** Per operand: the first one that shares its buffer. */
  #sharedBuffers({ operands }: GraphOp): readonly number[] {
    const groups = operands.map((value) => this.#roots[value] ?? value);
    return groups.map((root) => groups.indexOf(root));
  }

  /** The interleaved results that operands of a long join are explored with; empty for other ops. */
  #producedForJoin(op: GraphOp): readonly LayoutIds[] {
    return isJoin(this.evaluator, op.id) ? op.operands.map((value) => this.producedLayouts(value)) : [];
  }

  #extraShardingsOf({ results: [result] }: GraphOp, isFree: boolean): readonly LayoutId[] {
    return isFree && result !== undefined ? this.#extraShardings.of(result) : [];
  }

  /**
   * Operand layouts that an op reads if it is explored narrowly: the declared one, interleaved ones, and the
   * first two of each sharding type. A matmul or convolution reads operands after the first only as declared.
   */
  #fewReads({ id, operands }: GraphOp, operand: number, layouts: LayoutIds): LayoutIds {
    const { evaluator } = this;
    const value = operands[operand];
    if (value === undefined) return layouts;
    const { costClass } = evaluator.traits(id);
    const isWeights = operand > 0 && (costClass === "matmul" || costClass === "conv2d");
    const ofKind = new Map<string, number>();
    return layouts.filter((layout) => {
      if (layout === undefined || layout === evaluator.declared[value]) return true;
      const { kind } = evaluator.facts(layout);
      const taken = ofKind.get(kind) ?? 0;
      ofKind.set(kind, taken + 1);
      return !isWeights && taken < NARROW.readsPerType;
    });
  }

  /** Whether the op may run with other layouts than in the input. */
  #isFree(op: GraphOp): boolean {
    if (this.#roles.decided[op.id] === true || this.#limits.planKind === "hinted") {
      return this.#roles.decided[op.id] === true;
    }
    return isMovable(this.evaluator, this.#roles.pinned, op.id);
  }

  #readsOf(op: OpId, operand: number, value: ValueId): LayoutIds {
    const { evaluator } = this;
    const signature = evaluator.signature(op);
    const layouts = this.layoutsOf(value);
    if (layouts.length === 0) return [undefined];
    // Under chain policies an op reads its producer's result without the input filter.
    const unfiltered = this.#limits.planKind === "confirmed"
      ? this.#producedLayouts(value)
      : new Set<LayoutId>();
    const declared = evaluator.declared[value];
    return layouts.filter((layout) =>
      layout === declared || unfiltered.has(layout) ||
      evaluator.opModel.acceptsInput(signature, operand, layout)
    );
  }

  #readLayouts(value: ValueId): readonly LayoutId[] {
    const { evaluator } = this;
    const { tensor } = evaluator.value(value);
    const declared = evaluator.declared[value];
    if (tensor === undefined || declared === undefined) return [];
    const layouts = this.#producedLayouts(value);
    layouts.add(declared);
    if (this.#roles.pinned[value] === true) return [...layouts];
    for (const { op, operand } of evaluator.value(value).uses) {
      for (const required of evaluator.overrides.memReconfigLayouts(op, operand)) layouts.add(required);
    }
    if (this.#isWeight(value)) return [...layouts];
    layouts.add(evaluator.interleaved(tensor, declared, "dram"));
    layouts.add(evaluator.interleaved(tensor, declared, "l1"));
    if (evaluator.value(value).uses.some(({ op }) => this.#mixedJoins.has(op))) {
      for (const layout of [...layouts].filter((id) => !evaluator.facts(id).isSharded)) {
        layouts.add(evaluator.inOtherPages(tensor, layout) ?? layout);
      }
    }
    if (this.#roles.constantDerived[value] !== true) {
      // Pools and convolutions read rows, in shards of any height.
      for (const target of evaluator.catalog.mostShards(tensor, declared, true)) layouts.add(target);
      const extraShardings = this.#extraShardings.of(value);
      for (const layout of extraShardings) layouts.add(layout);
      if (extraShardings.length > 0) {
        for (const target of this.#rowMajorTargets(tensor, declared)) layouts.add(target);
      }
    }
    return [...layouts];
  }

  /** The most shards of a row-major value that its tiles can have as well, so that they change pages in place; else empty. */
  #rowMajorTargets(tensor: TensorShape, declared: LayoutId): readonly LayoutId[] {
    const { evaluator } = this;
    if (evaluator.layouts.get(declared).tile !== undefined) return [];
    const inTiles = evaluator.inOtherPages(tensor, evaluator.interleaved(tensor, declared, "dram"));
    if (inTiles === undefined) return [];
    return evaluator.catalog.mostShards(tensor, inTiles).flatMap((target) =>
      evaluator.inOtherPages(tensor, target) ?? []
    );
  }

  /**
   * Whether hinted ops read a value only as it is produced: a constant that one matmul or convolution reads and
   * nothing else. A copy would read the whole weight first, and pass 1 never copies weights.
   */
  #isWeight(value: ValueId): boolean {
    const { uses: [reader, ...more], returned } = this.evaluator.value(value);
    if (reader === undefined || more.length > 0 || returned > 0) return false;
    const { costClass } = this.evaluator.traits(reader.op);
    return this.#limits.planKind === "hinted" && this.#roles.constantDerived[value] === true &&
      (costClass === "matmul" || costClass === "conv2d");
  }

  /** The distinct layouts of {@linkcode producedLayouts}. */
  #producedLayouts(value: ValueId): Set<LayoutId> {
    return new Set(this.producedLayouts(value).filter((layout) => layout !== undefined));
  }

  #followViews(op: GraphOp): void {
    const { viewOf, inPlaceOperand } = this.evaluator.traits(op.id);
    const source = op.operands[viewOf ?? inPlaceOperand ?? -1];
    const [result] = op.results;
    if (source !== undefined && result !== undefined) this.#roots[result] = this.#roots[source] ?? source;
  }
}
