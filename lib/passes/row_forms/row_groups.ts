// SPDX-License-Identifier: Apache-2.0
import { matrixCount, volume } from "../../layout/extents.ts";
import type { TtnnOp } from "../../ttnn/op.ts";
import { DisjointSets } from "../../ttnn/disjoint_sets.ts";
import { isTensorValue, type TensorValue } from "../../ttnn/value.ts";
import type { TtnnFunction } from "../../ttnn/function.ts";
import { isPlain } from "../patterns/matching.ts";
import { regrouping, type RowOp, rowOp } from "./row_op.ts";

/** The grouping of rows; tensors of one form are views of each other. `"4x77"`: 4 batches of 77 rows. */
export type RowForm = string;

/** In place of the form of a tensor that is tilized from rows, or untilized: rows have any grouping. */
export const IN_ROWS: RowForm = "rows";

export function formOf(shape: readonly number[]): RowForm {
  const rows = shape.at(-2) ?? 1;
  return `${matrixCount(shape)}x${rows}`;
}

/** Tile rows of a tensor of a form, per 32 columns. */
export function formTileRows(form: RowForm): number {
  const [batches = 1, rows = 1] = form.split("x").map(Number);
  return batches * Math.ceil(rows / 32);
}

/** A tensor of rows, with all readers of it or of its regroupings. */
export interface RowValue {
  readonly value: TensorValue;
  /** The row-wise op that produces it; `undefined` if it is produced in one fixed form. */
  readonly producer: RowOp | undefined;
  /** Row-wise ops that read it as rows. */
  readonly readers: ReadonlySet<RowOp>;
  /** Forms in which other ops read it. */
  readonly wanted: ReadonlySet<RowForm>;
  /** Slices among these other ops. */
  readonly slices: readonly TtnnOp[];
  /** Views among these other ops, as rows of another width. */
  readonly views: readonly TtnnOp[];
  /** Forms read only by the function's caller, who accepts row-major as well as tiled. */
  readonly returned: ReadonlySet<RowForm>;
}

/** Row-wise ops over the same rows, with their values. */
export interface RowGroup {
  readonly ops: readonly RowOp[];
  readonly values: readonly RowValue[];
  /** Every form that occurs, and all rows as one list, with leading extents of that form. */
  readonly forms: ReadonlyMap<RowForm, readonly number[]>;
  /** The list, if it does not occur. */
  readonly newForm: RowForm | undefined;
}

/**
 * The groups of a function whose rows have more than one form.
 *
 * @param returnsRows whether the function may return row-major tensors instead of tiled ones
 */
export function rowGroups(body: TtnnFunction, returnsRows: boolean): readonly RowGroup[] {
  const ops = new Map<TtnnOp, RowOp>();
  for (const op of body.ops()) {
    const found = rowOp(op);
    if (found !== undefined) ops.set(op, found);
  }
  const builder = new GroupBuilder(ops, returnsRows);
  for (const found of ops.values()) builder.add(found);
  return builder.groups().filter(({ forms }) => forms.size > 1);
}

class GroupBuilder {
  readonly #ops: ReadonlyMap<TtnnOp, RowOp>;
  readonly #returnsRows: boolean;
  readonly #values: Map<TensorValue, RowValue> = new Map();
  readonly #sets: DisjointSets<TensorValue> = new DisjointSets();

  constructor(ops: ReadonlyMap<TtnnOp, RowOp>, returnsRows: boolean) {
    this.#ops = ops;
    this.#returnsRows = returnsRows;
  }

  /** Merges the groups of an op's row operands and its result. */
  add({ op, result, rows }: RowOp): void {
    const own = this.#enter(result);
    for (const index of rows) {
      const operand = op.tensorOperand(index);
      if (operand !== undefined) this.#sets.join(own, this.#enter(rootOf(operand)));
    }
  }

  groups(): readonly RowGroup[] {
    const members = Map.groupBy(this.#values.values(), ({ value }) => this.#sets.rootOf(value));
    return [...members.values()].map((values) => {
      const forms = new Map<RowForm, readonly number[]>();
      for (const { value } of values) {
        for (const { type: { shape } } of regroupings(value)) {
          const form = formOf(shape);
          if (!forms.has(form)) forms.set(form, shape.slice(0, -1));
        }
      }
      const rows = volume(values[0]?.value.type.shape.slice(0, -1) ?? []);
      const list = formOf([rows, 1]);
      const newForm = forms.has(list) ? undefined : list;
      if (newForm !== undefined) forms.set(list, [rows]);
      return { ops: values.flatMap(({ producer }) => producer ?? []), values, forms, newForm };
    });
  }

  #enter(value: TensorValue): TensorValue {
    if (this.#values.has(value)) return value;
    const readers = new Set<RowOp>();
    const [wanted, returned] = [new Set<RowForm>(), new Set<RowForm>()];
    const [slices, views]: [TtnnOp[], TtnnOp[]] = [[], []];
    for (const form of regroupings(value)) {
      for (const user of form.uses.keys()) {
        const reader = this.#ops.get(user);
        const places = user.operands.flatMap((operand, index) => operand === form ? [index] : []);
        if (reader !== undefined && places.every((index) => reader.rows.has(index))) readers.add(reader);
        else if (!isRegrouped(user, form)) {
          const isReturned = this.#returnsRows && user.name === "func.return";
          (isReturned ? returned : wanted).add(isUntilizing(user) ? IN_ROWS : formOf(form.type.shape));
          if (user.name === "ttnn.slice_static") slices.push(user);
          if (user.name === "ttnn.reshape") views.push(user);
        }
      }
    }
    const { producer } = value;
    this.#values.set(value, {
      value,
      producer: producer === undefined ? undefined : this.#ops.get(producer),
      readers,
      wanted,
      slices,
      views,
      returned: returned.difference(wanted),
    });
    return value;
  }
}

/** The tensor of which a value is a regrouping. */
function rootOf(value: TensorValue): TensorValue {
  let root = value;
  for (;;) {
    const source = regrouping(root)?.tensorOperand(0);
    if (source === undefined) return root;
    root = source;
  }
}

/** A tensor and all its regroupings. */
function* regroupings(value: TensorValue): Generator<TensorValue> {
  const open = [value];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    yield at;
    const regrouped: TensorValue[] = [];
    for (const user of at.uses.keys()) {
      const result = user.tensorResult;
      if (result !== undefined && isRegrouped(user, at)) regrouped.push(result);
    }
    open.push(...regrouped.reverse());
  }
}

function isUntilizing({ name, operands: [input], results: [made] }: TtnnOp): boolean {
  return name === "ttnn.to_layout" && input?.type.kind === "tensor" && made?.type.kind === "tensor" &&
    made.type.layout.tile === undefined && made.type.dataType === input.type.dataType;
}

function isRegrouped(user: TtnnOp, value: TensorValue): boolean {
  const [result] = user.results;
  return result !== undefined && isTensorValue(result) && isPlain(result.type) &&
    regrouping(result)?.operands[0] === value;
}
