// SPDX-License-Identifier: Apache-2.0

/** Prices of single ops: 20,000 distinct questions, and a million questions that were asked before. */

import { LayoutTable } from "../lib/layout/layout_table.ts";
import { type LayoutRequest, makeLayout } from "../lib/layout/make_layout.ts";
import type { LayoutId } from "../lib/layout/layout_table.ts";
import type { OpSignature } from "../lib/ops/op_signature.ts";
import { chipDescription } from "../sim/devices/device.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createCostModel } from "../sim/cost/runtime.ts";
import { launcherOf } from "../sim/testing/launcher.ts";

interface Question {
  readonly op: OpSignature;
  readonly inputs: readonly LayoutId[];
  readonly outputs: readonly LayoutId[];
}

const DISTINCT = 20_000;
const CACHED = 1_000_000;

const device = getDevice("n150");
const { workerGrid, dramBanks } = chipDescription(device);
const layouts = new LayoutTable();
const questions = [...distinctQuestions(DISTINCT)];
const warm = newCostModel();
ask(warm, questions, questions.length);

Deno.bench(`price ${DISTINCT} distinct ops`, { group: "distinct" }, () => {
  ask(newCostModel(), questions, DISTINCT);
});

Deno.bench(`look ${CACHED} prices up`, { group: "cached" }, () => {
  ask(warm, questions, CACHED);
});

function newCostModel() {
  return createCostModel({
    device,
    layouts,
    opModel: launcherOf(device, layouts),
  });
}

function ask(cost: ReturnType<typeof newCostModel>, list: readonly Question[], times: number): void {
  for (let index = 0; index < times; index++) {
    const question = list[index % list.length];
    if (question !== undefined) {
      cost.getOpRuntime(question.op, question.inputs, question.outputs, undefined);
    }
  }
}

function* distinctQuestions(wanted: number): Generator<Question> {
  const names = "matmul add gelu softmax rms_norm permute concat to_memory_config".split(" ").map((op) =>
    `ttnn.${op}`
  );
  let made = 0;
  for (let rows = 32;; rows += 32) {
    for (const columns of [256, 512, 1024, 2048]) {
      const tensor = { shape: [1, 1, rows, columns], dataType: "bf16" } as const;
      const weight = { shape: [columns, columns], dataType: "bf16" } as const;
      const choices: readonly Partial<LayoutRequest>[] = [
        {},
        { bufferType: "l1" },
        { bufferType: "l1", memoryLayout: "width_sharded", grid: [1, 8] },
        { bufferType: "l1", memoryLayout: "block_sharded", grid: [8, 8] },
      ];
      const intern = (type: Pick<LayoutRequest, "shape" | "dataType">, choice: Partial<LayoutRequest>) =>
        layouts.intern(
          makeLayout(
            { ...type, bufferType: "dram", memoryLayout: "interleaved", ...choice },
            workerGrid,
            dramBanks,
          ),
        );
      for (const name of names) {
        const second = name === "ttnn.matmul" ? weight : tensor;
        const op: OpSignature = {
          name,
          attributes: new Map(),
          operands: name === "ttnn.add" || name === "ttnn.matmul" || name === "ttnn.concat"
            ? [tensor, second]
            : [tensor],
          operandSegmentSizes: undefined,
          results: [tensor],
        };
        for (const input of choices) {
          for (const output of choices) {
            yield {
              op,
              inputs: [intern(tensor, input), intern(second, {})].slice(0, op.operands.length),
              outputs: [intern(tensor, output)],
            };
            if (++made === wanted) return;
          }
        }
      }
    }
  }
}
