// SPDX-License-Identifier: Apache-2.0

/** Prices of single ops: 20,000 distinct questions, and a million questions that were asked before. */

import { type LayoutId, LayoutTable } from "../lib/layout/layout_table.ts";
import { type LayoutRequest, makeLayout } from "../lib/layout/make_layout.ts";
import type { OpSignature } from "../lib/ops/op_signature.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createCostModel } from "../sim/cost/runtime.ts";
import { launcherOf } from "../sim/testing/models.ts";

interface SimulatorQuestion {
  readonly op: OpSignature;
  readonly inputs: readonly LayoutId[];
  readonly outputs: readonly LayoutId[];
}

const DISTINCT = 20_000;
const CACHED = 1_000_000;

const device = getDevice("n150");
const { workerGrid, dramBanks } = chipDescription(device);
const layouts = new LayoutTable();

function newCostModel() {
  return createCostModel({
    device,
    layouts,
    opModel: launcherOf(device, layouts),
  });
}

function ask(cost: ReturnType<typeof newCostModel>, list: readonly SimulatorQuestion[], times: number): void {
  for (let index = 0; index < times; index++) {
    const question = list[index % list.length];
    if (question !== undefined) {
      cost.getOpRuntime(question.op, question.inputs, question.outputs, undefined);
    }
  }
}

const NAMES = "matmul add gelu softmax rms_norm permute concat to_memory_config".split(" ")
  .map((name) => `ttnn.${name}`);

/** Layouts that operands and results are tried in. */
const CHOICES: readonly Partial<LayoutRequest>[] = [
  {},
  { bufferType: "l1" },
  { bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 8] },
  { bufferType: "l1", memoryLayout: "block_sharded", grid: [8, 8] },
];

type SimulatedShape = Pick<LayoutRequest, "shape" | "dataType">;

function intern(type: SimulatedShape, choice: Partial<LayoutRequest>): LayoutId {
  const request = { ...type, bufferType: "dram", memoryLayout: "interleaved", ...choice } as const;
  return layouts.intern(makeLayout(request, workerGrid, dramBanks));
}

function distinctQuestions(wanted: number): readonly SimulatorQuestion[] {
  const made: SimulatorQuestion[] = [];
  for (let rows = 32; made.length < wanted; rows += 32) {
    for (const columns of [256, 512, 1024, 2048]) {
      made.push(...NAMES.flatMap((name) => questionsAbout(name, rows, columns)));
    }
  }
  return made.slice(0, wanted);
}

/** An op of one shape in every layout of its first operand and of its result. */
function questionsAbout(name: string, rows: number, columns: number): readonly SimulatorQuestion[] {
  const tensor: SimulatedShape = { shape: [1, 1, rows, columns], dataType: "bf16" };
  const second: SimulatedShape = name === "ttnn.matmul"
    ? { shape: [columns, columns], dataType: "bf16" }
    : tensor;
  const isBinary = name === "ttnn.add" || name === "ttnn.matmul" || name === "ttnn.concat";
  const operands = isBinary ? [tensor, second] : [tensor];
  const op: OpSignature = {
    name,
    attributes: new Map(),
    operands,
    operandSegmentSizes: undefined,
    results: [tensor],
  };
  return CHOICES.flatMap((input) =>
    CHOICES.map((output) => ({
      op,
      inputs: [intern(tensor, input), intern(second, {})].slice(0, operands.length),
      outputs: [intern(tensor, output)],
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
