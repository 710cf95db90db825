// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { corpusFiles, corpusName, corpusTest, PROJECT_ROOT } from "../testing/corpus.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../lib/policy/options.ts";
import { getPolicy, POLICY_NAMES } from "../lib/policy/policies.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { loadModule } from "./load_module.ts";
import type { LoadedModule } from "./prepared_module.ts";
import { optimizeModule } from "./optimize.ts";
import { holdPlan, namedLayouts, wholePlan } from "./pins.ts";
import { planToJson } from "../lib/plan/plan_json.ts";
import { parsePlanDocument, type PlanDocument, planDocument } from "./plan_document.ts";

function decide(module: LoadedModule, policy: string, options: PolicyOptions): PlanDocument {
  const optimized = optimizeModule(module, getPolicy(policy), options);
  return planDocument(optimized, { input: "model.mlir", version: "0.0.0", wallMs: 0 });
}

function held(text: string, document: PlanDocument) {
  const module = loadModule(text, { device: "n150" });
  const { layouts, stale } = holdPlan(document, module, DEFAULT_POLICY_OPTIONS);
  const overrides = { ...DEFAULT_POLICY_OPTIONS.overrides, heldLayouts: layouts };
  return { module, stale, options: { ...DEFAULT_POLICY_OPTIONS, overrides } };
}

/** Conversions between what ops compute, which pins do not hold. */
const FREE: ReadonlySet<string> = new Set(["ttnn.to_memory_config", "ttnn.to_layout", "func.return"]);

/** Layouts of ops that do more than move a tensor. */
function layoutsOf({ ops }: PlanDocument): readonly string[] {
  return ops.filter(({ name }) => !FREE.has(name))
    .map(({ name, after }) => `${name} ${after.join()}`);
}

for (const policy of ["beam", "df-sharding-2"]) {
  Deno.test(`a plan is held by ${policy} for ops without names`, async () => {
    const text = await Deno.readTextFile(`${PROJECT_ROOT}/testdata/models/mnist.mlir`);
    const plan = decide(loadModule(text, { device: "n150" }), "greedy", DEFAULT_POLICY_OPTIONS);
    const { module, stale, options } = held(text, plan);
    assertEquals(stale, []);
    assert(layoutsOf(decide(module, policy, DEFAULT_POLICY_OPTIONS)).join() !== layoutsOf(plan).join());
    assertEquals(layoutsOf(decide(module, policy, options)), layoutsOf(plan));
  });
}

for (const model of ["mnist", "llama_3_2_1b_decode", "segformer_block"]) {
  Deno.test(`a plan for ${model} is whole for the graph that it was made for, through JSON, and for no other`, async () => {
    const text = await Deno.readTextFile(`${PROJECT_ROOT}/testdata/models/${model}.mlir`);
    const module = loadModule(text, { device: "n150" });
    for (const name of ["auto", "beam-cost", "df-sharding-2"]) {
      const policy = getPolicy(name);
      const optimized = optimizeModule(module, policy, DEFAULT_POLICY_OPTIONS);
      const document = planDocument(optimized, { input: "model.mlir", version: "0.0.0", wallMs: 0 });
      const read = parsePlanDocument(planToJson(document), "plan.json");
      const { whole } = holdPlan(read, loadModule(text, { device: "n150" }), DEFAULT_POLICY_OPTIONS);
      assert(whole !== undefined, name);
      const again = optimizeModule(module, { ...policy, decide: () => whole }, DEFAULT_POLICY_OPTIONS);
      assertEquals(again.text === optimized.text, true, name);
      assertEquals(
        holdPlan(read, loadModule(text, { device: "p150" }), DEFAULT_POLICY_OPTIONS).whole,
        undefined,
      );
    }
  });
}

Deno.test("a plan for a graph with another op is not whole", async () => {
  const text = await Deno.readTextFile(`${PROJECT_ROOT}/testdata/models/mnist.mlir`);
  const plan = decide(loadModule(text, { device: "n150" }), "greedy", DEFAULT_POLICY_OPTIONS);
  const other = loadModule(text.replace("ttir.relu", "ttir.exp").replace("ttnn.relu", "ttnn.exp"), {
    device: "n150",
  });
  assertEquals(holdPlan(plan, other, DEFAULT_POLICY_OPTIONS).whole, undefined);
});

