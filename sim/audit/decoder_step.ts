// SPDX-License-Identifier: Apache-2.0
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import type { MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import type { DecoderArchitecture } from "./decoder_architecture.ts";
import {
  askQuestion,
  attributesOf,
  DRAM,
  L1,
  type OpQuestion,
  type PlacedTensor,
  tensorAt,
} from "./op_question.ts";
import type { MeshAxis } from "../../lib/device/mesh.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { largestDivisor } from "../../lib/programs/matmul/matmul_blocking.ts";
import type { Device } from "../devices/device.ts";
import { createClock } from "../timeline/device_clock.ts";

/** An op of TTNN by its name there, with one result. */
function decoderOp(
  name: string,
  inputs: readonly PlacedTensor[],
  output: PlacedTensor,
  config?: OpSpecificAttributes,
): OpQuestion {
  return { name: `ttnn.${name}`, inputs, outputs: [output], ...(config === undefined ? {} : { config }) };
}

/**
 * The all-reduce of partial sums over chips: a reduce-scatter and an all-gather, or an all-gather of all partial
 * sums, row under row, and a matmul with a matrix of ones (tt-metal:mixtral-demo).
 */
function sumOverChips(
  partial: PlacedTensor,
  chips: number,
  how: DecoderArchitecture["sums"],
): readonly OpQuestion[] {
  if (chips === 1) return [];
  const [rows = 1, width = 1] = partial.shape.slice(-2);
  const placed = (shape: readonly number[]): PlacedTensor => ({ ...partial, shape });
  if (how === "scattered") {
    const part = placed([1, 1, rows, width / chips]);
    const dim = partial.shape.length - 1;
    return [
      { ...decoderOp("reduce_scatter", [partial], part), attributes: attributesOf({ scatter_dim: dim }) },
      gather(part, partial, dim),
    ];
  }
  const gathered = placed([1, 1, rows * chips, width]);
  const ones = tensorAt([1, 1, rows, rows * chips], DRAM, "bfp_bf8");
  return [
    gather(partial, gathered, gathered.shape.length - 2),
    decoderOp("matmul", [ones, gathered], partial),
  ];
}

function gather(from: PlacedTensor, to: PlacedTensor, dim: number): OpQuestion {
  return { ...decoderOp("all_gather", [from], to), attributes: attributesOf({ all_gather_dim: dim }) };
}

/** One pass of a decoder over the newest tokens. */
interface DecoderPass {
  readonly architecture: DecoderArchitecture;
  /** Chips that the matrices are split over. */
  readonly chips: number;
  readonly users: number;
  /** New tokens per user: 1 when decoding, the prompt's length in prefill. */
  readonly newTokens: number;
  /** Tokens already in the cache. */
  readonly cachedTokens: number;
  /**
   * Whether activations are shards in L1, as in demos tuned for decoding; weights are then sharded over the DRAM banks if the
   * architecture's sums are `scattered`, otherwise interleaved.
   */
  readonly sharded: boolean;
}

/** Fidelity that demos choose for weights of a format; 8-bit blocks and others get by with `hifi2`. */
const FIDELITY: Readonly<Partial<Record<DataType, MathFidelity>>> = { bfp_bf4: "lofi", bf16: "hifi4" };

/** A token attends to those before it. */
const CAUSAL = attributesOf({ is_causal: true });

/**
 * Device time in µs of a decoder's pass: the ops of the published demos in TTNN's order (norm, projections,
 * head splitting, rotary embedding, cache update, attention, feed-forward, sums, collectives and the language
 * model head), each at the cost model's time, in sequence on the simulator's clock.
 *
 * The pass is a list of questions. A module was rejected: a row states extents and formats only, so text
 * would have to invent everything that does not decide an op's time (for instance all but one result of head
 * splitting).
 */
export function decoderPassMicroseconds(pass: DecoderPass, device: Device): number {
  const { layer, head } = decoderOps(pass, device);
  const mesh = [demoAxis(pass.chips)];
  const price = (question: OpQuestion) => askQuestion({ ...question, mesh }, device);
  const clock = createClock(true, device);
  const prices = layer.map(price);
  const layers = Array.from({ length: pass.architecture.layers }, () => prices).flat();
  let end = 0;
  for (const estimate of [...layers, ...head.map(price)]) {
    const { startUs, deviceUs } = clock(estimate);
    end = startUs + deviceUs;
  }
  return end;
}

/** The demos exchange data over one link, along a ring where there are more than two chips (tt-metal:llms-report). */
function demoAxis(chips: number): MeshAxis {
  return { chips, links: 1, topology: chips > 2 ? "ring" : "linear" };
}

/** The ops of one layer, and those after the last one, in order. */
function decoderOps(
  pass: DecoderPass,
  device: Device,
): { readonly layer: readonly OpQuestion[]; readonly head: readonly OpQuestion[] } {
  const { architecture: { hidden: width, vocabulary, sums, parallelBlocks }, chips } = pass;
  const tensors = new DecoderTensors(pass, device);
  const hidden = tensors.active(width);
  const norm = tensors.norm();
  const exchange = sumOverChips(hidden, chips, sums);
  const sum = decoderOp("add", [hidden, hidden], hidden);
  const blocks = parallelBlocks ? 1 : 2;
  const layer = [
    ...Array.from({ length: blocks }, () => norm),
    ...attentionOps(pass, tensors),
    ...feedForwardOps(pass, tensors),
    ...Array.from({ length: blocks }, () => exchange).flat(),
    sum,
    sum,
  ];
  return { layer, head: [norm, ...tensors.project(width, Math.round(vocabulary / chips), "bfp_bf8")] };
}

/** The tensors of a pass where its demos place them, and the ops that all parts of a layer have. */
class DecoderTensors {
  readonly #pass: DecoderPass;
  readonly #fresh: PlacedTensor["place"];
  /** Banks that weights are sharded over; `undefined` where they are interleaved. */
  readonly #banks: number | undefined;

  constructor(pass: DecoderPass, device: Device) {
    this.#pass = pass;
    this.#fresh = pass.sharded ? L1 : DRAM;
    this.#banks = pass.sharded && pass.architecture.sums === "scattered" ? device.dram.banks : undefined;
  }

  bf16(shape: readonly number[], place: PlacedTensor["place"] = this.#fresh): PlacedTensor {
    return tensorAt(shape, place);
  }

  /** Activations: a row per new token. */
  active(width: number): PlacedTensor {
    return this.bf16([1, 1, this.#pass.users * this.#pass.newTokens, width]);
  }

  project(from: number, to: number, dataType: DataType): readonly OpQuestion[] {
    return projection(this.active(from), this.active(to), dataType, this.#banks);
  }

  norm(): OpQuestion {
    const { sharded, architecture: { hidden: width } } = this.#pass;
    const hidden = this.active(width);
    const normed = sharded
      ? this.bf16(hidden.shape, {
        bufferType: "l1",
        memoryLayout: "width_sharded",
        grid: [1, largestDivisor(Math.ceil(width / 32), 32)],
      })
      : hidden;
    return decoderOp("rms_norm", [normed], normed);
  }
}

/** From the normalized activations to the projection of what attention found. */
function attentionOps(pass: DecoderPass, tensors: DecoderTensors): readonly OpQuestion[] {
  const { architecture: a, chips, users, newTokens, cachedTokens, sharded } = pass;
  const rows = users * newTokens;
  const decodes = newTokens === 1;
  const heads = Math.max(1, Math.round(a.heads / chips));
  const keyHeads = Math.max(1, Math.round(a.keyHeads / chips));
  const queryWidth = heads * a.headSize;
  const qkvWidth = queryWidth + 2 * keyHeads * a.headSize;
  const qkv = tensors.active(qkvWidth);
  const rotary = [heads, keyHeads].map((count) => {
    // One user per core.
    const perUser = (each: number) =>
      sharded
        ? tensors.bf16([1, users, each, a.headSize], {
          bufferType: "l1",
          memoryLayout: "height_sharded",
          grid: [users, 1],
        })
        : tensors.bf16([1, each, rows, a.headSize]);
    return decoderOp("rotary_embedding_llama", [perUser(count), perUser(1), perUser(1)], perUser(count));
  });
  // The newest token is written into the cache before it is read.
  const cacheLength = decodes ? cachedTokens : cachedTokens + newTokens;
  const cache = tensorAt([users, keyHeads, cacheLength, a.headSize], DRAM, a.formats.cache);
  const newest = tensors.bf16([users, keyHeads, newTokens, a.headSize]);
  const update = decoderOp(decodes ? "update_cache" : "fill_cache", [cache, newest], cache);
  const query = tensors.bf16(decodes ? [1, users, heads, a.headSize] : [users, heads, newTokens, a.headSize]);
  return [
    ...tensors.project(a.hidden, qkvWidth, a.formats.attention),
    {
      ...decoderOp(
        decodes ? "nlp_create_qkv_heads_decode" : "split_query_key_value_and_split_heads",
        [qkv],
        qkv,
      ),
      attributes: attributesOf({ num_heads: heads, num_kv_heads: keyHeads }),
    },
    ...rotary,
    update,
    update,
    decodes
      ? decoderOp("scaled_dot_product_attention_decode", [query, cache, cache], query)
      : { ...decoderOp("scaled_dot_product_attention", [query, cache, cache], query), attributes: CAUSAL },
    {
      ...decoderOp(
        decodes ? "nlp_concat_heads_decode" : "concatenate_heads",
        [query],
        tensors.active(queryWidth),
      ),
      attributes: attributesOf({ num_heads: heads }),
    },
    ...tensors.project(queryWidth, a.hidden, a.formats.attention),
  ];
}

/** The feed-forward part: gate and up projections where it is gated, activation, down projection. */
function feedForwardOps(
  { architecture: a, chips }: DecoderPass,
  tensors: DecoderTensors,
): readonly OpQuestion[] {
  const inner = Math.round(a.feedForward * a.experts / chips);
  const active = tensors.active(inner);
  const gate = tensors.project(a.hidden, inner, a.formats.gates);
  return [
    ...gate,
    ...(a.gated ? gate : []),
    a.gated ? decoderOp("multiply", [active, active], active) : decoderOp("gelu", [active], active),
    ...tensors.project(inner, a.hidden, a.formats.down),
  ];
}

/**
 * A matmul with a weight matrix. In tuned decoding, activations are sharded by width and weights over the banks, each
 * bank's weights streamed by a core of its own; then the result moves to the shards that the next op wants.
 *
 * @param banks banks that the weights are sharded over, `undefined` for weights in interleaved DRAM
 */
function projection(
  input: PlacedTensor,
  output: PlacedTensor,
  dataType: DataType,
  banks: number | undefined,
): readonly OpQuestion[] {
  const [rows = 1, from = 1] = input.shape.slice(-2);
  const to = output.shape.at(-1) ?? 1;
  const mathFidelity: MathFidelity = FIDELITY[dataType] ?? "hifi2";
  const computeConfig = { mathFidelity, packerL1Acc: true };
  const weight = tensorAt([from, to], DRAM, dataType);
  if (banks === undefined) {
    return [decoderOp("matmul", [input, weight], output, { kind: "matmul", computeConfig })];
  }
  const tiles = { from: Math.ceil(from / 32), to: Math.ceil(to / 32) };
  const spread = (tensor: PlacedTensor, cores: number): PlacedTensor => ({
    ...tensor,
    place: { ...tensor.place, memoryLayout: "width_sharded", grid: [1, cores] },
  });
  const perCoreN = Math.ceil(tiles.to / banks);
  const shards = spread(output, Math.ceil(tiles.to / perCoreN));
  return [
    decoderOp("matmul", [spread(input, largestDivisor(tiles.from, 32)), spread(weight, banks)], shards, {
      kind: "matmul",
      programConfig: {
        kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
        in0BlockW: largestDivisor(tiles.from, 8),
        perCoreM: Math.ceil(rows / 32),
        perCoreN,
      },
      computeConfig,
    }),
    decoderOp("to_memory_config", [shards], spread(output, largestDivisor(tiles.to, 32))),
  ];
}
