// SPDX-License-Identifier: Apache-2.0
import { fillsTiles, volume } from "../../../lib/layout/extents.ts";
import { type DeviceOp, statedNumber } from "../device_op.ts";
import { dialectName } from "../measured_ops/eltwise.ts";
import { fusedUpdate } from "../measured_ops/heads.ts";
import type { MeasuredChip } from "../measured_ops/measured_chip.ts";
import { textIn } from "../measured_ops/texts.ts";
import { attributesOf, type OpQuestion } from "../op_question.ts";
import { decodeQuestion, prefillQuestion } from "./attention.ts";
import { matmulQuestion, statedCompute } from "./matmul.ts";
import { type PlacedOpReader, placeOp } from "./placed_op.ts";

/** The elementwise op of the dialect that a device op computes; `undefined` if its function is none of the dialect's. */
function eltwiseName({ params, attributes }: DeviceOp): string | undefined {
  const stated = /BinaryOpType::(\w+)/.exec(attributes)?.[1] || textIn(params, "function") ||
    /UnaryOpType::(\w+)/.exec(attributes)?.[1] || /(?:^|op=)([A-Z]+)/.exec(attributes)?.[1];
  return dialectName(stated ?? "");
}

/** An elementwise op, with the function that it applies to an operand or its result, and its scalar. */
const eltwise: PlacedOpReader = ({ op, inputs }) => {
  const name = eltwiseName(op);
  if (name === undefined) return undefined;
  const fused = /(?:[lr]hs|post)_activation=(\w+)/.exec(op.attributes)?.[1];
  const activation = fused === undefined ? undefined : dialectName(fused)?.replace("ttnn.", "");
  const scalar = inputs.length === 1 && /\bscalar=/.test(op.attributes) ? 1 : undefined;
  // Behind the operands stands the tensor that the result is written to, where the caller has one.
  const operands = op.op.startsWith("Unary") ? 1 : op.op.startsWith("Binary") ? 2 : 3;
  return { name, attributes: attributesOf({ activation, scalar }), inputs: inputs.slice(0, operands) };
};

/** An op of one name without properties. */
function plain(name: string): PlacedOpReader {
  return () => ({ name: `ttnn.${name}` });
}

const norm: PlacedOpReader = ({ op, inputs: [input, ...weights] }) => {
  if (input === undefined) return undefined;
  const name = /RMSNORM/.test(op.attributes) ? "ttnn.rms_norm" : "ttnn.layer_norm";
  // Model libraries accumulate in f32; a profile without a config does not say otherwise (tt-metal:llms-report).
  const isTold = textIn(op.params, "fidelity", "math_fidelity") !== "";
  const config = isTold ? statedCompute(op) : { ...statedCompute(op), fp32DestAccEn: true };
  return {
    name,
    inputs: [input, ...weights.slice(0, 2)],
    config: { kind: "norm", computeConfig: config },
  };
};

const transpose: PlacedOpReader = ({ op, inputs: [input] }) => {
  const rank = input?.shape.length ?? 4;
  const kind = /\b(WH|HC|CN)\b/.exec(op.attributes.replaceAll("::", " "))?.[1];
  const [dim0, dim1] = kind === "WH" ? [rank - 2, rank - 1] : kind === "CN" ? [0, 1] : [rank - 3, rank - 2];
  return kind === undefined || dim0 < 0
    ? undefined
    : { name: "ttnn.transpose", attributes: attributesOf({ dim0, dim1 }) };
};

const slice: PlacedOpReader = ({ op, inputs: [input], outputs: [output] }) => {
  if (input === undefined || output === undefined) return undefined;
  const { shape } = input;
  // Leading dimensions of one that the profile leaves out.
  const told = (name: RegExp, otherwise: number) => {
    const values = (name.exec(op.attributes)?.[1] ?? "").split(":").filter((text) => text !== "").map(Number);
    return shape.map((_, dim) => values[dim - shape.length + values.length] ?? otherwise);
  };
  const begins = told(/start=([\d:]+)/, 0);
  const step = told(/step=([\d:]+)/, 1);
  return {
    name: "ttnn.slice_static",
    attributes: attributesOf({
      begins,
      ends: begins.map((begin, dim) => begin + (output.shape[dim] ?? 1) * (step[dim] ?? 1)),
      step,
    }),
  };
};

