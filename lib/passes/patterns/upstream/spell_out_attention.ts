// SPDX-License-Identifier: Apache-2.0
import { ATTENTION_FORM } from "../../../ops/attributes/attention.ts";
import { COMMON } from "../../../ops/attributes/common.ts";
import { COMPUTE_CONFIG } from "../../../dialect/compute_config_text.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";

const DECODE = "ttnn.scaled_dot_product_attention_decode";

/**
 * Decomposes attention as upstream's level 0, which fuses it but does not allow the kernel: two matmuls with
 * a softmax in between, key and value heads repeated for the query heads that share them (tt-mlir:
 * decompositions of `ScaledDotProductAttentionOp`). Attention stays if it is causal, has a sliding window,
 * has no `scale`, or has an operand after the mask (decode position, sink).
 */
export const spellOutAttention: RewritePattern = replacing({
  name: "spell-out-attention",
  upstream: "only-level-0",
  roots: ["ttnn.scaled_dot_product_attention", DECODE],
  replace: (op, site, result) => {
    const [query, key, value, mask] = [0, 1, 2, 3].map((index) => op.tensorOperand(index));
    const { scale, is_causal: isCausal, sliding_window_size: window } = op.read(ATTENTION_FORM);
    if (query === undefined || key === undefined || value === undefined) return undefined;
    const [, , , , ...others] = op.read(COMMON).operandSegmentSizes ?? op.operands.map(() => 1);
    if (scale === undefined || isCausal || window !== undefined) return undefined;
    if (others.some((size) => size > 0)) return undefined;
    const isDecode = op.name === DECODE;
    const [, batch = 1, heads = 1, size = 1] = query.type.shape;
    const rows = isDecode ? site.reshape(query, [batch, heads, 1, size]) : query;
    const [keys, values] = [key, value].map((tensor) => perQueryHead(site, tensor, rows.type.shape[1] ?? 1));
    if (keys === undefined || values === undefined) return undefined;
    const factor = site.full([1, 1, 1, 1], rows.type.dataType, scale);
    const scores = scaled(site, product(site, rows, transposed(site, keys)), factor);
    // The decode kernel scales the mask as well.
    const added = mask === undefined
      ? undefined
      : isDecode
      ? site.reshape(scaled(site, mask, factor), scores.type.shape)
      : site.repeat(mask, scores.type.shape);
    const { shape, dataType } = scores.type;
    const masked = added === undefined
      ? scores
      : site.tensor("ttnn.add", [scores, added], { shape, dataType });
    const weights = site.tensor("ttnn.softmax", [masked], { shape, dataType }, {
      compute_config: COMPUTE_CONFIG,
      dimension: -1,
      numericStable: true,
    });
    return site.reshape(product(site, weights, values), result.type.shape);
  },
});

function perQueryHead(site: PassBuilder, tensor: TensorValue, heads: number): TensorValue {
  const { shape, dataType } = tensor.type;
  const repeats = heads / (shape[1] ?? 1);
  if (repeats === 1) return tensor;
  return site.tensor("ttnn.repeat_interleave", [tensor], { shape: shape.with(1, heads), dataType }, {
    dim: 1,
    repeats,
  });
}

function transposed(site: PassBuilder, keys: TensorValue): TensorValue {
  const [batch = 1, heads = 1, rows = 1, size = 1] = keys.type.shape;
  return site.tensor("ttnn.transpose", [keys], {
    shape: [batch, heads, size, rows],
    dataType: keys.type.dataType,
  }, {
    dim0: -2,
    dim1: -1,
  });
}

function product(site: PassBuilder, left: TensorValue, right: TensorValue): TensorValue {
  const shape = left.type.shape.with(-1, right.type.shape.at(-1) ?? 1);
  return site.tensor("ttnn.matmul", [left, right], { shape, dataType: left.type.dataType }, {
    compute_config: COMPUTE_CONFIG,
    transpose_a: false,
    transpose_b: false,
  });
}

function scaled(site: PassBuilder, tensor: TensorValue, factor: TensorValue): TensorValue {
  return site.tensor("ttnn.multiply", [tensor, factor], tensor.type);
}
