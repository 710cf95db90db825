// SPDX-License-Identifier: Apache-2.0
import { functionsOf, type ModuleText, tensorTypeAt } from "../../lib/ir/mod.ts";
import { interpret } from "./interpret.ts";
import { build, type Tensor } from "./tensor.ts";

/** Largest difference of two results of the same meaning, relative to numbers above one. */
const TOLERANCE: number = 1e-9;

/**
 * One tensor per argument of a function: floats in `[-2, 2)`, integers in `[0, limit)`, booleans 0 or 1.
 *
 * @param seed the same seed gives the same numbers
 * @param limit bound of integers, so that they are valid indices
 */
export function randomInputs(
  module: ModuleText,
  name: string,
  seed: number,
  limit: number = 2,
): readonly Tensor[] {
  const next = mulberry(seed);
  const view = functionsOf(module).find((each) => each.name === name);
  if (view === undefined) throw new RangeError(`no function '${name}'`);
  return view.arguments.map((argument) => {
    const type = tensorTypeAt(module, argument.type);
    if (type === undefined) throw new RangeError(`an argument of '${name}' is not a tensor`);
    const boolean = type.elementType === "i1";
    const integral = /^[su]?i\d+$/.test(type.elementType);
    return build(
      type.shape,
      () => (integral ? Math.floor(next() * (boolean ? 2 : limit)) : 4 * next() - 2),
    );
  });
}

/** The mulberry32 generator: numbers in `[0, 1)`. */
function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Runs a function of two modules on the same inputs and compares what they return.
 *
 * @throws {Error} if results differ in number, shape or by more than 1e-9
 */
export function assertSameMeaning(
  before: ModuleText,
  after: ModuleText,
  name: string,
  inputs: readonly Tensor[],
): void {
  const expected = interpret(before, name, inputs);
  const actual = interpret(after, name, inputs);
  const differs = (reason: string): Error => new Error(`${reason}\n${before.text}\n${after.text}`);
  if (expected.length !== actual.length) throw differs(`${actual.length} results for ${expected.length}`);
  expected.forEach((tensor, result) => {
    const other = actual[result];
    if (other === undefined || tensor.shape.join("x") !== other.shape.join("x")) {
      throw differs(`result ${result} is ${other?.shape.join("x")}, expected ${tensor.shape.join("x")}`);
    }
    tensor.data.forEach((value, position) => {
      const found = other.data[position] ?? NaN;
      if (Object.is(value, found) || value === found) return;
      if (Math.abs(value - found) <= TOLERANCE * Math.max(1, Math.abs(value))) return;
      if (Number.isNaN(value) && Number.isNaN(found)) return;
      throw differs(`result ${result}[${position}] is ${found}, expected ${value}`);
    });
  });
}
