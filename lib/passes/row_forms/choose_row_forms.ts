// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat } from "../../layout/data_type.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import { sameType, type TensorValue, type TtnnTensorType } from "../../ttnn/value.ts";
import type { TtnnFunction } from "../../ttnn/function.ts";
import { type GraphPass, isForward, type PassContext, recordAt } from "../graph_pass.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import {
  isFasterBeyondError,
  isPlain,
  madeBy,
  predictedMicroseconds,
  reshapeMicroseconds,
  rowMajorType,
  throughRowsMicroseconds,
  toLayoutMicroseconds,
  unaryMicroseconds,
} from "../patterns/matching.ts";
import { CutNetwork } from "./minimum_cut.ts";
import {
  formOf,
  formTileRows,
  IN_ROWS,
  type RowForm,
  type RowGroup,
  rowGroups,
  type RowValue,
} from "./row_groups.ts";
import { regroup, regroupedQuestion, type RowOp } from "./row_op.ts";
import { PassBuilder } from "../rewrite_pattern.ts";

/** Costs are integers, in ns. */
const NS_PER_US = 1000;

/** Cost in ns of a forbidden cut. */
const FORBIDDEN = 2 ** 50;

/**
 * Chooses the row grouping of row-wise ops with the least total time. 4x77 rows do not fill tiles; as 308
 * rows they take fewer tiles, but every change between the two moves all elements. The choice is a minimum
 * cut between the ops' times in each form and the reshapes between them.
 */
export const chooseRowForms: GraphPass = {
  name: "choose-row-forms",
  option: "enable-erase-inverse-ops-pass",
  upstream: "none",
  run: (context) => {
    for (const body of context.functions.filter(isForward)) {
      for (const group of rowGroups(body, context.ownsResults)) new FormChoice(group, body, context).run();
    }
  },
};

class FormChoice {
  readonly #group: RowGroup;
  readonly #body: TtnnFunction;
  readonly #context: PassContext;
  /** Form of every op whose form is free. */
  readonly #chosen: Map<RowOp, RowForm> = new Map();
  readonly #times: Map<RowOp, number> = new Map();

  constructor(group: RowGroup, body: TtnnFunction, context: PassContext) {
    this.#group = group;
    this.#body = body;
    this.#context = context;
  }

