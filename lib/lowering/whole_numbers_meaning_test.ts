// SPDX-License-Identifier: Apache-2.0

/** What is moved keeps all digits of whole numbers, also where the kernels for floats hold bf16. */

import fc from "fast-check";
import { extent, i64s, keepsMeaning, single, type } from "./testing/keeps_meaning.ts";
import { ttirFunction } from "./testing/lowered_body.ts";

/** Element types, with a bound of their numbers that bf16 does not reach exactly. */
const ELEMENTS = fc.constantFrom(
  ["i32", 2 ** 24] as const,
  ["ui32", 2 ** 24] as const,
  ["ui16", 2 ** 16] as const,
);

keepsMeaning(
  "whole numbers in reverse",
  fc.tuple(ELEMENTS, fc.array(extent, { minLength: 1, maxLength: 4 })).chain(([[element, limit], shape]) =>
    fc.subarray(shape.map((_, dim) => dim), { minLength: 1 }).map((dims) => ({
      text: single("reverse", [type(shape, element)], [type(shape, element)], [`dimensions = ${i64s(dims)}`]),
      limit,
      keepsDigits: false,
    }))
  ),
);

keepsMeaning(
  "whole numbers in enlarged images",
  fc.tuple(ELEMENTS, extent, extent, extent, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }))
    .map(
      ([[element, limit], height, width, channels, vertical, horizontal]) => ({
        text: single(
          "upsample2d",
          [type([2, height, width, channels], element)],
          [type([2, height * vertical, width * horizontal, channels], element)],
          [`mode = "nearest", scale_factor = array<i32: ${vertical}, ${horizontal}>`],
        ),
        limit,
        keepsDigits: false,
      }),
    ),
);

/** Rows of a table at constant places, by `embedding` and by StableHLO's gather. */
keepsMeaning(
  "whole numbers in tables",
  fc.tuple(ELEMENTS, fc.integer({ min: 2, max: 5 }), extent, fc.boolean()).chain(
    ([[element, limit], rows, width, isGather]) =>
      fc.array(fc.nat(rows - 1), { minLength: 1, maxLength: 6 }).map((places) => {
        const [table, index] = [type([rows, width], element), type([places.length], "i32")];
        const result = type([places.length, width], element);
        const [operands, types] = isGather ? ["%t, %i", [table, index]] : ["%i, %t", [index, table]];
        const properties = isGather
          ? ` <{collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : si64, offset_dims = array<i64: 1>, ` +
            `slice_sizes = array<i64: 1, ${width}>, start_index_map = array<i64: 0>}>`
          : "";
        return {
          text: ttirFunction(`(%t: ${table}) -> ${result}`, [
            `%i = "ttir.constant"() <{value = dense<[${places.join(", ")}]> : ${index}}> : () -> ${index}`,
            `%r = "ttir.${isGather ? "gather" : "embedding"}"(${operands})${properties} : (${
              types.join(", ")
            }) -> ${result}`,
            `return %r : ${result}`,
          ]),
          limit,
          keepsDigits: false,
        };
      }),
  ),
);

keepsMeaning(
  "whole numbers between fractions and beyond all numbers",
  fc.tuple(
    ELEMENTS,
    extent,
    fc.constantFrom("-1.5", "2.0", "2.25"),
    fc.constantFrom("5.5", "300.25", "0x7F800000"),
  )
    .map(([[element, limit], width, min, max]) => ({
      text: single("clamp_scalar", [type([2, width], element)], [type([2, width], element)], [
        `max = ${max} : f32, min = ${min} : f32`,
      ]),
      limit: Math.min(limit, 400),
      keepsDigits: false,
    })),
);
