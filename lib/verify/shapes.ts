// SPDX-License-Identifier: Apache-2.0
import { attributeMap } from "../ir/attribute_reader.ts";
import type { Operation } from "../ir/module_text.ts";
import { DYNAMIC, tensorTypeOf } from "../ir/tensor_type.ts";
import { formatExtents } from "../layout/layout_error.ts";
import { attributeFaults } from "../ops/op_attributes.ts";
import { definitionOf } from "../ops/op_book.ts";
import { isShapeFault } from "../ops/shape_inference.ts";
import type { Reporter } from "./reporter.ts";

/** V11: results have the shapes that follow from operands and attributes, for ops whose definition computes them. */
export function verifyShapes(reporter: Reporter): void {
  const { module } = reporter;
  for (const operation of module.operations) {
    const { inferShape } = definitionOf(operation.name);
    const result = operation.results[0];
    if (inferShape === undefined || result === undefined) continue;
    const actual = tensorTypeOf(module, result)?.shape;
    const operands = operation.operands.map(({ value }) =>
      value === undefined ? undefined : tensorTypeOf(module, value)?.shape
    );
    if (actual === undefined || [actual, ...operands].some((shape) => shape?.includes(DYNAMIC))) continue;
    const attributes = attributeMap(module, operation);
    // V20 reports them.
    if (attributeFaults({ name: operation.name, attributes }).length > 0) continue;
    const expected = inferShape({ operands, attributes, declared: actual });
    if (expected === undefined) continue;
    if (isShapeFault(expected)) reportShape(reporter, operation, expected.fault);
    else if (formatExtents(expected) !== formatExtents(actual)) {
      reportShape(
        reporter,
        operation,
        `result must be ${formatExtents(expected)}, but is ${formatExtents(actual)}`,
      );
    }
  }
}

function reportShape(reporter: Reporter, operation: Operation, what: string): void {
  reporter.error("V11/shape", operation.nameSpan, `'${operation.name}': ${what}`);
}
