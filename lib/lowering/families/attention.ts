// SPDX-License-Identifier: Apache-2.0
import { TILE } from "../../layout/tile_shape.ts";
import { volume } from "../../layout/extents.ts";
import { roundUp } from "../../layout/make_layout.ts";
import type { TensorValue } from "../../ttnn/value.ts";
import { BF16, type FunctionLowering, SI32 } from "../function_lowering.ts";
import { broadcasted, type LazyTensor, permuted, reshaped } from "../lazy_tensor.ts";
import type { ElementType } from "../element_type.ts";
import type { LoweringRules } from "../lowering_rule.ts";
import type { Properties } from "../../ttnn/op.ts";
import type { TtirOp } from "../ttir_op.ts";
import { optionalOperands, segmentSizes } from "../operand_groups.ts";
import { slice, sliceAlong } from "./data_movement.ts";
import { fourDimensions } from "./training.ts";

/** Attention, its caches and the shapes around it. */
export const ATTENTION: LoweringRules = {
  "ttir.scaled_dot_product_attention": { lower: attention },
  "ttir.scaled_dot_product_attention_decode": { lower: attentionDecode },
  "ttir.paged_scaled_dot_product_attention_decode": { lower: pagedAttentionDecode },
  "ttir.chunked_scaled_dot_product_attention": { lower: chunkedAttention, operands: 5 },
  "ttir.paged_flash_multi_latent_attention_decode": { lower: latentAttentionDecode },
  "ttir.flash_mla_prefill": { lower: latentAttention },
  "ttir.rotary_embedding": { lower: rotation, operands: 3 },
  "ttir.sdpa_fw": { lower: (op, f) => trainingAttention(op, f, "sdpa_fw") },
  "ttir.sdpa_bw": { lower: (op, f) => trainingAttention(op, f, "sdpa_bw") },
  "ttir.split_query_key_value_and_split_heads": { lower: splitHeads },
  "ttir.concatenate_heads": { lower: concatenateHeads, operands: 1 },
  "ttir.update_cache": { lower: updateCache },
  "ttir.fill_cache": { lower: fillCache },
  "ttir.paged_update_cache": { lower: pagedUpdateCache },
  "ttir.paged_fill_cache": { lower: pagedFillCache },
};

/**
 * The kernel takes heads of whole tiles: others are filled up with zeros, which add nothing to any product, and the
 * result is cut, as upstream does (tt-mlir:ttir-to-ttnn). The default scale is that of the heads as given.
 */
function attention(op: TtirOp, f: FunctionLowering): void {
  const { shape } = op.resultType();
  const size = shape.at(-1) ?? 0;
  if (size % TILE === 0) return writeAttention(op, f, "scaled_dot_product_attention", 5, []);
  const missing = roundUp(size, TILE) - size;
  const groups = optionalOperands(op, f, 5);
  const operands = groups.flatMap((group, at) => {
    if (group === undefined) return [];
    const operand = inKernel(f, group);
    return [f.tile(at < 3 ? padded(f, operand, operand.shape.length - 1, missing) : operand)];
  });
  const element = kernelElement(op);
  const whole = f.apply("scaled_dot_product_attention", operands, {
    shape: shape.with(-1, size + missing),
    element,
  }, {
    is_causal: op.flag("is_causal", true),
    operandSegmentSizes: segmentSizes(groups),
    scale: op.float("scale") ?? 1 / Math.sqrt(size),
    sliding_window_size: op.integer("sliding_window_size"),
  });
  const result = slice(op, f, whole, { ends: shape });
  f.defineResult(op, f.typecast(result, op.resultType().element));
}

/** Operand groups: query, key, value, mask, current positions, sink. */
function attentionDecode(op: TtirOp, f: FunctionLowering): void {
  writeAttention(op, f, "scaled_dot_product_attention_decode", 6, [4]);
}

/** Operand groups: query, key, value, page table, mask, current positions, sink. */
function pagedAttentionDecode(op: TtirOp, f: FunctionLowering): void {
  writeAttention(op, f, "paged_scaled_dot_product_attention_decode", 7, [3, 5]);
}

/** Operand groups: query, key, value, page table, mask, current positions, sink. Values may be a part of the keys. */
function latentAttentionDecode(op: TtirOp, f: FunctionLowering): void {
  writeAttention(op, f, "paged_flash_multi_latent_attention_decode", 7, [3, 5], {
    head_dim_v: op.requiredInteger("head_dim_v"),
  });
}

