// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { SPLIT_HEADS_DECODE } from "../ops/attributes/attention.ts";
import { CONV2D } from "../ops/attributes/window.ts";
import { makeAttributes } from "../ops/attributes/print_attributes.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { choiceFor } from "./assignment.ts";
import { interleavedAssignment } from "./interleaved_assignment.ts";
import { OpEvaluator } from "./op_evaluator.ts";
import { opRoles } from "./op_roles.ts";

Deno.test("interleavedAssignment() reads no operand from L1 that the op's input filter wants in DRAM", () => {
  const builder = new GraphBuilder();
  const query = { shape: [1, 8, 32, 64], dataType: "bf16" } as const;
  const cache = { shape: [8, 8, 128, 64], dataType: "bf16" } as const;
  const [q, k, v] = [query, cache, cache].map((tensor) =>
    builder.op("ttnn.relu", [builder.argument(tensor)], tensor)
  );
  assert(q !== undefined && k !== undefined && v !== undefined);
  builder.return(builder.op("ttnn.scaled_dot_product_attention_decode", [q, k, v], query));
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const roles = opRoles(evaluator);
  const assignment = interleavedAssignment(evaluator, roles, "l1", 1_300_000);
  const isL1 = (
    layouts: readonly (Parameters<typeof evaluator.facts>[0] | undefined)[],
  ): readonly boolean[] => layouts.map((layout) => layout !== undefined && evaluator.facts(layout).isL1);
  const [relu, , , attention] = evaluator.fn.ops;
  assert(relu !== undefined && attention !== undefined);
  assertEquals(isL1(choiceFor(assignment, relu.id).outputs), [true]);
  const { inputs } = choiceFor(assignment, attention.id);
  assertEquals(isL1(inputs).slice(1), [false, false]);
  inputs.forEach((layout, operand) =>
    assert(layout !== undefined && opModel.acceptsInput(evaluator.signature(attention.id), operand, layout))
  );
});

Deno.test("interleavedAssignment() gives an op the results that it makes where those of the input are impossible", () => {
  const builder = new GraphBuilder();
  const fused = builder.argument({ shape: [1, 1, 32, 3072], dataType: "bf16" });
  const heads = (count: number) => ({ shape: [1, 32, count, 64], dataType: "bf16" } as const);
  const made = builder.multiOp(
    "ttnn.nlp_create_qkv_heads_decode",
    [fused],
    [heads(32), heads(8), heads(8)],
    { attributes: makeAttributes(SPLIT_HEADS_DECODE, { num_heads: 32, num_kv_heads: 8 }) },
  );
  builder.return(
    ...made.map((value, index) => builder.op("ttnn.relu", [value], heads(index === 0 ? 32 : 8))),
  );
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const assignment = interleavedAssignment(evaluator, opRoles(evaluator), "dram", 1_300_000);
  const [create, relu] = evaluator.fn.ops;
  assert(create !== undefined && relu !== undefined);
  // One user on each core: no other result exists, whatever the input declares.
  for (const layout of choiceFor(assignment, create.id).outputs) {
    assert(layout !== undefined);
    const { bufferType, memoryLayout } = evaluator.layouts.get(layout);
    assertEquals([bufferType, memoryLayout], ["l1", "height_sharded"]);
  }
  assertEquals(
    choiceFor(assignment, relu.id).inputs.map((layout) =>
      layout !== undefined && evaluator.facts(layout).isL1
    ),
    [false],
  );
});

Deno.test("interleavedAssignment() reads shards where slices of many channels do not fit into L1", () => {
  const builder = new GraphBuilder();
  const [channels, length, taps] = [4096, 256, 4];
  const line = builder.argument({ shape: [1, 1, length, channels], dataType: "bf16" });
  const weight = builder.argument({ shape: [channels, 1, 1, taps], dataType: "bf16" }, {
    argumentType: "parameter",
  });
  const attributes = makeAttributes(CONV2D, {
    in_channels: channels,
    out_channels: channels,
    groups: channels,
    batch_size: 1,
    input_height: 1,
    input_width: length,
    kernel_size: [1, taps],
    stride: [1, 1],
    padding: [0, 0, 0, 0],
    dilation: [1, 1],
  });
  const result = { shape: [1, 1, length - taps + 1, channels], dataType: "bf16" } as const;
  builder.return(
    builder.op("ttnn.conv2d", [line, weight, builder.argument(undefined)], result, { attributes }),
  );
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const [convolution] = evaluator.fn.ops;
  assert(convolution !== undefined);
  const { inputs } = choiceFor(
    interleavedAssignment(evaluator, opRoles(evaluator), "dram", 1_300_000),
    convolution.id,
  );
  assert(inputs[0] !== undefined);
  assertEquals(evaluator.layouts.get(inputs[0]).bufferType, "l1");
});
