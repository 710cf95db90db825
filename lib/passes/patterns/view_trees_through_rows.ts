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
 * Largest share of the tiled time for row-major execution that has to untilize first: a policy may keep these
 * tiles in L1, where views take less time than predicted here.
 */
const WORTH_IT_FROM_TILES = 2 / 3;

/**
 * Runs a tree of views row-major if that is faster, even if no single view would be: adjacent parts of heads
 * are sliced and flattened row-major and only then tilized.
 */
export const viewTreesThroughRows: RewritePattern = {
  name: "view-trees-through-rows",
  upstream: "none",
  roots: VIEWS_THROUGH_ROWS,
  rewrite: (op, body, context) => {
    const root = op.tensorOperand(0);
    // A tree is examined once, at the first view of its root.
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

/** Writes the row-major views of a tensor, recursively. */
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

/**
 * Passes a row-major tensor to its readers outside the row-major views: row-major if none of them needs
 * tiles.
 */
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
