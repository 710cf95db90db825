// SPDX-License-Identifier: Apache-2.0
import { functionsOf, type ModuleText, tensorTypeAt } from "../../lib/ir/mod.ts";
import { mulberry } from "../../lib/precision/mulberry.ts";
import { Interpreter } from "./interpret.ts";
import { build, type NumericTensor } from "./tensor.ts";

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
): readonly NumericTensor[] {
  const next = mulberry(seed);
  const view = functionsOf(module).find((each) => each.name === name);
  if (view === undefined) throw new RangeError(`no function '${name}'`);
  return view.arguments.map((argument) => {
    const type = tensorTypeAt(module, argument.type);
    if (type === undefined) throw new RangeError(`an argument of '${name}' is not a tensor`);
    const boolean = type.elementType === "i1";
    const integral = /^[su]?i\d+$|^!quant\./.test(type.elementType);
    return build(
      type.shape,
      () => (integral ? Math.floor(next() * (boolean ? 2 : limit)) : 4 * next() - 2),
    );
  });
}

/** Inferences of a loaded module that are compared: what the first writes into constants, the second reads. */
const INFERENCES = 2;

/**
 * Runs a function of two modules on the same inputs, the second one twice, and compares what they return; of TTNN also
 * what they leave in their arguments.
 *
 * @param keepsDigits whether elements hold every number; if not, what their types hold
 * @throws {Error} if tensors differ in number, shape or by more than 1e-9
 */
export function assertSameMeaning(
  before: ModuleText,
  after: ModuleText,
  name: string,
  inputs: readonly NumericTensor[],
  keepsDigits: boolean = true,
): void {
  const expected = new Interpreter(before, keepsDigits).run(name, inputs);
  const loaded = new Interpreter(after, keepsDigits);
  // TTIR does not say where caches lie.
  const comparesInputs = !before.operations.some((operation) => operation.name.startsWith("ttir."));
  for (let inference = 0; inference < INFERENCES; inference++) {
    const found = loaded.run(name, inputs);
    const difference = firstDifference("result", expected.results, found.results) ??
      (comparesInputs ? firstDifference("argument", expected.inputs, found.inputs) : undefined);
    if (difference !== undefined) {
      throw new Error(`inference ${inference}: ${difference}\n${before.text}\n${after.text}`);
    }
  }
}

/** Where two lists of tensors differ, in words. */
function firstDifference(
  what: string,
  expected: readonly NumericTensor[],
  actual: readonly NumericTensor[],
): string | undefined {
  if (expected.length !== actual.length) return `${actual.length} ${what}s for ${expected.length}`;
  for (const [index, tensor] of expected.entries()) {
    const other = actual[index];
    if (other === undefined || tensor.shape.join("x") !== other.shape.join("x")) {
      return `${what} ${index} is ${other?.shape.join("x")}, expected ${tensor.shape.join("x")}`;
    }
    const position = tensor.data.findIndex((value, at) => !isEquivalent(value, other.data[at] ?? NaN));
    if (position >= 0) {
      return `${what} ${index}[${position}] is ${other.data[position]}, expected ${tensor.data[position]}`;
    }
  }
  return undefined;
}

function isEquivalent(value: number, found: number): boolean {
  return Object.is(value, found) || value === found ||
    Math.abs(value - found) <= TOLERANCE * Math.max(1, Math.abs(value));
}
