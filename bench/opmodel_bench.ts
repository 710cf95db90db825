// SPDX-License-Identifier: Apache-2.0

/** Queries per second of the op model: questions never asked before, and questions asked again. */

import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { type LayoutId, LayoutTable } from "../lib/layout/layout_table.ts";
import { makeLayout } from "../lib/layout/make_layout.ts";
import { createOpModel } from "../lib/opmodel/create_op_model.ts";
import type { OpModel } from "../lib/opmodel/op_model.ts";
import type { OpSignature } from "../lib/ops/op_signature.ts";

const chip = chipDescription(getDevice("n150"));
const SHAPE = [2048, 2048] as const;
const NAMES = ["relu", "add", "multiply", "softmax", "matmul", "sum", "reshape", "typecast"] as const;

/** One question: an op, its operand layouts, a hint. */
interface OpModelQuestion {
  readonly op: OpSignature;
  readonly inputs: readonly LayoutId[];
  readonly hint: LayoutId;
}

function layoutsOf(table: LayoutTable): readonly LayoutId[] {
  const base = { shape: SHAPE, dataType: "bf16" } as const;
  const grid = chip.workerGrid;
  const sharded = Array.from({ length: 64 }, (_, index) => index + 1).flatMap((cores) => [
    makeLayout({ ...base, bufferType: "l1", memoryLayout: "height_sharded", grid: [cores, 1] }, grid),
    makeLayout({ ...base, bufferType: "l1", memoryLayout: "width_sharded", grid: [1, cores] }, grid),
  ]);
  return [
    makeLayout({ ...base, bufferType: "dram", memoryLayout: "interleaved" }, grid),
    makeLayout({ ...base, bufferType: "l1", memoryLayout: "interleaved" }, grid),
    ...sharded,
  ].map((layout) => table.intern(layout));
}

function questionsOf(layouts: readonly LayoutId[]): readonly OpModelQuestion[] {
  const tensor = { shape: SHAPE, dataType: "bf16" } as const;
  const questions: OpModelQuestion[] = [];
  for (const name of NAMES) {
    const count = ["add", "multiply", "matmul"].includes(name) ? 2 : 1;
    const op: OpSignature = {
      name: `ttnn.${name}`,
      attributes: new Map(
        name === "softmax" ? [["dimension", { kind: "integer", value: -1n, type: "si32" }]] : [],
      ),
      operands: new Array(count).fill(tensor),
      operandSegmentSizes: undefined,
      results: [tensor],
    };
    for (const first of layouts) {
      for (const hint of layouts) {
        questions.push({ op, inputs: new Array<LayoutId>(count).fill(first), hint });
      }
    }
  }
  return questions;
}

function askAll(model: OpModel, questions: readonly OpModelQuestion[]): number {
  let valid = 0;
  for (const { op, inputs, hint } of questions) {
    if (model.queryOpConstraints(op, inputs, hint, undefined).status === "valid") valid++;
  }
  return valid;
}

const table = new LayoutTable();
const questions = questionsOf(layoutsOf(table));
const warm = createOpModel({ chip, layouts: table });
askAll(warm, questions);

Deno.bench(`${questions.length} questions, never asked before`, () => {
  askAll(createOpModel({ chip, layouts: table }), questions);
});

Deno.bench(`${questions.length} questions, asked again`, () => {
  askAll(warm, questions);
});
