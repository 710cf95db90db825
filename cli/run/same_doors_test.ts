// SPDX-License-Identifier: Apache-2.0

/** One question at every door, `price`, `simulate`, `serve` and the library: the same µs, bytes and refusals. */

import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { loadModule } from "../../mod.ts";
import { opSignatures } from "../../lib/graph/signature.ts";
import { FunctionModel } from "../../lib/search/function_model.ts";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { runCommandLine } from "../dispatch.ts";
import { createMemoryHost } from "../testing/memory_host.ts";

const SHAPE = [128, 512];

/** Layouts of such a tensor: as options name them, and as IR spells them. */
const LAYOUTS = {
  dram: [
    "dram/interleaved",
    "<(d0, d1) -> (d0, d1), <1x1>, memref<4x16x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>",
  ],
  rows: [
    "l1/height_sharded/4x1",
    "<(d0, d1) -> (d0, d1), <4x1>, memref<1x16x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <height_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (3,0)>]>>",
  ],
  columns: [
    "l1/width_sharded/1x16",
    "<(d0, d1) -> (d0, d1), <1x16>, memref<4x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <width_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,1)>]>>",
  ],
} as const;

type LayoutWord = keyof typeof LAYOUTS;

/** An op of one operand, a way to lay it out, and attributes in both spellings. */
interface Question {
  readonly op: string;
  readonly from: LayoutWord;
  readonly to: LayoutWord;
  readonly properties: string;
  readonly attrs: Readonly<Record<string, string>>;
}

const layout = (word: LayoutWord): string => `#ttnn.ttnn_layout${LAYOUTS[word][1]}`;

/** The question as a program. */
function programOf({ op, from, to, properties }: Question): string {
  const [x, y] = [from, to].map((word) => `tensor<${SHAPE.join("x")}xbf16, ${layout(word)}>`);
  return `func.func @main(%x: ${x}) -> ${y} {\n  %0 = "ttnn.${op}"(%x)${properties} : (${x}) -> ${y}\n  return %0 : ${y}\n}\n`;
}

async function said(args: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<string> {
  const host = createMemoryHost({ files });
  const code = await runCommandLine(args, host, "0.0.0", COMMANDS);
  assert(code === EXIT.ok || code === EXIT.finding, host.err());
  return host.out();
}

/** What `price` says of the way. */
async function priced({ op, from, to }: Question) {
  const ways = ["--in0", LAYOUTS[from][0], "--out", LAYOUTS[to][0], "--device", "n150"];
  const { devices: [device] } = JSON.parse(await said(["price", op, SHAPE.join("x"), ...ways, "--json"]));
  return device;
}

/** What `serve` replies. */
async function served({ op, from, to, attrs }: Question, kind: "constraints" | "runtime") {
  const tensor = (word: LayoutWord) => ({
    shape: SHAPE,
    elementType: "bf16",
    layout: { text: layout(word) },
  });
  const question = {
    id: 1,
    kind,
    op: `ttnn.${op}`,
    attrs,
    operands: [tensor(from)],
    results: [tensor(to)],
    outputLayout: { text: layout(to) },
    opConfig: { kind: "none" },
    additionalL1: 0,
    usableL1: 1_423_206,
    liveRecords: null,
  };
  return JSON.parse(await said(["serve", "--device", "n150"], { "-": `${JSON.stringify(question)}\n` }));
}

/** What the library's op model answers for the op as the program has it. */
function libraryAnswer(question: Question) {
  const { binding: { graph }, opModel: model, cost } = loadModule(programOf(question), { device: "n150" });
  const [fn] = graph.functions;
  assert(fn !== undefined);
  const [op] = opSignatures(fn);
  const [from, to] = new FunctionModel(fn, model).declared;
  assert(op !== undefined);
  const inputs = [from];
  return { cost, op, inputs, answer: model.queryOpConstraints(op, inputs, to, undefined) };
}

const RELU = { op: "relu", properties: "", attrs: {} };
const SOFTMAX = { op: "softmax", properties: " <{dimension = 1 : si32}>", attrs: { dimension: "1 : si32" } };
const NORM = {
  op: "layer_norm",
  properties: " <{epsilon = 1.0e-5 : f32}>",
  attrs: { epsilon: "1.0e-5 : f32" },
};

for (
  const question of [
    { ...RELU, from: "dram", to: "dram" },
    { ...RELU, from: "rows", to: "rows" },
    { ...SOFTMAX, from: "dram", to: "rows" },
    { ...SOFTMAX, from: "rows", to: "rows" },
  ] satisfies readonly Question[]
) {
  const { op, from, to } = question;
  Deno.test(`${op} from ${from} to ${to} takes the same time and L1 at every door`, async () => {
    const { ways: [impl], refused } = await priced(question);
    assertEquals(refused, []);
    const { microseconds, cores } = await served(question, "runtime");
    assertEquals([microseconds, cores], [impl.predicted.us, impl.cores]);
    const { totalPeak, outputL1 } = await served(question, "constraints");
    assertEquals([totalPeak, outputL1], [impl.l1PeakBytes, to === "dram" ? 0 : 32 * 512 * 2]);
    const { cost, op: asked, answer, inputs } = libraryAnswer(question);
    assert(answer.status === "valid");
    assertEquals(answer.l1PeakBytes, totalPeak);
    assertEquals(
      cost.getOpRuntime(asked, inputs, answer.outputLayouts, undefined).microseconds,
      microseconds,
    );
    const text = await said(["simulate", "op.mlir", "--device", "n150", "--json"], {
      "op.mlir": programOf(question),
    });
    const steps: readonly { name: string; deviceUs: number; gapUs: number }[] =
      JSON.parse(text).functions[0].steps;
    const step = steps.find(({ name }) => name === `ttnn.${op}`);
    assert(step !== undefined);
    // Documents round to picoseconds.
    assertAlmostEquals(step.deviceUs + step.gapUs, microseconds, 2e-6);
  });
}

Deno.test("a layout that an op refuses is refused by the same rule at every door", async () => {
  const question: Question = { ...NORM, from: "rows", to: "rows" };
  const { ways, refused: [refusal] } = await priced(question);
  assertEquals([ways, refusal.rule], [[], "norm/height-sharded"]);
  for (const kind of ["constraints", "runtime"] as const) {
    const { ok, reason } = await served(question, kind);
    assertEquals(ok, false);
    assertStringIncludes(reason, `[${refusal.rule}`);
    assertStringIncludes(reason, refusal.message);
  }
  const { answer } = libraryAnswer(question);
  assert(answer.status !== "valid");
  assertEquals([answer.rule, answer.message], [refusal.rule, refusal.message]);
  const program = { "op.mlir": programOf(question) };
  const { summary } = JSON.parse(await said(["simulate", "op.mlir", "--device", "n150", "--json"], program));
  assertStringIncludes(JSON.stringify(summary.verdict), refusal.message);
  assertStringIncludes(await said(["doctor", "op.mlir", "--device", "n150"], program), refusal.rule);
});
