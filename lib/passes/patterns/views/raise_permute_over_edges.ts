// SPDX-License-Identifier: Apache-2.0
import { CONCAT, PERMUTE } from "../../../ops/attributes/movement.ts";
import type { TensorValue } from "../../../ttnn/value.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { dimensionOf, isFasterBeyondError, isPlain, madeBy, slicedBounds } from "../matching.ts";

/**
 * Permutes a tensor before slices of it are joined to it (pads that reflect, repeat or wrap around the edges of an image
 * in front of a convolution), where that is faster: channels last, a column of pixels is rows. tt-mlir's
 * `TTIREraseInverseOps` commutes upwards over slices and concats alike.
 */
export const raisePermuteOverEdges: RewritePattern = replacing({
  name: "raise-permute-over-edges",
  upstream: "none",
  roots: ["ttnn.permute"],
  pays: isFasterBeyondError,
  replace: (op, site) => {
    const joined = op.tensorOperand(0);
    const concat = madeBy(joined, "concat");
    if (concat === undefined || joined?.onlyUser !== op) return undefined;
    const parts = concat.tensorOperands;
    const sources = new Set(parts.map((part) => slicedFrom(part) ?? part));
    const image = sources.values().find((source) =>
      parts.every((part) => part === source || slicedFrom(part) === source)
    );
    if (image === undefined || ![joined, image, ...parts].every(({ type }) => isPlain(type))) {
      return undefined;
    }
    const { permutation } = op.read(PERMUTE);
    const permuted = site.permute(image, permutation);
    const edges = parts.map((part) => {
      const slice = part === image ? undefined : part.producer;
      if (slice === undefined) return permuted;
      const [begins = [], ends = [], step = []] = slicedBounds(slice).map((bounds) =>
        permutation.map((dim) => bounds[dim] ?? 0)
      );
      return site.inferred(slice.name, [permuted], { begins, ends, step });
    });
    const dim = permutation.indexOf(dimensionOf(concat, concat.read(CONCAT).dim));
    return site.inferred(concat.name, edges, { dim });
  },
});

function slicedFrom(value: TensorValue): TensorValue | undefined {
  return madeBy(value, "slice_static")?.tensorOperand(0);
}
