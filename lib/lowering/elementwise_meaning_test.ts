// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import { BINARY, UNARY } from "../../testing/interpreter/elementwise.ts";
import { knownOps } from "../../testing/interpreter/interpret.ts";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import type { ValueId } from "../graph/graph.ts";
import { readGraph } from "../graph/read_graph.ts";
import { parseModule } from "../ir/mod.ts";
import { definitionOf } from "../ops/op_book.ts";
import { lowerModule } from "./lower_module.ts";
import { OP_TABLE } from "./op_table.ts";
import { dims32, extent, keepsMeaning, shapes, single, type } from "./testing/keeps_meaning.ts";

keepsMeaning(
  "elementwise ops with broadcasting operands",
  fc.record({
    op: fc.constantFrom(...Object.keys(BINARY).filter((name) => OP_TABLE.has(`ttir.${name}`))),
    shape: shapes(),
    kept: fc.tuple(fc.nat(15), fc.nat(15)),
  }).map(({ op, shape, kept }) => {
    const integral = /bitwise|shift/.test(op);
    const operands = kept.map((mask) => shape.map((own, dim) => (mask >> dim & 1 ? own : 1)));
    const result = shape.map((_, dim) => Math.max(...operands.map((own) => own[dim] ?? 1)));
    const element = integral ? "si32" : "f32";
    return { text: single(op, operands.map((own) => type(own, element)), [type(result, element)]), limit: 7 };
  }),
  150,
);

keepsMeaning(
  "unary ops",
  fc.record({
    op: fc.constantFrom(...Object.keys(UNARY).filter((name) => OP_TABLE.has(`ttir.${name}`)), "gelu"),
    shape: shapes(),
  }).map(({ op, shape }) => {
    const element = op === "bitwise_not" ? "si32" : "f32";
    return { text: single(op, [type(shape, element)], [type(shape, element)]) };
  }),
  100,
);

keepsMeaning(
  "unary ops of whole numbers",
  fc.record({
    op: fc.constantFrom(
      ...Object.keys(UNARY).filter((name) =>
        OP_TABLE.has(`ttir.${name}`) && !/logical|bitwise|isfinite/.test(name)
      ),
    ),
    shape: shapes(),
  }).map(({ op, shape }) => ({ text: single(op, [type(shape, "si32")], [type(shape, "f32")]) })),
  100,
);

Deno.test("no kernel is given a format that it refuses where a cast gives it another", () => {
  let cast = 0;
  for (const op of [...Object.keys(UNARY), ...Object.keys(BINARY)]) {
    if (!OP_TABLE.has(`ttir.${op}`)) continue;
    const tensors = op in UNARY ? ["operand"] : ["operand", "operand"];
    const floats = /bitwise|shift/.test(op) ? [] : ["f32", "bf16"];
    for (const element of ["si32", "ui32", "ui8", ...floats]) {
      const tensor = type([32, 32], element);
      const lowered = lowerModule(
        parseModule(single(op, tensors.map(() => tensor), [tensor]), "one.mlir"),
        TEST_WORMHOLE,
      );
      const { graph: { functions: [fn] } } = readGraph(
        parseModule(lowered, "one.mlir"),
        TEST_WORMHOLE.workerGrid,
      );
      const formatOf = (id: ValueId | undefined) =>
        id === undefined ? undefined : fn?.values[id]?.tensor?.dataType;
      for (const { name, operands, results: [result] } of fn?.ops ?? []) {
        const { family, takesFormats } = definitionOf(name);
        if (family !== "unary" && family !== "binary") continue;
        const formats = operands.flatMap((id) => formatOf(id) ?? []);
        assert(takesFormats(formats, formatOf(result)), `${op} of ${element}: ${name} of ${formats}`);
        if (lowered.includes("ttnn.typecast")) cast++;
      }
    }
  }
  assert(cast > 50, `${cast} ops have casts`);
});

keepsMeaning(
  "ops with parameters",
  fc.record({ shape: shapes(), which: fc.nat(6), low: fc.integer({ min: -4, max: 4 }) }).map(
    ({ shape, which, low }) => {
      const tensor = type(shape);
      const [min, max] = [low / 2, low / 2 + 1].map((value) => `${value.toFixed(6)} : f32`);
      const texts = [
        single("clamp_scalar", [tensor], [tensor], [`min = ${min}`, `max = ${max}`]),
        single("clamp", [tensor], [tensor], [`min = ${min}`, `max = ${max}`]),
        single("clamp_tensor", [tensor, tensor, tensor], [tensor]),
        single("leaky_relu", [tensor], [tensor], ["parameter = 1.250000e-01 : f32"]),
        single("where", [type(shape, "i1"), tensor, tensor], [tensor]),
        single("typecast", [tensor], [type(shape, "i1")]),
        single("typecast", [type(shape, "si32")], [tensor]),
      ];
      return { text: texts[which] ?? "" };
    },
  ),
);

