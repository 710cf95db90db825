// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { opSignatures } from "../../lib/graph/signature.ts";
import { parseModule } from "../../lib/ir/mod.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import { parseLayoutWords } from "../../lib/layout/parse_layout_words.ts";
import { DEFAULT_TILE } from "../../lib/layout/ttnn_layout.ts";
import { definitionOf, knownOps } from "../../lib/ops/op_book.ts";
import { usableL1Bytes } from "../../lib/device/chip_description.ts";
import { OpEvaluator } from "../../lib/search/op_evaluator.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { checkMemory } from "../check_memory.ts";
import { createWorkbench } from "../load.ts";
import { loadModule } from "../load_module.ts";
import { type FixedLayout, type PricedImpl, priceImpls } from "./price_op.ts";
import { readFormat, readOp, UnreadableOp } from "./read_op.ts";

const N150 = getDevice("n150");

function words(name: string, operands: readonly string[], attributes: readonly string[] = []) {
  return readOp({
    definition: definitionOf(`ttnn.${name}`),
    operands,
    results: [],
    attributes,
    dataType: "bf16",
    weights: "bf16",
  });
}

function layout(text: string): FixedLayout {
  return (tensor, chip) => parseLayoutWords(text, { ...tensor, tile: DEFAULT_TILE }, chip.workerGrid);
}

Deno.test("priceImpls() ranks legal ways by time, and they fit with their operands", () => {
  const op = words("add", ["1024x1024", "1024x1024"]);
  const { impls, refused, questions, exhaustive } = priceImpls({ op, inputs: [], output: undefined }, N150);
  assert(impls.length > 100);
  assertEquals(impls.map(({ estimate }) => estimate.microseconds).toSorted((a, b) => a - b), [
    ...impls.map(({ estimate }) => estimate.microseconds),
  ]);
  const usable = usableL1Bytes(chipDescription(N150), 0.95, 0);
  for (const { operandL1Bytes, l1PeakBytes } of impls) assert(operandL1Bytes + l1PeakBytes <= usable);
  assert(impls.length + refused.reduce((sum, { count }) => sum + count, 0) <= questions);
  assertEquals(exhaustive, false);
  const [best] = impls;
  const inDram = impls.find(({ inputs, outputs }) =>
    [...inputs, ...outputs].every((one) => one?.bufferType === "dram")
  );
  assert(best !== undefined && inDram !== undefined);
  assert(best.estimate.microseconds < inDram.estimate.microseconds / 2, "shards beat DRAM by far");
});

for (const [name, shapes] of [["matmul", ["512x1024", "1024x1024"]], ["layer_norm", ["128x768"]]] as const) {
  Deno.test(`priced candidates of ${name} are allowed in plans, and searched ones have a hint`, () => {
    const [tensor = "", weight = tensor] = shapes.map((shape) => `tensor<${shape}xbf16>`);
    const text = name === "matmul"
      ? `func.func @main(%x: ${tensor}, %w: ${weight}) -> ${tensor} {
          %0 = "ttir.matmul"(%x, %w) : (${tensor}, ${weight}) -> ${tensor}
          return %0 : ${tensor} }`
      : `func.func @main(%x: ${tensor}) -> ${tensor} {
          %0 = "ttir.layer_norm"(%x) <{normalized_shape = array<i64: 768>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (${tensor}) -> ${tensor}
          return %0 : ${tensor} }`;
    const workbench = loadModule(text, { device: N150 });
    const { opModel, cost } = workbench.planning();
    const [fn] = workbench.binding.graph.functions;
    const op = fn?.ops.find((each) => each.name === `ttnn.${name}`);
    assert(fn !== undefined && op !== undefined);
    const signature = opSignatures(fn)[op.id];
    assert(signature !== undefined);
    const { impls } = priceImpls({ op: signature, inputs: [], output: undefined }, N150);
    const limits = { maxLegalLayouts: 64, maxReshardCandidatesPerType: 64, enableL1ShardingLayouts: true };
    const evaluator = new OpEvaluator(fn, opModel, cost, { ...limits, rowMajorEnabled: false });
    const idsOf = (layouts: PricedImpl["inputs"]) =>
      layouts.map((each) => each === undefined ? undefined : opModel.layouts.intern(each));
    const known = Map.groupBy(impls, ({ inputs }) => idsOf(inputs).join());
    assert(known.size > 5);
    for (const group of known.values()) {
      const inputs = idsOf(group[0]?.inputs ?? []);
      for (const { outputs, config, operandL1Bytes } of group) {
        const [made] = idsOf(outputs);
        const answer = opModel.queryOpConstraints(signature, inputs, made, config, operandL1Bytes);
        assertEquals(answer.status, "valid", JSON.stringify(answer));
      }
      const named = new Set(group.filter(({ hinted }) => hinted).map(({ outputs }) => idsOf(outputs).join()));
      for (const { outputs, l1PeakBytes } of evaluator.impls(op.id, inputs)) {
        const room = usableL1Bytes(chipDescription(N150), 0.95, 0) - evaluator.l1Bytes(inputs);
        if (l1PeakBytes <= room) assert(named.has(outputs.join()), `${inputs} make ${outputs}`);
      }
    }
  });
}

