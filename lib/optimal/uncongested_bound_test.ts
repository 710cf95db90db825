// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import { join } from "@std/path";
import { loadModule } from "../../pipeline/load_module.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { l1Region } from "../memory/l1_timeline.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import { LayoutOptimizer } from "./layout_optimizer.ts";

Deno.test("the bound without congestion is below the one with it, and near", () => {
  const text = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata", "models", "llama_3_2_1b_decode.mlir"));
  const { binding: { graph }, opModel, cost, chip } = loadModule(text, { device: "n150" });
  const fn = graph.functions.toSorted((a, b) => b.ops.length - a.ops.length)[0];
  assert(fn !== undefined);
  const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
  const region = l1Region(chip, DEFAULT_POLICY_OPTIONS.tensorL1UsageCap, graph.constEvalL1Bytes);
  const optimizer = new LayoutOptimizer(evaluator, opRoles(evaluator), region, "hinted");
  const { bound } = optimizer.tighten("exact");
  const { uncongestedBoundUs } = optimizer;
  assert(uncongestedBoundUs < bound, `${uncongestedBoundUs} of ${bound}`);
  assert(uncongestedBoundUs > 0.95 * bound, `${uncongestedBoundUs} of ${bound}`);
});
