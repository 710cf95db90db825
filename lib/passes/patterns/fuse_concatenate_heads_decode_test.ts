// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../testing/passed_body.ts";
import { fuseConcatenateHeadsDecode } from "./fuse_concatenate_heads_decode.ts";

interface Decoded {
  readonly users: number;
  readonly heads: number;
  readonly size: number;
  readonly result: readonly number[];
  /** Whether a guard stands behind the attention. */
  readonly isGuarded: boolean;
}

const POSITIONS = 32;

function decoded({ users, heads, size, result, isGuarded }: Decoded): string {
  const [query, cache] = [`T<1x${users}x${heads}x${size}>`, `T<${users}x${heads}x${POSITIONS}x${size}>`];
  const mask = `T<${users}x1x${heads}x${POSITIONS}>`;
  const merged = `T<${result.join("x")}>`;
  const shape = `shape = [${result.map((extent) => `${extent} : i32`).join(", ")}]`;
  const guard = `%1 = "ttnn.where"(%g, %z, %0) : (T<1x1x1x1>, T<1x1x1x1>, ${query}) -> ${query}`;
  return ttnnModule(
    `(%q: ${query}, %k: ${cache}, %v: ${cache}, %m: ${mask}, %g: T<1x1x1x1>, %z: T<1x1x1x1>) -> ${merged}`,
    [
      `%0 = "ttnn.scaled_dot_product_attention_decode"(%q, %k, %v, %m) <{is_causal = false, ` +
      `operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (${query}, ${cache}, ${cache}, ${mask}) -> ${query}`,
      ...(isGuarded ? [guard] : []),
      `%2 = "ttnn.reshape"(%${isGuarded ? 1 : 0}) <{${shape}}> : (${query}) -> ${merged}`,
      `return %2 : ${merged}`,
    ],
  );
}

keepsMeaning(
  "heads merged behind decode attention",
  [fuseConcatenateHeadsDecode],
  fc.record({
    heads: fc.integer({ min: 1, max: 2 }),
    isFlat: fc.boolean(),
    isGuarded: fc.boolean(),
  }).map(({ heads, isFlat, isGuarded }) => ({
    text: decoded({
      users: 32,
      heads,
      size: 32,
      isGuarded,
      result: isFlat ? [32, heads * 32] : [1, 1, 32, heads * 32],
    }),
    ops: ["nlp_concat_heads_decode"],
  })),
  4,
);

const DECODED: Decoded = { users: 32, heads: 8, size: 64, result: [32, 512], isGuarded: false };

function lines(given: Partial<Decoded>, isLegal: boolean = true): readonly string[] {
  return passedBody(decoded({ ...DECODED, ...given }), fuseConcatenateHeadsDecode, undefined, {
    isLegal: () => isLegal,
  });
}

Deno.test("users go to a core each, heads come out on a core each", () => {
  const merged = lines({}).slice(1, -1);
  assertEquals(merged, [
    '%pass_0 = "ttnn.to_memory_config"(%0) : (tensor<1x32x8x64xbf16>) -> tensor<1x32x8x64xbf16>',
    '%pass_1 = "ttnn.nlp_concat_heads_decode"(%pass_0) <{num_heads = 8 : ui32}> : (tensor<1x32x8x64xbf16>) -> tensor<1x1x32x512xbf16>',
    '%pass_2 = "ttnn.reshape"(%pass_1) <{shape = [32 : i32, 512 : i32]}> : (tensor<1x1x32x512xbf16>) -> tensor<32x512xbf16>',
  ]);
});

Deno.test("other reshapes, users that are no rows, fewer users than ttnn's result has, and heads of part of a tile keep their reshape", () => {
  const kept = (given: Partial<Decoded>, isLegal?: boolean): boolean =>
    !lines(given, isLegal).some((line) => line.includes("concat_heads"));
  assertEquals(kept({ result: [32, 8, 64] }), true);
  assertEquals(kept({ result: [32, 1, 512] }), true);
  assertEquals(kept({ size: 48, result: [32, 384] }), true);
  for (const users of [1, 8, 33]) assertEquals(kept({ users, result: [users, 512] }), true);
  assertEquals(kept({}, false), true);
  assertEquals(kept({}), false);
});
