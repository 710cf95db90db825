// SPDX-License-Identifier: Apache-2.0
import { PERMUTE } from "../../../ops/attributes/movement.ts";
import { inversePermutation } from "../../../layout/extents.ts";
import type { TensorValue, TtnnValue } from "../../../ttnn/value.ts";
import { ELEMENTWISE_OPS } from "../elementwise_ops.ts";
import { isPlain, madeBy } from "../matching.ts";
import type { PassBuilder } from "../../rewrite_pattern.ts";

/** A reshape or permute before an op. */
export interface View {
  readonly source: TensorValue;
  /** `undefined` for a reshape. */
  readonly permutation: readonly number[] | undefined;
}

/** The reshape or permute of a tiled DRAM interleaved tensor that produces a value; `undefined` if none does. */
export function anyView(value: TensorValue): View | undefined {
  const op = madeBy(value, "reshape", "permute");
  const source = op?.tensorOperand(0);
  if (op === undefined || source === undefined || !isPlain(source.type)) return undefined;
  if (source.type.dataType !== value.type.dataType) return undefined;
  return { source, permutation: op.name === "ttnn.permute" ? op.read(PERMUTE).permutation : undefined };
}

/** Most ops through which an inverse view is searched. */
export const FARTHEST = 8;

const PASSED: ReadonlySet<string> = new Set([
  ...ELEMENTWISE_OPS,
  "ttnn.concat",
  "ttnn.pad",
  "ttnn.slice_static",
]);

/**
 * Whether the inverse of a view follows a value, with only ops in between through which views sink. For a reshape, every
 * reshape that keeps the last dimension counts.
 */
export function isUndone(value: TtnnValue, view: View, steps: number = 0): boolean {
  const { permutation } = view;
  return steps < FARTHEST && value.uses.keys().some((user) => {
    if (user.name === "ttnn.permute" && permutation !== undefined) {
      return user.read(PERMUTE).permutation.every((dim, index) => permutation[dim] === index);
    }
    if (user.name === "ttnn.reshape" && permutation === undefined) {
      return user.operandType(0)?.shape.at(-1) === user.tensorResult?.type.shape.at(-1);
    }
    return PASSED.has(user.name) && isUndone(user.result, view, steps + 1);
  });
}

/** The target of a view: a shape or a permutation. */
export type ViewTarget = {
  readonly shape: readonly number[];
  readonly permutation: readonly number[] | undefined;
};

export function inverse({ source, permutation }: View): ViewTarget {
  return {
    shape: source.type.shape,
    permutation: permutation === undefined ? undefined : inversePermutation(permutation),
  };
}

/** A value under the inverse of a permutation: if it is itself that permute, `fold-inverse-views` cancels both. */
export function permutedBack(
  site: PassBuilder,
  value: TensorValue,
  permutation: readonly number[],
): TensorValue {
  return site.permute(value, inversePermutation(permutation));
}

/** A value after a view. */
export function applyView(
  site: PassBuilder,
  value: TensorValue,
  { shape, permutation }: ViewTarget,
): TensorValue {
  return permutation === undefined ? site.reshape(value, shape) : site.permute(value, permutation);
}
