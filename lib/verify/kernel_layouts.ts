// SPDX-License-Identifier: Apache-2.0
import { attributeMap } from "../ir/attribute_reader.ts";
import { layoutOfValue } from "../dialect/ttnn_layout.ts";
import type { Operation, Value } from "../ir/module_text.ts";
import { tensorTypeOf } from "../ir/tensor_type.ts";
import { DATA_TYPES, type DataType, isBlockFloat } from "../layout/data_type.ts";
import { pagesOf } from "../layout/ttnn_layout.ts";
import { definitionOf } from "../ops/op_book.ts";
import { returnedRanks } from "../ops/rank_format.ts";
import { returnedFormat } from "../ops/returned_format.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V16, a warning: result 0 is declared with an element format or pages that the kernel does not return, so that
 * its readers get another type than they declare.
 */
export function verifyReturnedLayouts(reporter: Reporter): void {
  const { module } = reporter;
  for (const operation of module.operations) {
    const { formatOf, keepsPages, returnsRows } = definitionOf(operation.name);
    if (formatOf === undefined && !keepsPages && !returnsRows) continue;
    const result = layoutOfValue(module, operation.results[0]);
    if (result === undefined || result.bufferType === "system_memory") continue;
    const returned = returnedFormat(
      operation.name,
      (operand) => layoutOfValue(module, operandOf(operation, operand)),
      result.tile !== undefined && !returnsRows,
    );
    if (returned !== undefined && returned !== result.dataType) {
      report(reporter, operation, "format", returned, result.dataType);
    }
    const first = keepsPages ? layoutOfValue(module, operandOf(operation, 0)) : undefined;
    const pages = returnsRows ? "row_major" : first === undefined ? undefined : pagesOf(first);
    if (pages !== undefined && pages !== pagesOf(result)) {
      report(reporter, operation, "pages", pages, pagesOf(result));
    }
    verifyRanks(reporter, operation);
  }
}

/** The same of the places that a sort returns beside its values. */
function verifyRanks(reporter: Reporter, operation: Operation): void {
  const { module } = reporter;
  const ranks = layoutOfValue(module, operation.results[1])?.dataType;
  const values = operandOf(operation, 0);
  const shape = values === undefined ? undefined : tensorTypeOf(module, values)?.shape;
  const dataType = layoutOfValue(module, values)?.dataType;
  if (ranks === undefined || shape === undefined || dataType === undefined) return;
  const op = { name: operation.name, attributes: attributeMap(module, operation) };
  const returned = returnedRanks(op, { shape, dataType });
  if (returned !== undefined && returned !== ranks) report(reporter, operation, "format", returned, ranks);
}

/** Element formats in which no kernel reads an index: all floats but bf16; their bits would be misread. */
const NO_INDEX: ReadonlySet<DataType> = new Set(
  DATA_TYPES.filter((type) => type === "f32" || type === "f16" || isBlockFloat(type)),
);

/**
 * V19, a warning: a required index operand has a format in which no kernel reads indices; integers and bf16 are
 * fine (tt-metal:embedding).
 */
export function verifyIndexFormats(reporter: Reporter): void {
  const { module } = reporter;
  for (const operation of module.operations) {
    definitionOf(operation.name).operands.forEach(({ role, least }, index) => {
      if (role !== "index" || least === 0) return;
      const format = layoutOfValue(module, operandOf(operation, index))?.dataType;
      if (format === undefined || !NO_INDEX.has(format)) return;
      reporter.warning(
        "V19/index-format",
        operation.operands[index]?.span ?? operation.nameSpan,
        `'${operation.name}' takes integer indices, but its index is ${format}; convert it before the op`,
      );
    });
  }
}

function operandOf(operation: Operation, index: number): Value | undefined {
  return operation.operands[index]?.value;
}

function report(
  reporter: Reporter,
  operation: Operation,
  what: "format" | "pages",
  returned: string,
  declared: string,
): void {
  reporter.warning(
    `V16/returned-${what}`,
    operation.nameSpan,
    `'${operation.name}' returns ${returned}, but its result is declared ${declared}; convert it after the op`,
  );
}
