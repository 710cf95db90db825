// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import type { ProposedOp } from "../../graph_pass.ts";
import { repeatInProducer } from "./repeats.ts";

/** Repeats are dear, everything else is not. */
function repeatsAreDear({ name }: ProposedOp): number {
  return name === "ttnn.repeat" ? 10 : 1;
}

const TOOLS = { microseconds: repeatsAreDear };

interface MaskSpelling {
  readonly batch: number;
  readonly heads: number;
  readonly keys: number;
  /** Whether positions are compared in one row, which is given its other dimensions afterwards. */
  readonly isFlat: boolean;
  /** Whether the mask is read as it is as well. */
  readonly isRead: boolean;
}

/** A mask of zeros and a low number, repeated for every head. */
function mask({ batch, heads, keys, isFlat, isRead }: MaskSpelling): string {
  const small = isFlat ? `T<${keys}>` : `T<${batch}x1x1x${keys}>`;
  const own = isFlat ? 1 : batch;
  const [row, all] = [`T<${own}x1x1x${keys}>`, `T<${own}x1x${heads}x${keys}>`];
  const full = (name: string, value: string): string =>
    `${name} = "ttnn.full"(%d) <{fill_value = ${value} : f32, shape = #ttnn.shape<1>}> : (!ttnn.device) -> T<1>`;
  return ttnnModule(`(%c: ${small}) -> ${isRead ? `(${all}, ${row})` : all}`, [
    '%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device',
    full("%0", "0.000000e+00"),
    full("%1", "-1.000000e+04"),
    `%2 = "ttnn.where"(%c, %0, %1) : (${small}, T<1>, T<1>) -> ${small}`,
    `%3 = "ttnn.reshape"(%2) <{shape = [${own} : i32, 1 : i32, 1 : i32, ${keys} : i32]}> : (${small}) -> ${row}`,
    `%4 = "ttnn.repeat"(%3) <{repeat_dims = #ttnn.shape<1x1x${heads}x1>}> : (${row}) -> ${all}`,
    isRead ? `return %4, %3 : ${all}, ${row}` : `return %4 : ${all}`,
  ]);
}

keepsMeaning(
  "repeated masks are made as large",
  [repeatInProducer],
  fc.record({
    batch: fc.integer({ min: 2, max: 3 }),
    heads: fc.integer({ min: 2, max: 4 }),
    keys: fc.integer({ min: 2, max: 5 }),
    isFlat: fc.boolean(),
    isRead: fc.boolean(),
  }).map((spelling) => ({ text: mask(spelling), ops: ["!repeat", "where"] })),
  40,
  TOOLS,
);

const MASK: MaskSpelling = { batch: 32, heads: 32, keys: 128, isFlat: false, isRead: false };

Deno.test("the number becomes as large as the repeated mask, the flags stay", () => {
  const lines = passedBody(mask(MASK), repeatInProducer, undefined, TOOLS);
  assertEquals(lines.filter((line) => line.includes("ttnn.where")).map((line) => line.split(" : ")[1]), [
    "(tensor<32x1x1x128xbf16>, tensor<32x1x32x128xbf16>, tensor<1x1x1x1xbf16>) -> tensor<32x1x32x128xbf16>",
  ]);
});

Deno.test("where that is no quicker, or the constant would be large, the repeat stays", () => {
  const stays = (spelling: MaskSpelling, microseconds?: (question: ProposedOp) => number): boolean =>
    passedBody(
      mask(spelling),
      repeatInProducer,
      undefined,
      microseconds === undefined ? {} : { microseconds },
    )
      .some((line) => line.includes("ttnn.repeat"));
  assertEquals(stays(MASK), true);
  assertEquals(stays(MASK, () => 1), false);
  assertEquals(stays({ ...MASK, isRead: true }, () => 1), true);
  assertEquals(stays({ ...MASK, keys: 4096 }, repeatsAreDear), true);
});
