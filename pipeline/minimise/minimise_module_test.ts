// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { functionsOf, parseModule, printGeneric } from "../../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../lib/policy/options.ts";
import { getPolicy } from "../../lib/policy/policies.ts";
import { FULL_RUN } from "../../lib/programs/op_launch.ts";
import { verifyModule } from "../../lib/verify/verify_module.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { PROJECT_ROOT, toolTest } from "../../testing/corpus.ts";
import { type Condition, holds, readCondition, UnreadableCondition } from "./condition.ts";
import { type MinimalModule, minimiseModule, removableOps, sliceFunction } from "./minimise_module.ts";

const TRIAL = {
  device: getDevice("n150"),
  options: DEFAULT_POLICY_OPTIONS,
  tools: {},
  passes: undefined,
  assumed: FULL_RUN,
};

function condition(text: string): Condition {
  return readCondition(text, getPolicy, getPolicy("beam-cost"));
}

function interleaved(buffer: "dram" | "l1"): string {
  const [grid, memref] = buffer === "dram" ? ["1x1", "64x256"] : ["8x8", "1x256"];
  return "tensor<2048x8192xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), " +
    `<${grid}>, memref<${memref}x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<${buffer}>>, <interleaved>>>`;
}

/** A hundred ops of which three, deep inside, hold more in L1 than fits: 512 KiB per core each. */
function crowded(): string {
  const dram = interleaved("dram");
  const l1 = interleaved("l1");
  const lines: string[] = [];
  const unary = (result: string, operand: string, from: string, to: string) =>
    lines.push(`  %${result} = "ttnn.relu"(%${operand}) : (${from}) -> ${to}`);
  unary("a0", "x", dram, dram);
  for (let index = 1; index < 50; index++) unary(`a${index}`, `a${index - 1}`, dram, dram);
  unary("p", "a49", dram, l1);
  unary("q", "p", l1, l1);
  unary("r", "q", l1, l1);
  lines.push(`  %s = "ttnn.add"(%q, %r) : (${l1}, ${l1}) -> ${dram}`);
  lines.push(`  %b0 = "ttnn.add"(%s, %p) : (${dram}, ${l1}) -> ${dram}`);
  for (let index = 1; index < 45; index++) unary(`b${index}`, `b${index - 1}`, dram, dram);
  return `func.func @main(%x: ${dram}) -> ${dram} {\n${lines.join("\n")}\n  return %b44 : ${dram}\n}\n`;
}

/** Sixty TTIR ops, one of which nobody lowers. */
function brokenTtir(): string {
  const type = "tensor<64x64xbf16>";
  const lines = Array.from(
    { length: 60 },
    (_, index) =>
      `  %${index} = "ttir.${index === 37 ? "permute" : "relu"}"(${
        index === 0 ? "%x" : `%${index - 1}`
      }) : (${type}) -> ${type}`,
  );
  return `func.func @main(%x: ${type}) -> ${type} {\n${lines.join("\n")}\n  return %59 : ${type}\n}\n`;
}

const SEGFORMER = Deno.readTextFileSync(join(PROJECT_ROOT, "testdata/models/segformer_block.mlir"));

const CASES = [
  {
    name: "a clash in a long function",
    text: crowded(),
    keeps: "doctor finds a misfit",
    before: 99,
    most: 4,
  },
  {
    name: "two policies far apart",
    text: SEGFORMER,
    keeps: "diff dram beam-cost > 30%",
    before: 95,
    most: 3,
  },
  {
    name: "an error of the lowering",
    text: brokenTtir(),
    keeps: "fails with attribute 'permutation' is missing",
    before: 60,
    most: 1,
  },
] as const;

const FOUND = CASES.map((one): MinimalModule => {
  const found = minimiseModule(parseModule(one.text, "case.mlir"), condition(one.keeps), TRIAL, {
    mostTries: 2000,
  });
  assert(!("reason" in found), one.name);
  return found;
});

CASES.forEach(({ name, keeps, before, most }, index) => {
  Deno.test(`minimiseModule() cuts ${name} down to ${most} ops at most, and it still shows it`, () => {
    const found = FOUND[index];
    assert(found !== undefined);
    assertEquals(found.opsBefore, before);
    assert(found.opsAfter <= most, `${found.opsAfter} ops:\n${found.text}`);
    assertEquals(found.stoppedEarly, false);
    assert(holds(condition(keeps), found.text, TRIAL));
    const module = parseModule(found.text, "minimal.mlir");
    assertEquals(verifyModule(module).filter(({ severity }) => severity === "error"), []);
    const [view] = functionsOf(module);
    assertEquals(view && removableOps(view).length, found.opsAfter);
  });
});

