// SPDX-License-Identifier: Apache-2.0

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
  /** Whether the gate matrices are in 4-bit blocks, as tt_transformers' performance mode has them. */
  readonly fourBitGates: boolean;
}

const LLAMA: Pick<DecoderArchitecture, "gated" | "experts" | "parallelBlocks" | "fourBitGates"> = {
  gated: true,
  experts: 1,
  parallelBlocks: false,
  fourBitGates: true,
};

/** Published configurations of the models in the measurements, by the beginning of the row's model name. */
const ARCHITECTURES: Readonly<Record<string, DecoderArchitecture>> = {
  "Llama-3.2-1B": {
    ...LLAMA,
    layers: 16,
    hidden: 2048,
    heads: 32,
    keyHeads: 8,
    headSize: 64,
    feedForward: 8192,
    vocabulary: 128_256,
  },
  "Llama-3.2-3B": {
    ...LLAMA,
    layers: 28,
    hidden: 3072,
    heads: 24,
    keyHeads: 8,
    headSize: 128,
    feedForward: 8192,
    vocabulary: 128_256,
  },
  "Llama-3.1-8B": {
    ...LLAMA,
    layers: 32,
    hidden: 4096,
    heads: 32,
    keyHeads: 8,
    headSize: 128,
    feedForward: 14_336,
    vocabulary: 128_256,
  },
  "Llama-3.1-70B": {
    ...LLAMA,
    layers: 80,
    hidden: 8192,
    heads: 64,
    keyHeads: 8,
    headSize: 128,
    feedForward: 28_672,
    vocabulary: 128_256,
  },
  "Llama-3.3-70B": {
    ...LLAMA,
    layers: 80,
    hidden: 8192,
    heads: 64,
    keyHeads: 8,
    headSize: 128,
    feedForward: 28_672,
    vocabulary: 128_256,
  },
  "Qwen2.5-7B": {
    ...LLAMA,
    layers: 28,
    hidden: 3584,
    heads: 28,
    keyHeads: 4,
    headSize: 128,
    feedForward: 18_944,
    vocabulary: 152_064,
  },
  "Qwen2.5-72B": {
    ...LLAMA,
    layers: 80,
    hidden: 8192,
    heads: 64,
    keyHeads: 8,
    headSize: 128,
    feedForward: 29_568,
    vocabulary: 152_064,
  },
  "Mistral-7B": {
    ...LLAMA,
    layers: 32,
    hidden: 4096,
    heads: 32,
    keyHeads: 8,
    headSize: 128,
    feedForward: 14_336,
    vocabulary: 32_768,
  },
  "Mixtral-8x7B": {
    ...LLAMA,
    layers: 32,
    hidden: 4096,
    heads: 32,
    keyHeads: 8,
    headSize: 128,
    feedForward: 14_336,
    experts: 8,
    vocabulary: 32_000,
  },
  "Falcon-7B": {
    layers: 32,
    hidden: 4544,
    heads: 71,
    keyHeads: 1,
    headSize: 64,
    feedForward: 18_176,
    gated: false,
    experts: 1,
    vocabulary: 65_024,
    parallelBlocks: true,
    fourBitGates: false,
  },
};

/** The model that a name begins with, and over how many chips it is split (`Llama-3.1-70B TP4`). */
export function decoderNamed(
  name: string,
): { readonly architecture: DecoderArchitecture; readonly chips: number } | undefined {
  const entry = Object.entries(ARCHITECTURES).find(([model]) => name.startsWith(model));
  if (entry === undefined) return undefined;
  return { architecture: entry[1], chips: Number(/\bTP(\d+)\b/.exec(name)?.[1] ?? 1) };
}
