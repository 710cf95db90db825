// SPDX-License-Identifier: Apache-2.0
import { volume } from "../layout/extents.ts";
import { SCALAR_FUNCTIONS } from "../ops/scalar_functions.ts";
import { type FunctionLowering, splat } from "./function_lowering.ts";
import type { LazyTensor } from "./lazy_tensor.ts";
import type { TtirOp } from "./ttir_op.ts";
import { isFloat } from "../layout/data_type.ts";

/** Beyond, 32 bits of either sign may wrap. */
const MOST = 2 ** 31;

/** The whole number that a value of one element is known to be; `undefined` for every other value. */
function knownNumber({ shape, element, form }: LazyTensor): number | undefined {
  if (form.kind !== "splat" || volume(shape) !== 1 || isFloat(element.dataType)) return undefined;
  return isCounted(form.value) ? form.value : undefined;
}

/** The result of an op by which loops count and compare, on two known whole numbers; `undefined` where it is not known. */
export function knownResult(op: TtirOp, f: FunctionLowering): LazyTensor | undefined {
  const compute = SCALAR_FUNCTIONS.get(op.name.replace("ttir.", "ttnn."));
  const [a, b, ...others] = compute === undefined ? [] : f.operandsFrom(op, 0).map(knownTruthOrNumber);
  if (compute === undefined || a === undefined || b === undefined || others.length > 0) return undefined;
  const { shape, element } = op.resultType();
  const value = compute(a, b);
  const isKnown = isFloat(element.dataType) ? value === 0 || value === 1 : isCounted(value);
  return isKnown && volume(shape) === 1 ? splat(shape, element, value) : undefined;
}

/** Whether a value of one element is known to be true or false; `undefined` where it is not known. */
export function knownTruth(lazy: LazyTensor): boolean | undefined {
  const number = knownTruthOrNumber(lazy);
  return number === undefined ? undefined : number !== 0;
}

/** Booleans are floats in TTNN, so that 0 and 1 count whatever their element type. */
function knownTruthOrNumber(lazy: LazyTensor): number | undefined {
  const { shape, form } = lazy;
  if (form.kind === "splat" && volume(shape) === 1 && (form.value === 0 || form.value === 1)) {
    return form.value;
  }
  return knownNumber(lazy);
}

function isCounted(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < MOST;
}
