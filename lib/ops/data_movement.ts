// SPDX-License-Identifier: Apache-2.0
import { normalDim, volume } from "../layout/extents.ts";
import { formatExtents } from "../layout/layout_error.ts";
import {
  CONCAT,
  GATHER,
  PAD,
  PERMUTE,
  REPEAT,
  REPEAT_INTERLEAVE,
  RESHAPE,
  SCATTER,
  SLICE,
  SLICE_DYNAMIC,
  TRANSPOSE,
} from "./attributes/movement.ts";
import { readAttributes } from "./attributes/read_attributes.ts";
import { defineOps, type OpDefinition } from "./definition.ts";
import { noneOf } from "./operand_formats.ts";
import { type InferredShape, likeOperand, type ShapedOp } from "./shape_inference.ts";
import { orderOf, padIsView, permuteIsView, repeatsNothing, reshapeIsView, swapOf } from "./view_shapes.ts";

/** Families of data movement. */
export type DataMovementFamily =
  | "reshape"
  | "permute"
  | "transpose"
  | "concat"
  | "slice"
  | "pad"
  | "repeat"
  | "repeat_interleave"
  | "embedding"
  | "embedding_bw"
  | "gather"
  | "scatter"
  | "to_layout"
  | "to_memory_config"
  | "assign"
  | "copy";

/** Bytes are neither padded nor tilized with padding, as results that do not fill tiles are (`ttnn:backend-0-81-1`). */
const NO_BYTES = { takesFormats: noneOf("u8") } as const;

/** Ops that move elements and compute nothing. */
export const DATA_MOVEMENT: readonly OpDefinition<DataMovementFamily>[] = [
  ...defineOps("reshape", "reshape", "reshape", {
    attributes: RESHAPE,
    inferShape: reshaped,
    formatOf: 0,
    keepsPages: true,
    acceptsHost: true,
    isView: reshapeIsView,
    // Of copies; a view takes any.
    takesFormats: noneOf("u16", "u8"),
  }),
  ...defineOps("permute", "permute", "permute", {
    attributes: PERMUTE,
    inferShape: permuted,
    formatOf: 0,
    keepsPages: true,
    isView: permuteIsView,
  }),
  ...defineOps("transpose", "transpose", "permute", {
    attributes: TRANSPOSE,
    inferShape: transposed,
    formatOf: 0,
    keepsPages: true,
    deviceOperation: "TransposeDeviceOperation",
  }),
  ...defineOps("concat", "concat", "concat", {
    keepsPages: true,
    attributes: CONCAT,
    operands: ["activation", "activation*"],
    inferShape: concatenated,
    formatOf: 0,
    ...NO_BYTES,
  }),
  ...defineOps("slice_static slice", "slice", "slice", {
    attributes: SLICE,
    inferShape: sliced,
    formatOf: 0,
    ...NO_BYTES,
  }),
  // Begins and ends are tensors.
  ...defineOps("slice_dynamic", "slice", "slice", {
    attributes: SLICE_DYNAMIC,
    operands: ["activation", "index?", "index?"],
    formatOf: 0,
  }),
  ...defineOps("pad", "pad", "pad", {
    attributes: PAD,
    inferShape: padded,
    formatOf: 0,
    isView: padIsView,
    ...NO_BYTES,
  }),
  ...defineOps("repeat", "repeat", "repeat", {
    attributes: REPEAT,
    inferShape: repeated,
    formatOf: 0,
    ...NO_BYTES,
    isView: repeatsNothing,
  }),
  ...defineOps("repeat_interleave", "repeat_interleave", "repeat", {
    attributes: REPEAT_INTERLEAVE,
    inferShape: repeatedInterleaved,
    formatOf: 0,
  }),
  ...defineOps("embedding", "embedding", "embedding", {
    operands: ["index", "weight"],
    formatOf: "bf16",
    inferShape: ({ operands: [indices, table] }) => {
      const width = table?.at(-1);
      return indices === undefined || width === undefined ? undefined : [...indices, width];
    },
  }),
  ...defineOps("embedding_bw", "embedding_bw", "embedding", {
    operands: ["index", "weight", "activation"],
    inferShape: ({ operands: [, table] }) => table === undefined ? undefined : [1, 1, ...table.slice(-2)],
  }),
  ...defineOps("gather", "gather", "gather", {
    attributes: GATHER,
    operands: ["activation", "index"],
    formatOf: 0,
    inferShape: likeOperand(1),
  }),
  ...defineOps("scatter", "scatter", "gather", {
    attributes: SCATTER,
    operands: ["activation", "index", "activation"],
    inferShape: likeOperand(0),
    keepsPages: true,
  }),
  // Until mid 2025 it took tensors to a device as well, which was a further operand (tt-mlir:ir-generations).
  ...defineOps("to_layout", "to_layout", "to_layout", {
    operands: ["activation", "device?"],
    formatOf: "same_pages",
    inferShape: likeOperand(0),
    acceptsHost: true,
    memoryOp: true,
  }),
  ...defineOps("to_memory_config", "to_memory_config", "reshard", {
    inferShape: likeOperand(0),
    acceptsHost: true,
    memoryOp: true,
  }),
  ...defineOps("assign", "assign", "reshard", { inferShape: likeOperand(0) }),
  // The result of a trace is written into a tensor that outlives it.
  ...defineOps("copy", "copy", "reshard", {
    operands: ["activation", "activation"],
    results: 0,
    inPlaceOperand: 1,
  }),
];