  run(): void {
    const forms = [...this.#group.forms.keys()];
    const moves = this.#group.values.some((value) =>
      forms.some((form) => this.#move(value, formOf(value.value.type.shape), form) > 0)
    );
    if (!moves) return;
    for (const rowOp of this.#group.ops) {
      const time = predictedMicroseconds(rowOp.op, this.#context);
      if (time === undefined) continue;
      this.#times.set(rowOp, time);
      this.#chosen.set(rowOp, formOf(rowOp.result.type.shape));
    }
    forms.forEach((a, index) => forms.slice(index + 1).forEach((b) => this.#chooseBetween(a, b)));
    for (const [rowOp, form] of this.#chosen) this.#apply(rowOp, form);
  }

  /**
   * An α-β swap: every op that is in form `a` or `b` chooses again between these two, all at once, by the minimum cut
   * (source side: `a`). Kept if it saves at least the error of predictions.
   */
  #chooseBetween(a: RowForm, b: RowForm): void {
    const network = new CutNetwork();
    const nodes = new Map<RowOp, number>();
    for (const [rowOp, form] of this.#chosen) {
      if (form !== a && form !== b) continue;
      const node = network.addNode();
      nodes.set(rowOp, node);
      network.addCost(node, network.sink, nanoseconds(this.#timeIn(rowOp, a)));
      network.addCost(network.source, node, nanoseconds(this.#timeIn(rowOp, b)));
    }
    for (const value of this.#group.values) {
      const moves: Moves = { value, nodes, network };
      this.#addMoves(moves, a, b, "source");
      this.#addMoves(moves, b, a, "sink");
    }
    const before = this.#cost(nodes.keys());
    const { sourceSide } = network.cut();
    const kept = new Map(this.#chosen);
    for (const [rowOp, node] of nodes) this.#chosen.set(rowOp, sourceSide.has(node) ? a : b);
    if (isFasterBeyondError(this.#cost(nodes.keys()), before)) return;
    for (const [rowOp, form] of kept) this.#chosen.set(rowOp, form);
  }

  /**
   * Adds the reshapes of a value for one side of the cut: from a producer in `own` to the forms in which it is read
   * (readers in `other` share one), or from a producer with another, fixed form to readers in `own`.
   *
   * @param side the side of the cut that means `own`
   */
  #addMoves({ value, nodes, network }: Moves, own: RowForm, other: RowForm, side: "source" | "sink"): void {
    const far = side === "source" ? network.sink : network.source;
    // From the sink's side, every edge is reversed.
    const addCost = (from: number, to: number, cost: number): void =>
      side === "source" ? network.addCost(from, to, cost) : network.addCost(to, from, cost);
    const producer = value.producer === undefined ? undefined : nodes.get(value.producer);
    const fixed = this.#fixedForms(value, nodes);
    const readers = [...value.readers].flatMap((reader) => nodes.get(reader) ?? []);
    if (producer !== undefined) {
      for (const form of fixed) addCost(producer, far, nanoseconds(this.#move(value, own, form)));
      // Readers in the other form share one copy.
      if (fixed.has(other) || readers.length === 0) return;
      const copy = network.addNode();
      addCost(producer, copy, nanoseconds(this.#move(value, own, other)));
      for (const reader of readers) addCost(copy, reader, FORBIDDEN);
      return;
    }
    const made = this.#formNow(value);
    if (made === own || fixed.has(own) || readers.length === 0) return;
    const copy = network.addNode();
    for (const reader of readers) addCost(reader, copy, FORBIDDEN);
    addCost(copy, far, nanoseconds(this.#move(value, made, own)));
  }

  /** Forms in which a value is read regardless of the choice. */
  #fixedForms(value: RowValue, nodes: ReadonlyMap<RowOp, number>): ReadonlySet<RowForm> {
    const fixed = value.wanted.union(value.returned);
    for (const reader of value.readers) if (!nodes.has(reader)) fixed.add(this.#formOfOp(reader));
    return fixed;
  }

  /** µs of the group's ops and values under the current choice; only differences are meaningful. */
  #cost(ops: Iterable<RowOp>): number {
    let cost = 0;
    for (const rowOp of ops) cost += this.#timeIn(rowOp, this.#formOfOp(rowOp));
    for (const value of this.#group.values) {
      const made = this.#formNow(value);
      const read = new Set([
        ...value.wanted,
        ...value.returned,
        ...[...value.readers].map((reader) => this.#formOfOp(reader)),
      ]);
      for (const form of read) cost += this.#move(value, made, form);
    }
    return cost;
  }

  #formNow({ value, producer }: RowValue): RowForm {
    if (producer !== undefined) return this.#formOfOp(producer);
    return this.#isTilized(value) ? IN_ROWS : formOf(value.type.shape);
  }

  #isTilized(value: TensorValue): boolean {
    const rows = madeBy(value, "to_layout")?.tensorOperand(0);
    return rows !== undefined && !isBlockFloat(value.type.dataType) &&
      sameType(rows.type, rowMajorType(value.type, this.#context));
  }

  #formOfOp(rowOp: RowOp): RowForm {
    return this.#chosen.get(rowOp) ?? formOf(rowOp.result.type.shape);
  }

  /**
   * µs of an op in a form. In another form than now it scales with the tile rows, because a policy finds a config for either
   * form. Ops that move rows (joins and slices) have no configs, so the cost model prices them. In a form that no tensor has
   * yet, a matmul only saves what reading and writing the padding takes: without a policy's config its price can multiply
   * for a few more tiles, so neither the proportion nor the price is a reason for a new form.
   */
  #timeIn(rowOp: RowOp, form: RowForm): number {
    const made = formOf(rowOp.result.type.shape);
    const time = this.#times.get(rowOp) ?? 0;
    const leading = this.#group.forms.get(form);
    if (form === made) return time;
    if (leading === undefined) return Infinity;
    const question = regroupedQuestion(rowOp, leading, this.#context);
    if (!this.#context.isLegal(question)) return Infinity;
    if (rowOp.kind === "move") return this.#context.microseconds(question) ?? Infinity;
    return rowOp.kind === "product" && form === this.#group.newForm
      ? Math.max(0, time - this.#paddingTime(rowOp, form))
      : time * formTileRows(form) / formTileRows(made);
  }

  /** µs that an op takes longer for the padding of its rows and results than in a form: half of what an op that reads and writes them does. */
  #paddingTime({ op, result, rows }: RowOp, form: RowForm): number {
    const { chip } = this.#context;
    return [...rows].flatMap((index) => op.tensorOperand(index) ?? []).concat(result)
      .reduce((sum, { type }) => {
        const other = this.#typeIn(type, form) ?? type;
        const [now = 0, then = 0] = [type, other].map(({ shape, dataType }) => {
          const tiles = tensorType(chip, shape, dataType);
          return unaryMicroseconds("ttnn.relu", tiles, tiles, this.#context);
        });
        // A price that is not known is infinite, and no reason for another form.
        return Number.isFinite(now) && now > then ? sum + (now - then) / 2 : sum;
      }, 0);
  }

  /**
   * Predicted µs of changing a value from one form to another. If a reshape from rows of another width produces the value,
   * it can produce the other form directly; if only such reshapes read the other form, they can read the first one: a
   * reshape of a reshape folds into one. From and to {@linkcode IN_ROWS}: the conversion in the other form, or regrouping
   * the tiles that others read.
   */
  #move(row: RowValue, from: RowForm, to: RowForm): number {
    if (from === to) return 0;
    const { value, producer, views, wanted } = row;
    if (from === IN_ROWS || to === IN_ROWS) {
      const tiles = this.#typeIn(value.type, from === IN_ROWS ? to : from);
      if (tiles === undefined || isBlockFloat(tiles.dataType)) return Infinity;
      const rows = rowMajorType(tiles, this.#context);
      if (to === IN_ROWS) return toLayoutMicroseconds(tiles, rows, this.#context);
      const beside = wanted.difference(new Set([IN_ROWS]));
      const tilizing = toLayoutMicroseconds(rows, tiles, this.#context);
      return Math.min(tilizing, ...[...beside].map((form) => this.#move(row, form, to)));
    }
    const [a, b] = [from, to].map((form) => this.#typeIn(value.type, form));
    if (a === undefined || b === undefined) return Infinity;
    const alone = this.#regrouping(row, a, b, to);
    const source = producer === undefined ? madeBy(value, "reshape")?.tensorOperand(0) : undefined;
    if (source !== undefined && isPlain(source.type)) return Math.min(alone, this.#reshape(source.type, b));
    const reading = views.filter(({ operands: [read] }) =>
      read?.type.kind === "tensor" && formOf(read.type.shape) === to
    );
    const isReadByViews = reading.length > 0 &&
      ![...row.readers].some((reader) => this.#formOfOp(reader) === to);
    return isReadByViews ? Math.min(alone, this.#viewsFrom(reading, a, b)) : alone;
  }

  /** µs that views take longer if they read a tensor in another form. */
  #viewsFrom(views: readonly TtnnOp[], form: TtnnTensorType, own: TtnnTensorType): number {
    const more = views.reduce(
      (sum, { tensorResult }) =>
        tensorResult === undefined
          ? Infinity
          : sum + this.#reshape(form, tensorResult.type) - this.#reshape(own, tensorResult.type),
      0,
    );
    return Number.isNaN(more) ? Infinity : Math.max(0, more);
  }

  /** µs of a reshape in tiles or through rows. */
  #reshape(from: TtnnTensorType, to: TtnnTensorType): number {
    return Math.min(
      reshapeMicroseconds(from, to, this.#context),
      throughRowsMicroseconds(from, to, this.#context),
    );
  }

  /** µs of a separate reshape, in tiles or through row-major; the latter saves time in slices that can read row-major. */
  #regrouping(
    { readers, returned, slices }: RowValue,
    from: TtnnTensorType,
    to: TtnnTensorType,
    form: RowForm,
  ): number {
    const stays = returned.has(form) && readers.size === 0;
    const inRows = throughRowsMicroseconds(from, to, this.#context, stays);
    const spared = slices.filter(({ operands: [cut] }) =>
      cut?.type.kind === "tensor" && formOf(cut.type.shape) === form
    ).reduce((sum, slice) => sum + this.#sparedByRows(slice, to), 0);
    return Math.min(reshapeMicroseconds(from, to, this.#context), Math.max(0, inRows - spared));
  }

  /** µs that a slice saves if its operand is row-major already; 0 if unknown. */
  #sparedByRows(slice: TtnnOp, cut: TtnnTensorType): number {
    if (isBlockFloat(cut.dataType)) return 0;
    const result = slice.tensorResult;
    const inTiles = predictedMicroseconds(slice, this.#context);
    if (result === undefined || inTiles === undefined) return 0;
    const [rows, made] = [rowMajorType(cut, this.#context), rowMajorType(result.type, this.#context)];
    const inRows = unaryMicroseconds(slice.name, rows, made, this.#context, slice.attributeMap());
    return Math.max(0, Math.min(inTiles - inRows, toLayoutMicroseconds(cut, rows, this.#context)));
  }

  #typeIn(type: TtnnTensorType, form: RowForm): TtnnTensorType | undefined {
    if (formOf(type.shape) === form) return type;
    const leading = this.#group.forms.get(form);
    return leading === undefined
      ? undefined
      : tensorType(this.#context.chip, [...leading, type.shape.at(-1) ?? 1], type.dataType);
  }

  #apply(rowOp: RowOp, form: RowForm): void {
    const { op, result } = rowOp;
    const leading = this.#group.forms.get(form);
    if (leading === undefined || formOf(result.type.shape) === form) return;
    recordAt(this.#context, chooseRowForms.name, this.#body, op);
    regroup(rowOp, leading, new PassBuilder(this.#body, op, this.#context));
  }
}

/** A value while the network is built. */
interface Moves {
  readonly value: RowValue;
  readonly nodes: ReadonlyMap<RowOp, number>;
  readonly network: CutNetwork;
}

function nanoseconds(us: number): number {
  return Math.min(FORBIDDEN, Math.round(us * NS_PER_US));
}
