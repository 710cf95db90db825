// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { ttnnModule } from "../../testing/passed_body.ts";
import { spellOutAttention } from "./spell_out_attention.ts";

interface Attention {
  readonly heads: number;
  /** Heads that share those of a key. */
  readonly sharing: number;
  readonly rows: number;
  readonly keys: number;
  readonly hides: "nothing" | "by a mask" | "what comes later";
}

function prefill({ heads, sharing, rows, keys, hides }: Attention): string {
  const seen = hides === "what comes later" ? rows : keys;
  const [query, key] = [`T<2x${heads * sharing}x${rows}x4>`, `T<2x${heads}x${seen}x4>`];
  const [mask, type] = hides === "by a mask" ? [", %m", `, T<2x1x${rows}x${seen}>`] : ["", ""];
  const properties = `is_causal = ${hides === "what comes later"}, scale = 2.500000e-01 : f32, ` +
    `operandSegmentSizes = array<i32: 1, 1, 1, ${mask === "" ? 0 : 1}, 0>`;
  return ttnnModule(
    `(%q: ${query}, %k: ${key}, %v: ${key}${mask === "" ? "" : `, %m: T<2x1x${rows}x${seen}>`}) -> ${query}`,
    [
      `%0 = "ttnn.scaled_dot_product_attention"(%q, %k, %v${mask}) <{${properties}}> : (${query}, ${key}, ${key}${type}) -> ${query}`,
      `return %0 : ${query}`,
    ],
  );
}

const extent = fc.integer({ min: 1, max: 4 });

keepsMeaning(
  "attention spelled out",
  [spellOutAttention],
  fc.record({
    heads: extent,
    sharing: extent,
    rows: extent,
    keys: extent,
    hides: fc.constantFrom("nothing", "by a mask", "what comes later"),
  }).map((attention) => ({
    text: prefill(attention),
    ops: attention.hides === "what comes later" ? ["!matmul"] : ["matmul"],
  })),
);

keepsMeaning(
  "decode attention up to the position of every user",
  [spellOutAttention],
  fc.boolean().map((isCausal) => ({
    text: ttnnModule("(%q: T<1x2x4x8>, %k: T<2x2x32x8>, %v: T<2x2x32x8>, %p: T<2, ui32>) -> T<1x2x4x8>", [
      `%0 = "ttnn.scaled_dot_product_attention_decode"(%q, %k, %v, %p) <{is_causal = ${isCausal}, ` +
      "scale = 2.500000e-01 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : " +
      "(T<1x2x4x8>, T<2x2x32x8>, T<2x2x32x8>, T<2, ui32>) -> T<1x2x4x8>",
      "return %0 : T<1x2x4x8>",
    ]),
    ops: ["!softmax"],
    limit: 32,
  })),
  4,
);
