// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { testChipWithGrid } from "../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../testing/op_queries.ts";
import { unknownTime } from "../ops/unknown_time.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import type { Attribute } from "../ir/attribute.ts";
import type { DataType } from "../layout/data_type.ts";
import { type LayoutId, LayoutTable } from "../layout/layout_table.ts";
import { coresOf } from "../programs/program.ts";
import { circularBufferPeak } from "../programs/circular_buffer.ts";
import { createOpModel } from "./create_op_model.ts";

/** An op on one generated tensor of four dimensions: its operands, results and properties. */
interface Sample {
  readonly name: string;
  readonly operands?: number;
  /** The operand of indices. */
  readonly indices?: number;
  /** Where they differ from the tensor. */
  readonly operandShapes?: (shape: readonly number[]) => readonly (readonly number[])[];
  readonly results: (shape: readonly number[]) => readonly (readonly number[])[];
  readonly attributes?: (shape: readonly number[]) => Readonly<Record<string, Attribute>>;
}

const same = (shape: readonly number[]) => [shape];
const [batch, heads] = [0, 1];

const SAMPLES: readonly Sample[] = [
  { name: "reshape", results: ([n = 1, c = 1, h = 1, w = 1]) => [[n * c, h, w]] },
  { name: "reshape", results: ([n = 1, c = 1, h = 1, w = 1]) => [[n, c, h * w]] },
  {
    name: "permute",
    results: ([n = 1, c = 1, h = 1, w = 1]) => [[n, h, c, w]],
    attributes: () => ({ permutation: integersAttribute([0, 2, 1, 3]) }),
  },
  {
    name: "permute",
    results: ([n = 1, c = 1, h = 1, w = 1]) => [[c, n, h, w]],
    attributes: () => ({ permutation: integersAttribute([1, 0, 2, 3]) }),
  },
  {
    name: "transpose",
    results: ([n = 1, c = 1, h = 1, w = 1]) => [[n, c, w, h]],
    attributes: () => ({ dim0: integerAttribute(-2), dim1: integerAttribute(-1) }),
  },
  ...[0, 2, 3].map((dim): Sample => ({
    name: "concat",
    operands: 2,
    results: (shape) => [shape.map((extent, axis) => axis === dim ? 2 * extent : extent)],
    attributes: () => ({ dim: integerAttribute(dim) }),
  })),
  ...[0, 7].map((begin): Sample => ({
    name: "slice_static",
    results: ([n = 1, c = 1, h = 1, w = 1]) => [[n, c, h, Math.max(1, w - 8)]],
    attributes: ([n = 1, c = 1, h = 1, w = 1]) => ({
      begins: integersAttribute([0, 0, 0, begin]),
      ends: integersAttribute([n, c, h, begin + Math.max(1, w - 8)]),
      step: integersAttribute([1, 1, 1, 1]),
    }),
  })),
  ...[0, 1, 32].map((amount): Sample => ({
    name: "pad",
    results: ([n = 1, c = 1, h = 1, w = 1]) => [[n, c, h, w + amount]],
    attributes: () => ({ padding: integersAttribute([0, 0, 0, 0, 0, 0, 0, amount]) }),
  })),
  ...[1, 3].map((factor): Sample => ({
    name: "repeat",
    results: ([n = 1, c = 1, h = 1, w = 1]) => [[n, c * factor, h, w]],
    attributes: () => ({ repeat_dims: integersAttribute([1, factor, 1, 1]) }),
  })),
  {
    name: "repeat_interleave",
    results: ([n = 1, c = 1, h = 1, w = 1]) => [[2 * n, c, h, w]],
    attributes: () => ({ repeats: integerAttribute(2), dim: integerAttribute(0) }),
  },
  { name: "assign", results: same },
  { name: "to_memory_config", results: same },
  { name: "to_layout", results: same },
  { name: "concatenate_heads", results: ([n = 1, c = 1, h = 1, w = 1]) => [[n, h, c * w]] },
  {
    name: "split_query_key_value_and_split_heads",
    results: (shape) => [shape, shape, shape],
    attributes: () => ({ num_heads: integerAttribute(heads + 1) }),
  },
  {
    name: "nlp_concat_heads_decode",
    results: ([, , h = 1, w = 1]) => [[1, 1, 32, h * w]],
    attributes: ([, , h = 1]) => ({ num_heads: integerAttribute(h) }),
  },
  {
    name: "upsample",
    results: ([n = 1, c = 1, h = 1, w = 1]) => [[n, 2 * c, 2 * h, w]],
    attributes: () => ({ scale_factor: integerAttribute(2) }),
  },
  { name: "rand", operands: 0, results: same },
  { name: "full", operands: 0, results: same },
  { name: "adamw", operands: 4, results: same },
  { name: "mesh_partition", results: ([n = 1, c = 1, h = 1, w = 1]) => [[n, c, Math.ceil(h / 2), w]] },
  { name: "an_op_that_nobody_knows", results: same },
  ...["relu", "cbrt", "logit", "typecast"].map((name): Sample => ({ name, results: same })),
  ...["add", "logical_and", "remainder", "gelu_bw"].map((name): Sample => ({
    name,
    operands: 2,
    results: same,
  })),
  { name: "where", operands: 3, results: same },
  ...["sum", "min"].map((name): Sample => ({
    name,
    results: ([n = 1, c = 1]) => [[n, c, 1, 1]],
    attributes: () => ({ dim_arg: integersAttribute([2, 3]) }),
  })),
  ...[0, 3].map((dim): Sample => ({
    name: "prod",
    results: (shape) => [shape.map((extent, axis) => axis === dim ? 1 : extent)],
    attributes: () => ({ dim_arg: integerAttribute(dim) }),
  })),
  ...[0, 2].map((dim): Sample => ({
    name: "cumsum",
    results: same,
    attributes: () => ({ dim: integerAttribute(dim) }),
  })),
  {
    name: "argmax",
    results: ([n = 1, c = 1, h = 1]) => [[n, c, h, 1]],
    attributes: () => ({ dim: integerAttribute(3) }),
  },
  ...[1, 2, 3].map((dim): Sample => ({
    name: "softmax",
    results: same,
    attributes: () => ({ dimension: integerAttribute(dim) }),
  })),
  { name: "rms_norm", results: same },
  { name: "layer_norm", results: same },
  {
    name: "batch_norm_inference",
    operandShapes: (shape) => [shape, [1, shape[1] ?? 1, 1, 1], [1, shape[1] ?? 1, 1, 1]],
    results: same,
  },
  ...[2, 3].map((dim): Sample => ({
    name: "sort",
    results: (shape) => [shape, shape],
    attributes: () => ({ dim: integerAttribute(dim) }),
  })),
  {
    name: "topk",
    results: (shape) => [shape, shape],
    attributes: (shape) => ({ k: integerAttribute(shape.at(-1) ?? 1) }),
  },
  ...["quantize", "dequantize"].map((name): Sample => ({
    name,
    operandShapes: (shape) => [shape, [1], [1]],
    results: same,
  })),
  ...["gather", "scatter"].map((name, index): Sample => ({
    name,
    operands: index + 2,
    indices: 1,
    results: same,
    attributes: () => ({ dim: integerAttribute(-1) }),
  })),
  { name: "scaled_dot_product_attention", operands: 3, results: same },
  { name: "rotary_embedding", operands: 3, results: same },
  ...["max_pool2d", "avg_pool2d"].map((name): Sample => ({
    name,
    results: ([n = 1, c = 1, h = 1, w = 1]) => [[1, 1, n * c * h, w]],
    attributes: ([n = 1, c = 1, h = 1, w = 1]) => ({
      batch_size: integerAttribute(n + batch),
      input_height: integerAttribute(c),
      input_width: integerAttribute(h),
      channels: integerAttribute(w),
      kernel_size: integersAttribute([1, 1]),
      stride: integersAttribute([1, 1]),
      padding: integersAttribute([0, 0]),
      dilation: integersAttribute([1, 1]),
    }),
  })),
];

