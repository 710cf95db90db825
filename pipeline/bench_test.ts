// SPDX-License-Identifier: Apache-2.0
import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { parseBench, policyMeans, type SavedResult, worseOps } from "./bench.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";
import { planDocument } from "./plan_document.ts";

const RELU = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}`;
const { summary: SUMMARY } = planDocument(
  optimizeModule(loadModule(RELU, { device: "n150" }), getPolicy("dram"), DEFAULT_POLICY_OPTIONS),
  { input: "relu.mlir", version: "0.0.0", wallMs: 0, bound: undefined },
);

function result(model: string, device: string, policy: string, predictedUs: number): SavedResult {
  return { model, device, policy, summary: { ...SUMMARY, predictedUs } };
}

Deno.test("policyMeans() is the geometric mean over models and chips that every policy has decided", () => {
  const means = policyMeans([
    result("a", "n150", "dram", 10),
    result("a", "n150", "greedy", 20),
    result("a", "p150", "dram", 10),
    result("a", "p150", "greedy", 40),
    result("b", "n150", "dram", 3),
    result("b", "n150", "greedy", 24),
    result("only dram", "n150", "dram", 1000),
  ]);
  assertEquals(means.map(({ policy }) => policy), ["dram", "greedy"]);
  assertAlmostEquals(means[0]?.timeAgainstFirst ?? NaN, 1);
  assertAlmostEquals(means[1]?.timeAgainstFirst ?? NaN, 4, 1e-9);
});

Deno.test("policyMeans() leaves out models of time 0, which have no ratio", () => {
  const timeless = [result("b", "n150", "dram", 0), result("b", "n150", "greedy", 0)];
  const means = policyMeans([result("a", "n150", "dram", 10), result("a", "n150", "greedy", 5), ...timeless]);
  assertAlmostEquals(means[1]?.timeAgainstFirst ?? NaN, 0.5, 1e-9);
  assertEquals(policyMeans(timeless), []);
});

Deno.test("policyMeans() is empty if no model was decided by every policy", () => {
  assertEquals(policyMeans([result("a", "n150", "dram", 10), result("b", "n150", "greedy", 5)]), []);
});

Deno.test("parseBench() distinguishes invalid JSON from other documents", () => {
  assertThrows(() => parseBench("module {}", "a.mlir"), DiagnosticError, "from a.mlir: it is not JSON (");
  assertThrows(() => parseBench("{}", "a.json"), DiagnosticError, "from a.json: at schema: ");
  assertThrows(() => parseBench("[]", "a.json"), DiagnosticError, "give a file of 'bench --save'");
});

Deno.test("results name the ops that lost sharding or time: by place where names repeat, and none that moved", () => {
  const op = (id: number, name: string, location: string, us: number, layout = "l1/block_sharded/8x8") => ({
    function: "main",
    id,
    name: `ttnn.${name}`,
    location,
    layout,
    us,
  });
  const before = [
    op(1, "matmul", 'loc("q")', 10),
    op(2, "add", "", 3),
    op(5, "add", "", 4),
    op(7, "relu", "", 1),
  ];
  const after = [
    op(3, "matmul", 'loc("q")', 30),
    op(6, "add", "", 3),
    op(8, "add", "", 9, "dram/interleaved"),
  ];
  const { lost, slower } = worseOps(before, [...after, op(9, "copy", "", 2), op(10, "tiny", "", 0.1)]);
  assertEquals(lost, [{ before: before[2], after: after[2] }, { before: before[3], after: undefined }]);
  assertEquals(slower.map((pair) => [pair.before?.id, pair.after?.id]), [[1, 3], [5, 8], [undefined, 9]]);
  assertEquals(worseOps(after, after), { lost: [], slower: [] });
});
