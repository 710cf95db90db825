// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { integerAttribute } from "../../../testing/op_queries.ts";
import type { Attribute } from "../../ir/attribute.ts";
import type { MatmulProgramConfig } from "../../op_config/op_config.ts";
import { answerOf, type TensorText } from "../testing/recorded_answer.ts";

const CONFIG = {
  kind: "matmul_multi_core_reuse_multi_cast_1d" as const,
  computeWithStorageGridSize: [8, 8] as const,
  in0BlockW: 1,
  outSubblockH: 1,
  outSubblockW: 1,
  outBlockH: 1,
  outBlockW: 1,
  perCoreM: 1,
  perCoreN: 3,
  fuseBatch: false,
  mcastIn0: true,
  gatherIn0: false,
  hopCores: [],
  numGlobalCbReceivers: 0,
  untilizeOut: false,
} satisfies MatmulProgramConfig;

/** The bytes of the buffers of a `sparse_matmul` whose result lies in DRAM, or the rule that refuses it. */
function multiplied(
  { a = "2x4x32x512 dram", b = "1x8x512x768 dram", marks = "2x4x1x8 dram-rm", attributes = {}, config = {} }:
    {
      readonly a?: TensorText;
      readonly b?: TensorText;
      readonly marks?: TensorText;
      readonly attributes?: Readonly<Record<string, Attribute>>;
      readonly config?: Partial<typeof CONFIG>;
    } = {},
) {
  const answer = answerOf({
    op: "sparse_matmul",
    inputs: [a, b, marks],
    results: ["2x4x1x8x32x768 dram"],
    attributes,
    config: { kind: "matmul", programConfig: { ...CONFIG, ...config } },
  });
  return typeof answer === "string" ? answer : answer.bytes[0];
}

Deno.test("a sparse_matmul has the buffers that ttnn 0.81.1 gives it", () => {
  assertEquals(multiplied(), 10_304);
  assertEquals(multiplied({ a: "2x4x32x512 l1", marks: "2x4x1x8 l1-rm" }), 10_272);
  assertEquals(multiplied({ b: "1x8x512x768 bfp_bf8 dram" }), 8384);
  assertEquals(multiplied({ config: { outBlockW: 3 } }), 22_592);
  assertEquals(multiplied({ config: { perCoreN: 6, outBlockW: 6, outSubblockW: 2 } }), 41_024);
  assertEquals(multiplied({ attributes: { nnz: integerAttribute(5) } }), 10_304);
  // Marks in one row, whatever the shape of A.
  assertEquals(multiplied({ marks: "1x1x1x64 dram-rm" }), 10_496);
});

Deno.test("a sparse_matmul is refused where ttnn 0.81.1 refuses it", () => {
  const rows = "2x4x48x512 dram";
  assertEquals(multiplied({ marks: "2x4x1x8 dram" }), "sparse-matmul/sparsity");
  assertEquals(multiplied({ marks: "1x1x1x8 dram-rm" }), "sparse-matmul/pairs");
  assertEquals(multiplied({ attributes: { nnz: integerAttribute(0) } }), "sparse-matmul/nnz");
  assertEquals(multiplied({ attributes: { nnz: integerAttribute(65) } }), "sparse-matmul/nnz");
  assertEquals(
    multiplied({ attributes: { is_input_b_sparse: { kind: "bool", value: false } } }),
    "sparse-matmul/dense",
  );
  assertEquals(multiplied({ config: { in0BlockW: 3 } }), "sparse-matmul/blocks");
  assertEquals(multiplied({ config: { outBlockW: 2 } }), "sparse-matmul/blocks");
  // 12 cores on a grid of 8 columns.
  assertEquals(multiplied({ config: { perCoreN: 2, outBlockW: 2 } }), "sparse-matmul/blocks");
  assertEquals(
    multiplied({ a: rows, b: "1x8x512x192 dram", config: { perCoreN: 1 } }),
    "sparse-matmul/blocks",
  );
});
