// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat } from "../../../layout/data_type.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameType, type TensorValue, type TtnnTensorType } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { isPlain, rowMajorType, toLayoutMicroseconds, unaryMicroseconds } from "../matching.ts";

/** Views that may run row-major. */
export const VIEWS_THROUGH_ROWS: readonly string[] = ["ttnn.reshape", "ttnn.slice_static"];

/** Row-major execution is chosen only below this share of the tiled time, because both are predictions. */
const WORTH_IT = 0.75;

/** Least saving of row-major execution in µs; smaller savings are lost in the gaps between programs. */
const LEAST_SAVED_US = 5;

/**
 * Upper bound in µs of a row-major replacement for ops that take `us`.
 *
 * @param morePrograms number of additional programs, each with a gap
 */
export function mostThroughRows(us: number, morePrograms: number = 1): number {
  return Math.min(WORTH_IT * us, us - LEAST_SAVED_US * Math.max(1, morePrograms));
}

/** Most ops of an examined tree. */
const MOST_VIEWS = 200;

/** The page layout of a tensor in DRAM. */
export type Form = "tiles" | "rows";

const OTHER: Readonly<Record<Form, Form>> = { tiles: "rows", rows: "tiles" };

/** A tiled tensor with its views. A view has one operand, so the views of a tensor form a tree. */
export interface ViewTree {
  readonly value: TensorValue;
  /** Row-major type of the tensor. */
  readonly rows: TtnnTensorType;
  /** The view that produces the tensor; `undefined` for the root. */
  readonly op: TtnnOp | undefined;
  readonly views: readonly ViewTree[];
  /** Whether a reader outside the tree reads it in this form. */
  readonly isRead: Readonly<Record<Form, boolean>>;
  /** Predicted µs of {@linkcode op} in each form; infinite if unknown. */
  readonly opUs: Readonly<Record<Form, number>>;
  /** Predicted µs of the conversion from each form into the other. */
  readonly changeUs: Readonly<Record<Form, number>>;
}

/** A choice of forms for a tree whose root is given in one form. */
export interface TreeForms {
  readonly tree: ViewTree;
  readonly given: Form;
  /** Whether the tensor is needed in the other form too. */
  readonly changes: boolean;
  /** Form of each view of the tensor, recursively. */
  readonly views: readonly FormedView[];
  /** Predicted µs of the subtree. */
  readonly us: number;
}

interface FormedView {
  readonly form: Form;
  readonly forms: TreeForms;
}

/** Whether an op is a reshape or slice between tiled DRAM interleaved tensors whose format rows can have. */
export function isView(op: TtnnOp): boolean {
  const [input, result] = [op.tensorOperand(0), op.tensorResult];
  return VIEWS_THROUGH_ROWS.includes(op.name) && input !== undefined && result !== undefined &&
    isPlain(input.type) && isPlain(result.type) && input.type.dataType === result.type.dataType &&
    !isBlockFloat(input.type.dataType);
}

/** Users of a tensor, in execution order. */
export function readersOf({ uses }: TensorValue): readonly TtnnOp[] {
  return [...uses.keys()].sort((a, b) => a.order - b.order);
}

/** The row-major type of a tensor. */
export function rowsTypeOf({ type }: TensorValue, context: PassContext): TtnnTensorType {
  return rowMajorType(type, context);
}

/** Whether an op only untilizes its operand to this type. */
export function becomesRows(user: TtnnOp, rows: TtnnTensorType): boolean {
  const made = user.name === "ttnn.to_layout" ? user.tensorResult : undefined;
  return made !== undefined && sameType(made.type, rows);
}

/** Reads the tree of a tensor; `undefined` if it has too many views. */
export function readViewTree(root: TensorValue, context: PassContext): ViewTree | undefined {
  let count = 0;
  const read = (value: TensorValue, op: TtnnOp | undefined): ViewTree | undefined => {
    const rows = rowsTypeOf(value, context);
    const views: ViewTree[] = [];
    const isRead = { tiles: false, rows: false };
    for (const user of readersOf(value)) {
      const made = isView(user) ? user.tensorResult : undefined;
      if (made !== undefined) {
        const view = ++count > MOST_VIEWS ? undefined : read(made, user);
        if (view === undefined) return undefined;
        views.push(view);
      } else if (becomesRows(user, rows)) isRead.rows = true;
      else if (user.name !== "func.return" || !context.ownsResults) isRead.tiles = true;
    }
    return { value, rows, op, views, isRead, ...timesOf(value, rows, op, context) };
  };
  return read(root, undefined);
}

