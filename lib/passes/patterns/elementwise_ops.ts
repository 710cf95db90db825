// SPDX-License-Identifier: Apache-2.0
import { knownOps, type OpFamily } from "../../ops/op_book.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import type { TensorValue } from "../../ttnn/value.ts";
import type { PassBuilder } from "../rewrite_pattern.ts";

/** Families that compute each result element from the operands' elements at the same index. */
const ELEMENTWISE: ReadonlySet<OpFamily> = new Set<OpFamily>([
  "binary",
  "ternary",
  "typecast",
  "unary",
]);

/** Ops of these families that depend on bit patterns. */
const OF_BITS: ReadonlySet<string> = new Set(["ttnn.bitcast_convert"]);

/** Ops that compute each result element from the operands' elements at the same index. */
export const ELEMENTWISE_OPS: ReadonlySet<string> = new Set(
  knownOps()
    .filter(({ family, name }) => ELEMENTWISE.has(family) && !OF_BITS.has(name))
    .map(({ name }) => name),
);

/** Ops that apply one function to every row of the last dimension; further operands are single rows. */
export const ROWWISE: ReadonlySet<string> = new Set(["ttnn.layer_norm", "ttnn.rms_norm", "ttnn.softmax"]);

/** An op on tensors of another shape. */
export function recompute(
  site: PassBuilder,
  operands: readonly TensorValue[],
  { shape, dataType }: TensorShape,
): TensorValue {
  const { anchor: op } = site;
  const properties = op.name === "ttnn.softmax"
    ? op.propertiesWith({ dimension: shape.length - 1 })
    : op.properties;
  return site.op(op.name, operands, site.type(shape, dataType), properties, op.attributes);
}