/** Queries of one part of a prompt against pages of a cache: query, key, value, page table, where the part starts. */
function chunkedAttention(op: TtirOp, f: FunctionLowering): void {
  const [query, key, value] = [0, 1, 2].map((index) => f.operand(op, index));
  if (query === undefined || key === undefined || value === undefined) {
    throw op.error("query, key and value are needed", "operands");
  }
  const operands = [query, key, value].map((operand) => inKernel(f, operand));
  writeKernel(op, f, "chunked_scaled_dot_product_attention", [...operands, ...indexOperands(op, f, 3)], {
    scale: op.float("scale"),
  });
}

/** Query, key, value and mask. Flags say which of the last two are there; without values they are a part of the keys. */
function latentAttention(op: TtirOp, f: FunctionLowering): void {
  const [query, key, ...others] = f.operandsFrom(op, 0);
  const groups = [
    query,
    key,
    ...["has_value", "has_attention_mask"].map((name) => op.flag(name) ? others.shift() : undefined),
  ];
  if (query === undefined || key === undefined || others.length > 0) {
    throw op.error("operands and what the op says of them do not match", "operands");
  }
  const operands = groups.flatMap((group) => group === undefined ? [] : [f.tile(inKernel(f, group))]);
  writeKernel(op, f, "flash_mla_prefill", operands, {
    head_dim_v: op.requiredInteger("head_dim_v"),
    is_causal: op.flag("is_causal", true),
    operandSegmentSizes: segmentSizes(groups),
    scale: op.float("scale"),
  });
}

/**
 * Rows are filled up to whole tiles by the kernel, which a slice takes off (tt-mlir:ttir-to-ttnn). It swaps halves of
 * whole tiles, or of one (ttnn:backend-0-81-1); other heads are rotated by the formula.
 */
function rotation(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const size = shape.at(-1) ?? 0;
  if (size !== TILE && size % (2 * TILE) !== 0) return f.defineResult(op, rotationByFormula(op, f));
  const filled = shape.with(-2, roundUp(shape.at(-2) ?? 1, TILE));
  const rotatedRows = f.apply("rotary_embedding", f.operandsFrom(op, 0), { shape: filled, element }, {});
  f.defineResult(op, slice(op, f, rotatedRows, { ends: shape }));
}

/** `x · cos + (−x₂, x₁) · sin`, where x₁ and x₂ are the halves of x. */
function rotationByFormula(op: TtirOp, f: FunctionLowering): LazyTensor {
  const { shape, element } = op.resultType();
  const [input, cosines, sines] = f.operandsFrom(op, 0);
  if (input === undefined || cosines === undefined || sines === undefined) {
    throw op.error("an input, cosines and sines are needed", "operands");
  }
  const last = shape.length - 1;
  const half = (shape[last] ?? 0) / 2;
  const halfAt = (begin: number): LazyTensor => sliceAlong(op, f, input, last, begin, begin + half);
  const negative = f.elementwise("neg", [halfAt(half)], element);
  const swapped = f.apply("concat", [negative, halfAt(0)], { shape, element }, { dim: last });
  const products = [[input, cosines], [swapped, sines]].map((pair) =>
    f.elementwise("multiply", pair, element)
  );
  return f.elementwise("add", products);
}

/**
 * @param indices groups that are row-major integers: page tables and positions
 * @param properties what the op has beside what all of them have
 */
function writeAttention(
  op: TtirOp,
  f: FunctionLowering,
  name: string,
  groupCount: number,
  indices: readonly number[],
  properties: Properties = {},
): void {
  const groups = optionalOperands(op, f, groupCount);
  const operands = groups.flatMap((group, at) =>
    group === undefined ? [] : [indices.includes(at) ? f.rowMajor(group) : f.tile(inKernel(f, group))]
  );
  writeKernel(op, f, name, operands, {
    ...properties,
    is_causal: op.flag("is_causal", true),
    operandSegmentSizes: segmentSizes(groups),
    scale: op.float("scale"),
    sliding_window_size: op.integer("sliding_window_size"),
  });
}

/** An operand in a format that the kernels read: bf16 for f32 (`ttnn:backend-0-81-1`). */
function inKernel(f: FunctionLowering, operand: LazyTensor): LazyTensor {
  return operand.element.dataType === "f32" ? f.typecast(operand, BF16) : operand;
}

