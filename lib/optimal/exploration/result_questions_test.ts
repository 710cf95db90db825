// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds } from "../../layout/layout_table.ts";
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { idOf } from "../../../testing/ids.ts";
import type { OpId } from "../../graph/graph.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { realModels } from "../../propagation/testing/real_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import type { OpImpl } from "../../search/impls.ts";
import { ResultQuestions } from "./result_questions.ts";

/**
 * An op that computes a 256 by 512 result from an operand of the same shape and another one, with layouts to
 * read and produce.
 */
function opOf(name: string, [rows, columns]: readonly [number, number]) {
  const tensor = { shape: [256, 512], dataType: "bf16" } as const;
  const second = { shape: [rows, columns], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const operands = [builder.argument(tensor), builder.argument(second)];
  builder.return(builder.op(name, operands, tensor));
  const [fn] = builder.buildGraph().functions;
  assert(fn !== undefined);
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
  const op: OpId = idOf(0);
  const layoutsOf = (shape: typeof tensor | typeof second, value: 0 | 1 | 2) => {
    const like = evaluator.declared[value];
    assert(like !== undefined);
    return [
      evaluator.interleaved(shape, like, "dram"),
      evaluator.interleaved(shape, like, "l1"),
      ...evaluator.catalog.reshardTargets(shape, like),
    ];
  };
  return {
    opModel,
    evaluator,
    op,
    reads: [layoutsOf(tensor, 0), layoutsOf(second, 1)],
    results: layoutsOf(tensor, 2),
  };
}

/** All facts of an implementation, its price included. */
function told(impl: OpImpl | undefined) {
  return impl === undefined ? undefined : {
    outputs: impl.outputs,
    microseconds: impl.microseconds,
    l1PeakBytes: impl.l1PeakBytes,
    outputL1Bytes: impl.outputL1Bytes,
    aliasedOperand: impl.aliasedOperand,
    cores: impl.cores,
  };
}

for (const [name, columns] of [["ttnn.add", 512], ["ttnn.multiply", 1], ["ttnn.atan2", 512]] as const) {
  Deno.test(`ResultQuestions gives ${name} of ${columns} columns the answers of single questions, for fewer`, () => {
    const { opModel, evaluator, op, reads, results } = opOf(name, [256, columns]);
    const questions = new ResultQuestions(evaluator, op, reads);
    const combinations = (reads[0] ?? []).flatMap((a, first) =>
      (reads[1] ?? []).map((b, second) => ({ reads: [first, second], inputs: [a, b] satisfies LayoutIds }))
    );
    const before = opModel.statistics.queries;
    const answers = combinations.map((each) =>
      results.map((result) => told(questions.query(each.reads, each.inputs, result)))
    );
    const asked = opModel.statistics.queries - before;
    const single = combinations.map(({ inputs }) =>
      results.map((result) => told(evaluator.query(op, inputs, result, undefined)))
    );
    assertEquals(answers, single);
    assert(asked > 0 && asked < combinations.length * results.length / 2, `${asked} questions`);
  });
}

Deno.test("ResultQuestions queries every combination of an op that reads all of its operands", () => {
  const { opModel, evaluator, op, reads, results } = opOf("ttnn.matmul", [512, 512]);
  const questions = new ResultQuestions(evaluator, op, reads);
  const before = opModel.statistics.queries;
  let confirmed = 0;
  for (const [first, a] of (reads[0] ?? []).entries()) {
    for (const [second, b] of (reads[1] ?? []).entries()) {
      for (const result of results) {
        const impl = questions.query([first, second], [a, b], result);
        if (impl !== undefined) confirmed++;
        assertEquals(told(impl), told(evaluator.query(op, [a, b], result, undefined)));
      }
    }
  }
  const combinations = (reads[0]?.length ?? 0) * (reads[1]?.length ?? 0) * results.length;
  assert(confirmed > 0);
  // Once here, and once more for the comparison.
  assert(opModel.statistics.queries - before >= 2 * combinations);
});
