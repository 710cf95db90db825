// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { answerOf } from "../testing/recorded_answer.ts";

/** Answer to an embedding of `u32` indices; the memory of the result is the hint. */
function embed(indices: string, table: string, memory: string) {
  const [shape = "", from = ""] = indices.split(" ");
  const width = table.split(" ")[0]?.split("x")[1];
  const answer = answerOf({
    op: "embedding",
    inputs: [`${shape} u32 ${from}`, table],
    results: [`${shape}x${width} ${memory}`],
  });
  return typeof answer === "string" ? answer : answer.bytes;
}

Deno.test("whole tiles are picked and tilized by one program", () => {
  assertEquals(embed("1x128 dram-rm", "50257x768 dram-rm", "l1"), [196_736, 4096, 4096]);
  assertEquals(embed("1x384 l1-rm", "30522x768 dram-rm", "ws 1x8"), [12_416, 73_728, 73_728]);
  assertEquals(embed("1x128 dram-rm", "512x4096 dram-rm", "dram"), [524_416, 0, 0]);
  assertEquals(embed("1x128 dram-rm", "512x8192 dram-rm", "dram"), [1_048_704, 0, 0]);
  assertEquals(embed("1x128 dram-rm", "512x16384 dram-rm", "dram"), [524_416, 0, 0]);
});

Deno.test("other results are gathered as rows and tilized if requested tiled", () => {
  assertEquals(embed("1x77 l1-rm", "49408x768 dram-rm", "hs-rm 11x1"), [128, 10_752, 10_752]);
  assertEquals(embed("1x32 dram-rm", "32000x2048 dram-rm", "l1-rm"), [4352, 4096, 4096]);
  assertEquals(embed("32x1 l1-rm", "128256x2048 dram-rm", "l1"), [262_272, 69_632, 65_536]);
  assertEquals(embed("1x512 dram", "512x1024 dram-rm", "l1-rm"), [8192, 16_384, 16_384]);
});

Deno.test("a tiled table is untilized first, whole", () => {
  assertEquals(embed("1x77 l1-rm", "49408x768 dram", "l1"), [295_040, 7168, 4096]);
  assertEquals(embed("1x77 dram-rm", "49408x768 dram", "hs 3x1"), [198_400, 147_456, 49_152]);
  assertEquals(embed("1x384 dram-rm", "30522x768 dram", "null"), [196_736, 0, 0]);
});

Deno.test("tables are bf16 or bfp_bf8; only height shards take rows, and shards are cut evenly", () => {
  assertEquals(embed("1x128 dram-rm", "1000x1024 f32 dram-rm", "dram"), "embedding/format");
  assertEquals(embed("1x128 dram-rm", "1000x1024 hs 8x1", "dram"), "embedding/sharded");
  assertEquals(embed("1x77 dram-rm", "49408x768 dram-rm", "bs 3x8"), "embedding/row-shards");
  assertEquals(embed("1x384 dram-rm", "1000x100 dram-rm", "hs-rm 64x1"), "embedding/row-alignment");
  assertEquals(embed("1x160 dram-rm", "1000x768 dram-rm", "hs 2x1"), "embedding/rows");
  assertEquals(embed("1x128 dram-rm", "1000x768 dram-rm", "ws 1x5"), "embedding/columns");
  assertEquals(embed("1x128 dram-rm", "1000x768 dram-rm", "~hs 4x1"), "output/no-shard-spec");
});

Deno.test("an embedding takes one or two dimensions of indices, and one matrix as table", () => {
  const asked = (indices: string, table: string, result: string) => {
    const answer = answerOf({
      op: "embedding",
      inputs: [`${indices} u32 dram-rm`, table],
      results: [result],
    });
    return typeof answer === "string" ? answer : "runs";
  };
  assertEquals(asked("2x32", "1x1x512x64 dram-rm", "2x32x64 dram"), "runs");
  assertEquals(asked("2x2x32", "512x64 dram-rm", "2x2x32x64 dram"), "embedding/index-rank");
  assertEquals(asked("2x32", "2x512x64 dram-rm", "2x32x64 dram"), "embedding/table-shape");
  assertEquals(asked("2x32", "1x1x1x512x64 dram-rm", "2x32x64 dram"), "embedding/table-shape");
});

// What ttnn.embedding_bw and ttnn.gather answer in a graph capture.
Deno.test("a backward embedding and a gather refuse the indices and gradients that their programs do not read", () => {
  const backward = (indices: string, gradient: string): boolean =>
    typeof answerOf({
      op: "embedding_bw",
      inputs: [indices, "512x64 dram", gradient],
      results: ["1x1x512x64 dram"],
    }) !== "string";
  const table = (indices: string) => {
    const gradient = "1x1x32x64 dram";
    const answer = answerOf({
      op: "embedding_bw",
      inputs: [indices, "512x64 dram", gradient],
      results: ["1x1x512x64 dram"],
    });
    return typeof answer === "string" ? answer : answer.bytes[0];
  };
  assertEquals([table("1x32 u32 dram-rm"), table("1x32 bf16 dram-rm")], [3 * 2048 + 176, 3 * 2048 + 112]);
  assert(backward("2x32 u32 dram-rm", "1x1x64x64 dram"));
  assert(backward("1x32 bf16 dram-rm", "1x1x32x64 bfp_bf8 dram"));
  assert(!backward("1x32 u32 dram", "1x1x32x64 dram"));
  assert(!backward("1x32 si32 dram-rm", "1x1x32x64 dram"));
  assert(!backward("1x31 u32 dram-rm", "1x1x31x64 dram"));
  assert(!backward("1x32 u32 dram-rm", "1x1x32x64 f32 dram"));
  assert(!backward("1x32 u32 dram-rm", "32x64 dram"));
  const gathers = (format: string): boolean =>
    typeof answerOf({
      op: "gather",
      inputs: ["32x64 dram", `32x16 ${format} dram`],
      results: ["32x16 dram"],
      attributes: { dim: { kind: "integer", value: 1n, type: "i32" } },
    }) !== "string";
  assertEquals(["u32", "u16", "si32", "bf16"].map(gathers), [true, true, false, false]);
});

Deno.test("a gather along a dimension that its operands do not have is refused", () => {
  for (const value of [2n, 1000n, -3n]) {
    const answer = answerOf({
      op: "gather",
      inputs: ["32x64 dram", "32x16 u32 dram"],
      results: ["32x16 dram"],
      attributes: { dim: { kind: "integer", value, type: "i32" } },
    });
    assertEquals(answer, "gather/dimension");
  }
});
