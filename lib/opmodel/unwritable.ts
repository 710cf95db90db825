// SPDX-License-Identifier: Apache-2.0
import { physicalUnits } from "../layout/make_layout.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import type { InvalidConstraints } from "./op_model.ts";
import type { Tensor } from "./tensor.ts";
import { refuseLayout } from "./verdict.ts";

/**
 * Whether no text says what layout a tensor has: a `#ttnn.ttnn_layout` has shards as large as its grid makes them, the
 * backend also makes larger ones (tt-mlir:layout-attribute).
 */
export function isUnwritable(tensor: Tensor | undefined): boolean {
  if (tensor === undefined || !isSharded(tensor.layout)) return false;
  const { shape, layout: { tile, gridShape, shardShape } } = tensor;
  return physicalUnits(shape, tile).some((extent, axis) =>
    Math.ceil(extent / (gridShape[axis] ?? 1)) !== shardShape[axis]
  );
}

/** Refuses an op whose result no text describes. */
export function refuseUnwritable(
  op: Pick<OpSignature, "name">,
  { shape, layout }: Tensor,
): InvalidConstraints {
  const { gridShape, shardShape } = layout;
  return refuseLayout(
    op,
    "result/unwritable",
    `its result of ${shape.join("x")} has ${gridShape.join("x")} shards of ${shardShape.join("x")}, ` +
      "which no layout attribute says",
    "tt-mlir:layout-attribute",
  );
}
