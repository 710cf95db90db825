// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { inputError } from "../../diagnostics/diagnostic.ts";
import { validated } from "../../diagnostics/read_json.ts";
import type { DataType } from "../../layout/data_type.ts";

/** A tensor of a recorded query. */
export interface RecordedTensor {
  /** Absent when the test leaves it to the op. */
  readonly shape?: readonly number[] | undefined;
  /** As the test names it, for example `bf16` or `s32`; `bf16` where the row has none. */
  readonly dtype: string;
  /** Pages: tiles or rows; tiles where the row has none. */
  readonly layout: "TILE" | "ROW_MAJOR";
  /** Memory that it lives in. */
  readonly buffer: "DRAM" | "L1" | "SystemMemory";
  /** `undefined` in system memory. */
  readonly memory?: "Interleaved" | "HeightSharded" | "WidthSharded" | "BlockSharded" | undefined;
  /** Shard grid `[rows, columns]`. */
  readonly grid: readonly [number, number];
}

/** The backend's answer. Bytes are per core; `undefined` if not on record. */
export interface ExpectedAnswer {
  /** Whether the backend accepted it at the revisions of the row. */
  readonly valid: boolean;
  /** Whether the newest backend accepts it. */
  readonly validAtHead?: boolean | undefined;
  /** Peak of circular buffers. */
  readonly cbBytes?: number | undefined;
  /** Peak of L1 tensors that the op allocates itself; operands do not count. */
  readonly l1PeakBytes?: number | undefined;
  /** Bytes of the outputs in L1. */
  readonly outputBytes?: number | undefined;
  /** Peak of circular buffers and tensors together. */
  readonly totalPeakBytes?: number | undefined;
}

/** One recorded query of the real backend. */
export interface ExpectationRow {
  /** File and test that assert it. */
  readonly source: string;
  /** Revisions of the test suite that hold the row, in no particular order. */
  readonly revs: readonly string[];
  /** Name in the test, for example `MaxPool2dWithIndices`. */
  readonly op: string;
  /** Operands that are tensors, in order. */
  readonly inputs: readonly RecordedTensor[];
  /** `undefined` is a NULL hint. */
  readonly output?: RecordedTensor | undefined;
  /** Op-specific arguments in the order of the test's call. */
  readonly config: readonly unknown[];
  /** The answer. */
  readonly expect: ExpectedAnswer;
}

/** Data types by the names that tests have for them. */
export const RECORDED_DATA_TYPES: Readonly<Record<string, DataType>> = {
  s32: "si32",
  bfp8: "bfp_bf8",
  bfp4: "bfp_bf4",
  bfp8_b: "bfp_bf8",
  bfp4_b: "bfp_bf4",
  bfp_bf8: "bfp_bf8",
  bfp_bf4: "bfp_bf4",
  bf16: "bf16",
  f16: "f16",
  f32: "f32",
  u32: "u32",
  u16: "u16",
  u8: "u8",
  si32: "si32",
};

/** A value that a row may state as `null` or leave out. */
function stated<Value>(schema: v.GenericSchema<unknown, Value>) {
  return v.pipe(v.nullish(schema), v.transform((value) => value ?? undefined));
}

const EXTENTS = v.array(v.number());
const BYTES = stated(v.number());

const TENSOR = v.object({
  shape: stated(EXTENTS),
  dtype: v.nullish(v.picklist(Object.keys(RECORDED_DATA_TYPES)), "bf16"),
  layout: v.nullish(v.picklist(["TILE", "ROW_MAJOR"]), "TILE"),
  buffer: v.picklist(["DRAM", "L1", "SystemMemory"]),
  memory: stated(v.picklist(["Interleaved", "HeightSharded", "WidthSharded", "BlockSharded"])),
  grid: v.pipe(
    v.nullish(EXTENTS, [1, 1]),
    v.transform(([rows = 1, columns = 1]) => [rows, columns] as const),
  ),
});

const ROWS = v.array(v.object({
  source: stated(v.string()),
  revs: v.nullish(v.array(v.string()), []),
  op: v.string(),
  inputs: v.nullish(v.array(TENSOR), []),
  output: stated(TENSOR),
  config: v.nullish(v.array(v.unknown()), []),
  expect: v.object({
    valid: v.boolean(),
    validAtHead: stated(v.boolean()),
    cbBytes: BYTES,
    l1PeakBytes: BYTES,
    outputBytes: BYTES,
    totalPeakBytes: BYTES,
  }),
}));

/**
 * Reads rows in the schema of `op-model-expectations.json`.
 *
 * @param file name for messages
 * @param value parsed JSON
 * @throws {DiagnosticError} if the value is not a list of rows, or a tensor has a data type, pages or a memory that no
 * test names; the message names the JSON path
 */
export function readExpectationRows(file: string, value: unknown): readonly ExpectationRow[] {
  const rows = validated(
    ROWS,
    value,
    (reason) => inputError("audit/data", `Cannot read ${file}: ${reason}`),
  );
  return rows.map((row, index) => ({ ...row, source: row.source ?? `row ${index}` }));
}