/** The reader of two results of an op with a numbered name, and not the op. */
const CUT_RESULTS = (() => {
  const module = parseModule(
    `func.func @main(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0:2 = "ttnn.sort"(%x) : (tensor<4xbf16>) -> (tensor<4xbf16>, tensor<4xbf16>)
  %1 = "ttnn.add"(%0#0, %0#1) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}
`,
    "sort.mlir",
  );
  const [view] = functionsOf(module);
  assert(view !== undefined);
  return sliceFunction(module, view, removableOps(view).slice(1));
})();

toolTest("mlir-opt-22", "mlir-opt accepts what minimiseModule() writes", async (tool) => {
  assertStringIncludes(CUT_RESULTS, '"ttnn.add"(%v0_0, %v0_1)');
  for (const text of [CUT_RESULTS, ...FOUND.map((found) => found.text)]) {
    const child = new Deno.Command(tool, {
      args: ["--allow-unregistered-dialect", "-"],
      stdin: "piped",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(printGeneric(parseModule(text, "minimal.mlir"))));
    await writer.close();
    const { success, stderr } = await child.output();
    assert(success, new TextDecoder().decode(stderr));
  }
});

Deno.test("minimiseModule() reports an input that does not meet the condition", () => {
  const module = parseModule(SEGFORMER, "segformer.mlir");
  assertEquals(minimiseModule(module, condition("fails with nonsense"), TRIAL, { mostTries: 10 }), {
    reason: "does_not_hold",
  });
});

Deno.test("sliceFunction() turns removed values into arguments and dead ones into returns, and keeps referenced symbols", () => {
  const text = `#dram = #ttnn.buffer_type<dram>
#unused = #ttnn.buffer_type<l1>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
!t = tensor<64x64xbf16, #layout>
module attributes {outer = 1 : i32} {
  builtin.module attributes {inner = 2 : i32} {
    func.func private @weights(%w: !t) -> !t {
      return %w : !t
    }
    func.func @main(%x: !t {tt.name = "x"}, %y: !t) -> !t attributes {kind = "forward"} {
      %d = "ttnn.get_device"() : () -> !ttnn.device
      %s:2 = "ttnn.sort"(%x) <{dim = 1 : si8}> : (!t) -> (!t, !t)
      %s_1 = "ttnn.relu"(%y) : (!t) -> !t
      %l = ttcore.load_cached(@weights, [%y]) : (!t) -> !t
      %a = "ttnn.add"(%s#1, %s_1) : (!t, !t) -> !t
      %b = "ttnn.to_device"(%a, %d) : (!t, !ttnn.device) -> !t
      %c = "ttnn.multiply"(%b, %l) : (!t, !t) -> !t
      return %c : !t
    }
  }
}
`;
  const module = parseModule(text, "nested.mlir");
  const view = functionsOf(module).find(({ name }) => name === "main");
  assert(view !== undefined);
  const slice = (...names: string[]): string =>
    sliceFunction(
      module,
      view,
      removableOps(view).filter(({ name }) => names.includes(name.replace(/^\w+\./, ""))),
    );
  const added = slice("add", "to_device");
  assertStringIncludes(added, "module attributes {inner = 2 : i32, outer = 1 : i32} {");
  assertStringIncludes(added, 'func.func @main(%s_1_: !t, %s_1: !t) -> (!t) attributes {kind = "forward"} {');
  assertStringIncludes(added, '%a = "ttnn.add"(%s_1_, %s_1)');
  assertStringIncludes(added, "ttnn.get_device");
  assertStringIncludes(added, "return %b : !t");
  assertEquals(["#unused", "@weights"].filter((word) => added.includes(word)), []);
  assertStringIncludes(slice("load_cached"), "func.func private @weights");
  assertStringIncludes(slice("sort"), '@main(%x: !t {tt.name = "x"}) -> (!t, !t)');
  for (const names of [["add", "to_device"], ["load_cached"], ["sort"], ["multiply"]]) {
    assertEquals(
      verifyModule(parseModule(slice(...names), "slice.mlir")).filter(({ code }) => /^V[12]\//.test(code)),
      [],
    );
  }
});

Deno.test("readCondition() lists the allowed conditions", () => {
  assertThrows(() => condition("doctor finds gold"), UnreadableCondition, "a clash, a full bank");
  assertThrows(() => condition("diff greedy > 10%"), UnreadableCondition, "is not a condition");
  assertEquals(condition("fails with a b").kind, "fails");
});