/** An op whose result is in rows, and one that runs as the input has it for want of another way. */
const FEW_IMPLS = `
#dram = #ttnn.buffer_type<dram>
#l1 = #ttnn.buffer_type<l1>
#heads = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <1x1>, memref<32x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#by_user = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1024 + d1 * 32 + d2, d3), <32x1>, memref<1x4x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,3)>]>>
#by_head = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x32>, memref<1x4x!ttcore.tile<32x32, bf16>, #l1>, <width_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,3)>]>>
#joined = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<1x128x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#rows = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<32x4096xbf16, #dram>, <interleaved>>
#index = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 32 + d1 * 32 + d2, d3), <1x1>, memref<32x1xui32, #dram>, <interleaved>>
func.func @main(%x: tensor<1x32x32x128xbf16, #heads>) -> (tensor<1x1x32x4096xbf16, #joined>, tensor<1x1x32x1xui32, #index>) {
  %0 = "ttnn.to_memory_config"(%x) : (tensor<1x32x32x128xbf16, #heads>) -> tensor<1x32x32x128xbf16, #by_user>
  %1 = "ttnn.nlp_concat_heads_decode"(%0) <{num_heads = 32 : ui32}> : (tensor<1x32x32x128xbf16, #by_user>) -> tensor<1x1x32x4096xbf16, #by_head>
  %2 = "ttnn.relu"(%1) : (tensor<1x1x32x4096xbf16, #by_head>) -> tensor<1x1x32x4096xbf16, #joined>
  %3 = "ttnn.to_layout"(%2) <{layout = #ttnn.layout<row_major>}> : (tensor<1x1x32x4096xbf16, #joined>) -> tensor<1x1x32x4096xbf16, #rows>
  %4 = "ttnn.argmax"(%3) <{dim = 3 : si32, keep_dim = true}> : (tensor<1x1x32x4096xbf16, #rows>) -> tensor<1x1x32x1xui32, #index>
  return %2, %4 : tensor<1x1x32x4096xbf16, #joined>, tensor<1x1x32x1xui32, #index>
}`;

for (const policy of POLICY_NAMES) {
  Deno.test(`${policy} holds results in rows and ops that nothing else runs`, () => {
    const plan = decide(loadModule(FEW_IMPLS, { device: "n150" }), "dram", DEFAULT_POLICY_OPTIONS);
    const { module, stale, options } = held(FEW_IMPLS, plan);
    assertEquals(stale, []);
    assertEquals(layoutsOf(decide(module, policy, options)), layoutsOf(plan));
  });
}

Deno.test("pins that no longer apply are listed with the reason", async () => {
  const text = await Deno.readTextFile(`${PROJECT_ROOT}/testdata/models/mnist.mlir`);
  const plan = decide(loadModule(text, { device: "n150" }), "greedy", DEFAULT_POLICY_OPTIONS);
  const [first] = plan.ops.filter(({ name }) => name === "ttnn.relu");
  assert(first !== undefined);
  const changed = text.replace('"ttnn.relu"', '"ttnn.exp"');
  const [stale] = held(changed, plan).stale;
  assertMatch(stale ?? "", /^ttnn\.relu \(op \d+ of @forward\): no op matches it any more$/);
  const inRows = plan.ops.map((row) =>
    row === first ? { ...row, after: ["dram/interleaved/row_major"] } : row
  );
  assertMatch(held(text, { ...plan, ops: inRows }).stale.join(), /its result is in tiles now$/);
  const impossible = plan.ops.map((row) =>
    row === first ? { ...row, after: ["l1/block_sharded/90x90"] } : row
  );
  assertMatch(held(text, { ...plan, ops: impossible }).stale.join(), /90x90/);
});

Deno.test("a name stands for the ops of its format, and for nothing where these differ", () => {
  const row = (name: string, location: string, after: string, dataType: string) => ({
    name,
    location: `loc("${location}")`,
    after: [after],
    dataType,
  });
  const named = (rows: readonly ReturnType<typeof row>[]) => [...namedLayouts(rows).overrides.keys()];
  assertEquals(named([row("ttnn.matmul", "a", "l1/block_sharded/2x2", "bf16")]), ["a"]);
  // A conversion to another format behind the op, and the loading of a const-eval result, are left free.
  const matmul = row("ttnn.matmul", "a", "l1/block_sharded/2x2", "bf16");
  assertEquals(named([matmul, row("ttnn.typecast", "a", "dram/interleaved", "f32")]), ["a"]);
  assertEquals(named([matmul, row("ttcore.load_cached", "a", "dram/interleaved", "bf16")]), ["a"]);
  assertEquals(named([matmul, row("ttnn.matmul", "a", "dram/interleaved", "bf16")]), []);
  assertThrows(
    () => named([row("ttnn.relu", "a", "l2/interleaved", "bf16")]),
    DiagnosticError,
    "not know 'l2'",
  );
});