keepsMeaning(
  "activations with a gate",
  fc.record({
    shape: shapes(),
    at: fc.nat(5),
    name: fc.constantFrom("glu", "swiglu", "geglu", "reglu"),
    fromBehind: fc.boolean(),
  }).map(({ shape, at, name, fromBehind }) => {
    const dim = at % shape.length;
    const input = shape.with(dim, 2 * (shape[dim] ?? 1));
    const given = fromBehind ? dim - shape.length : dim;
    return {
      text: single("gated_activation", [type(input)], [type(shape)], [
        `activation = "${name}", dim = ${given} : si32`,
      ]),
    };
  }),
);

keepsMeaning(
  "channels moved last",
  fc.tuple(extent, extent, extent).map(([batch, channels, pixels]) => ({
    text: single("convert_to_hwc", [type([1, batch, channels, pixels])], [
      type([1, 1, batch * pixels, channels]),
    ]),
  })),
);

keepsMeaning(
  "selections",
  fc.record({ shape: shapes(2, 4), numbers: fc.array(fc.nat(100), { minLength: 6, maxLength: 6 }) }).map(
    ({ shape, numbers: [a = 0, b = 0, c = 0, d = 0, e = 0] }) => {
      const dim = a % shape.length;
      const own = (shape[dim] ?? 1) + 3;
      const input = shape.with(dim, own);
      const begin = b % own;
      const end = begin + 1 + c % (own - begin);
      const step = 1 + d % 2;
      const count = Math.ceil((end - begin) / step);
      const indexed = single("index", [type(input)], [type(input.with(dim, count))], [
        `dim = ${dim} : i32, begin = ${begin} : i32, end = ${end} : i32, step = ${step} : i32`,
      ]);
      const length = 1 + c % 2;
      const stride = length + d % 2;
      const windows = 1 + Math.floor((own - length) / stride);
      const last = (windows - 1) * stride + length;
      const selected = single(e % 3 === 0 ? "select" : "index_select", [type(input)], [
        type(input.with(dim, windows * length)),
      ], [
        `dim = ${dim} : si32, begin = 0 : si32, end = ${last} : si32, length = ${length} : si32, stride = ${stride} : si32`,
      ]);
      return { text: e % 2 === 0 ? indexed : selected };
    },
  ),
);

keepsMeaning(
  "embeddings and gathers",
  fc.record({ indices: shapes(1, 3), rows: extent, width: extent, dim: fc.nat(1), squeezed: fc.boolean() })
    .map(
      ({ indices, rows, width, dim, squeezed }) => {
        const table = [rows + 1, width];
        const looked = single("embedding", [type(indices, "si32"), type(table)], [type([...indices, width])]);
        const source = [rows + 1, width + 1];
        const taken = [3, 2].map((own, at) => (at === dim ? own : Math.min(own, source[at] ?? 1)));
        const gathered = single("gather", [type(source), type(taken, "si32")], [type(taken)], [
          `dim = ${dim} : i32`,
        ]);
        return { text: squeezed ? looked : gathered, limit: 2 };
      },
    ),
);

keepsMeaning(
  "tensors made from attributes",
  fc.record({ shape: shapes(1, 3), dim: fc.nat(2), which: fc.nat(3) }).map(({ shape, dim, which }) => {
    const along = dim % shape.length;
    const texts = [
      single("arange", [], [type(shape)], [
        `arange_dimension = ${along} : i64, start = 3 : si64, end = ${
          3 + 2 * (shape[along] ?? 1)
        } : si64, step = 2 : si64`,
      ]),
      single("full", [], [type(shape)], [`fill_value = 7.500000e-01 : f32, shape = ${dims32(shape)}`]),
      single("ones", [], [type(shape)], [`shape = ${dims32(shape)}`]),
      single("constant", [], [type([2, 2])], [`value = dense<[[1.0, 2.0], [3.5, -4.0]]> : ${type([2, 2])}`]),
    ];
    return { text: texts[which] ?? "" };
  }),
);

Deno.test("the interpreter knows most ops that have a lowering", () => {
  const known = knownOps();
  const unknown = [...OP_TABLE.keys()].filter((name) => !known.has(name));
  assert(unknown.length < OP_TABLE.size / 3, `${unknown.length} of ${OP_TABLE.size}: ${unknown.join(" ")}`);
});
