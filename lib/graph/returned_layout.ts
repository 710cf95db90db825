// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat } from "../layout/data_type.ts";
import { makeLayout, type WorkerGrid } from "../layout/make_layout.ts";
import { pagesOf, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { TensorShape } from "../ops/op_signature.ts";

/**
 * The layout that result 0 of an op has when the text runs: as declared, except that pools make rows, and ops that keep
 * the pages of their first operand make those, whatever type the result is given. The runtime only checks types in
 * debug builds; readers get what was made (tt-mlir:runtime-calls, ttnn:backend-0-81-1). Shards keep their declared
 * pages, because the shards of others do not follow from these.
 *
 * @param first layout of the op's first operand
 */
export function returnedLayout(
  name: string,
  first: TtnnLayout | undefined,
  tensor: TensorShape,
  declared: TtnnLayout,
  workerGrid: WorkerGrid,
): TtnnLayout {
  const { keepsPages, returnsRows } = definitionOf(name);
  const kept = keepsPages && first !== undefined ? pagesOf(first) : pagesOf(declared);
  const pages = returnsRows ? "row_major" : kept;
  const { bufferType, memoryLayout, dataType } = declared;
  if (pages === pagesOf(declared) || memoryLayout !== "interleaved" || isBlockFloat(dataType)) {
    return declared;
  }
  return makeLayout({
    shape: tensor.shape,
    dataType,
    bufferType,
    memoryLayout,
    ...pages === "tile" ? {} : { tile: null },
  }, workerGrid);
}
