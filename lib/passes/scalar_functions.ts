// SPDX-License-Identifier: Apache-2.0
import { CLAMP, POWER, WITH_PARAMETER } from "../ops/attributes/elementwise.ts";
import { SCALAR_FUNCTIONS, type ScalarFunction } from "../ops/scalar_functions.ts";
import type { TtnnOp } from "../ttnn/op.ts";

/** Names of the ops that may have one, see {@linkcode scalarFunctionOf}. */
export function scalarFunctionOps(): readonly string[] {
  return [...SCALAR_FUNCTIONS.keys(), "ttnn.pow_scalar", "ttnn.clamp_scalar", "ttnn.leaky_relu"];
}

/** The function of an op with its attributes; `undefined` for ops that do not occur in formulas or that apply further functions. */
export function scalarFunctionOf(op: TtnnOp): ScalarFunction | undefined {
  if (op.appliesFunctions) return undefined;
  switch (op.name) {
    case "ttnn.pow_scalar": {
      const { rhs } = op.read(POWER);
      return rhs === undefined ? undefined : (x = NaN) => x ** rhs;
    }
    case "ttnn.clamp_scalar": {
      const { min = -Infinity, max = Infinity } = op.read(CLAMP);
      return (x = NaN) => Math.min(Math.max(x, min), max);
    }
    case "ttnn.leaky_relu": {
      const { parameter } = op.read(WITH_PARAMETER);
      return parameter === undefined ? undefined : (x = NaN) => (x < 0 ? x * parameter : x);
    }
    default:
      return SCALAR_FUNCTIONS.get(op.name);
  }
}