corpusTest("plans of real models are held, whatever their ops are called", () => {
  const files = corpusFiles("models/ttir").filter((path) => Deno.statSync(path).size < 40_000);
  for (const file of files.filter((_, index) => index % 12 === 4)) {
    const text = Deno.readTextFileSync(file);
    const plan = decide(loadModule(text, { device: "n150" }), "greedy", DEFAULT_POLICY_OPTIONS);
    const { module, stale, options } = held(text, plan);
    assert(stale.length <= plan.ops.length / 20, `${corpusName(file)}: ${stale.join("; ")}`);
    if (stale.length > 0) continue;
    assertEquals(layoutsOf(decide(module, "beam", options)), layoutsOf(plan), corpusName(file));
  }
});

/** A product whose weight could lie over the banks of DRAM, of an input that could arrive in tiles. */
const FREE_GRAPH = `func.func @main(
  %w: tensor<64x96xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>},
  %x: tensor<1x32x64xbf16> {ttcore.argument_type = #ttcore.argument_type<input>}
) -> tensor<1x32x96xbf16> {
  %0 = "ttir.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (tensor<1x32x64xbf16>, tensor<64x96xbf16>) -> tensor<1x32x96xbf16>
  return %0 : tensor<1x32x96xbf16>
}`;

/** The plan with an input in L1 is sound for the input in DRAM as well. */
const PLACED = `func.func @main(
  %x: tensor<4x4xf32> {ttcore.argument_type = #ttcore.argument_type<input>}
) -> tensor<4x4xf32> {
  %0 = "ttir.tanh"(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}`;

for (
  const [policy, what, text] of [["dram", "a product", FREE_GRAPH], ["greedy", "a product", FREE_GRAPH], [
    "greedy",
    "an input in L1",
    PLACED,
  ]] as const
) {
  Deno.test(`a plan of ${policy} for ${what} is kept whatever may change the graph, and one for a changed graph`, () => {
    const given: PolicyOptions = { ...DEFAULT_POLICY_OPTIONS, free: ["+inputs", "+weights"] };
    const passes = { ...DEFAULT_PASS_OPTIONS, freesInputs: true };
    const module = loadModule(text, { device: "n150", passes });
    for (const madeWith of [DEFAULT_POLICY_OPTIONS, given]) {
      const made = optimizeModule(module, getPolicy(policy), madeWith);
      const document = planDocument(made, { input: "model.mlir", version: "0.0.0", wallMs: 0 });
      const again = optimizeModule(module, getPolicy(policy), given, {
        pinned: (graph) => wholePlan(document, graph),
      });
      assertEquals(again.text, made.text);
      assertEquals(again.timeline.inference.totalUs, made.timeline.inference.totalUs);
    }
  });
}

for (const policy of ["l1-interleaved", "greedy", "beam-cost"]) {
  Deno.test(`overrides by name that ${policy} tells are for the op, not for the tilize in front of it`, () => {
    const text =
      `func.func @main(%x: tensor<40x64xf32> {ttcore.argument_type = #ttcore.argument_type<input>}) -> tensor<40x64xf32> {
      %0 = "ttir.tanh"(%x) : (tensor<40x64xf32>) -> tensor<40x64xf32> loc("curve")
      %1 = "ttir.exp"(%0) : (tensor<40x64xf32>) -> tensor<40x64xf32> loc("raise")
      return %1 : tensor<40x64xf32>
    }`;
    const module = loadModule(text, { device: "n150" });
    const { ops } = decide(module, policy, DEFAULT_POLICY_OPTIONS);
    const named = ops.filter(({ location }) => location.includes("curve")).map(({ name }) => name);
    assertEquals(named, ["ttnn.to_layout", "ttnn.tanh"]);
    const { overrides: outputLayouts, ambiguous } = namedLayouts(ops);
    assertEquals([[...outputLayouts.keys()], ambiguous], [["curve", "raise"], []]);
    const overrides = { ...DEFAULT_POLICY_OPTIONS.overrides, outputLayouts };
    const again = decide(module, policy, { ...DEFAULT_POLICY_OPTIONS, overrides });
    assertEquals(layoutsOf(again), layoutsOf({ ...again, ops }));
  });
}
