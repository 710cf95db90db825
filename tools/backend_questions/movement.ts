// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../lib/layout/data_type.ts";
import {
  alone,
  BF16_OR_F32,
  BF16_SELDOM_F32,
  choose,
  dense,
  float,
  FORMATS,
  integer,
  list,
  mostlyLast,
  ofOneTensor,
  type QuestionMaker,
  withExtent,
} from "./question.ts";
import { ACTIVATIONS, HEADS, PIXELS, TOKENS } from "./shapes.ts";

const PLACES = ["dram", "l1", "height_sharded", "width_sharded", "block_sharded"] as const;

const toLayout: QuestionMaker = ({ random, tensors }) => {
  const shape = random.pick(ACTIVATIONS);
  const dataType = random.pick(BF16_OR_F32);
  const tilizes = random.chance(0.5);
  const input = tensors.any({ shape, dataType, tiled: !tilizes });
  const same = tensors.any({ shape, dataType, tiled: tilizes });
  const { memoryLayout, bufferType } = input.layout;
  const place = PLACES.find((each) => each === (memoryLayout === "interleaved" ? bufferType : memoryLayout));
  const hint = place !== undefined && random.chance(0.5)
    ? tensors.at(place, { shape, dataType, tiled: tilizes })
    : same;
  return {
    op: "to_layout",
    operands: [input],
    results: [{ shape, dataType, tiled: tilizes }],
    hint: random.chance(0.15) ? undefined : hint,
    attrs: { layout: `#ttnn.layout<${tilizes ? "tile" : "row_major"}>` },
  };
};

const toMemoryConfig: QuestionMaker = ({ random, tensors }) => {
  const choice = choose(random, ACTIVATIONS, FORMATS, 0.8);
  const operands = [tensors.any(choice)];
  return { op: "to_memory_config", operands, results: [choice], hint: tensors.any(choice) };
};

const RESHAPES: readonly (readonly [from: readonly number[], to: readonly number[]])[] = [
  [[1, 384, 768], [384, 768]],
  [[1, 384, 768], [1, 384, 12, 64]],
  [[8, 128, 768], [1024, 768]],
  [[1, 197, 768], [197, 768]],
  [[1, 1, 3136, 64], [1, 56, 56, 64]],
  [[1, 56, 56, 256], [1, 1, 3136, 256]],
  [[1, 1, 49, 2048], [1, 7, 7, 2048]],
  [[32, 2048], [1, 1, 32, 2048]],
  [[1, 128, 2048], [1, 128, 32, 64]],
  [[1, 12, 384, 64], [12, 384, 64]],
  [[1, 1024, 160], [1, 32, 32, 160]],
  [[64, 128], [8192]],
];

const PERMUTES: readonly (readonly [shape: readonly number[], order: readonly number[]])[] = [
  [[1, 384, 12, 64], [0, 2, 1, 3]],
  [[1, 12, 384, 64], [0, 2, 1, 3]],
  [[8, 12, 128, 64], [0, 1, 3, 2]],
  [[1, 64, 56, 56], [0, 2, 3, 1]],
  [[1, 32, 32, 160], [0, 3, 1, 2]],
  [[1, 128, 2048], [0, 2, 1]],
  [[384, 768], [1, 0]],
  [[32, 1, 2048], [1, 0, 2]],
  [[1, 197, 3, 768], [2, 0, 1, 3]],
];

const transpose = ofOneTensor("transpose", alone([...HEADS, ...TOKENS]), {
  formats: BF16_OR_F32,
  tiled: 0.8,
}, (random, [shape]) => {
  const last = shape.length - 1;
  const [first, second] = random.chance(0.7) || last < 2 ? [last - 1, last] : [last - 2, last - 1];
  return {
    result: shape.with(first, shape[second] ?? 1).with(second, shape[first] ?? 1),
    attrs: { dim0: integer(first, "si32"), dim1: integer(second, "si32") },
  };
});

const concat: QuestionMaker = ({ random, tensors }) => {
  const choice = choose(random, [...TOKENS, ...PIXELS, ...HEADS], FORMATS, 0.8);
  const { shape } = choice;
  const dimension = mostlyLast(random, shape, 0.5);
  const count = random.pick([2, 2, 2, 3]);
  const first = tensors.any(choice);
  const others = Array.from(
    { length: count - 1 },
    () => random.chance(0.7) ? tensors.like(first, shape) : tensors.any(choice),
  );
  const result = withExtent(shape, dimension, count * (shape[dimension] ?? 1));
  return {
    op: "concat",
    operands: [first, ...others],
    results: [{ ...choice, shape: result }],
    hintLike: first,
    attrs: { dim: integer(dimension, "si32") },
  };
};

