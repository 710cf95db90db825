// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import { parseModule } from "../ir/mod.ts";
import { constEval } from "./const_eval.ts";
import { DEFAULT_PASS_OPTIONS } from "./pass_options.ts";
import { transposeParameters } from "./patterns/transpose_parameters.ts";
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
