// SPDX-License-Identifier: Apache-2.0
import { readBool, readInteger, readIntegers } from "../dialect/attribute_values.ts";
import type { OpSignature } from "./op_model.ts";
import { readWindow } from "../programs/sliding_window.ts";
import { broadcastShape } from "./shapes.ts";

type Shape = readonly number[];

/**
 * Shape of an op's first result as its operands and properties give it; `undefined` when the op's result does not
 * follow from them or they do not fit together.
 */
export function inferResultShape(op: Omit<OpSignature, "results">): Shape | undefined {
  const name = op.name.replace(/^ttnn\./, "");
  const infer = INFERENCE[name];
  if (infer !== undefined) return infer(op);
  const shapes = op.operands.flatMap((operand) => operand === undefined ? [] : [operand.shape]);
  return shapes[0];
}

type Inference = (op: Omit<OpSignature, "results">) => Shape | undefined;

const broadcast: Inference = (op) =>
  broadcastShape(op.operands.flatMap((operand) => operand === undefined ? [] : [operand.shape]));

const reduce: Inference = (op) => {
  const shape = op.operands[0]?.shape ?? [];
  const dims = readIntegers(op.attributes, "dim_arg") ?? shape.map((_, dim) => dim);
  return withoutDims(shape, dims, readBool(op.attributes, "keep_dim") ?? true);
};

const reduceOne = (attribute: string): Inference => (op) => {
  const shape = op.operands[0]?.shape ?? [];
  const dim = readInteger(op.attributes, attribute);
  const dims = dim === undefined ? shape.map((_, index) => index) : [dim];
  return withoutDims(shape, dims, readBool(op.attributes, "keep_dim") ?? true);
};

const matmul: Inference = (op) => {
  const a = op.operands[0]?.shape;
  const b = op.operands[1]?.shape;
  if (a === undefined || b === undefined || a.length < 2 || b.length < 2) return undefined;
  const m = a.at(readBool(op.attributes, "transpose_a") === true ? -1 : -2) ?? 1;
  const n = b.at(readBool(op.attributes, "transpose_b") === true ? -2 : -1) ?? 1;
  const batch = broadcastShape([a.slice(0, -2), b.slice(0, -2)]);
  return batch === undefined ? undefined : [...batch, m, n];
};

const window = (transposed: boolean): Inference => (op) => {
  const found = readWindow(op.attributes, transposed);
  if (found === undefined) return undefined;
  return [1, 1, found.batch * found.outputHeight * found.outputWidth, found.outChannels];
};

const concatHeads: Inference = (op) => {
  const [batch = 1, heads = 1, rows = 1, width = 1] = op.operands[0]?.shape ?? [];
  return [batch, rows, heads * width];
};

/** Ops whose operands broadcast. */
const BROADCASTING: readonly string[] = [
  ..."add subtract multiply divide maximum minimum eq ne lt le gt ge pow_tensor remainder atan2 gelu_bw"
    .split(" "),
  ..."bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor".split(" "),
  ..."logical_left_shift logical_right_shift where clamp_tensor".split(" "),
];

