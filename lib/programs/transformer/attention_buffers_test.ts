// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { decodeBuffers } from "./attention_buffers.ts";
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
    };
    const work = { keyChunk, causal: true, windowed, sharers: 1 };
    return decodeBuffers(tensors, work, CHIP).reduce((sum, buffer) => sum + buffer.bytes, 0);
  };
  const more = (heads: number, keyChunk: number) =>
    bytes(heads, keyChunk, true) - bytes(heads, keyChunk, false);
  assertEquals([32, 128, 256].map((chunk) => more(12, chunk)), [1024, 4096, 8192]);
  assertEquals([32, 128, 256].map((chunk) => more(48, chunk)), [4096, 16_384, 32_768]);
});
