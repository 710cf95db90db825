// SPDX-License-Identifier: Apache-2.0
import { sameType, type TensorValue } from "../../ttnn/value.ts";
import type { RewritePattern } from "../rewrite_pattern.ts";
import { madeBy } from "./matching.ts";
import {
  formsAsTheyAre,
  isView,
  leastForms,
  mostThroughRows,
  readersOf,
  readViewTree,
  rowsTypeOf,
  type TreeForms,
  VIEWS_THROUGH_ROWS,
  workBeside,
} from "./view_tree.ts";
import { PassBuilder } from "../pass_builder.ts";

/**
 * Largest share of the time in tiles that the way through rows may take where rows have to be made of tiles first: a
 * policy may have these tiles in L1, where views of them take less time than is predicted here.
 */
const WORTH_IT_FROM_TILES = 2 / 3;

/**
 * Views of views go through rows together where that takes less time, though none of them alone would: parts of heads that
 * lie side by side are cut out of rows and flattened as rows, and only then become tiles.
 */
export const viewTreesThroughRows: RewritePattern = {
  name: "view-trees-through-rows",
  option: undefined,
  upstream: "none",
  roots: VIEWS_THROUGH_ROWS,
  rewrite: (op, body, context) => {
    const root = op.tensorOperand(0);
    // A tree is looked at once, at the first view of its root.
    if (root === undefined || readersOf(root).find(isView) !== op || isMadeByView(root)) return false;
    const source = madeBy(root, "to_layout")?.tensorOperand(0);
    const rows = source !== undefined && sameType(source.type, rowsTypeOf(root, context))
      ? source
      : undefined;
    const tree = readViewTree(root, context);
    if (tree === undefined) return false;
    const given = rows === undefined ? "tiles" : "rows";
    const [before, after] = [formsAsTheyAre(tree, given), leastForms(tree, given)];
    // Without a price there is no minimum.
    if (before.us === Infinity) return false;
    const [saved, spent] = [workBeside(before, after), workBeside(after, before)];
    const most = mostThroughRows(saved.us, spent.programs - saved.programs);
    if (spent.us >= (rows === undefined ? Math.min(most, WORTH_IT_FROM_TILES * saved.us) : most)) {
      return false;
    }
    writeForms(after, rows, new PassBuilder(body, op, context));
    return true;
  },
};

function isMadeByView({ definition }: TensorValue): boolean {
  return definition.kind === "result" && isView(definition.op);
}

/** Writes the views of a tensor that run in rows, and those that follow from them. */
function writeForms({ tree, views }: TreeForms, given: TensorValue | undefined, site: PassBuilder): void {
  let rows = given;
  for (const { form, forms } of views) {
    const { op, rows: type } = forms.tree;
    if (op === undefined) throw new RangeError("a view without an op");
    const here = new PassBuilder(site.body, op, site.context);
    if (form === "tiles") {
      writeForms(forms, undefined, here);
      continue;
    }
    rows ??= here.op("ttnn.to_layout", [tree.value], tree.rows);
    const made = here.op(op.name, [rows], type, op.properties);
    writeForms(forms, made, here);
    finish(forms, made, here);
    site.body.erase(op);
  }
}

/** Hands a tensor in rows to what reads it and is no view in rows: as rows where nothing needs tiles. */
function finish(
  { tree: { value }, changes }: TreeForms,
  rows: TensorValue,
  site: PassBuilder,
): void {
  const { body, context } = site;
  const { terminator } = body;
  if (!changes && context.ownsSignature) {
    terminator.operands.forEach((operand, index) => {
      if (operand === value) body.setOperand(terminator, index, rows);
    });
  }
  if (value.uses.size > 0) {
    body.replaceAllUses(value, site.op("ttnn.to_layout", [rows], value.type));
  }
}
