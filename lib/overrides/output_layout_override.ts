// SPDX-License-Identifier: Apache-2.0
import { DATA_TYPES } from "../layout/data_type.ts";
import { BUFFER_TYPES, TENSOR_MEMORY_LAYOUTS } from "../layout/ttnn_layout.ts";
import { OverrideText } from "./override_text.ts";
import type { OutputLayoutOverride } from "./overrides.ts";

/** Page layouts as spelled in overrides. */
export const PAGE_LAYOUTS = ["row_major", "tile"] as const;

/**
 * Reads `--override-output-layout=name=2x4:l1:block_sharded:tile:bf16,…`: any subset of the five fields in any
 * order, recognised by their values (tt-mlir `OutputLayoutOverrideParser`).
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseOutputLayoutOverrides("add_1=l1:interleaved").get("add_1"), {
 *   bufferType: "l1",
 *   memoryLayout: "interleaved",
 * });
 * ```
 *
 * @throws {DiagnosticError} on an unknown word or a field that comes twice, pointing at it
 */
export function parseOutputLayoutOverrides(text: string): Map<string, OutputLayoutOverride> {
  const source: OverrideText = new OverrideText("--override-output-layout", text);
  const overrides = new Map<string, OutputLayoutOverride>();
  for (const { name, values } of source.entries()) {
    let override: OutputLayoutOverride = {};
    for (const token of values) {
      const field = readField(token.text);
      if (field === undefined) {
        source.fail(
          token,
          `"${token.text}" is not a grid (2x4), buffer type (${BUFFER_TYPES.join(", ")}), memory layout (${
            TENSOR_MEMORY_LAYOUTS.join(", ")
          }), page layout (row_major, tile) or data type (${DATA_TYPES.join(", ")})`,
        );
      }
      const [key, value] = field;
      if (override[key] !== undefined) source.fail(token, `"${name}" has two values for ${FIELD_WORDS[key]}`);
      override = { ...override, ...value };
    }
    overrides.set(name, override);
  }
  return overrides;
}

/** Prints overrides in the form that {@linkcode parseOutputLayoutOverrides} reads. */
export function printOutputLayoutOverrides(overrides: ReadonlyMap<string, OutputLayoutOverride>): string {
  return [...overrides].map(([name, override]) => `${name}=${describeOutputLayoutOverride(override)}`).join(
    ",",
  );
}

/** The given fields of one override, separated by `:`, in the order grid, buffer, memory, page, format. */
export function describeOutputLayoutOverride(override: OutputLayoutOverride): string {
  return [
    override.grid?.join("x"),
    override.bufferType,
    override.memoryLayout,
    override.pageLayout,
    override.dataType,
  ].filter((part) => part !== undefined).join(":");
}

const FIELD_WORDS: Readonly<Record<keyof OutputLayoutOverride, string>> = {
  grid: "the grid",
  bufferType: "the buffer type",
  memoryLayout: "the memory layout",
  pageLayout: "the page layout",
  dataType: "the data type",
};

function readField(word: string): [keyof OutputLayoutOverride, OutputLayoutOverride] | undefined {
  const grid = /^([1-9]\d*)x([1-9]\d*)$/.exec(word);
  if (grid !== null) return ["grid", { grid: [Number(grid[1]), Number(grid[2])] }];
  const bufferType = BUFFER_TYPES.find((known) => known === word);
  if (bufferType !== undefined) return ["bufferType", { bufferType }];
  const memoryLayout = TENSOR_MEMORY_LAYOUTS.find((known) => known === word);
  if (memoryLayout !== undefined) return ["memoryLayout", { memoryLayout }];
  const pageLayout = PAGE_LAYOUTS.find((known) => known === word);
  if (pageLayout !== undefined) return ["pageLayout", { pageLayout }];
  const dataType = DATA_TYPES.find((known) => known === word);
  if (dataType !== undefined) return ["dataType", { dataType }];
  return undefined;
}

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

/** Whether the grid of an override lies within the worker grid; block shards and interleaved pages lie side by side on it. */
export function fitsGrid(
  { grid, memoryLayout }: OutputLayoutOverride,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): boolean {
  if (grid === undefined) return true;
  return memoryLayout === "block_sharded" || memoryLayout === "interleaved"
    ? grid[0] <= rows && grid[1] <= columns
    : grid[0] * grid[1] <= rows * columns;
}