function reshaped(op: ShapedOp): InferredShape {
  const [input] = op.operands;
  const { shape = op.declared } = readAttributes(op, RESHAPE);
  if (input === undefined || shape === undefined) return shape;
  const open = shape.filter((extent) => extent === -1).length;
  if (open > 1) return undefined;
  const known = shape.reduce((product, extent) => extent === -1 ? product : product * extent, 1);
  const total = volume(input);
  if (open === 0 ? known !== total : known === 0 || total % known !== 0) {
    return { fault: `a tensor of ${total} elements cannot become ${formatExtents(shape)} of ${known}` };
  }
  return shape.map((extent) => extent === -1 ? total / known : extent);
}

function permuted(op: ShapedOp): InferredShape {
  const [input] = op.operands;
  if (input === undefined) return undefined;
  const { permutation } = readAttributes(op, PERMUTE);
  const order = orderOf(permutation, input.length);
  return order?.map((dim) => input[dim] ?? 1) ??
    { fault: `[${permutation.join(", ")}] is not a permutation of ${input.length} dimensions` };
}

function transposed(op: ShapedOp): InferredShape {
  const [input] = op.operands;
  return input === undefined ? undefined : swapOf(op, input.length)?.map((dim) => input[dim] ?? 1);
}

function concatenated(op: ShapedOp): InferredShape {
  const [first, ...rest] = op.operands;
  if (first === undefined) return undefined;
  const axis = normalDim(readAttributes(op, CONCAT).dim, first.length);
  const result = [...first];
  for (const shape of rest) {
    if (shape === undefined) return undefined;
    const fits = shape.length === first.length &&
      shape.every((extent, index) => index === axis || extent === first[index]);
    if (!fits) {
      return {
        fault: `${formatExtents(shape)} does not concatenate with ${formatExtents(first)} along ${axis}`,
      };
    }
    result[axis] = (result[axis] ?? 0) + (shape[axis] ?? 0);
  }
  return result;
}

function sliced(op: ShapedOp): InferredShape {
  const [input] = op.operands;
  if (input === undefined) return undefined;
  const { begins, ends, step: steps } = readAttributes(op, SLICE);
  const result: number[] = [];
  for (const [dim, extent] of input.entries()) {
    const begin = normalDim(begins[dim] ?? 0, extent);
    const end = normalDim(ends[dim] ?? extent, extent);
    const step = steps[dim] ?? 1;
    if (step === 0 || begin > extent || end > extent) {
      return { fault: `slice [${begin}, ${end}) step ${step} leaves dimension ${dim} of extent ${extent}` };
    }
    result.push(Math.max(0, Math.ceil((end - begin) / step)));
  }
  return result;
}

function padded(op: ShapedOp): InferredShape {
  const [input] = op.operands;
  const { padding } = readAttributes(op, PAD);
  if (input === undefined || padding.length !== 2 * input.length) return undefined;
  const negative = padding.find((amount) => amount < 0);
  if (negative !== undefined) return { fault: `a padding of ${negative} takes elements away; slice instead` };
  return input.map((extent, dim) => extent + (padding[2 * dim] ?? 0) + (padding[2 * dim + 1] ?? 0));
}

function repeated(op: ShapedOp): InferredShape {
  const [input] = op.operands;
  const { repeat_dims: factors } = readAttributes(op, REPEAT);
  if (input === undefined || factors.length !== input.length) return undefined;
  return input.map((extent, dim) => extent * (factors[dim] ?? 1));
}

function repeatedInterleaved(op: ShapedOp): InferredShape {
  const [input] = op.operands;
  if (input === undefined) return undefined;
  const { dim, repeats } = readAttributes(op, REPEAT_INTERLEAVE);
  const axis = normalDim(dim, input.length);
  return input.map((extent, at) => at === axis ? extent * repeats : extent);
}