Deno.test("priceImpls() keeps raw weights of a convolution in rows, whose kernels would take 114 times as much in tiles", () => {
  const op = words("conv2d", ["1x16x16x3072", "3072x3072x3x3"]);
  const { impls } = priceImpls({ op, inputs: [layout("l1/width_sharded/1x32")], output: undefined }, N150);
  assert(impls.length > 0);
  assert(impls.every(({ inputs: [, weights] }) => weights !== undefined && weights.tile === undefined));
});

Deno.test("priceImpls() refuses operands and results that do not fit into DRAM together, as a file with the op is refused", () => {
  // Tensors of 4 and 3 GiB in 12 banks of 1 GiB, of which the system keeps a part.
  const shorts = ["32768x65536", "24576x65536"].map((shape) => {
    const { impls, refused } = priceImpls(
      { op: words("add", [shape, shape]), inputs: [], output: undefined },
      N150,
    );
    const short = refused.find(({ rule }) => rule === "memory/dram")?.message;
    const type = `tensor<${shape}xbf16>`;
    const loaded = loadModule(
      `func.func @main(%a: ${type}, %b: ${type}) -> ${type} {
        %0 = "ttir.add"(%a, %b) : (${type}, ${type}) -> ${type}
        return %0 : ${type}
      }`,
      { device: N150 },
    );
    const [misfit] = checkMemory(loaded, 0.95).verdict.misfits;
    return [impls.length > 0, short?.replace(/\D/g, ""), misfit?.shortBytes.toString()];
  });
  assertEquals(shorts[1], [true, undefined, undefined]);
  assertEquals(shorts[0]?.[0], false);
  assertEquals(shorts[0]?.[1], shorts[0]?.[2]);
});

Deno.test("priceImpls() refuses operands and results that do not fit into L1 together", () => {
  // Each tensor takes 512 KiB of every core, three of them more than there is.
  const op = words("add", ["4096x4096", "4096x4096"]);
  const l1 = layout("l1");
  const { impls, refused } = priceImpls({ op, inputs: [l1, l1], output: l1 }, N150);
  assertEquals([impls.length, refused.map(({ failure }) => failure)], [0, ["out_of_memory"]]);
  assert(priceImpls({ op, inputs: [l1, layout("dram")], output: l1 }, N150).impls.length > 0);
});

Deno.test("priceImpls() keeps to the layouts that are given", () => {
  const op = words("matmul", ["32x4096", "4096x2048"]);
  const inputs = [layout("l1/width_sharded/4x8")];
  const { impls } = priceImpls({ op, inputs, output: layout("l1/width/1x32") }, N150);
  assert(impls.length > 0);
  for (const impl of impls) {
    assertEquals(impl.inputs.map((one) => one && describeLayout(one)), [
      "l1/width_sharded/1x32",
      "dram/interleaved",
    ]);
    assertEquals(impl.outputs.map((one) => one && describeLayout(one)), ["l1/width_sharded/1x32"]);
  }
});

Deno.test("priceImpls() lists the reasons if no candidate is legal", () => {
  const op = words("layer_norm", ["32x4096"]);
  const { impls, refused } = priceImpls(
    { op, inputs: [layout("l1/height_sharded/1x1")], output: undefined },
    N150,
  );
  assertEquals(impls, []);
  assert(refused.some(({ rule }) => rule === "norm/height-sharded"));
});

Deno.test("the price of a candidate is the simulated time of a file with it", () => {
  const tensor = (place: string) =>
    `tensor<1024x1024xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), ${place}>>`;
  const dram = tensor(
    "<1x1>, memref<32x32x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>",
  );
  const block = tensor(
    "<8x8>, memref<4x4x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <block_sharded>, " +
      "core_ranges = <[#ttnn.core_range<(0,0), (7,7)>]>",
  );
  for (const [type, text] of [[dram, "dram"], [block, "l1/block/8x8"]] as const) {
    const file = `func.func @main(%x: ${type}) -> ${type} {\n  %0 = "ttnn.exp"(%x) : (${type}) -> ${type}\n` +
      `  return %0 : ${type}\n}\n`;
    const workbench = createWorkbench(parseModule(file, "exp.mlir"), N150);
    const { graph } = workbench.binding;
    const [fn] = simulateGraph(graph, undefined, workbench, { network: "analytic" }).functions;
    const step = fn?.steps.find(({ name }) => name === "ttnn.exp");
    assert(step !== undefined);
    const op = words("exp", ["1024x1024"]);
    const { impls } = priceImpls({ op, inputs: [layout(text)], output: layout(text) }, N150);
    assertEquals(impls[0]?.estimate.microseconds, step.estimate.microseconds);
  }
});

