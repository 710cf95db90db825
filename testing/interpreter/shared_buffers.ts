// SPDX-License-Identifier: Apache-2.0
import { readTtnnLayout } from "../../lib/dialect/ttnn_layout.ts";
import {
  attributeMap,
  type ModuleText,
  type Operation,
  type Span,
  type TensorType,
  tensorTypeAt,
  textOf,
} from "../../lib/ir/mod.ts";
import { dataTypeOfElement } from "../../lib/dialect/data_type.ts";
import { volume } from "../../lib/layout/extents.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import type { NumericTensor } from "./tensor.ts";

/**
 * The results of an op in the buffers that the device gives them. The result of a view in DRAM has the buffer of operand
 * 0, and so has the result of a memory op whose operand has that type already. All of these keep the numbers in their
 * order.
 */
export function inBuffers(
  module: ModuleText,
  operation: Operation,
  [operand]: readonly NumericTensor[],
  results: readonly NumericTensor[],
): readonly NumericTensor[] {
  const [result, ...others] = results;
  if (operand === undefined || result === undefined || !operation.name.startsWith("ttnn.")) return results;
  if (operand.data.length !== result.data.length || !sharesBuffer(module, operation)) return results;
  return [{ ...result, data: operand.data }, ...others];
}

function sharesBuffer(module: ModuleText, operation: Operation): boolean {
  const [source, target] = [operation.operands[0]?.value?.type, operation.resultTypes?.[0]];
  if (source === undefined || target === undefined) return false;
  const { isView, memoryOp } = definitionOf(operation.name);
  if (memoryOp) return textOf(module, source) === textOf(module, target);
  const [from, to] = [typeAt(module, source), typeAt(module, target)];
  if (isView === undefined || from?.layout?.bufferType !== "dram" || to?.layout?.bufferType !== "dram") {
    return false;
  }
  if (volume(from.shape) !== volume(to.shape)) return false;
  const signature = {
    name: operation.name,
    attributes: attributeMap(module, operation),
    operands: [from],
    results: [to],
    operandSegmentSizes: undefined,
  };
  return isView(signature, from.layout.tile !== undefined);
}

function typeAt(
  module: ModuleText,
  span: Span,
): TensorShape & { readonly layout: TtnnLayout | undefined } | undefined {
  const type: TensorType | undefined = tensorTypeAt(module, span);
  const dataType = type === undefined ? undefined : dataTypeOfElement(type.elementType);
  if (type === undefined || dataType === undefined) return undefined;
  return { shape: type.shape, dataType, layout: readTtnnLayout(module, span, type) };
}
