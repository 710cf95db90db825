// SPDX-License-Identifier: Apache-2.0
import type { OpSpecificAttributes } from "../../../lib/op_config/op_config.ts";
import { type Stated, statedNumber, statedPair } from "../device_op.ts";
import type { MeasuredChip } from "../measured_ops/measured_chip.ts";
import { textIn } from "../measured_ops/texts.ts";
import { attributesOf, type PlacedTensor } from "../op_question.ts";
import { statedCompute } from "./matmul.ts";
import type { PlacedOpReader } from "./placed_op.ts";

/** Chunks of queries and of keys, in elements. */
export interface Chunks {
  readonly queries: number;
  readonly keys: number;
}

/** Default compute config of attention on both chips (ttnn:backend-0-81-1). */
const ATTENTION_COMPUTE = { mathFidelity: "hifi2", fp32DestAccEn: false } as const;

/** The config of an attention: what its source states, and the chunks where it does not state them. */
export function attentionConfig(
  op: Stated,
  grid: readonly [number, number] | undefined,
  chip: MeasuredChip,
  otherwise?: Chunks,
): OpSpecificAttributes {
  const queries = statedNumber(op, "q_chunk") ?? otherwise?.queries;
  const keys = statedNumber(op, "k_chunk") ?? otherwise?.keys;
  const most = statedNumber(op, "max_cores_per_head_batch");
  const exp = textIn(op.params, "exp");
  return {
    kind: "sdpa",
    computeConfig: { ...ATTENTION_COMPUTE, ...statedCompute(op) },
    ...(grid === undefined && queries === undefined && keys === undefined ? {} : {
      programConfig: {
        computeWithStorageGridSize: grid ?? [chip.columns, chip.rows],
        qChunkSize: queries ?? 0,
        kChunkSize: keys ?? 0,
        ...(exp === "" ? {} : { expApproxMode: exp === "approx" }),
        ...(most === undefined ? {} : { maxCoresPerHeadBatch: most }),
      },
    }),
  };
}

/**
 * Chunks of a prefill whose profile prints neither a config nor that there is none: those of the model library
 * (tt-metal:llms-report), 256 from 2048 rows on and 64 below.
 */
function libraryChunks({ params, attributes }: Stated, rows: number): Chunks | undefined {
  if (/default/.test(`${textIn(params, "program")} ${attributes}`)) return undefined;
  const chunk = rows >= 2048 ? 256 : 64;
  return { queries: chunk, keys: chunk };
}

/** Attention over a whole sequence. */
export const prefillQuestion: PlacedOpReader = ({ op, inputs, chip }) => {
  const chunks = libraryChunks(op, inputs[0]?.shape.at(-2) ?? 1);
  return {
    name: "ttnn.scaled_dot_product_attention",
    attributes: attributesOf({
      is_causal: /(^|[^-])\bcausal/.test(op.attributes) && !/non-causal|causal=false/.test(op.attributes),
      sliding_window_size: statedNumber(op, "sliding_window"),
    }),
    inputs: inputs.slice(0, 3),
    config: attentionConfig(op, statedPair(op, "grid"), chip, chunks),
  };
};

/**
 * The cache as far as it is filled: the position or context that the profile names. Without one, attention may have
 * read any part of the cache, so the row is skipped.
 */
export const decodeQuestion: PlacedOpReader = ({ op, inputs: [query, keys, values, ...rest], chip }) => {
  if (query === undefined || keys === undefined) return undefined;
  const paged = textIn(op.params, "paged") === "true";
  const filled = statedNumber(op, "position", "context");
  if (filled === undefined) return undefined;
  const users = query.shape.at(-3) ?? 1;
  const used = (tensor: PlacedTensor): PlacedTensor => {
    const [blocks = 1, heads = 1, rows = 1, width = 1] = tensor.shape;
    return {
      ...tensor,
      shape: paged
        ? [Math.min(blocks, users * Math.ceil((filled + 1) / rows)), heads, rows, width]
        : [blocks, heads, Math.min(rows, filled + 1), width],
    };
  };
  return {
    name: `ttnn.${paged ? "paged_" : ""}scaled_dot_product_attention_decode`,
    inputs: [
      query,
      used(keys),
      ...(values === undefined ? [] : [used(values)]),
      ...(paged ? rest.slice(-1) : []),
    ],
    config: attentionConfig(op, statedPair(op, "grid"), chip),
  };
};
