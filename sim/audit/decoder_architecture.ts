// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../lib/layout/data_type.ts";

/** Element formats of a decoder's matrices and caches, as its demo chooses them. */
export interface DecoderFormats {
  /** Projections into heads and out of them. */
  readonly attention: DataType;
  /** Gate and up matrices. */
  readonly gates: DataType;
  /** Down matrix. */
  readonly down: DataType;
  /** Keys and values. */
  readonly cache: DataType;
}

/** Extents of a decoder-only language model, as its published configuration states them. */
export interface DecoderArchitecture {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly headSize: number;
  readonly feedForward: number;
  /** Whether the feed-forward part is gated (three matrices) or plain (two). */
  readonly gated: boolean;
  /** Experts whose matrices a step reads, 1 for a dense model; with a batch of users all of them. */
  readonly experts: number;
  readonly vocabulary: number;
  /** Attention and feed-forward share one norm and one sum (Falcon). */
  readonly parallelBlocks: boolean;
  /** Formats in which the demo stores the model. */
  readonly formats: DecoderFormats;
  /**
   * How partial sums are added over chips. `scattered`: reduce-scatter, then all-gather. `gathered`: every
   * chip gathers all partial sums and multiplies them with a matrix of ones; such a demo reads weights from
   * interleaved DRAM and routes tokens to experts (tt-metal:mixtral-demo).
   */
  readonly sums: "scattered" | "gathered";
}

/** Formats of tt_transformers' performance mode: gate matrices in 4-bit blocks (tt-metal:transformers-precision). */
const PERFORMANCE: DecoderFormats = {
  attention: "bfp_bf8",
  gates: "bfp_bf4",
  down: "bfp_bf8",
  cache: "bfp_bf8",
};

/** A dense model with gates, by its extents; what `tt_transformers` runs with gate matrices in 4-bit blocks. */
function extents(
  [layers, hidden, heads, keyHeads, headSize, feedForward, vocabulary]: readonly [
    layers: number,
    hidden: number,
    heads: number,
    keyHeads: number,
    headSize: number,
    feedForward: number,
    vocabulary: number,
  ],
): DecoderArchitecture {
  return {
    layers,
    hidden,
    heads,
    keyHeads,
    headSize,
    feedForward,
    vocabulary,
    gated: true,
    experts: 1,
    parallelBlocks: false,
    formats: PERFORMANCE,
    sums: "scattered",
  };
}

const FALCON = {
  gated: false,
  parallelBlocks: true,
  formats: { ...PERFORMANCE, gates: "bfp_bf8" },
} as const;

/**
 * Published configurations of the models in the measurements, by the beginning of the row's model name: layers, hidden
 * width, heads, heads of keys, size of a head, width of the feed-forward part, vocabulary.
 */
const ARCHITECTURES: Readonly<Record<string, DecoderArchitecture>> = {
  "Llama-3.2-1B": extents([16, 2048, 32, 8, 64, 8192, 128_256]),
  "Llama-3.2-3B": extents([28, 3072, 24, 8, 128, 8192, 128_256]),
  "Llama-3.1-8B": extents([32, 4096, 32, 8, 128, 14_336, 128_256]),
  "Llama-3.1-70B": extents([80, 8192, 64, 8, 128, 28_672, 128_256]),
  "Llama-3.3-70B": extents([80, 8192, 64, 8, 128, 28_672, 128_256]),
  // Loses too much with fewer bits, so that its performance mode keeps attention in bf16 and gates in 8-bit blocks.
  "Qwen2.5-7B": {
    ...extents([28, 3584, 28, 4, 128, 18_944, 152_064]),
    formats: { attention: "bf16", gates: "bfp_bf8", down: "bfp_bf8", cache: "bf16" },
  },
  "Qwen2.5-72B": extents([80, 8192, 64, 8, 128, 29_568, 152_064]),
  "Qwen2.5-Coder-32B": extents([64, 5120, 40, 8, 128, 27_648, 152_064]),
  "Qwen2.5-32B": extents([64, 5120, 40, 8, 128, 27_648, 152_064]),
  "QwQ-32B": extents([64, 5120, 40, 8, 128, 27_648, 152_064]),
  "Qwen3-32B": extents([64, 5120, 64, 8, 128, 25_600, 151_936]),
  "Qwen3-8B": extents([36, 4096, 32, 8, 128, 12_288, 151_936]),
  "DeepSeek-R1-Distill-Llama-70B": extents([80, 8192, 64, 8, 128, 28_672, 128_256]),
  "Mistral-7B": extents([32, 4096, 32, 8, 128, 14_336, 32_768]),
  "Mixtral-8x7B": { ...extents([32, 4096, 32, 8, 128, 14_336, 32_000]), experts: 8, sums: "gathered" },
  "Falcon-40B": { ...extents([60, 8192, 128, 8, 64, 32_768, 65_024]), ...FALCON },
  "Falcon-7B": { ...extents([32, 4544, 71, 1, 64, 18_176, 65_024]), ...FALCON },
};

/** The model that a name begins with, and over how many chips it is split (`Llama-3.1-70B TP4`); `undefined` for others. */
export function decoderNamed(
  name: string,
): { readonly architecture: DecoderArchitecture; readonly chips: number } | undefined {
  const entry = Object.entries(ARCHITECTURES).find(([model]) => name.startsWith(model));
  if (entry === undefined) return undefined;
  return { architecture: entry[1], chips: Number(/\bTP(\d+)\b/.exec(name)?.[1] ?? 1) };
}