const slice = ofOneTensor("slice_static", alone([...TOKENS, ...PIXELS]), {
  formats: BF16_OR_F32,
  tiled: 0.75,
}, (random, [shape], tiled) => {
  const dimension = random.below(shape.length);
  const extent = shape[dimension] ?? 1;
  const unit = tiled && dimension >= shape.length - 2 && random.chance(0.7) ? 32 : 1;
  const units = Math.max(1, Math.floor(extent / unit));
  const begin = unit * random.below(units);
  const end = Math.min(extent, begin + unit * (1 + random.below(units)));
  const step = random.chance(0.1) ? 2 : 1;
  return {
    result: shape.with(dimension, Math.ceil((end - begin) / step)),
    attrs: {
      begins: list(shape.map(() => 0).with(dimension, begin)),
      ends: list(shape.with(dimension, end)),
      step: list(shape.map(() => 1).with(dimension, step)),
    },
  };
});

const pad = ofOneTensor("pad", alone([...TOKENS, ...PIXELS]), {
  formats: BF16_OR_F32,
  tiled: 0.6,
}, (random, [shape]) => {
  const dimension = shape.length - 1 - random.below(Math.min(3, shape.length));
  const after = random.pick([1, 3, 28, 32, 64]);
  const before = random.chance(0.15) ? 1 : 0;
  return {
    result: shape.with(dimension, (shape[dimension] ?? 1) + before + after),
    attrs: {
      padding: dense(shape.flatMap((_, index) => index === dimension ? [before, after] : [0, 0]), "i32"),
      value: float(0),
      use_multicore: "true",
    },
  };
});

const REPEATED: readonly (readonly number[])[] = [
  [1, 1, 768],
  [1, 1, 64, 128],
  [1, 8, 128, 64],
  [1, 384, 1],
  [1, 1, 1, 384],
  ...TOKENS,
];

const repeat = ofOneTensor("repeat", alone(REPEATED), {
  formats: BF16_OR_F32,
  tiled: 0.75,
}, (random, [shape]) => {
  const dimension = random.below(shape.length);
  const times = random.pick([2, 4, 8]);
  return {
    result: shape.with(dimension, times * (shape[dimension] ?? 1)),
    attrs: { repeat_dims: `#ttnn.shape<${shape.map(() => 1).with(dimension, times).join("x")}>` },
  };
});

const INTERLEAVED = [[1, 8, 128, 64], [1, 4, 512, 128], [2, 2, 64, 96], [8, 128, 64], [1, 32, 32, 32]];

const repeatInterleave = ofOneTensor("repeat_interleave", alone(INTERLEAVED), {
  formats: BF16_OR_F32,
}, (random, [shape]) => {
  const dimension = random.below(shape.length);
  const times = random.pick([2, 3, 4, 16]);
  return {
    result: shape.with(dimension, times * (shape[dimension] ?? 1)),
    attrs: { repeats: integer(times, "ui32"), dim: integer(dimension, "si32") },
  };
});

const embedding: QuestionMaker = ({ random, tensors }) => {
  const [indices, table] = random.pick<readonly [readonly number[], readonly number[]]>([
    [[1, 32], [32000, 2048]],
    [[1, 384], [30522, 768]],
    [[8, 128], [512, 768]],
    [[1, 197], [197, 768]],
    [[1, 128], [50257, 1024]],
    [[1, 49], [169, 32]],
  ]);
  const tiled = random.chance(0.6);
  const result = [...indices, table.at(-1) ?? 1];
  return {
    op: "embedding",
    operands: [
      tensors.any({
        shape: indices,
        dataType: "u32",
        tiled: random.chance(0.25),
        places: ["dram", "dram", "l1"],
      }),
      tensors.any({ shape: table, tiled: random.chance(0.25), places: ["dram", "dram", "dram", "l1"] }),
    ],
    results: [{ shape: result, tiled }],
    hint: random.chance(0.2) ? undefined : tensors.any({ shape: result, tiled }),
  };
};

const gather: QuestionMaker = ({ random, tensors }) => {
  const shape = random.pick([[1, 1, 32, 256], [32, 128], [1, 64, 512]]);
  const dimension = mostlyLast(random, shape, 0.8);
  const result = withExtent(shape, dimension, random.pick([32, 64]));
  const input = tensors.any({ shape });
  const index = tensors.any({ shape: result, dataType: random.pick<DataType>(["u32", "u16"]) });
  return {
    op: "gather",
    operands: [input, index],
    results: [{ shape: result }],
    hintLike: input,
    attrs: { dim: integer(dimension) },
  };
};

/** Makers of the families that move data. */
export const MOVEMENT: Readonly<Record<string, QuestionMaker>> = {
  to_layout: toLayout,
  to_memory_config: toMemoryConfig,
  reshape: ofOneTensor("reshape", RESHAPES, { formats: BF16_SELDOM_F32, tiled: 0.8 }, (_, [, to]) => ({
    result: to,
    attrs: { shape: list(to) },
  })),
  permute: ofOneTensor("permute", PERMUTES, { formats: BF16_OR_F32, tiled: 0.75 }, (_, [shape, order]) => ({
    result: order.map((dimension) => shape[dimension] ?? 1),
    attrs: { permutation: dense(order), pad_value: float(0) },
  })),
  transpose,
  concat,
  slice,
  pad,
  repeat,
  repeat_interleave: repeatInterleave,
  embedding,
  gather,
};
