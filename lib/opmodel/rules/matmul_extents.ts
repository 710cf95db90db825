// SPDX-License-Identifier: Apache-2.0
import { readBool } from "../../dialect/attribute_values.ts";
import type { MatmulExtents } from "../../programs/matmul_auto_config.ts";
import type { InvalidConstraints } from "../op_model.ts";
import type { OpSignature } from "../../ops/op_signature.ts";
import { refuse, refuseConfig } from "../verdict.ts";

/**
 * Reads the extents of a matmul or linear, after `transpose_a` and `transpose_b`; refuses operands that do not multiply
 * (tt-metal:matmul).
 */
export function matmulExtents(op: OpSignature): MatmulExtents | InvalidConstraints {
  const a = op.operands[0]?.shape;
  const b = op.operands[1]?.shape;
  if (a === undefined || b === undefined) {
    return refuse("unsupported_config", "operand/missing", `${op.name} needs two tensor operands`, SOURCE);
  }
  if (a.length < 1 || b.length < 1) {
    return refuse("unsupported_config", "matmul/rank", `${op.name} needs operands of rank 1 or more`, SOURCE);
  }
  const transposeA = readBool(op.attributes, "transpose_a") ?? false;
  const transposeB = readBool(op.attributes, "transpose_b") ?? false;
  const [aRows, aColumns] = lastTwo(a, "row");
  const [bRows, bColumns] = lastTwo(b, "column");
  const [m, ka] = transposeA ? [aColumns, aRows] : [aRows, aColumns];
  const [kb, n] = transposeB ? [bColumns, bRows] : [bRows, bColumns];
  if (ka !== kb) {
    return refuseConfig(op, "matmul/inner-dimension", `inner dimensions ${ka} and ${kb} differ`, SOURCE);
  }
  return {
    mt: Math.ceil(m / 32),
    kt: Math.ceil(ka / 32),
    nt: Math.ceil(n / 32),
    batchA: leading(a),
    batchB: leading(b),
  };
}

/** Rows and columns; a vector is one of either. */
function lastTwo(shape: readonly number[], vector: "row" | "column"): [number, number] {
  const last = shape.at(-1) ?? 1;
  if (shape.length >= 2) return [shape.at(-2) ?? 1, last];
  return vector === "row" ? [1, last] : [last, 1];
}

function leading(shape: readonly number[]): number {
  let product = 1;
  for (let dim = 0; dim < shape.length - 2; dim++) product *= shape[dim] ?? 1;
  return product;
}

const SOURCE = "tt-metal:matmul inputs";
