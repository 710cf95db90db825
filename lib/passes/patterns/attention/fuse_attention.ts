// SPDX-License-Identifier: Apache-2.0
import { COMPUTE_CONFIG } from "../../../dialect/compute_config_text.ts";
import { type DataType, isPlainFloat } from "../../../layout/data_type.ts";
import type { TtnnOp } from "../../../ttnn/op.ts";
import { sameShape, type TensorValue, type TtnnType } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import { type PassBuilder, replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { type Attention, HIDING, type Mask, matchAttention } from "./match_attention.ts";
import { constantOf, eitherOrder, madeBy, withoutCasts } from "../matching.ts";
import { paddedHead } from "./attention_operands.ts";

/**
 * Fuses `softmax(query keyᵀ scale + mask) value` into `scaled_dot_product_attention`, or into its decode
 * variant for one position per user (tt-mlir:ttnn-fusing).
 *
 * - Key and value heads that several query heads share are not repeated.
 * - If the graph zeroes rows without visible keys, so does a guard after the attention.
 * - The decode kernel scales scores after adding the mask. If the mask has values other than 0 and −∞, the
 *   query is scaled instead.
 * - With a single key, the matmuls may be elementwise.
 * - Ops around the kernel use its type.
 */
export const fuseAttention: RewritePattern = attentionPattern({
  upstream: "none",
  roots: ["ttnn.matmul", "ttnn.multiply"],
  types: () => ({ inKernel: KERNEL_TYPE, around: KERNEL_TYPE }),
  scalesQuery: true,
});

/**
 * {@linkcode fuseAttention} as upstream's optimizer writes it: ops around the kernel keep the type of the
 * scores.
 */
export const fuseAttentionAsUpstream: RewritePattern = attentionPattern({
  upstream: "only-level-1",
  roots: ["ttnn.matmul"],
  types: (result) => ({ inKernel: KERNEL_TYPE, around: result }),
});

/**
 * {@linkcode fuseAttention} in the type of the scores, to be decomposed again: level 0 of upstream may not
 * use the kernel.
 */
export const fuseAttentionInItsType: RewritePattern = attentionPattern({
  upstream: "only-level-0",
  roots: ["ttnn.matmul"],
  types: (result) => ({ inKernel: result, around: result, isSpelledOut: true }),
});

/** Element types of attention. */
interface Types {
  /** Type of the kernel's operands and result. */
  readonly inKernel: DataType;
  /** Type of masks and guards outside the kernel. */
  readonly around: DataType;
  /** Whether the kernel will be decomposed: guards then read its result in the query's shape. */
  readonly isSpelledOut?: boolean;
}

/** Settings of a fusion pattern for attention. */
interface AttentionStyle extends Pick<RewritePattern, "upstream" | "roots"> {
  readonly types: (result: DataType) => Types;
  /** Whether single positions are fused with arbitrary masks as well, by scaling the query. */
  readonly scalesQuery?: boolean;
}

function attentionPattern({ types: typesOf, scalesQuery = false, ...style }: AttentionStyle): RewritePattern {
  return replacing({
    name: "fuse-attention",
    ...style,
    replace: (op, site, result) => {
      const found = matchAttention(op, site.context);
      if (found === undefined || !fits(found)) return undefined;
      const isDecode = found.query.type.shape[2] === 1;
      const isScaledBefore = isDecode && found.mask?.kind === "added" &&
        !hidesOrKeeps(found.mask.value, site.context);
      if (isScaledBefore && !scalesQuery) return undefined;
      if (!isAllowed(found, isDecode, site.context)) return undefined;
      const types = typesOf(result.type.dataType);
      const attended = isDecode ? decode(site, found, types, isScaledBefore) : prefill(site, found, types);
      return site.typecast(attended, result.type.dataType);
    },
  });
}

/** Format of the kernels; wider tensors are converted, as in upstream. */
const KERNEL_TYPE: DataType = "bf16";

/** Ops with results of zeros and ones. */
const FLAGS: ReadonlySet<string> = new Set(
  "eq ge gt le logical_and logical_not logical_or lt ne".split(" ").map((name) => `ttnn.${name}`),
);

/** Whether ranks and extents suit the kernels. */
function fits({ query, key, value, mask }: Attention): boolean {
  const [batch, heads = 0, rows, size] = query.type.shape;
  const [keyBatch, keyHeads = 1, keys, keySize] = key.type.shape;
  const shapes = [query, key].every(({ type }) => type.shape.length === 4) && batch === keyBatch &&
    size === keySize && heads % keyHeads === 0 && sameShape(key, value);
  if (!shapes || ![query, key, value].every(({ type }) => isPlainFloat(type.dataType))) return false;
  if (mask === undefined) return true;
  const { shape } = mask.kind === "added" ? mask.value.type : mask.condition.type;
  const [maskBatch, maskHeads, maskRows, maskKeys] = shape;
  if (mask.kind === "hidden" && !isPlainFloat(mask.condition.type.dataType)) return false;
  return shape.length === 4 && maskKeys === keys && (maskBatch === 1 || maskBatch === batch) &&
    (maskHeads === 1 || maskHeads === heads) && (maskRows === 1 || maskRows === rows);
}

/** Whether every mask value is 0 or low enough to hide any score. */
function hidesOrKeeps(mask: TensorValue, context: PassContext): boolean {
  let at: TensorValue | undefined = mask;
  while (at !== undefined) {
    const op: TtnnOp | undefined = at.producer;
    switch (op?.name) {
      case "ttnn.where":
        return [1, 2].every((branch) => {
          const number = constantOf(op.operands[branch], context);
          return number !== undefined && (number === 0 || number <= HIDING);
        });
      case "ttnn.multiply": {
        const factors: readonly (readonly [TensorValue, number])[] = eitherOrder(op).map(([input, factor]) =>
          [input, constantOf(factor, context) ?? 0] as const
        );
        if (factors.some(([input, factor]) => isHiding(factor, input))) return true;
        at = factors.find(([, factor]) => factor > 0)?.[0];
        break;
      }
      case "ttnn.typecast":
      case "ttnn.reshape":
      case "ttnn.repeat":
        at = op.tensorOperand(0);
        break;
      default:
        return false;
    }
  }
  return false;
}

/** Whether a mask is a 0/1 tensor times a hiding number. */
function isHiding(factor: number | undefined, input: TensorValue): boolean {
  return factor !== undefined && factor <= HIDING && input.producer !== undefined &&
    FLAGS.has(input.producer.name);
}

/** Whether the op model accepts the op, with interleaved DRAM tensors as in upstream's query. */
function isAllowed(
  { query, key, value, scale }: Attention,
  isDecode: boolean,
  context: PassContext,
): boolean {
  const whole = (shape: readonly number[]) =>
    isDecode ? shape : shape.with(-1, paddedHead(shape.at(-1) ?? 0));
  const inKernel = ({ type }: TensorValue): TtnnType =>
    tensorType(context.chip, whole(type.shape), KERNEL_TYPE);
  const rows = isDecode ? decodeShape(query.type.shape) : whole(query.type.shape);
  const type = tensorType(context.chip, rows, KERNEL_TYPE);
  const operands = [type, inKernel(key), inKernel(value)];
  return context.isLegal({
    name: isDecode ? "ttnn.scaled_dot_product_attention_decode" : "ttnn.scaled_dot_product_attention",
    operands,
    results: [type],
    attributes: new Map([
      ["is_causal", { kind: "bool", value: false }],
      ["scale", { kind: "float", value: scale, type: "f32" }],
    ]),
  });
}

function prefill(
  site: PassBuilder,
  found: Attention,
  { inKernel, around, isSpelledOut = false }: Types,
): TensorValue {
  const { query, key, value, mask, scale } = found;
  const [batch = 1, , rows = 1, keys = 1] = [...query.type.shape.slice(0, 3), key.type.shape[2] ?? 1];
  const plain = mask === undefined ? undefined : maskOf(site, mask);
  const whole = [batch, plain?.type.shape[1] ?? 1, rows, keys];
  const small = plain === undefined ? undefined : maskAround(site, plain, whole, around);
  const operand = small === undefined ? undefined : site.repeat(small, whole);
  const operands = [query, key, value, ...(operand === undefined ? [] : [operand])].map((tensor) =>
    site.typecast(tensor, inKernel)
  );
  const attended = site.tensor("ttnn.scaled_dot_product_attention", operands, {
    shape: query.type.shape,
    dataType: inKernel,
  }, {
    is_causal: false,
    operandSegmentSizes: [1, 1, 1, operand === undefined ? 0 : 1, 0],
    scale,
  });
  if (!found.isSafe || small === undefined) return attended;
  return guarded(site, site.typecast(attended, around), hiddenRows(site, small, isSpelledOut));
}

/**
 * The mask that guards read: in the kernel's type at its own size; in a wider type repeated first, so that
 * the kernel reads the repeated mask from before the widening.
 */
function maskAround(
  site: PassBuilder,
  mask: TensorValue,
  whole: readonly number[],
  around: DataType,
): TensorValue {
  return site.typecast(around === KERNEL_TYPE ? mask : site.repeat(mask, whole), around);
}

/** The additive mask: the hiding number at hidden scores, 0 elsewhere. */
function maskOf(site: PassBuilder, mask: Mask): TensorValue {
  if (mask.kind === "added") return mask.value;
  const { condition, hiddenWhere, number } = mask;
  const branches = [number, 0].map((value) => site.full([1, 1, 1, 1], condition.type.dataType, value));
  const operands = [condition, ...(hiddenWhere ? branches : branches.toReversed())];
  return site.tensor("ttnn.where", operands, condition.type);
}

/** `[batch, heads, 1, size]` in the decode kernel's shape `[1, batch, heads, size]`. */
function decodeShape([batch = 1, heads = 1, , size = 1]: readonly number[]): readonly number[] {
  return [1, batch, heads, size];
}

/** @param isScaledBefore whether the query is scaled, instead of the kernel's scores */
function decode(
  site: PassBuilder,
  found: Attention,
  { inKernel, around, isSpelledOut = false }: Types,
  isScaledBefore: boolean,
): TensorValue {
  const { key, value, mask } = found;
  const query = isSpelledOut ? site.typecast(found.query, inKernel) : found.query;
  const [batch = 1, heads = 1] = query.type.shape;
  const keys = key.type.shape[2] ?? 1;
  const asIs = site.reshape(query, decodeShape(query.type.shape));
  const rows = isScaledBefore ? scaled(site, asIs, found.scale) : asIs;
  const scale = isScaledBefore ? 1 : found.scale;
  const added = mask === undefined ? undefined : maskOf(site, mask);
  const plain = added === undefined || isScaledBefore ? added : unscaled(site, added);
  const small = plain === undefined
    ? undefined
    : maskAround(site, plain, plain.type.shape.with(0, batch), around);
  const [maskBatch = 1, maskHeads = 1] = small?.type.shape ?? [];
  const perHead = small === undefined
    ? undefined
    : site.repeat(site.reshape(small, [maskBatch, 1, maskHeads, keys]), [batch, 1, heads, keys]);
  const operands = [rows, key, value, ...(perHead === undefined ? [] : [perHead])].map((tensor) =>
    site.typecast(tensor, inKernel)
  );
  const name = "ttnn.scaled_dot_product_attention_decode";
  const attended = site.tensor(name, operands, { shape: rows.type.shape, dataType: inKernel }, {
    is_causal: false,
    operandSegmentSizes: [1, 1, 1, perHead === undefined ? 0 : 1, 0, 0],
    scale,
  });
  if (!found.isSafe || small === undefined) return site.reshape(attended, query.type.shape);
  const hidden = hiddenRows(site, small, isSpelledOut);
  if (isSpelledOut) return guarded(site, site.reshape(attended, query.type.shape), hidden);
  const perUser = site.reshape(hidden, [1, maskBatch, maskHeads, 1]);
  const wide = site.typecast(attended, around);
  return site.reshape(guarded(site, wide, perUser), query.type.shape);
}

function scaled(site: PassBuilder, tensor: TensorValue, factor: number): TensorValue {
  if (factor === 1) return tensor;
  const { shape, dataType } = tensor.type;
  const operands = [tensor, site.full(shape.map(() => 1), dataType, factor)];
  return site.tensor("ttnn.multiply", operands, { shape, dataType }, {});
}

/** A mask of zeros and infinities without scale factors, which do not change it. */
function unscaled(site: PassBuilder, mask: TensorValue): TensorValue {
  let plain = withoutCasts(mask);
  let shape: readonly number[] | undefined;
  for (;;) {
    const reshaped = madeBy(plain, "reshape")?.tensorOperand(0);
    const scaledBelow = reshaped !== undefined && madeBy(withoutCasts(reshaped), "multiply") !== undefined;
    const product = madeBy(plain, "multiply");
    const [unscaledBelow] = (product === undefined ? [] : eitherOrder(product)).find(([input, factor]) =>
      (constantOf(factor, site.context) ?? 0) > 0 && sameShape(input, plain)
    ) ?? [];
    const below = scaledBelow ? reshaped : unscaledBelow;
    if (below === undefined) {
      return shape === undefined ? plain : site.reshape(plain, shape);
    }
    if (scaledBelow) {
      shape ??= plain.type.shape;
    }
    plain = withoutCasts(below);
  }
}

/** 1 for every mask row that hides all keys, else 0. */
function hiddenRows(site: PassBuilder, mask: TensorValue, isSpelledOut: boolean): TensorValue {
  const { shape, dataType } = mask.type;
  const greatest = site.tensor("ttnn.max", [mask], { shape: shape.with(3, 1), dataType }, {
    compute_config: isSpelledOut ? COMPUTE_CONFIG : undefined,
    dim_arg: [3],
    keep_dim: true,
  });
  const infinity = site.full([1, 1, 1, 1], dataType, -Infinity);
  return site.tensor("ttnn.eq", [greatest, infinity], { shape: shape.with(3, 1), dataType });
}

function guarded(site: PassBuilder, attended: TensorValue, hidden: TensorValue): TensorValue {
  const { shape, dataType } = attended.type;
  const zero = site.full([1, 1, 1, 1], dataType, 0);
  return site.tensor("ttnn.where", [hidden, zero, attended], { shape, dataType });
}
