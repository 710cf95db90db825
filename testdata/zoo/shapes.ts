// SPDX-License-Identifier: Apache-2.0
import { stringText } from "../../lib/dialect/printed_attributes.ts";
import type { TensorValue } from "../../lib/ttnn/value.ts";
import { broadcastShape } from "../../lib/layout/extents.ts";
import { COMPUTE_CONFIG } from "../../lib/dialect/compute_config_text.ts";

/** Options of `matmul` and `linear`. */
export interface MatmulOptions {
  readonly activation?: "gelu" | "relu" | "silu";
  readonly transposeB?: boolean;
}

/** Properties of a matmul. */
export function matmulProperties(options: MatmulOptions): Readonly<Record<string, string | undefined>> {
  return {
    activation: options.activation === undefined ? undefined : stringText(options.activation),
    compute_config: COMPUTE_CONFIG,
    transpose_a: "false",
    transpose_b: String(options.transposeB ?? false),
  };
}

/** Shape of a product. */
export function matmulShape(lhs: TensorValue, rhs: TensorValue, options: MatmulOptions): readonly number[] {
  const columns = rhs.type.shape.at(options.transposeB === true ? -2 : -1) ?? 1;
  const batch = broadcast(lhs.type.shape.slice(0, -2), rhs.type.shape.slice(0, -2));
  return [...batch, lhs.type.shape.at(-2) ?? 1, columns];
}

/** Shape of an elementwise result. @throws {RangeError} when the shapes do not broadcast */
export function broadcast(lhs: readonly number[], rhs: readonly number[]): readonly number[] {
  const shape = broadcastShape([lhs, rhs]);
  if (shape === undefined) throw new RangeError(`Cannot broadcast ${lhs.join("x")} with ${rhs.join("x")}`);
  return shape;
}
