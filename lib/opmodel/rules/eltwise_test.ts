// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { layoutOf, type LayoutText, signatureOf, tensorOf } from "../../../testing/op_queries.ts";
import type { Attribute } from "../../ir/attribute.ts";
import type { DataType } from "../../layout/data_type.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { createOpModel } from "../create_op_model.ts";
import type { OpConstraints, OpModel } from "../op_model.ts";
import { shardExtent } from "../../programs/shard_spec.ts";

type ReadOperand = readonly [shape: readonly number[], layout: LayoutText, dataType?: DataType];

function ask(
  name: string,
  operands: readonly ReadOperand[],
  result: ReadOperand,
  attributes: Readonly<Record<string, Attribute>> = {},
): { readonly answer: OpConstraints; readonly model: OpModel } {
  const model = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const typeOf = ([shape, , dataType = "bf16"]: ReadOperand) => tensorOf(shape, dataType);
  const layout = (operand: ReadOperand) => layoutOf(model, typeOf(operand), operand[1]);
  const op = signatureOf(`ttnn.${name}`, operands.map(typeOf), [typeOf(result)], attributes);
  const hint = result[1] === "null" ? undefined : layout(result);
  return { answer: model.queryOpConstraints(op, operands.map(layout), hint, undefined), model };
}

const SILU: Attribute = {
  kind: "array",
  elements: [{ kind: "dialect", dialect: "ttnn", mnemonic: "unary_with_param", body: "op_type = silu" }],
};

// Answers of ttnn 0.81.1 on n150: circular buffers, peak of tensors, bytes per core.
const RUNS: readonly [
  name: string,
  operands: readonly ReadOperand[],
  result: ReadOperand,
  bytes: readonly number[],
  attributes?: Readonly<Record<string, Attribute>>,
][] = [
  ["relu", [[[28672, 32], "l1"]], [[28672, 32], "hs 64x1"], [8192, 28672]],
  ["add", [[[64, 1024], "dram"], [[1, 1024], "dram", "f32"]], [[64, 1024], "l1"], [24576, 2048]],
  // A column meets height shards: it alone is copied and spread.
  ["add", [[[256, 64], "hs 8x1"], [[256, 1], "dram"]], [[256, 64], "null"], [8192, 4096]],
  ["logical_and", [[[256, 64], "hs 8x1"], [[256, 64], "hs 8x1"]], [[256, 64], "null"], [32768, 4096]],
  // Whole numbers beside floats are cast first.
  ["multiply", [[[64, 1024], "l1", "si32"], [[64, 1024], "l1"]], [[64, 1024], "l1"], [24576, 4096]],
  // A number beside one tensor fills one tile.
  ["add", [[[64, 1024], "l1"]], [[64, 1024], "l1"], [10240, 2048]],
  ["remainder", [[[64, 1024], "l1"], [[64, 1024], "l1"]], [[64, 1024], "null"], [12288, 2048]],
  ["where", [[[1, 1024], "dram"], [[64, 1024], "dram"], [[64, 1024], "dram"]], [[64, 1024], "l1"], [
    28672,
    2048,
  ]],
  ["clamp_tensor", [[[64, 1024], "l1"], [[64, 1024], "dram"], [[64, 1024], "dram"]], [[64, 1024], "l1"], [
    12288,
    6144,
  ]],
  [
    "multiply",
    [[[256, 64], "hs 8x1"], [[256, 64], "hs 8x1"]],
    [[256, 64], "null"],
    [4096, 4096],
    { input_tensor_a_activations: SILU },
  ],
];

for (const [name, operands, result, bytes, attributes] of RUNS) {
  const text = operands.map(([shape, layout]) => `${shape.join("x")} ${layout}`).join(", ");
  Deno.test(`ttnn.${name}(${text}) runs in the bytes that the backend reports`, () => {
    const { answer } = ask(name, operands, result, attributes);
    assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
    assertEquals([answer.cbPeakBytes, answer.tensorL1PeakBytes], bytes);
  });
}

// Messages of ttnn 0.81.1: "Mixed dtype is not supported for binary operation", "Input tensor A dtype … is not
// supported", "does not support integer input dtype", "Physical shard shape (1, 30) must be tile {32, 32} sized!",
// "Shard width 1024 must match physical width …", "Ternary operation requires tensor to be in Tile layout".
const REFUSALS: readonly [
  name: string,
  operands: readonly ReadOperand[],
  result: ReadOperand,
  rule: string,
][] = [
  [
    "maximum",
    [[[64, 1024], "dram"], [[64, 1024], "dram", "bfp_bf8"]],
    [[64, 1024], "dram"],
    "eltwise/format",
  ],
  [
    "divide",
    [[[64, 1024], "dram", "u32"], [[64, 1024], "dram", "u32"]],
    [[64, 1024], "dram", "f32"],
    "eltwise/format",
  ],
  ["neg", [[[64, 1024], "dram", "u16"]], [[64, 1024], "dram", "u16"], "eltwise/format"],
  ["add", [[[1, 1920], "ws-rm 1x64"], [[1, 1920], "dram"]], [[1, 1920], "null"], "eltwise/tilize"],
  ["add", [[[64, 64], "dram"], [[96, 64], "dram"]], [[96, 64], "dram"], "eltwise/broadcast"],
  [
    "where",
    [[[64, 1024], "dram-rm"], [[64, 1024], "dram-rm"], [[64, 1024], "dram-rm"]],
    [[64, 1024], "dram"],
    "ternary/tile",
  ],
  ["dropout", [[[256, 64], "hs 8x1"]], [[256, 64], "dram"], "dropout/sharding"],
];

for (const [name, operands, result, rule] of REFUSALS) {
  Deno.test(`ttnn.${name} is refused by ${rule}, as the backend refuses it`, () => {
    const { answer } = ask(name, operands, result);
    assertEquals(answer.status === "invalid" ? answer.rule : "valid", rule);
  });
}

Deno.test("shards of an operand grow with the result, those of more cores win", () => {
  const shards = (operands: readonly ReadOperand[], shape: readonly number[]) => {
    const { answer, model } = ask("add", operands, [shape, "null"]);
    assert(answer.status === "valid");
    const [made] = answer.outputLayouts;
    assert(made !== undefined);
    const layout = model.layouts.get(made);
    return [layout.memoryLayout, ...shardExtent(layout)];
  };
  // ttnn 0.81.1: [3, 64, 64] HEIGHT_SHARDED [96, 64] on two cores.
  assertEquals(shards([[[1, 64, 64], "hs 2x1"], [[3, 64, 64], "dram"]], [3, 64, 64]), [
    "height_sharded",
    96,
    64,
  ]);
  assertEquals(shards([[[256, 64], "dram"], [[256, 64], "hs 8x1"]], [256, 64])[0], "height_sharded");
  assertEquals(shards([[[256, 64], "l1"], [[256, 64], "hs 8x1"]], [256, 64])[0], "interleaved");
  assertEquals(shards([[[256, 64], "hs 4x1"], [[256, 64], "hs 8x1"]], [256, 64]).slice(1), [32, 64]);
});

Deno.test("an unknown activation leaves the op's time unknown, with its name", () => {
  const { answer } = ask("relu", [[[64, 64], "dram"]], [[64, 64], "dram"], {
    activations: { kind: "string", value: "wobble" },
  });
  assert(answer.status === "invalid");
  assertEquals([answer.failure, /wobble/.test(answer.message)], ["not_implemented", true]);
});
