// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { corpusFiles, corpusName, corpusTest } from "../../testing/corpus.ts";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import type { Attribute } from "../ir/attribute.ts";
import { attributeMap } from "../ir/attribute_reader.ts";
import { parseModule } from "../ir/module_parser.ts";
import { DYNAMIC, tensorTypeOf } from "../ir/tensor_type.ts";
import { definitionOf } from "./op_book.ts";
import type { InferredShape } from "./shape_inference.ts";
import type { Shape } from "./shapes.ts";

const integer = (value: number): Attribute => ({ kind: "integer", value: BigInt(value), type: "si32" });
const integers = (...values: number[]): Attribute => ({ kind: "denseArray", elementType: "i64", values });
const bool = (value: boolean): Attribute => ({ kind: "bool", value });

function infer(
  name: string,
  operands: readonly Shape[],
  attributes: Readonly<Record<string, Attribute>> = {},
  declared?: Shape,
): InferredShape {
  return definitionOf(`ttnn.${name}`).inferShape?.({
    operands,
    attributes: new Map(Object.entries(attributes)),
    declared,
  });
}

Deno.test("inferShape of the families gives the shape of the first result", () => {
  assertEquals(infer("add", [[1, 32], [4, 1]]), [4, 32]);
  assertEquals(infer("where", [[4, 1], [1, 32], [1]]), [4, 32]);
  assertEquals(infer("matmul", [[2, 1, 32, 64], [4, 64, 16]]), [2, 4, 32, 16]);
  assertEquals(infer("matmul", [[64, 32], [16, 64]], { transpose_a: bool(true), transpose_b: bool(true) }), [
    32,
    16,
  ]);
  assertEquals(infer("linear", [[2, 32, 64], [64, 16], [1, 16]]), [2, 32, 16]);
  assertEquals(infer("sum", [[2, 3, 4]], { dim_arg: integers(-1, 0), keep_dim: bool(false) }), [3]);
  const rows = { sizes: integers(3, 4), windows: integers(2, 1) };
  assertEquals(infer("rows_gather", [[5, 12, 64], [1, 2, 7]], rows), [5, 14, 64]);
  assertEquals(infer("rows_gather", [[5, 1, 12], [1, 2, 7]], { ...rows, column: bool(true) }), [5, 14]);
  assertEquals(infer("rows_scatter", [[5, 12, 64], [1, 2, 7], [5, 14, 64]], rows), [5, 12, 64]);
  assertEquals(infer("reduce_bitwise_or", [[2, 3]], { dim_arg: integers(1), keep_dim: bool(false) }), [2]);
  assertEquals(infer("argmax", [[2, 3, 4]], { dim: integer(1), keep_dim: bool(true) }), [2, 1, 4]);
  assertEquals(infer("topk", [[2, 64]], { k: integer(5) }), [2, 5]);
  assertEquals(infer("reshape", [[6, 4]], { shape: integers(-1, 8) }), [3, 8]);
  assertEquals(infer("transpose", [[2, 3, 4]], { dim0: integer(-1), dim1: integer(0) }), [4, 3, 2]);
  assertEquals(infer("repeat_interleave", [[2, 3]], { dim: integer(-1), repeats: integer(4) }), [2, 12]);
  assertEquals(infer("embedding", [[2, 7], [100, 64]]), [2, 7, 64]);
  assertEquals(infer("rotary_embedding", [[1, 8, 17, 64], [1, 1, 17, 64], [1, 1, 17, 64]]), [1, 8, 32, 64]);
  assertEquals(infer("upsample", [[1, 4, 6, 8]], { scale_factor: integers(2, 3) }), [1, 8, 18, 8]);
  assertEquals(infer("upsample", [[1, 4, 6, 8]], { scale_factor: integer(2) }), [1, 8, 12, 8]);
  const heads = { num_heads: integer(8), num_kv_heads: integer(2) };
  assertEquals(infer("split_query_key_value_and_split_heads", [[1, 32, 768]], heads), [1, 8, 32, 64]);
  const apart = { num_q_heads: integer(24), num_kv_heads: integer(8) };
  assertEquals(infer("nlp_create_qkv_heads", [[1, 1, 32, 1536], [1, 1, 32, 1024]], apart), [1, 24, 32, 64]);
});

