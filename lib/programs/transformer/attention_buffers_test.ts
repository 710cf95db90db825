// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import type { CircularBuffer } from "../circular_buffer.ts";
import { decodeBuffers, prefillBuffers } from "./attention_buffers.ts";
import { CHIP, tensor } from "../testing/launching.ts";

// What scaled_dot_product_attention_decode of bf16 heads takes more with a sliding window, in captures of ttnn 0.81.1.
Deno.test("a sliding window has a mask of its own", () => {
  const bytes = (heads: number, keyChunk: number, windowed: boolean): number => {
    const query = tensor([1, 1, heads, 64]);
    const key = tensor([1, heads, 512, 64]);
    const tensors = {
      query,
      key,
      value: key,
      output: query,
      mask: undefined,
      positions: undefined,
      pages: undefined,
      start: undefined,
      sink: undefined,
    };
    const work = { keyChunk, causal: true, windowed, sharers: 1 };
    return decodeBuffers(tensors, work, CHIP).reduce((sum, buffer) => sum + buffer.bytes, 0);
  };
  const more = (heads: number, keyChunk: number) =>
    bytes(heads, keyChunk, true) - bytes(heads, keyChunk, false);
  assertEquals([32, 128, 256].map((chunk) => more(12, chunk)), [1024, 4096, 8192]);
  assertEquals([32, 128, 256].map((chunk) => more(48, chunk)), [4096, 16_384, 32_768]);
});

// Of decode and prefill with a sink for each head, in runs of ttnn 0.81.1.
Deno.test("sinks take a tile for each tile row of heads, or of a chunk of queries", () => {
  const sinksOf = (buffers: readonly CircularBuffer[]): number =>
    buffers.filter(({ name }) => name === "sink").reduce((sum, { bytes }) => sum + bytes, 0);
  const tensors = (heads: number, rows: number) => {
    const query = tensor([1, 8, heads, 64]);
    const none = undefined;
    return {
      ...{ query, key: tensor([8, 2, 512, 64]), value: none, output: query, sink: tensor([rows, 1]) },
      ...{ mask: none, positions: none, pages: none, start: none },
    };
  };
  const decode = (heads: number) =>
    sinksOf(decodeBuffers(
      tensors(heads, heads),
      { keyChunk: 32, causal: true, windowed: false, sharers: 1 },
      CHIP,
    ));
  assertEquals([16, 32, 64].map(decode), [1024, 2048, 4096]);
  const prefill = sinksOf(prefillBuffers(
    tensors(512, 1),
    { chunks: [32, 32], causal: true, windowed: false, wide: false, cores: 64 },
    CHIP,
  ));
  assertEquals(prefill, 2048);
});