/** Writes a kernel whose result is of the format that it reads. */
function writeKernel(
  op: TtirOp,
  f: FunctionLowering,
  name: string,
  operands: readonly (LazyTensor | TensorValue)[],
  properties: Properties,
): void {
  const { shape, element } = op.resultType();
  const made = kernelElement(op);
  f.defineResult(op, f.typecast(f.apply(name, operands, { shape, element: made }, properties), element));
}

/** The format of a kernel's result: the one that it reads. */
function kernelElement(op: TtirOp): ElementType {
  const { element } = op.resultType();
  return element.dataType === "f32" ? BF16 : element;
}

/** Attention that keeps what its gradient needs, and the gradient. */
function trainingAttention(op: TtirOp, f: FunctionLowering, name: string): void {
  const operands = f.operandsFrom(op, 0).map((operand) => reshaped(operand, fourDimensions(operand.shape)));
  f.replaceMany(op, name, operands, {
    dropout_probability: op.float("dropout_probability") ?? 0,
    mask_type: op.attributeText("mask_type"),
    return_intermediates: name === "sdpa_fw" ? op.flag("return_intermediates") : undefined,
    scale: op.float("scale"),
  }, ({ shape, element }) => f.type(fourDimensions(shape), element));
}

/** The kernel splits between tiles; heads that are not whole tiles are split with slices, reshapes and permutes. */
function splitHeads(op: TtirOp, f: FunctionLowering): void {
  const keyValueHeads = op.integer("num_kv_heads");
  const results = op.operation.results.length;
  if (results !== 3) throw op.error("three results expected", "results");
  const given = f.operandsFrom(op, 0);
  // All three in one tensor, or the query apart; then the destinations of older generations if these were not removed.
  const operands = given.length > results ? given.slice(0, -results) : given;
  if (operands.length > 2) throw op.error("one or two operands expected", "operands");
  const heads = Array.from({ length: results }, (_, index) => op.resultType(index).shape);
  const [read, made] = [operands.map(({ shape }) => shape), heads].map((shapes) =>
    shapes.reduce((total, shape) => total + volume(shape), 0)
  );
  if (read !== made) throw op.error(`operands of ${read} elements do not give ${made}`, "results");
  const size = heads[0]?.at(-1) ?? 0;
  if (size % TILE !== 0) return splitPartialTiles(op, f, operands, size);
  f.replaceMany(op, "split_query_key_value_and_split_heads", operands, {
    num_heads: op.requiredInteger("num_heads"),
    num_kv_heads: keyValueHeads === undefined ? undefined : keyValueHeads,
    transpose_key: op.flag("transpose_key"),
  });
}

/**
 * Query, key and value are next to each other in the columns, head by head; with two operands the query is separate.
 */
function splitPartialTiles(
  op: TtirOp,
  f: FunctionLowering,
  [input, keysAndValues]: readonly LazyTensor[],
  size: number,
): void {
  if (input === undefined) throw op.error("a tensor to split is needed", "operands");
  const [batch = 1, length = 1] = input.shape;
  const heads = op.requiredInteger("num_heads");
  const keyHeads = op.integer("num_kv_heads") ?? heads;
  const start = keysAndValues === undefined ? heads * size : 0;
  const cut = (from: LazyTensor, first: number, count: number, order: readonly number[]): LazyTensor => {
    const part = sliceAlong(op, f, from, 2, first, first + count * size);
    return permuted(reshaped(part, [batch, length, count, size]), order);
  };
  const rest = keysAndValues ?? input;
  const keyOrder = op.flag("transpose_key") ? [0, 2, 3, 1] : [0, 2, 1, 3];
  f.defineResult(op, cut(input, 0, heads, [0, 2, 1, 3]), 0);
  f.defineResult(op, cut(rest, start, keyHeads, keyOrder), 1);
  f.defineResult(op, cut(rest, start + keyHeads * size, keyHeads, [0, 2, 1, 3]), 2);
}

/** Written as permute and reshape, as upstream's level 0 does. */
function concatenateHeads(op: TtirOp, f: FunctionLowering): void {
  const { shape } = op.resultType();
  f.defineResult(op, reshaped(permuted(f.operand(op, 0), [0, 2, 1, 3]), shape));
}

/** The cache operand as the tensor that is changed; views of it that were made before keep the old contents. */
function cacheTensor(op: TtirOp, f: FunctionLowering): TensorValue {
  const cache = f.own(f.operand(op, 0));
  f.writePendingViews(cache, op.operation);
  return cache;
}