function timesOf(
  value: TensorValue,
  rows: TtnnTensorType,
  op: TtnnOp | undefined,
  context: PassContext,
): Pick<ViewTree, "opUs" | "changeUs"> {
  const time = (from: TtnnTensorType, to: TtnnTensorType): number =>
    op === undefined ? 0 : unaryMicroseconds(op.name, from, to, context, op.attributeMap());
  const input = op?.tensorOperand(0);
  return {
    opUs: input === undefined
      ? { tiles: 0, rows: 0 }
      : { tiles: time(input.type, value.type), rows: time(rowsTypeOf(input, context), rows) },
    changeUs: {
      tiles: toLayoutMicroseconds(value.type, rows, context),
      rows: toLayoutMicroseconds(rows, value.type, context),
    },
  };
}

/** The tree as it is: every view tiled. */
export function formsAsTheyAre(tree: ViewTree, given: Form): TreeForms {
  const views = tree.views.map((view): FormedView => ({
    form: "tiles",
    forms: formsAsTheyAre(view, "tiles"),
  }));
  const needsTiles = given === "rows" && (tree.isRead.tiles || tree.views.length > 0);
  return formsOf(tree, given, needsTiles || given === "tiles" && tree.isRead.rows, views);
}

/** The forms with the least total time, computed from the leaves up. */
export function leastForms(root: ViewTree, form: Form): TreeForms {
  const known: Readonly<Record<Form, Map<ViewTree, TreeForms>>> = { tiles: new Map(), rows: new Map() };
  const least = (tree: ViewTree, given: Form): TreeForms => {
    const before = known[given].get(tree);
    if (before !== undefined) return before;
    const other = OTHER[given];
    const inForm = (form: Form): readonly FormedView[] =>
      tree.views.map((view) => ({ form, forms: least(view, form) }));
    const [stay, change] = [inForm(given), inForm(other)];
    const quicker = stay.map((view, index) => {
      const changed = change[index];
      return changed !== undefined && timeOf(changed) < timeOf(view) ? changed : view;
    });
    const changes = formsOf(tree, given, true, quicker);
    const stays = formsOf(tree, given, false, stay);
    const found = tree.isRead[other] || changes.us < stays.us ? changes : stays;
    known[given].set(tree, found);
    return found;
  };
  return least(root, form);
}

function timeOf({ form, forms }: FormedView): number {
  return forms.tree.opUs[form] + forms.us;
}

function formsOf(tree: ViewTree, given: Form, changes: boolean, views: readonly FormedView[]): TreeForms {
  const us = views.reduce((sum, view) => sum + timeOf(view), changes ? tree.changeUs[given] : 0);
  return { tree, given, changes, views, us };
}

/** Number of programs of one choice of forms, and their predicted µs. */
export interface TreeWork {
  readonly us: number;
  readonly programs: number;
}

/** Work of one choice of forms that another choice of the same tree does not have. */
export function workBeside(one: TreeForms, other: TreeForms): TreeWork {
  const equivalent = one.given === other.given && one.changes === other.changes;
  const own = one.views.flatMap(({ form, forms }, index) => {
    const beside = other.views[index];
    if (beside === undefined) throw new RangeError("forms of another tree");
    return [
      workOf(form === beside.form ? 0 : forms.tree.opUs[form]),
      workBeside(forms, beside.forms),
    ];
  });
  return [workOf(one.changes && !equivalent ? one.tree.changeUs[one.given] : 0), ...own].reduce((
    sum,
    { us, programs },
  ) => ({
    us: sum.us + us,
    programs: sum.programs + programs,
  }));
}

/** A view without data movement is no program. */
function workOf(us: number): TreeWork {
  return { us, programs: us > 0 ? 1 : 0 };
}
