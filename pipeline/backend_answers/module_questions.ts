// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_L1_CAP, usableL1Bytes } from "../../lib/device/chip_description.ts";
import { ttnnLayoutText } from "../../lib/dialect/ttnn_layout_text.ts";
import { isDecided } from "../../lib/graph/function_role.ts";
import { type GraphFunction, type GraphOp, valueAt, type ValueId } from "../../lib/graph/graph.ts";
import { attributeText } from "../../lib/ir/mod.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { Workbench } from "../load.ts";
import type { ConstraintsRequest, WireValue } from "../op_model_pipe/request.ts";

/** Families that run nothing or that one mock device cannot be asked: bookkeeping, creation, collectives. */
const NOT_ASKED: ReadonlySet<string> = new Set(["fixed", "opaque", "creation", "empty", "rand"]);

/** Every distinct question about an op of a module as written: operands and result as the text has them. */
export function moduleQuestions(
  { binding, chip }: Pick<Workbench, "binding" | "chip">,
): readonly ConstraintsRequest[] {
  const questions = binding.graph.functions.filter(isDecided).flatMap((fn) =>
    fn.ops.map((op) => questionAbout(fn, op, chip)).filter((question) => question !== undefined)
  );
  return [...new Map(questions.map((question) => [JSON.stringify(question), question])).values()];
}

function questionAbout(
  fn: GraphFunction,
  op: GraphOp,
  chip: Workbench["chip"],
): ConstraintsRequest | undefined {
  const { family } = definitionOf(op.name);
  if (NOT_ASKED.has(family)) return undefined;
  const wire = (id: ValueId): WireValue | undefined => {
    const { tensor, layout } = valueAt(fn, id);
    if (tensor === undefined) return { type: "!ttnn.device" };
    if (layout === undefined) return undefined;
    const { workerGrid } = chip;
    const text = ttnnLayoutText(layout, tensor.shape, { generation: "G4", dialect: "ttcore", workerGrid });
    return { shape: tensor.shape, elementType: layout.dataType, layout: { text } };
  };
  const operands = op.operands.map(wire).filter((value) => value !== undefined);
  const results = op.results.map(wire).filter((value) => value !== undefined);
  if (operands.length !== op.operands.length || results.length !== op.results.length) return undefined;
  const [first] = results;
  return {
    kind: "constraints",
    op: op.name,
    attrs: Object.fromEntries(
      [...op.attributes].map(([name, attribute]) => [name, attributeText(attribute)]),
    ),
    operands,
    results,
    outputLayout: first !== undefined && "shape" in first ? first.layout : null,
    // All of the config stands in the attributes.
    opConfig: { kind: "none" },
    additionalL1: 0,
    usableL1: usableL1Bytes(chip, DEFAULT_L1_CAP, 0),
    liveRecords: null,
  };
}
