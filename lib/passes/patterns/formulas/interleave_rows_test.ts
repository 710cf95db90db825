// SPDX-License-Identifier: Apache-2.0
import { assert } from "@std/assert";
import fc from "fast-check";
import type { ProposedOp } from "../../graph_pass.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { interleaveRows } from "./interleave_rows.ts";

/** A scatter takes long, everything else nothing. */
const TOOLS = { microseconds: ({ name }: ProposedOp): number => name === "ttnn.scatter" ? 1000 : 1 };

interface Interleaved {
  readonly even: number;
  readonly odd: number;
  readonly row: readonly number[];
  /** Whether places are written as bytes. */
  readonly isHex?: boolean;
  /** The number between rows. */
  readonly filler?: number;
  /** What is added to the last place. */
  readonly moved?: number;
}

/** Rows in every second place of zeros, and others in the places between, added, as upstream spells pads between rows. */
function interleaved({ even, odd, row, isHex = false, filler = 0, moved = 0 }: Interleaved): string {
  const width = row.reduce((product, extent) => product * extent, 1);
  const total = (even + odd) * width;
  const type = (shape: readonly number[], element = "bf16"): string => `T<${shape.join("x")}, ${element}>`;
  const list = (shape: readonly number[]): string =>
    `[${shape.map((extent) => `${extent} : i32`).join(", ")}]`;
  const spread = (name: string, count: number, first: 0 | 1): readonly string[] => {
    const places = Array.from(
      { length: count * width },
      (_, at) =>
        (2 * Math.floor(at / width) + first) * width + at % width + (at === count * width - 1 ? moved : 0),
    );
    const bytes = new DataView(new ArrayBuffer(4 * places.length));
    places.forEach((place, at) => bytes.setInt32(4 * at, place, true));
    const dense = isHex
      ? `"0x${new Uint8Array(bytes.buffer).toHex().toUpperCase()}"`
      : `[${places.join(", ")}]`;
    const flat = [count * width];
    return [
      `%${name}i = "ttnn.constant"(%d) <{value = dense<${dense}> : tensor<${flat}xsi32>}> : (!ttnn.device) -> ${
        type(flat, "si32")
      }`,
      `%${name}f = "ttnn.reshape"(%${name}) <{shape = ${list(flat)}}> : (${type([count, ...row])}) -> ${
        type(flat)
      }`,
      `%${name}s = "ttnn.scatter"(%z, %${name}i, %${name}f) <{dim = 0 : si32, scatter_reduce_type = #ttcore.reduce_type<invalid>}> : (${
        type([total])
      }, ${type(flat, "si32")}, ${type(flat)}) -> ${type([total])}`,
      `%${name}r = "ttnn.reshape"(%${name}s) <{shape = ${list([even + odd, ...row])}}> : (${
        type([total])
      }) -> ${type([even + odd, ...row])}`,
    ];
  };
  const whole = type([even + odd, ...row]);
  return ttnnModule(`(%x: ${type([even, ...row])}, %y: ${type([odd, ...row])}) -> ${whole}`, [
    `%d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device`,
    `%z = "ttnn.full"(%d) <{fill_value = ${filler}.0 : f32, shape = #ttnn.shape<${total}>}> : (!ttnn.device) -> ${
      type([total])
    }`,
    ...spread("x", even, 0),
    ...spread("y", odd, 1),
    `%a = "ttnn.add"(%yr, %xr) : (${whole}, ${whole}) -> ${whole}`,
    `return %a : ${whole}`,
  ]);
}

keepsMeaning(
  "rows in turn",
  [interleaveRows],
  fc.record({
    odd: fc.integer({ min: 1, max: 5 }),
    more: fc.nat(1),
    row: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }).filter((row) =>
      row.some((x) => x > 1)
    ),
    isHex: fc.boolean(),
  }).map(({ odd, more, row, isHex }) => ({
    text: interleaved({ even: odd + more, odd, row, isHex }),
    ops: ["concat", "!scatter", "!add"],
  })),
  40,
  TOOLS,
);

Deno.test("rows in other places, or between other numbers than zeros, stay scattered", () => {
  const given = { even: 3, odd: 3, row: [4] };
  const stays = (text: string): boolean =>
    passedBody(text, interleaveRows, undefined, TOOLS).some((line) => line.includes("ttnn.scatter"));
  assert(stays(interleaved({ ...given, filler: 1 })));
  assert(stays(interleaved({ ...given, moved: -1 })));
  assert(!stays(interleaved(given)));
});