/** Without an order of dimensions nothing is permuted. */
const permute: PlacedOpReader = ({ op }) => {
  const order = /\bdims=\D*((?:\d+[:;] ?)+\d+)/.exec(op.attributes)?.[1]?.split(/[:;]/).map(Number);
  return order === undefined
    ? undefined
    : { name: "ttnn.permute", attributes: attributesOf({ permutation: order }) };
};

/** A collective along one line of chips. */
function collective(name: string, dim: string): PlacedOpReader {
  return ({ op, inputs: [input], outputs: [output] }) => {
    const [within, whole] = [volume(input?.shape ?? [1]), volume(output?.shape ?? [1])];
    const chips = statedNumber(op, "ring_size") ?? Math.max(2, Math.round(whole / within));
    return {
      name: `ttnn.${name}`,
      attributes: attributesOf({ cluster_axis: 0, [dim]: statedNumber(op, "dim") ?? -1 }),
      inputs: input === undefined ? [] : [input],
      mesh: [{ chips, links: statedNumber(op, "num_links") ?? 1, topology: "linear" }],
    };
  };
}

const allGather = collective("all_gather", "all_gather_dim");
const reduceScatter = collective("reduce_scatter", "scatter_dim");

const concat: PlacedOpReader = ({ inputs: [input], outputs: [output] }) => {
  const dim = input?.shape.findIndex((extent, at) => extent !== output?.shape[at]) ?? -1;
  return dim < 0 ? undefined : { name: "ttnn.concat", attributes: attributesOf({ dim }) };
};

const pad: PlacedOpReader = ({ inputs: [input], outputs: [output] }) => {
  if (input?.shape.length !== output?.shape.length) return undefined;
  const padding = output?.shape.flatMap((extent, dim) => [0, extent - (input?.shape[dim] ?? 0)]);
  return { name: "ttnn.pad", attributes: attributesOf({ padding }) };
};

const reduce: PlacedOpReader = ({ inputs: [input], outputs: [output] }) => {
  const dims = input?.shape.flatMap((extent, dim) => extent === output?.shape[dim] ? [] : [dim]);
  return {
    name: "ttnn.sum",
    attributes: attributesOf({ dim_arg: dims, keep_dim: true }),
    isDeviceOperation: true,
  };
};

/** The program before a reduction, which fills padding in place. It only runs for tensors with padding. */
const fillPad: PlacedOpReader = ({ inputs: [input] }) =>
  input === undefined || fillsTiles(input.shape)
    ? undefined
    : { name: "ttnn.sum", attributes: attributesOf({ dim_arg: [-1], keep_dim: true }), only: "first" };

const topk: PlacedOpReader = ({ outputs: [values] }) => ({
  name: "ttnn.topk",
  attributes: attributesOf({ k: values?.shape.at(-1), dim: -1, largest: true, sorted: true }),
  // The fill of padding before it is a device operation of its own.
  only: "last",
});

/** SegFormer's heads are split one tensor at a time; profiles print the result three times. */
const splitOneTensor: PlacedOpReader = ({ outputs: [result] }) =>
  result === undefined ? undefined : {
    name: "ttnn.split_query_key_value_and_split_heads",
    attributes: attributesOf({ num_heads: result.shape[1], num_kv_heads: 0, transpose_key: false }),
    outputs: [result],
  };

/** Updates of keys and of values are equal and sharded: one determines both. */
const fusedCache: PlacedOpReader = ({ inputs, outputs: [cache] }) => {
  const update = inputs.find(({ place }) => place.memoryLayout === "height_sharded");
  if (update === undefined || cache === undefined) return undefined;
  return fusedUpdate(cache.dataType, update);
};

/** Only the cache and the new rows decide the time of an update; positions and page tables follow. */
const cache = (name: string): PlacedOpReader => () => ({ name: `ttnn.${name}`, outputs: [] });