Deno.test("inferShape says what does not fit, and nothing when it cannot tell", () => {
  const faulty: readonly InferredShape[] = [
    infer("add", [[2, 32], [4, 32]]),
    infer("matmul", [[32, 64], [32, 64]]),
    infer("linear", [[32, 64], [64, 16], [3, 16]]),
    infer("reshape", [[6, 4]], { shape: integers(5, 5) }),
    infer("reshape", [[6, 4]], { shape: integers(-1, 5) }),
    infer("permute", [[6, 4]], { permutation: integers(1, 1) }),
    infer("concat", [[2, 3], [3, 4]], { dim: integer(1) }),
    infer("sum", [[2, 3]], { dim_arg: integers(2), keep_dim: bool(true) }),
  ];
  for (const inferred of faulty) assert(inferred !== undefined && "fault" in inferred);
  assertEquals(infer("sum", [[2, 3]], { dim_arg: integers(1) }), undefined);
  assertThrows(() => infer("upsample", [[1, 4, 6, 8]]), RangeError, "'scale_factor' is missing");
  assertEquals(infer("slice_dynamic", [[2, 3]]), undefined);
  assertEquals(infer("upsample", [[4, 6, 8]], { scale_factor: integer(2) }), undefined);
  assertEquals(infer("nobody_knows", [[2, 3]]), undefined);
  // A bias that only adds dimensions of 1: both ranks occur.
  const operands = [[32, 64], [64, 16], [1, 32, 16]];
  assertEquals(infer("linear", operands), undefined);
  assertEquals(infer("linear", operands, {}, [32, 16]), [32, 16]);
  assertEquals(infer("linear", operands, {}, [1, 32, 16]), [1, 32, 16]);
  assertEquals(infer("linear", operands, {}, [32, 17]), [1, 32, 16]);
});

/** Results of the corpus that contradict their operands, and why. */
const EXPLAINED: ReadonlyMap<string, string> = new Map([
  ["ops/ttnn/conv2d_workaround.mlir ttnn.conv_transpose2d", "written by hand with the extents of a conv2d"],
]);

corpusTest("definitions agree with the operand counts, result counts and shapes of the corpus", () => {
  const wrong: string[] = [];
  const explained = new Set<string>();
  let inferred = 0;
  for (const path of corpusFiles()) {
    const file = corpusName(path);
    let module;
    try {
      module = parseModule(Deno.readTextFileSync(path), file);
    } catch (error) {
      if (error instanceof DiagnosticError) continue;
      throw error;
    }
    for (const operation of module.operations) {
      if (!operation.name.startsWith("ttnn.") || operation.form === "opaque") continue;
      const definition = definitionOf(operation.name);
      const shapeOf = (value: Parameters<typeof tensorTypeOf>[1] | undefined) =>
        value === undefined ? undefined : tensorTypeOf(module, value)?.shape;
      const operands = operation.operands.map(({ value }) => shapeOf(value));
      const tensors = operands.filter((shape) => shape !== undefined).length;
      if (tensors < definition.minOperands || tensors > definition.maxOperands) {
        wrong.push(`${file} ${operation.name}: ${tensors} tensor operands`);
      }
      if (definition.results !== undefined && definition.results !== operation.results.length) {
        wrong.push(`${file} ${operation.name}: ${operation.results.length} results`);
      }
      const declared = shapeOf(operation.results[0]);
      if (declared === undefined || [declared, ...operands].some((shape) => shape?.includes(DYNAMIC))) {
        continue;
      }
      const shape = definition.inferShape?.({
        operands,
        attributes: attributeMap(module, operation),
        declared,
      });
      if (shape === undefined) continue;
      inferred++;
      if (!("fault" in shape) && shape.join("x") === declared.join("x")) continue;
      const place = `${file} ${operation.name}`;
      if (EXPLAINED.has(place)) explained.add(place);
      else wrong.push(`${place}: ${JSON.stringify(shape)} for ${declared.join("x")}`);
    }
  }
  assertEquals(wrong, []);
  assertEquals([...explained], [...EXPLAINED.keys()]);
  assert(inferred > 30_000, `only ${inferred} shapes inferred`);
});
