// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { idOf } from "../../../testing/ids.ts";
import { integerAttribute, integersAttribute } from "../../../testing/op_queries.ts";
import type { OpId } from "../../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../../layout/layout_table.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { realModels } from "../../propagation/testing/real_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { exploreOp } from "./explore_op.ts";
import { NARROW } from "../limits.ts";

/** An op on tensors of 512 by 512, explored with L1 that holds some of them in shards or pages. */
function explored(name: string, operandCount: number, roomFor: number) {
  const tensor = { shape: [512, 512], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const operands = Array.from({ length: operandCount }, () => builder.argument(tensor));
  builder.return(builder.op(name, operands, tensor));
  const [fn] = builder.buildGraph().functions;
  assert(fn !== undefined);
  const { opModel, cost } = realModels();
  const asked: (LayoutIds)[] = [];
  const answer = opModel.queryOpConstraints.bind(opModel);
  opModel.queryOpConstraints = (...question) => {
    asked.push(question[1]);
    return answer(...question);
  };
  const evaluator = new OpEvaluator(fn, opModel, cost, DEFAULT_POLICY_OPTIONS);
  const op: OpId = idOf(0);
  const [like] = evaluator.declared;
  assert(like !== undefined);
  const inL1 = evaluator.interleaved(tensor, like, "l1");
  const layouts = [
    evaluator.interleaved(tensor, like, "dram"),
    inL1,
    ...evaluator.catalog.reshardTargets(tensor, like),
  ];
  const l1Bytes = evaluator.facts(inL1).l1Bytes * roomFor;
  const reads = operands.map(() => layouts);
  const groups = operands.map((_, operand) => operand);
  const limits = { combinations: 1000, planKind: "hinted", l1Bytes } as const;
  const table = exploreOp(evaluator, op, reads, [], groups, limits);
  assert(table !== undefined);
  return { table, l1Bytes, asked: asked.map((inputs) => evaluator.l1Bytes(inputs)) };
}

Deno.test("exploreOp queries no operands larger than L1", () => {
  const { asked, l1Bytes, table } = explored("ttnn.add", 2, 1.5);
  assert(asked.length > 50, `${asked.length} questions`);
  assertEquals(asked.filter((bytes) => bytes > l1Bytes), []);
  assert(table.rows.length > 0);
});

Deno.test("exploreOp queries views of tensors larger than L1, which need no room of their own", () => {
  const { asked, l1Bytes, table } = explored("ttnn.reshape", 1, 0.5);
  assert(asked.some((bytes) => bytes > l1Bytes));
  const { reads: [layouts = []] } = table;
  assert(table.rows.some(({ reads: [read = -1] }) => layouts[read] !== layouts[0]));
});

/** A convolution of an image, square as its kernel, and its table with the image in the layouts that `read` picks. */
function exploredConvolution(
  { batch, size, channels, made, kernel }: Record<"batch" | "size" | "channels" | "made" | "kernel", number>,
  read: (evaluator: OpEvaluator, image: TensorShape, declared: LayoutId) => LayoutId,
) {
  const builder = new GraphBuilder();
  const pixels = batch * size * size;
  const tensor = { shape: [1, 1, pixels, channels], dataType: "bf16" } as const;
  const image = builder.argument(tensor);
  const weights = kernel === 1 ? [1, 1, channels, made] : [made, channels, kernel, kernel];
  const weight = builder.argument({ shape: weights, dataType: "bf16" });
  const square = (extent: number) => integersAttribute([extent, extent]);
  const result = builder.op(
    "ttnn.conv2d",
    [image, weight],
    { shape: [1, 1, pixels, made], dataType: "bf16" },
    {
      attributes: {
        batch_size: integerAttribute(batch),
        input_height: integerAttribute(size),
        input_width: integerAttribute(size),
        in_channels: integerAttribute(channels),
        out_channels: integerAttribute(made),
        kernel_size: square(kernel),
        stride: square(1),
        padding: square((kernel - 1) / 2),
        dilation: square(1),
        groups: integerAttribute(1),
      },
    },
  );
  builder.return(result);
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const declared = evaluator.declared[image];
  assert(declared !== undefined);
  const inputs = [read(evaluator, tensor, declared), evaluator.declared[weight]];
  const limits = { combinations: 1000, planKind: "hinted", l1Bytes: opModel.chip.l1Size } as const;
  const table = exploreOp(evaluator, idOf(0), inputs.map((layout) => [layout]), [], [0, 1], limits);
  assert(table !== undefined);
  return { table, evaluator, inputs, dram: evaluator.declared[result] };
}

Deno.test("exploreOp queries interleaved results of convolutions with the configs of sharded ones", () => {
  const { table, evaluator, inputs, dram } = exploredConvolution(
    { batch: 16, size: 56, channels: 256, made: 128, kernel: 1 },
    (_, __, declared) => declared,
  );
  const row = table.rows.find(({ output }) => table.outputs[output]?.[0] === dram);
  assert(row?.config?.kind === "conv2d");
  assertEquals(row.config.conv2dConfig?.shardLayout, "height_sharded");
  const hinted = evaluator.impls(idOf(0), inputs).filter(({ outputs }) => outputs[0] === dram);
  assert(hinted.length > 0 && hinted.every(({ microseconds }) => microseconds > row.microseconds));
});

Deno.test("exploreOp also queries convolutions with the configs that plans write if the activation has further readers", () => {
  const { table, evaluator, inputs } = exploredConvolution(
    { batch: 1, size: 56, channels: 64, made: 64, kernel: 3 },
    (evaluator, image, declared) => {
      const [sharded] = evaluator.catalog.reshardTargets(image, declared);
      assert(sharded !== undefined);
      return sharded;
    },
  );
  const impls = evaluator.impls(idOf(0), inputs);
  assert(impls.length > 0);
  for (const { outputs, config, microseconds } of impls) {
    assert(config?.kind === "conv2d" && config.conv2dConfig?.deallocateActivation === true);
    const kept = { ...config, conv2dConfig: { ...config.conv2dConfig, deallocateActivation: false } };
    const keptUs = evaluator.runtime(idOf(0), inputs, { outputs, config: kept });
    assert(keptUs < microseconds, "the halo is not moved into the place of what it was gathered from");
    const rows = table.rows.filter(({ output }) => table.outputs[output]?.[0] === outputs[0]);
    assert(rows.some((row) => row.microseconds <= keptUs));
  }
  assert(table.smaller.length > 0, "freeing it takes less L1");
});

Deno.test("exploreOp offers the allowed fidelities with few hints too", () => {
  const tensor = { shape: [512, 512], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const operands = [builder.argument(tensor), builder.argument(tensor)];
  builder.return(builder.op("ttnn.matmul", operands, tensor));
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, {
    ...DEFAULT_POLICY_OPTIONS,
    mathFidelities: ["lofi"],
  });
  const reads = operands.map((value) => [evaluator.declared[value]]);
  const limits = { combinations: 1000, planKind: "hinted", l1Bytes: opModel.chip.l1Size, ...NARROW } as const;
  const table = exploreOp(evaluator, idOf(0), reads, [], [0, 1], limits);
  const fidelities = table?.rows.map(({ config }) =>
    config?.kind === "matmul" ? config.computeConfig?.mathFidelity : undefined
  );
  assert(fidelities?.includes("lofi"), `${fidelities}`);
});
