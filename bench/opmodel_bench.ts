// SPDX-License-Identifier: Apache-2.0

/** Queries per second of the op model: questions never asked before, and questions asked again. */

import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { type LayoutId, LayoutTable } from "../lib/layout/layout_table.ts";
import { createOpModel } from "../lib/opmodel/create_op_model.ts";
import type { OpModel } from "../lib/opmodel/op_model.ts";
import type { OpSignature } from "../lib/ops/op_signature.ts";
import { OVER_COLUMNS } from "../testing/graph_builder.ts";
import { layoutOf, signatureOf, tensorOf } from "../testing/op_queries.ts";

const chip = chipDescription(getDevice("n150"));
const TENSOR = tensorOf([2048, 2048]);
const NAMES = ["relu", "add", "multiply", "softmax", "matmul", "sum", "reshape", "typecast"] as const;

/** One question: an op, its operand layouts, a hint. */
interface OpModelQuestion {
  readonly op: OpSignature;
  readonly inputs: readonly LayoutId[];
  readonly hint: LayoutId;
}

/** Every op with every layout of its operands, and every hint. */
function questionsOf(layouts: readonly LayoutId[]): readonly OpModelQuestion[] {
  return NAMES.flatMap((name) => {
    const count = ["add", "multiply", "matmul"].includes(name) ? 2 : 1;
    const { attributes } = name === "softmax" ? OVER_COLUMNS : { attributes: {} };
    const op = signatureOf(`ttnn.${name}`, new Array(count).fill(TENSOR), [TENSOR], attributes);
    return layouts.flatMap((layout) =>
      layouts.map((hint) => ({ op, inputs: new Array<LayoutId>(count).fill(layout), hint }))
    );
  });
}

function askAll(model: OpModel, questions: readonly OpModelQuestion[]): number {
  let valid = 0;
  for (const { op, inputs, hint } of questions) {
    if (model.queryOpConstraints(op, inputs, hint, undefined).status === "valid") valid++;
  }
  return valid;
}

const table = new LayoutTable();
const warm = createOpModel({ chip, layouts: table });
const shards = Array.from({ length: 64 }, (_, index) => [`hs ${index + 1}x1`, `ws 1x${index + 1}`]).flat();
const questions = questionsOf(["dram", "l1", ...shards].map((text) => layoutOf(warm, TENSOR, text)));
askAll(warm, questions);

Deno.bench(`${questions.length} questions, never asked before`, () => {
  askAll(createOpModel({ chip, layouts: table }), questions);
});

Deno.bench(`${questions.length} questions, asked again`, () => {
  askAll(warm, questions);
});
