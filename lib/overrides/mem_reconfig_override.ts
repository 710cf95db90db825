// SPDX-License-Identifier: Apache-2.0
import { OverrideText } from "./override_text.ts";

/**
 * Reads `--insert-memreconfig=add_1=0,add_2=0:1`: per op, the operands that are converted to the op's own
 * output layout (tt-mlir `InsertMemReconfigParser`).
 *
 * @example
 * ```ts
 * import { parseMemReconfigOverrides } from "@tilewright/tilewright/policy";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseMemReconfigOverrides("add_1=0:1").get("add_1"), [0, 1]);
 * ```
 *
 * @throws {DiagnosticError} when an operand is no number, comes twice, or none is given
 */
export function parseMemReconfigOverrides(text: string): Map<string, readonly number[]> {
  const source: OverrideText = new OverrideText("--insert-memreconfig", text);
  const overrides = new Map<string, readonly number[]>();
  for (const { name, values } of source.entries()) {
    const operands: number[] = [];
    for (const token of values) {
      if (!/^\d+$/.test(token.text)) source.fail(token, `"${token.text}" is not an operand index`);
      const operand = Number(token.text);
      if (operands.includes(operand)) source.fail(token, `operand ${operand} of "${name}" comes twice`);
      operands.push(operand);
    }
    if (operands.length === 0) source.fail({ text: "", offset: text.length }, `"${name}" names no operand`);
    overrides.set(name, operands);
  }
  return overrides;
}