/** Ops on caches change them in place; in older generations their results denote the cache. */
function defineCache(op: TtirOp, f: FunctionLowering, cache: TensorValue): void {
  f.forgetViews(cache);
  if (op.operation.results.length > 0) f.defineTensor(op, cache);
}

/** The rows of each user on a core of its own. */
function onePerCore(f: FunctionLowering, rows: LazyTensor, users: number): TensorValue {
  return f.place(rows, { bufferType: "l1", memoryLayout: "height_sharded", grid: [users, 1] });
}

/** Positions and page tables behind the tensors that they are for. */
function indexOperands(op: TtirOp, f: FunctionLowering, first: number = 2): readonly TensorValue[] {
  return f.operandsFrom(op, first).map((indices) => f.rowMajor(f.typecast(indices, SI32)));
}

/**
 * The new keys or values of a cache.
 *
 * @param sameDims dimensions in which they are as large as the cache
 */
function newRows(
  op: TtirOp,
  f: FunctionLowering,
  cache: TensorValue,
  sameDims: readonly number[],
): LazyTensor {
  const input = f.operand(op, 1);
  const { shape } = cache.type;
  if (
    shape.length === 4 && input.shape.length === 4 &&
    sameDims.every((dim) => input.shape[dim] === shape[dim])
  ) {
    return input;
  }
  throw op.error(
    `rows of shape ${input.shape.join("x")} do not go into a cache of shape ${shape.join("x")}`,
    "shape",
  );
}

/** One position per user: `[1, heads, users, size]` becomes `[1, users, heads, size]` with one user per core. */
function updateCache(op: TtirOp, f: FunctionLowering): void {
  const cache = cacheTensor(op, f);
  const input = newRows(op, f, cache, [1, 3]);
  if ((op.integer("batch_offset") ?? 0) !== 0) throw op.error("a batch offset other than 0 is not supported");
  const users = input.shape[2] ?? 1;
  const row = onePerCore(f, permuted(input, [0, 2, 1, 3]), users);
  const index = f.typecast(f.operand(op, 2), SI32);
  const flat = reshaped(index, [volume(index.shape)]);
  const positions = f.rowMajor(flat.shape[0] === users ? flat : broadcasted(flat, [users]));
  f.emitEffect("paged_update_cache", [cache, row, positions], { share_cache: false });
  defineCache(op, f, cache);
}

function pagedUpdateCache(op: TtirOp, f: FunctionLowering): void {
  const cache = cacheTensor(op, f);
  const input = newRows(op, f, cache, [3]);
  const row = onePerCore(f, input, input.shape[1] ?? 1);
  f.emitEffect("paged_update_cache", [cache, row, ...indexOperands(op, f)], {
    share_cache: op.flag("share_cache"),
  });
  defineCache(op, f, cache);
}

/**
 * The kernel writes whole tiles: what follows the last row in its tile is made zero, as upstream's level 0 does, so that
 * nothing undefined gets into the cache.
 */
function fillCache(op: TtirOp, f: FunctionLowering): void {
  const cache = cacheTensor(op, f);
  const input = newRows(op, f, cache, [1, 3]);
  const rows = input.shape.at(-2) ?? 1;
  const missing = roundUp(rows, TILE) - rows;
  const fits = rows + missing <= (cache.type.shape.at(-2) ?? 1);
  const whole = missing === 0 || !fits ? input : padded(f, input, input.shape.length - 2, missing);
  f.emitEffect("fill_cache", [cache, f.tile(whole)], {
    batch_offset: op.integer("batch_offset") ?? 0,
  });
  defineCache(op, f, cache);
}

/** A tensor with zeros behind a dimension. */
function padded(f: FunctionLowering, input: LazyTensor, dim: number, missing: number): LazyTensor {
  const padding = new Array<number>(2 * input.shape.length).fill(0).with(2 * dim + 1, missing);
  const shape = input.shape.with(dim, (input.shape[dim] ?? 0) + missing);
  return f.apply("pad", [input], { shape, element: input.element }, {
    padding,
    use_multicore: true,
    value: 0,
  });
}

function pagedFillCache(op: TtirOp, f: FunctionLowering): void {
  const cache = cacheTensor(op, f);
  const input = f.tile(newRows(op, f, cache, [3]));
  f.emitEffect("paged_fill_cache", [cache, input, ...indexOperands(op, f)], {});
  defineCache(op, f, cache);
}