const INFERENCE: Readonly<Record<string, Inference>> = {
  ...Object.fromEntries(BROADCASTING.map((name) => [name, broadcast])),
  sum: reduce,
  mean: reduce,
  max: reduce,
  min: reduce,
  prod: reduceOne("dim_arg"),
  argmax: reduceOne("dim"),
  matmul,
  linear: matmul,
  reshape: (op) => readIntegers(op.attributes, "shape"),
  permute: (op) => {
    const shape = op.operands[0]?.shape ?? [];
    const permutation = readIntegers(op.attributes, "permutation");
    return permutation?.map((dim) => shape.at(dim) ?? 1);
  },
  transpose: (op) => {
    const shape = [...op.operands[0]?.shape ?? []];
    const dims = [readInteger(op.attributes, "dim0") ?? 0, readInteger(op.attributes, "dim1") ?? 0]
      .map((dim) => dim < 0 ? dim + shape.length : dim);
    const [first = 0, second = 0] = dims;
    const swapped = shape.map((extent, dim) =>
      dim === first ? shape[second] ?? 1 : dim === second ? shape[first] ?? 1 : extent
    );
    return swapped;
  },
  concat: (op) => {
    const shapes = op.operands.flatMap((operand) => operand === undefined ? [] : [operand.shape]);
    const first = shapes[0];
    if (first === undefined) return undefined;
    const dim = readInteger(op.attributes, "dim") ?? 0;
    const axis = dim < 0 ? dim + first.length : dim;
    return first.map((extent, at) =>
      at === axis ? shapes.reduce((sum, shape) => sum + (shape[axis] ?? 1), 0) : extent
    );
  },
  slice_static: (op) => {
    const begins = readIntegers(op.attributes, "begins");
    const ends = readIntegers(op.attributes, "ends");
    const steps = readIntegers(op.attributes, "step") ?? [];
    return begins?.map((begin, dim) => Math.ceil(((ends?.[dim] ?? begin) - begin) / (steps[dim] ?? 1)));
  },
  slice_dynamic: () => undefined,
  pad: (op) => {
    const padding = readIntegers(op.attributes, "padding") ?? [];
    return op.operands[0]?.shape.map((extent, dim) =>
      extent + (padding[2 * dim] ?? 0) + (padding[2 * dim + 1] ?? 0)
    );
  },
  repeat: (op) => {
    const factors = readIntegers(op.attributes, "repeat_dims") ?? [];
    return op.operands[0]?.shape.map((extent, dim) => extent * (factors[dim] ?? 1));
  },
  repeat_interleave: (op) => {
    const shape = op.operands[0]?.shape ?? [];
    const dim = readInteger(op.attributes, "dim") ?? 0;
    const repeats = readInteger(op.attributes, "repeats") ?? 1;
    const axis = dim < 0 ? dim + shape.length : dim;
    return shape.map((extent, at) => at === axis ? extent * repeats : extent);
  },
  embedding: (op) => {
    const indices = op.operands[0]?.shape;
    const width = op.operands[1]?.shape.at(-1);
    return indices === undefined || width === undefined ? undefined : [...indices, width];
  },
  embedding_bw: (op) => {
    const table = op.operands[1]?.shape;
    return table === undefined ? undefined : [1, 1, table.at(-2) ?? 1, table.at(-1) ?? 1];
  },
  gather: (op) => op.operands[1]?.shape,
  topk: (op) => {
    const shape = op.operands[0]?.shape ?? [];
    const dim = readInteger(op.attributes, "dim") ?? -1;
    const k = readInteger(op.attributes, "k") ?? 1;
    return shape.map((extent, at) => at === (dim < 0 ? dim + shape.length : dim) ? k : extent);
  },
  conv2d: window(false),
  conv1d: window(false),
  conv_transpose2d: window(true),
  max_pool2d: window(false),
  avg_pool2d: window(false),
  max_pool2d_with_indices: window(false),
  global_avg_pool2d: (op) => {
    const shape = op.operands[0]?.shape ?? [];
    return shape.map((extent, dim) => dim === 0 || dim === shape.length - 1 ? extent : 1);
  },
  upsample: (op) => {
    const [batch = 1, height = 1, width = 1, channels = 1] = op.operands[0]?.shape ?? [];
    const factor = readInteger(op.attributes, "scale_factor");
    const [h = 1, w = 1] = factor === undefined
      ? readIntegers(op.attributes, "scale_factor") ?? []
      : [factor, factor];
    return [batch, height * h, width * w, channels];
  },
  concatenate_heads: concatHeads,
  nlp_concat_heads: (op) => {
    const merged = concatHeads(op);
    return merged === undefined ? undefined : [merged[0] ?? 1, 1, merged[1] ?? 1, merged[2] ?? 1];
  },
  conv3d: () => undefined,
  nlp_concat_heads_decode: () => undefined,
  nlp_create_qkv_heads_decode: () => undefined,
  split_query_key_value_and_split_heads: (op) => {
    const [batch = 1, rows = 1, width = 1] = op.operands[0]?.shape ?? [];
    const heads = readInteger(op.attributes, "num_heads") ?? 1;
    return [batch, heads, rows, width / 3 / heads];
  },
};

function withoutDims(shape: Shape, dims: Shape, keep: boolean): Shape | undefined {
  const rank = shape.length;
  const normal = new Set(dims.map((dim) => dim < 0 ? dim + rank : dim));
  for (const dim of normal) if (dim < 0 || dim >= rank) return undefined;
  if (keep) return shape.map((extent, dim) => normal.has(dim) ? 1 : extent);
  return shape.filter((_, dim) => !normal.has(dim));
}
