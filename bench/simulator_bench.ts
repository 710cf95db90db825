// SPDX-License-Identifier: Apache-2.0

/** Prices of single ops: 20,000 distinct questions, and a million questions that were asked before. */

import { type LayoutId, LayoutTable } from "../lib/layout/layout_table.ts";
import type { OpSignature, TensorShape } from "../lib/ops/op_signature.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createCostModel } from "../sim/cost/runtime.ts";
import { DRAM, type OpQuestion } from "../sim/audit/op_question.ts";
import { launcherOf } from "../sim/testing/models.ts";
import { elementwise, EVEN_OPS, type Question } from "../sim/testing/op_questions.ts";
import { layoutOf, type LayoutText, signatureOf, tensorOf } from "../testing/op_queries.ts";

interface SimulatorQuestion {
  readonly op: OpSignature;
  readonly inputs: readonly LayoutId[];
  readonly outputs: readonly LayoutId[];
}

const DISTINCT = 20_000;
const CACHED = 1_000_000;

const device = getDevice("n150");
const chip = chipDescription(device);
const layouts = new LayoutTable();

function newCostModel() {
  return createCostModel({ device, layouts, opModel: launcherOf(device, layouts) });
}

function ask(cost: ReturnType<typeof newCostModel>, list: readonly SimulatorQuestion[], times: number): void {
  for (let index = 0; index < times; index++) {
    const question = list[index % list.length];
    if (question !== undefined) {
      cost.getOpRuntime(question.op, question.inputs, question.outputs, undefined);
    }
  }
}

const OPS: readonly Question[] = [...Object.values(EVEN_OPS), elementwise("ttnn.to_memory_config", 1)];

/** Layouts that operands and results are tried in. */
const CHOICES: readonly LayoutText[] = ["dram", "l1", "ws 1x8", "bs 8x8"];

function distinctQuestions(wanted: number): readonly SimulatorQuestion[] {
  const made: SimulatorQuestion[] = [];
  for (let rows = 32; made.length < wanted; rows += 32) {
    for (const columns of [256, 512, 1024, 2048]) {
      const input = { ...tensorOf([1, 1, rows, columns]), place: DRAM };
      made.push(...OPS.flatMap((question) => inEveryLayout(question(input))));
    }
  }
  return made.slice(0, wanted);
}

/** A question in every layout of its first operand and of its result. */
function inEveryLayout({ name, attributes, inputs, outputs }: OpQuestion): readonly SimulatorQuestion[] {
  const op = signatureOf(name, inputs, outputs, Object.fromEntries(attributes ?? []));
  const intern = (tensor: TensorShape, place: LayoutText): LayoutId =>
    layoutOf({ layouts, chip }, tensor, place);
  return CHOICES.flatMap((first) =>
    CHOICES.map((output) => ({
      op,
      inputs: inputs.map((tensor, index) => intern(tensor, index === 0 ? first : "dram")),
      outputs: outputs.map((tensor) => intern(tensor, output)),
    }))
  );
}

const questions = distinctQuestions(DISTINCT);
const warm = newCostModel();
ask(warm, questions, questions.length);

Deno.bench(`price ${DISTINCT} distinct ops`, { group: "distinct" }, () => {
  ask(newCostModel(), questions, DISTINCT);
});

Deno.bench(`look ${CACHED} prices up`, { group: "cached" }, () => {
  ask(warm, questions, CACHED);
});
