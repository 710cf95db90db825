// SPDX-License-Identifier: Apache-2.0

/** Asked what an op returns, the op model says what the kernel returns, whatever the result is declared as. */

import { assert, assertEquals } from "@std/assert";
import { present } from "../../testing/present.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../testing/op_queries.ts";
import type { Attribute } from "../ir/attribute.ts";
import type { DataType } from "../layout/data_type.ts";
import { LayoutTable } from "../layout/layout_table.ts";
import { returnedFormat } from "../ops/returned_format.ts";
import { createOpModel } from "./create_op_model.ts";

const BLOCKS = { dataType: "bfp_bf8", tile: { height: 32, width: 32 }, bufferType: "dram" } as const;

interface Asked {
  readonly shape?: readonly number[];
  readonly result?: readonly number[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
  /** Formats of the operands; `-rm` for row-major pages. */
  readonly operands: readonly (DataType | `${DataType}-rm`)[];
  readonly declared: DataType;
  readonly results?: number;
}

/** Format and pages of result 0, without a hint and with one in the declared format. */
function returned(name: string, asked: Asked): readonly string[] {
  const opModel = createOpModel({ chip: TEST_WORMHOLE, layouts: new LayoutTable() });
  const shape = asked.shape ?? [64, 64];
  const operands = asked.operands.map((text) => {
    const rowMajor = text.endsWith("-rm");
    const dataType = text.replace("-rm", "");
    const tensor = tensorOf(shape, DATA_TYPES.find((known) => known === dataType));
    return { tensor, layout: layoutOf(opModel, tensor, rowMajor ? "dram-rm" : "dram") };
  });
  const result = tensorOf(asked.result ?? shape, asked.declared);
  const op = signatureOf(
    name,
    operands.map(({ tensor }) => tensor),
    Array.from(
      { length: asked.results ?? 1 },
      (_, index) => index === 0 ? result : tensorOf(result.shape, "u16"),
    ),
    asked.attributes,
  );
  return [undefined, layoutOf(opModel, result, "dram"), layoutOf(opModel, result, "l1")].map((hint) => {
    const answer = opModel.queryOpConstraints(op, operands.map(({ layout }) => layout), hint, undefined);
    assert(answer.status === "valid", `${name}: ${answer.status === "invalid" ? answer.message : ""}`);
    const layout = opModel.layouts.get(present(answer.outputLayouts[0]));
    return `${layout.dataType}${layout.tile === undefined ? "-rm" : ""}`;
  });
}

const DATA_TYPES: readonly DataType[] = ["f32", "bf16", "si32", "u32", "u16", "bfp_bf8"];

// tt-metal:unary: tanh of f32 is f32, and so for every op of one operand.
Deno.test("ops of one operand return its format and its pages", () => {
  for (const name of ["ttnn.tanh", "ttnn.relu", "ttnn.neg", "ttnn.exp", "ttnn.logit"]) {
    assertEquals(returned(name, { operands: ["f32"], declared: "bf16" }), ["f32", "f32", "f32"], name);
  }
  assertEquals(returned("ttnn.abs", { operands: ["si32-rm"], declared: "f32" }), [
    "si32-rm",
    "si32-rm",
    "si32-rm",
  ]);
});

// tt-metal:reshape, tt-metal:permute, tt-metal:concat
Deno.test("data movement ops return the operand's format", () => {
  const cases: readonly (readonly [string, Asked])[] = [
    ["ttnn.reshape", { operands: ["si32"], declared: "f32", result: [32, 128] }],
    ["ttnn.permute", {
      operands: ["f32"],
      declared: "bf16",
      attributes: { permutation: integersAttribute([1, 0]) },
    }],
    ["ttnn.transpose", {
      operands: ["f32"],
      declared: "bf16",
      attributes: { dim0: integerAttribute(0), dim1: integerAttribute(1) },
    }],
    ["ttnn.concat", {
      operands: ["si32", "si32"],
      declared: "bf16",
      result: [128, 64],
      attributes: { dim: integerAttribute(0) },
    }],
    ["ttnn.slice_static", {
      operands: ["f32"],
      declared: "bf16",
      result: [32, 64],
      attributes: {
        begins: integersAttribute([0, 0]),
        ends: integersAttribute([32, 64]),
        step: integersAttribute([1, 1]),
      },
    }],
    ["ttnn.softmax", { operands: ["f32"], declared: "bf16", attributes: { dimension: integerAttribute(1) } }],
  ];
  for (const [name, asked] of cases) {
    const [format = ""] = asked.operands;
    assertEquals(returned(name, asked), [format, format, format], name);
  }
});

Deno.test("an embedding returns the rows of its table as bf16, a sort the format of its values", () => {
  const embedding = returned("ttnn.embedding", {
    operands: ["u32", "bfp_bf8"],
    declared: "f32",
    result: [64, 64, 64],
  });
  assertEquals(embedding, ["bf16", "bf16", "bf16"]);
  assertEquals(
    returned("ttnn.sort", {
      operands: ["f32"],
      declared: "bf16",
      results: 2,
      attributes: { dim: integerAttribute(-1) },
    })[0],
    "f32",
  );
});

// tt-metal:reduction, tt-metal:layernorm: what combines or normalizes elements keeps their format.
Deno.test("reductions and norms return the format of their input, argmax indices", () => {
  const along = { dim_arg: integersAttribute([1]), keep_dim: { kind: "bool", value: true } } as const;
  const cases: readonly (readonly [string, Partial<Asked>])[] = [
    ["ttnn.sum", { result: [64, 1], attributes: along }],
    ["ttnn.mean", { result: [64, 1], attributes: along }],
    ["ttnn.max", { result: [64, 1], attributes: along }],
    ["ttnn.rms_norm", {}],
    ["ttnn.layer_norm", {}],
    ["ttnn.cumsum", { attributes: { dim: integerAttribute(0) } }],
  ];
  for (const [name, asked] of cases) {
    const found = returned(name, { operands: ["f32"], declared: "bf16", ...asked });
    assertEquals(found, ["f32", "f32", "f32"], name);
  }
  const indices = returned("ttnn.argmax", {
    operands: ["bf16-rm"],
    declared: "si32",
    result: [64, 1],
    attributes: { dim: integerAttribute(1), keep_dim: { kind: "bool", value: true } },
  });
  assertEquals(new Set(indices), new Set(["u32-rm"]));
});

Deno.test("pools return the format of their image, bf16 in rows where that is a block float", () => {
  const pool = (operand: Asked["operands"][number], declared: DataType) =>
    returned("ttnn.max_pool2d", {
      operands: [operand],
      declared,
      shape: [1, 1, 1024, 64],
      result: [1, 1, 256, 64],
      attributes: {
        batch_size: integerAttribute(1),
        channels: integerAttribute(64),
        input_height: integerAttribute(32),
        input_width: integerAttribute(32),
        kernel_size: integersAttribute([2, 2]),
        stride: integersAttribute([2, 2]),
        padding: integersAttribute([0, 0]),
        dilation: integersAttribute([1, 1]),
        ceil_mode: { kind: "bool", value: false },
      },
    });
  assertEquals(pool("bf16-rm", "f32")[0], "bf16-rm");
  assertEquals(returnedFormat("ttnn.max_pool2d", () => BLOCKS, false), "bf16");
  assertEquals(returnedFormat("ttnn.max_pool2d", () => BLOCKS, true), "bfp_bf8");
});

Deno.test("a change of layout keeps the format on the device where pages stay", () => {
  const returned = (inTiles: boolean, bufferType: "dram" | "system_memory" = "dram") =>
    returnedFormat("ttnn.to_layout", () => ({ ...BLOCKS, bufferType }), inTiles);
  assertEquals([returned(true), returned(false)], ["bfp_bf8", undefined]);
  assertEquals(returned(true, "system_memory"), undefined);
});

Deno.test("ops with a requested format return it", () => {
  for (const name of ["ttnn.add", "ttnn.multiply", "ttnn.matmul"]) {
    assertEquals(
      returned(name, { operands: ["f32", "f32"], declared: "bf16" }),
      ["bf16", "bf16", "bf16"],
      name,
    );
  }
  assertEquals(returned("ttnn.typecast", { operands: ["f32"], declared: "bf16" }), ["bf16", "bf16", "bf16"]);
});

// tt-metal:binary-ng
Deno.test("an op of two row-major operands returns rows, of one returns tiles", () => {
  const subtract = (...operands: Asked["operands"]) =>
    returned("ttnn.subtract", { operands, declared: "si32" });
  assertEquals(subtract("si32-rm", "si32-rm"), ["si32-rm", "si32-rm", "si32-rm"]);
  assertEquals(subtract("si32-rm", "si32"), ["si32", "si32", "si32"]);
});
