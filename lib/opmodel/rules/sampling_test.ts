// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { answerOf } from "../testing/recorded_answer.ts";

/** Result layout of a `sampling`, or the rule that refuses it; the settings are k, p and temperature. */
function sample(
  values: string,
  indices: string,
  { users = 32, k = "u32 dram-rm", p = "dram-rm" }: { users?: number; k?: string; p?: string } = {},
) {
  const settings = [k, p, "dram-rm"].map((text) => `${users} ${text}`);
  const answer = answerOf({
    op: "sampling",
    inputs: [values, indices, ...settings],
    results: [`1x1x1x${users} u32 dram-rm`],
  });
  return typeof answer === "string" ? answer : answer.layouts[0];
}

Deno.test("sampling takes bf16 tiles and row-major settings of up to 32 users, as ttnn 0.81.1 does", () => {
  const valid = "dram/interleaved/row_major";
  assertEquals(sample("1x1x32x64 dram", "1x1x32x64 si32 dram-rm"), valid);
  assertEquals(sample("1x1x8x128 l1", "1x1x8x128 u32 l1-rm", { users: 8 }), valid);
  assertEquals(sample("1x1x32x64 dram", "1x1x32x64 si32 dram-rm", { k: "si32 dram-rm" }), valid);
});

Deno.test("sampling refuses what ttnn 0.81.1 refuses", () => {
  const indices = "1x1x32x64 si32 dram-rm";
  assertEquals(sample("1x1x32x64 dram-rm", indices), "sampling/pages");
  assertEquals(sample("1x1x32x64 f32 dram", indices), "sampling/format");
  assertEquals(sample("1x1x32x64 bfp_bf8 dram", indices), "sampling/format");
  assertEquals(sample("1x1x32x64 hs 1x1", indices), "sampling/sharded");
  assertEquals(sample("1x1x32x64 dram", "1x1x32x64 si32 dram"), "sampling/pages");
  assertEquals(sample("1x1x32x64 dram", "1x1x32x64 u16 dram-rm"), "sampling/format");
  assertEquals(sample("1x1x32x64 dram", indices, { k: "u32 dram" }), "sampling/pages");
  assertEquals(sample("1x1x32x64 dram", indices, { p: "f32 dram-rm" }), "sampling/format");
  assertEquals(sample("1x1x64x64 dram", "1x1x64x64 si32 dram-rm", { users: 64 }), "sampling/users");
  assertEquals(sample("32x64 dram", "32x64 si32 dram-rm"), "sampling/users");
  assertEquals(sample("1x2x16x64 dram", "1x2x16x64 si32 dram-rm"), "sampling/users");
  assertEquals(sample("1x1x32x48 dram", "1x1x32x48 si32 dram-rm"), "sampling/candidates");
  assertEquals(sample("1x1x32x96 dram", "1x1x32x96 si32 dram-rm"), "sampling/candidates");
  assertEquals(sample("1x1x32x64 dram", indices, { users: 31 }), "sampling/settings");
});
