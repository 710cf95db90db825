// SPDX-License-Identifier: Apache-2.0
import { volume } from "../layout/extents.ts";
import { type FunctionLowering, splat } from "./function_lowering.ts";
import type { LazyTensor } from "./lazy_tensor.ts";
import type { TtirOp } from "./ttir_op.ts";
import { isFloat } from "../layout/data_type.ts";

/** The ops by which loops count and compare; booleans are 0 and 1. */
const OPERATIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  "ttir.add": (a, b) => a + b,
  "ttir.subtract": (a, b) => a - b,
  "ttir.multiply": (a, b) => a * b,
  "ttir.minimum": Math.min,
  "ttir.maximum": Math.max,
};

/** Comparisons and what joins them, with 0 and 1 as results. */
const PREDICATES: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "ttir.lt": (a, b) => a < b,
  "ttir.le": (a, b) => a <= b,
  "ttir.gt": (a, b) => a > b,
  "ttir.ge": (a, b) => a >= b,
  "ttir.eq": (a, b) => a === b,
  "ttir.ne": (a, b) => a !== b,
  "ttir.logical_and": (a, b) => a !== 0 && b !== 0,
  "ttir.logical_or": (a, b) => a !== 0 || b !== 0,
};

/** Beyond, 32 bits of either sign may wrap. */
const MOST = 2 ** 31;

/** The whole number that a value of one element is known to be; `undefined` for every other value. */
function knownNumber({ shape, element, form }: LazyTensor): number | undefined {
  if (form.kind !== "splat" || volume(shape) !== 1 || isFloat(element.dataType)) return undefined;
  return isCounted(form.value) ? form.value : undefined;
}

/** The result of an op on known whole numbers; `undefined` where it is not known. */
export function knownResult(op: TtirOp, f: FunctionLowering): LazyTensor | undefined {
  const operation = OPERATIONS[op.name];
  const predicate = PREDICATES[op.name];
  if (operation === undefined && predicate === undefined) return undefined;
  const [a, b, ...others] = f.operandsFrom(op, 0).map(knownTruthOrNumber);
  if (a === undefined || b === undefined || others.length > 0) return undefined;
  const { shape, element } = op.resultType();
  if (volume(shape) !== 1) return undefined;
  if (predicate !== undefined) return splat(shape, element, predicate(a, b) ? 1 : 0);
  const value = isFloat(element.dataType) ? undefined : operation?.(a, b);
  return value !== undefined && isCounted(value) ? splat(shape, element, value) : undefined;
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