/** Tensors that most ops take, by number of operands; ops that want others say so. */
const SHAPES = [["64x128"], ["1x8x64x128"], ["1x1x64x128"], ["1x16x16x64", "64x64x3x3"], ["1x64x384"]];

Deno.test("every op of the book is priced, refused with a reason, or reports missing attributes", () => {
  const priced: string[] = [];
  const unpriced: string[] = [];
  for (const definition of knownOps()) {
    let done = false;
    for (const shapes of SHAPES) {
      const operands = Array.from(
        { length: Math.max(definition.minOperands, 1) },
        (_, index) => shapes[Math.min(index, shapes.length - 1)] ?? "64x128",
      );
      try {
        const op = readOp({
          definition,
          operands: definition.maxOperands === 0 ? [] : operands,
          results: [],
          attributes: [
            "kernel_size=2,2",
            "stride=2,2",
            "permutation=1,0",
            "shape=128,64",
            "scale_factor=2",
            "k=8",
          ],
          dataType: "bf16",
          weights: "bf16",
        });
        const { impls, refused } = priceImpls({
          op,
          inputs: op.operands.map(() => layout("dram")),
          output: undefined,
        }, N150);
        assert(impls.length + refused.length > 0, `${definition.name}: neither legal nor refused`);
        if (impls.length > 0) done = true;
      } catch (error) {
        assert(error instanceof UnreadableOp, `${definition.name}: ${error}`);
      }
    }
    (done ? priced : unpriced).push(definition.name);
  }
  // What is left takes tensors of its own kind: heads, caches, collectives, steps of training.
  assert(priced.length > 110, `${priced.length} priced; not: ${unpriced.join(" ")}`);
});

Deno.test("readOp() infers attributes from operands, and given ones win", () => {
  const conv = words("conv2d", ["1x56x56x64", "64x32x3x3"], ["padding=1,1"]);
  assertEquals(conv.operands.map((tensor) => tensor?.shape), [[1, 1, 3136, 64], [64, 32, 3, 3]]);
  assertEquals(conv.results.map((tensor) => tensor?.shape), [[1, 1, 3136, 64]]);
  assertEquals(conv.attributes.get("groups"), { kind: "integer", value: 2n, type: "i32" });
  assertEquals(words("sum", ["64x128"]).results[0]?.shape, [64, 1]);
  assertEquals(words("sum", ["64x128"], ["dim_arg=0", "keep_dim=false"]).results[0]?.shape, [128]);
  assertEquals(words("matmul", ["32x64", "16x64"], ["transpose_b=true"]).results[0]?.shape, [32, 16]);
  assertEquals(words("embedding", ["1x128", "32000x2048"]).results[0], {
    shape: [1, 128, 2048],
    dataType: "bf16",
  });
  const formats = (op: string, operand: string, attributes: readonly string[] = []) =>
    words(op, [operand], attributes).results.map((tensor) => tensor?.dataType);
  assertEquals(formats("sort", "32x32768"), ["bf16", "u16"]);
  assertEquals(formats("sort", "32x32769"), ["bf16", "u32"]);
  assertEquals(formats("topk", "32x65536", ["k=32"]), ["bf16", "u16"]);
  assertEquals(formats("topk", "32x65537", ["k=32"]), ["bf16", "u32"]);
  assertEquals(formats("sort", "32x64xf32"), ["f32", "u32"]);
});

Deno.test("readOp() reports unreadable words", () => {
  assertThrows(() => words("matmul", ["32x64", "32x64"]), UnreadableOp, "inner dimensions");
  assertThrows(() => words("conv2d", ["1x8x8x16", "3x3"]), UnreadableOp, "are not a kernel shape");
  assertThrows(() => words("conv2d", ["1x8x8x16", "8x32x3x3"]), UnreadableOp, "the image has 16");
  assertThrows(
    () => words("conv2d", ["1x8x8x16", "8x8x3x3"], ["groups=1"]),
    UnreadableOp,
    "8 channels in 1 group",
  );
  assertThrows(() => words("conv_transpose2d", ["1x8x8x16", "8x16x3x3"]), UnreadableOp, "the image has 16");
  assertThrows(() => words("relu", ["32by64"]), UnreadableOp, "is not a tensor");
  assertThrows(() => words("relu", ["32x64"], ["dim"]), UnreadableOp, "NAME=VALUE");
  assertThrows(() => words("permute", ["32x64"]), UnreadableOp, "'permutation' is missing");
  const gradient = () => words("swiglu_elemwise_bw", ["32x64", "32x64", "32x64"]);
  assertThrows(gradient, UnreadableOp, "has 2 results; give 2 --result SHAPE");
  assertThrows(() => readFormat("bfp9"), UnreadableOp, "not an element format");
  assertEquals([readFormat("bfp8"), readFormat("float32"), readFormat("bf16")], ["bfp_bf8", "f32", "bf16"]);
});
