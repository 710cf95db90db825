// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import * as fc from "fast-check";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { bytesInWords } from "./bytes_of_tensor.ts";
import { explainFailure } from "./explain_failure.ts";
import { readRuntimeLog } from "./runtime_log.ts";

const N150 = chipDescription(getDevice("n150"));

Deno.test("bytes are those of a shape that the text names, padded to tiles or not, or elements", () => {
  fc.assert(fc.property(
    fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 2, maxLength: 4 }),
    fc.constantFrom(["bf16", 2] as const, ["f32", 4] as const),
    fc.boolean(),
    (shape, [format, size], isTiled) => {
      const held = shape.map((extent, at) =>
        isTiled && at >= shape.length - 2 ? Math.ceil(extent / 32) * 32 : extent
      );
      const bytes = held.reduce((all, extent) => all * extent, size);
      const text = `loc: tensor<${shape.join("x")}x${format}> and [7, 7]`;
      assertMatch(bytesInWords(bytes, text), /^It is /);
      assertMatch(bytesInWords(bytes + 2, "no shape"), /bytes are elements: /);
    },
  ));
  // A program of tt-xla whose tensor of 4 rows fills 32 of a tile.
  assertEquals(
    bytesInWords(3_774_873_600, "tensor<1x32x4x921600xf32>"),
    "It is 1x32x4x921600 of f32, padded to whole tiles: 8.0 x what it holds",
  );
  // Llama 3's vocabulary.
  assertStringIncludes(bytesInWords(1_050_673_152, ""), "128256x4096 of bf16");
});

Deno.test("a bank of which nearly all is allocated is full, whatever pieces are left; one that is half free is fragmented", () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 99 }), (percent) => {
    const size = 1_071_821_792;
    const allocated = Math.round(size * percent / 100);
    const free = size - allocated;
    const need = Math.floor(free / 2) + 32;
    const log = `TT_FATAL: Out of Memory: Not enough space to allocate ${
      need * 12
    } B DRAM buffer across 12 banks, where each bank needs to store ${need} B, but bank size is ${size} B (allocated: ${allocated} B, free: ${free} B, largest free block: ${
      need - 32
    } B)`;
    const [failure] = readRuntimeLog(log);
    assert(failure !== undefined);
    const { title, advice } = explainFailure(failure, N150, `x.to(device)\n${log}`);
    assertEquals(title, percent >= 90 ? "A bank is full" : "A bank is fragmented");
    const asked = explainFailure({ ...failure, ops: ["ttnn.matmul"] }, N150, `x.to(device)\n${log}`);
    assert(!asked.meaning.join().includes("from the host"), "an op of its own moves nothing");
    assertStringIncludes(advice[0] ?? "", percent >= 90 ? "divided among more chips" : "free large tensors");
  }));
});