const splitHeads = (name: string): PlacedOpReader => ({ outputs }) => ({
  name: `ttnn.${name}`,
  attributes: attributesOf({
    num_heads: outputs[0]?.shape[1],
    num_kv_heads: outputs[1]?.shape[1] ?? outputs[0]?.shape[1],
    transpose_key: false,
  }),
});

/** Device operations by the beginning of their names, longer ones first where one begins with another. */
const READERS: readonly (readonly [prefix: string, reader: PlacedOpReader])[] = [
  ["Binary", eltwise],
  ["Unary", eltwise],
  ["Ternary", eltwise],
  ["Typecast", plain("typecast")],
  ["Matmul", matmulQuestion],
  ["LayerNorm", norm],
  [
    "Softmax",
    ({ inputs, op }) => ({
      name: "ttnn.softmax",
      attributes: attributesOf({
        dimension: -1,
        numericStable: textIn(op.params, "numeric_stable") === "true",
      }),
      inputs: inputs.slice(0, 1),
      config: { kind: "norm", computeConfig: { fp32DestAccEn: false } },
    }),
  ],
  ["InterleavedToSharded", plain("to_memory_config")],
  ["ShardedToInterleaved", plain("to_memory_config")],
  ["Reshard", plain("to_memory_config")],
  ["Embeddings", plain("embedding")],
  ["Upsample", plain("upsample")],
  ["AllGather", allGather],
  ["ReduceScatter", reduceScatter],
  ["Permute", permute],
  ["Tilize", plain("to_layout")],
  ["Untilize", plain("to_layout")],
  ["Copy", plain("assign")],
  ["Clone", plain("assign")],
  ["PaddedSlice", () => undefined],
  ["SliceWrite", () => undefined],
  ["Slice", slice],
  [
    "Reshape",
    ({ outputs }) => ({ name: "ttnn.reshape", attributes: attributesOf({ shape: outputs[0]?.shape }) }),
  ],
  ["Transpose", transpose],
  ["Concat", concat],
  ["Pad", pad],
  ["FastReduceNC", reduce],
  ["FillPad", fillPad],
  ["TopK", topk],
  ["Scatter", plain("scatter")],
  ["NLPCreateQKVHeadsDecode", splitHeads("nlp_create_qkv_heads_decode")],
  ["NlpCreateHeadsSegformer", splitOneTensor],
  ["NlpCreateHeads", splitHeads("split_query_key_value_and_split_heads")],
  ["NLPConcatHeadsDecode", plain("nlp_concat_heads_decode")],
  ["NLPConcatHeads", plain("nlp_concat_heads")],
  ["RotaryEmbeddingLlama", plain("rotary_embedding_llama")],
  [
    "RotaryEmbedding",
    ({ op }) => ({
      name: "ttnn.rotary_embedding",
      attributes: attributesOf({ token_index: statedNumber(op, "token_idx") }),
    }),
  ],
  ["PagedFusedUpdateCache", fusedCache],
  ["PagedUpdateCache", cache("paged_update_cache")],
  ["PagedFillCache", cache("paged_fill_cache")],
  ["SdpaDecode", decodeQuestion],
  ["SDPA", prefillQuestion],
];

/**
 * Whether a device op ran a kernel that ttnn 0.81.1 has replaced: elementwise ops before `binary_ng`, norms that cut rows
 * of more than four tiles without a rest, repeats that read and write a page in one thread.
 */
export function isOfEarlierKernel({ op, inputs: [input] }: DeviceOp): boolean {
  const tiles = Math.ceil((input?.shape.at(-1) ?? 0) / 32);
  return /^(Binary(?!Ng)|Repeat)/.test(op) || (op === "LayerNorm" && tiles > 4 && tiles % 4 !== 0);
}

/**
 * The op of the dialect that a device op carries out, between its own layouts and with its own config; `undefined` for
 * device ops that are only a part of an op, or of none.
 */
export function deviceQuestion(op: DeviceOp, chip: MeasuredChip): OpQuestion | undefined {
  const placed = placeOp(op, chip);
  const question = READERS.find(([prefix]) => op.op.startsWith(prefix))?.[1](placed);
  const { inputs, outputs } = placed;
  return question === undefined ? undefined : { inputs, outputs, ...question };
}
