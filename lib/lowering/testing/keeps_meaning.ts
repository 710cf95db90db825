// SPDX-License-Identifier: Apache-2.0
/** Property tests that lowering changes no number. */

import fc from "fast-check";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import { assertSameMeaning, randomInputs } from "../../../testing/interpreter/same_meaning.ts";
import { parseModule } from "../../ir/mod.ts";
import { lowerModule } from "../lower_module.ts";
import { ttirFunction } from "./lowered_body.ts";

const SEED = 20261122;

/** A TTIR function and the numbers that it is given. */
export interface Case {
  readonly text: string;
  /** Integer inputs are in `[0, limit)`; that of `randomInputs` by default. */
  readonly limit?: number;
  /** Whether elements hold every number, the default; if not, what their types hold. */
  readonly keepsDigits?: boolean;
}

/** Lowers each case and holds the result against the TTIR, number by number. */
export function keepsMeaning(name: string, cases: fc.Arbitrary<Case>, numRuns: number = 60): void {
  Deno.test(`lowering keeps the meaning of ${name}`, () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ text, limit, keepsDigits }, seed) => {
        const before = parseModule(text, "before.mlir");
        const after = parseModule(lowerModule(before, TEST_WORMHOLE), "after.mlir");
        assertSameMeaning(before, after, "f", randomInputs(before, "f", seed, limit), keepsDigits);
      }),
      { numRuns, seed: SEED },
    );
  });
}

/** A tensor type. */
export const type: (shape: readonly number[], element?: string) => string = (shape, element = "f32") =>
  `tensor<${[...shape, element].join("x")}>`;
/** An array of i32. */
export const i32s: (values: readonly number[]) => string = (values) =>
  `[${values.map((value) => `${value} : i32`).join(", ")}]`;
/** A dense array of i64. */
export const i64s: (values: readonly number[]) => string = (values) => `array<i64: ${values.join(", ")}>`;
/** A dense array of i32. */
export const dims32: (values: readonly number[]) => string = (values) => `array<i32: ${values.join(", ")}>`;

/** One op over arguments. */
export function single(
  op: string,
  operands: readonly string[],
  results: readonly string[],
  properties: readonly string[] = [],
): string {
  const names = operands.map((_, index) => `%a${index}`);
  const outputs = results.map((_, index) => (results.length === 1 ? "%r" : `%r#${index}`)).join(", ");
  const head = results.length === 1 ? "%r" : `%r:${results.length}`;
  const list = results.length === 1 ? results.join() : `(${results.join(", ")})`;
  const extra = properties.length === 0 ? "" : ` <{${properties.join(", ")}}>`;
  return ttirFunction(`(${names.map((name, i) => `${name}: ${operands[i]}`).join(", ")}) -> ${list}`, [
    `${head} = "ttir.${op}"(${names.join(", ")})${extra} : (${operands.join(", ")}) -> ${list}`,
    `return ${outputs} : ${results.join(", ")}`,
  ]);
}

/** A small extent. */
export const extent: fc.Arbitrary<number> = fc.integer({ min: 1, max: 4 });
/** Small shapes. */
export const shapes: (minLength?: number, maxLength?: number) => fc.Arbitrary<number[]> = (
  minLength = 1,
  maxLength = 4,
) => fc.array(extent, { minLength, maxLength });
