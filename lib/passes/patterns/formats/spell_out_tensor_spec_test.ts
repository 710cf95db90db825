// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { spellOutTensorSpec } from "./spell_out_tensor_spec.ts";

const MAP = "(d0, d1) -> (d0, d1)";
const L1 = `tensor<64x64xbf16, #ttnn.ttnn_layout<${MAP}, <8x8>, memref<1x1x!ttcore.tile<32x32, bf16>, ` +
  "#ttnn.buffer_type<l1>>, <interleaved>>>";
const HOST = `tensor<64x64xbf16, #ttnn.ttnn_layout<${MAP}, <1x1>, memref<64x64xbf16, ` +
  "#ttnn.buffer_type<system_memory>>>>";
const TILES = "T<64x64>";
const ROWS = "R<64x64>";
const WIDE = "T<64x64, f32>";

function text(from: string, to: string): string {
  return ttnnModule(`(%x: ${from}) -> ${to}`, [
    `%0 = "ttnn.to_tensor_spec"(%x) : (${from}) -> ${to}`,
    `return %0 : ${to}`,
  ]);
}

function ops(from: string, to: string): string {
  const names = passedBody(text(from, to), spellOutTensorSpec).flatMap((line) =>
    /"ttnn\.(\w+)"/.exec(line)?.[1] ?? []
  );
  return names.filter((name) => name !== "get_device").join(" ");
}

Deno.test("a change of storage becomes one op per change", () => {
  assertEquals(ops(ROWS, TILES), "to_layout");
  assertEquals(ops(TILES, L1), "to_memory_config");
  assertEquals(ops(ROWS, L1), "to_layout to_memory_config");
  assertEquals(ops(L1, ROWS), "to_memory_config to_layout");
  assertEquals(ops(ROWS, WIDE), "to_layout typecast");
  assertEquals(ops(WIDE, ROWS), "typecast to_layout");
  assertEquals(ops(HOST, TILES), "to_device to_layout");
  assertEquals(ops(TILES, HOST), "to_layout from_device");
  assertEquals(ops(TILES, TILES), "");
  // No op makes these: the text stays as written.
  const low = L1.replace("8x8", "1x1").replace("1x1x!ttcore.tile<32x32", "4x2x!ttcore.tile<16x32").replace(
    "<l1>",
    "<dram>",
  );
  const contradictory = low.replace("4x2x!ttcore.tile<16x32, bf16", "2x2x!ttcore.tile<32x32, bfp_bf8");
  for (const to of [low, contradictory]) {
    for (const from of [TILES, ROWS]) assertEquals(ops(from, to), "to_tensor_spec");
  }
  assertEquals(ops(low, ROWS), "to_tensor_spec");
});

keepsMeaning(
  "ops that change storage",
  [spellOutTensorSpec],
  fc.tuple(...[0, 1].map(() => fc.constantFrom(ROWS, TILES, WIDE, L1, HOST))).map(([from = "", to = ""]) => ({
    text: text(from, to),
    ops: ["!to_tensor_spec"],
  })),
  20,
);
