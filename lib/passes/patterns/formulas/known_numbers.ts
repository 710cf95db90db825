// SPDX-License-Identifier: Apache-2.0
import { attributeText } from "../../../ir/mod.ts";
import { isPlainFloat } from "../../../layout/data_type.ts";
import { volume } from "../../../layout/extents.ts";
import { ARANGE, CONSTANT } from "../../../ops/attributes/creation.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import type { PassContext } from "../../graph_pass.ts";
import { scalarFunctionOf } from "../../scalar_functions.ts";
import { constantOf, madeBy } from "../matching.ts";

/** Most numbers that are computed one by one. */
const MOST_NUMBERS = 4096;

/** Up to here every float holds whole numbers; comparisons give 0 and 1 in floats. */
const LARGEST_OF_FLOATS = 256;

/**
 * The numbers of a tensor of indices that is joined of constants, or counted and computed from these in integers;
 * `undefined` if it is not.
 */
export function knownNumbers(value: TensorValue, context: PassContext): readonly number[] | undefined {
  const { shape, dataType } = value.type;
  const count = volume(shape);
  const number = constantOf(value, context);
  if (number !== undefined) return Array.from({ length: count }, () => number);
  const op = value.producer;
  if (op === undefined || count > MOST_NUMBERS) return undefined;
  if (op.name === "ttnn.arange") {
    const { start = 0, step = 1 } = op.read(ARANGE);
    return Array.from({ length: count }, (_, at) => start + at * step);
  }
  const constant = op.name === "ttnn.constant" ? op.read(CONSTANT).value : undefined;
  if (constant !== undefined) {
    const dense = attributeText(constant);
    const numbers = [...dense.slice(0, dense.lastIndexOf(":")).matchAll(/-?\d+/g)].map(Number);
    return numbers.length === count ? numbers : undefined;
  }
  const parts = op.tensorOperands.map((part) => knownNumbers(part, context));
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0 || known.length < parts.length) return undefined;
  if (madeBy(value, "concat", "typecast", "to_layout", "reshape") !== undefined) {
    return known.flat();
  }
  const compute = scalarFunctionOf(op);
  if (compute === undefined) return undefined;
  const spread = known.map((part, index) =>
    spreadOver(part, op.tensorOperands[index]?.type.shape ?? [], shape)
  );
  const numbers = Array.from({ length: count }, (_, at) => compute(...spread.map((part) => part[at] ?? NaN)));
  const largest = isPlainFloat(dataType) ? LARGEST_OF_FLOATS : Infinity;
  return numbers.every((each) => Number.isInteger(each) && Math.abs(each) <= largest) ? numbers : undefined;
}

/** Numbers of a shape, broadcast to another. */
export function spreadOver(
  numbers: readonly number[],
  from: readonly number[],
  to: readonly number[],
): readonly number[] {
  const offset = to.length - from.length;
  return Array.from({ length: volume(to) }, (_, at) => {
    let [rest, place, scale] = [at, 0, 1];
    for (let dim = to.length - 1; dim >= offset; dim--) {
      const [extent, own] = [to[dim] ?? 1, from[dim - offset] ?? 1];
      if (own > 1) place += rest % extent * scale;
      rest = Math.floor(rest / extent);
      scale *= own;
    }
    return numbers[place] ?? NaN;
  });
}