const MEMORIES = ["dram", "l1", "dram-rm", "l1-rm", "hs 4x1", "hs 8x1", "ws 1x4", "bs 2x2", "hs-rm 8x1"];

const anyQuery = fc.record({
  sample: fc.constantFrom(...SAMPLES),
  grid: fc.constantFrom([8, 8], [11, 10], [4, 2]),
  shape: fc.tuple(
    fc.constantFrom(1, 2),
    fc.constantFrom(1, 4, 8),
    fc.constantFrom(1, 32, 48, 256),
    fc.constantFrom(16, 32, 64, 1056),
  ),
  dataType: fc.constantFrom<DataType[]>("bf16", "f32", "bfp_bf8"),
  memory: fc.constantFrom(...MEMORIES),
  hint: fc.constantFrom(undefined, ...MEMORIES),
});

/** Ops that put what they make on the way into the memory that is asked for, even if the result lies elsewhere. */
const ASKED_IN_BETWEEN: ReadonlySet<string> = new Set(["sum", "mean", "max", "min", "sort", "gather"]);

Deno.test("cores, circular buffers and programs of an answer are those that the simulator prices", () => {
  const answered = new Set<string>();
  fc.assert(
    fc.property(anyQuery, ({ sample, grid, shape, dataType, memory, hint }) => {
      const model = createOpModel({
        chip: testChipWithGrid(grid[0] ?? 1, grid[1] ?? 1),
        layouts: new LayoutTable(),
      });
      const input = tensorOf(shape, dataType);
      const results = sample.results(shape).map((extents) => tensorOf(extents, dataType));
      const operands = sample.operandShapes?.(shape).map((extents) => tensorOf(extents, dataType)) ??
        Array.from(
          { length: sample.operands ?? 1 },
          (_, index) => index === sample.indices ? tensorOf(shape, "u32") : input,
        );
      const op = signatureOf(`ttnn.${sample.name}`, operands, results, sample.attributes?.(shape));
      const on = (tensor: TensorShape, text: string): LayoutId | undefined => {
        try {
          return layoutOf(model, tensor, text);
        } catch (error) {
          // A block-float tensor of rows, or more shards than the grid has cores.
          assert(error instanceof RangeError);
          return undefined;
        }
      };
      const layout = on(input, memory);
      const [result] = results;
      if (layout === undefined || result === undefined) return;
      const inputs = operands.map((operand) => operand === input ? layout : on(operand, memory));
      const wanted = hint === undefined ? undefined : on(result, hint);
      const answer = model.queryOpConstraints(op, inputs, wanted, undefined, Number.NEGATIVE_INFINITY);
      if (answer.status === "invalid") return;
      answered.add(sample.name);
      const launched = { status: "known", programs: answer.programs } as const;
      const made = answer.outputLayouts[0];
      const memoryOf = (id: LayoutId) => {
        const { bufferType, memoryLayout } = model.layouts.get(id);
        return `${bufferType} ${memoryLayout}`;
      };
      const isAsAsked = made !== undefined && memoryOf(made) === memoryOf(wanted ?? layout);
      if (isAsAsked || !ASKED_IN_BETWEEN.has(sample.name)) {
        const priced = model.programs(op, inputs, answer.outputLayouts, answer.config);
        assertEquals(priced.status === "known" ? priced.programs : [], answer.programs);
      }
      assertEquals(answer.cores, coresOf(launched));
      assertEquals(answer.cbPeakBytes, circularBufferPeak(launched));
      // What shares its operand's buffer runs nothing, and nothing else does without a program, as far as is known.
      const runs = answer.programs.length > 0 || unknownTime(op) !== undefined;
      const worksInPlace = sample.name === "adamw" || sample.name === "pad";
      if (!worksInPlace) assertEquals(answer.aliasedOperand === undefined, runs, sample.name);
      for (const { cores, circularBuffers } of answer.programs) {
        assert(cores >= 0 && cores <= (grid[0] ?? 1) * (grid[1] ?? 1), `${cores} cores`);
        assertEquals(new Set(circularBuffers.map(({ name }) => name)).size, circularBuffers.length);
        for (const { bytes } of circularBuffers) assert(Number.isInteger(bytes) && bytes > 0);
      }
    }),
    { numRuns: 6000 },
  );
  const missing = SAMPLES.filter(({ name }) => !answered.has(name)).map(({ name }) => name);
  assertEquals(missing, []);
});
