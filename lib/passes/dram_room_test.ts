// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { parseModule } from "../ir/mod.ts";
import { constEval } from "./const_eval.ts";
import { DEFAULT_PASS_OPTIONS } from "./pass_options.ts";
import { transposeParameters } from "./patterns/matmuls/transposed_factors.ts";
import { patternPass } from "./rewrite_pattern.ts";
import { runPasses } from "./run_passes.ts";
import { PARAMETER } from "./testing/convolution_case.ts";
import { ttnnModule } from "./testing/passed_body.ts";

const LAYERS = 4;

/** Products with transposed parameters of a MiB each, one after the other. */
const TEXT = ttnnModule(
  `(%x: T<32x512>, ${
    Array.from({ length: LAYERS }, (_, layer) => `%w${layer}: T<512x512, f32> ${PARAMETER}`).join(", ")
  }) -> T<32x512>`,
  [
    ...Array.from(
      { length: LAYERS },
      (_, layer) =>
        `%${layer} = "ttnn.matmul"(${
          layer === 0 ? "%x" : `%${layer - 1}`
        }, %w${layer}) <{transpose_a = false, transpose_b = true}> : (T<32x512>, T<512x512, f32>) -> T<32x512>`,
    ),
    `return %${LAYERS - 1} : T<32x512>`,
  ],
);

/** Transposed copies and hoisted ones, on a chip whose banks hold so many bytes. */
function copies(bankBytes: number): { readonly transposed: number; readonly inForward: number } {
  const chip: ChipDescription = { ...TEST_WORMHOLE, dramUnreservedBase: 0, dramUnreservedEnd: bankBytes };
  const passes = [patternPass("test", undefined, [transposeParameters]), constEval];
  const { text } = runPasses(parseModule(TEXT, "a.mlir"), chip, DEFAULT_PASS_OPTIONS, { passes });
  const main = text.slice(text.indexOf("@main("));
  return {
    transposed: text.match(/"ttnn\.permute"/g)?.length ?? 0,
    inForward: main.match(/"ttnn\.permute"/g)?.length ?? 0,
  };
}

const BANKS = TEST_WORMHOLE.dramBanks;
/** Bytes of one parameter and of the activations of 16 tiles, per bank. */
const PARAMETER_BYTES = Math.ceil(256 / BANKS) * 4096;
const ACTIVATION_BYTES = Math.ceil(16 / BANKS) * 2048;

Deno.test("parameters are copied as long as DRAM holds them beside their originals", () => {
  for (let room = 0; room <= LAYERS; room++) {
    const bytes = (LAYERS + room) * PARAMETER_BYTES + 3 * ACTIVATION_BYTES;
    assertEquals(copies(bytes), { transposed: room, inForward: 0 }, `${room} copies`);
  }
});

Deno.test("a copy more needs every byte of its bank", () => {
  const enough = (LAYERS + LAYERS) * PARAMETER_BYTES + 3 * ACTIVATION_BYTES;
  assert(copies(enough - PARAMETER_BYTES).transposed < copies(enough).transposed);
});

Deno.test("shards in more banks than the chip has are counted like others: each bank holds one", () => {
  const shards =
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x12>, memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, " +
    "<width_sharded>, core_ranges = <[#ttnn.core_range<(0, 0), (11, 0)>]>>";
  const text = ttnnModule(`(%x: T<32x384>, %w: T<384x384> ${PARAMETER}) -> (T<32x384>, T<32x384>)`, [
    `%0 = "ttnn.to_memory_config"(%x) : (T<32x384>) -> tensor<32x384xbf16, ${shards}>`,
    `%1 = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = true}> : (T<32x384>, T<384x384>) -> T<32x384>`,
    `%2 = "ttnn.to_memory_config"(%0) : (tensor<32x384xbf16, ${shards}>) -> T<32x384>`,
    "return %1, %2 : T<32x384>, T<32x384>",
  ]);
  const passed = (chip: Partial<ChipDescription>): string =>
    runPasses(parseModule(text, "a.mlir"), { ...TEST_WORMHOLE, ...chip }, DEFAULT_PASS_OPTIONS, {
      passes: [patternPass("test", undefined, [transposeParameters])],
    }).text;
  assertEquals(passed({ dramBanks: 8 }), passed({ dramBanks: 12 }));
  const room = (bytes: number): string =>
    passed({ dramBanks: 8, dramUnreservedBase: 0, dramUnreservedEnd: bytes });
  // The parameter and its copy, the argument and both results in pages over 8 banks, and a shard.
  const needed = (2 * Math.ceil(144 / 8) + 3 * Math.ceil(12 / 8) + 1) * 2048;
  assert(room(needed).includes("ttnn.permute"));
  assert(!room(needed - 1).includes("ttnn.permute"));
});

/**
 * Whether a bank of this many bytes holds a transposed parameter beside what a function holds of 16 tiles per tensor.
 */
function holdsCopy(lines: readonly string[], bankBytes: number): boolean {
  const text = ttnnModule(`(%x: T<32x512>, %w: T<512x512, f32> ${PARAMETER}) -> T<32x512>`, [
    ...lines,
    '%p = "ttnn.matmul"(%x, %w) <{transpose_a = false, transpose_b = true}> : (T<32x512>, T<512x512, f32>) -> T<32x512>',
    '%r = "ttnn.add"(%p, %l) : (T<32x512>, T<32x512>) -> T<32x512>',
    "return %r : T<32x512>",
  ]);
  const chip: ChipDescription = { ...TEST_WORMHOLE, dramUnreservedBase: 0, dramUnreservedEnd: bankBytes };
  return runPasses(parseModule(text, "a.mlir"), chip, DEFAULT_PASS_OPTIONS, {
    passes: [patternPass("test", undefined, [transposeParameters])],
  }).text.includes('"ttnn.permute"');
}

const relu = (result: string, operand: string): string =>
  `%${result} = "ttnn.relu"(%${operand}) : (T<32x512>) -> T<32x512>`;

Deno.test("a value that an op reads twice lives until its last reader, and a dead one ends at once", () => {
  // The argument, the value that stays, the product and the sum; the parameter and its copy.
  const enough = 2 * PARAMETER_BYTES + 4 * ACTIVATION_BYTES;
  const twice = [
    relu("l", "x"),
    '%s = "ttnn.multiply"(%l, %l) : (T<32x512>, T<32x512>) -> T<32x512>',
  ];
  for (const [name, lines] of [["once", [relu("l", "x")]], ["twice", twice]] as const) {
    assert(holdsCopy(lines, enough), name);
    assert(!holdsCopy(lines, enough - 1), name);
  }
});
