// SPDX-License-Identifier: Apache-2.0
import { type DiagnosticError, inputError, isRecord } from "../../diagnostics/diagnostic.ts";
import type { DataType } from "../../layout/data_type.ts";

/** A tensor of a recorded query. */
export interface RecordedTensor {
  /** Absent when the test leaves it to the op. */
  readonly shape: readonly number[] | undefined;
  /** As the test names it, for example `bf16` or `s32`; `bf16` where the row has none. */
  readonly dtype: string;
  /** Pages: tiles or rows; tiles where the row has none. */
  readonly layout: "TILE" | "ROW_MAJOR";
  /** Memory that it lives in. */
  readonly buffer: "DRAM" | "L1" | "SystemMemory";
  /** `undefined` in system memory. */
  readonly memory: "Interleaved" | "HeightSharded" | "WidthSharded" | "BlockSharded" | undefined;
  /** Shard grid `[rows, columns]`. */
  readonly grid: readonly [number, number];
}

/** The backend's answer. Bytes are per core; `undefined` if not on record. */
export interface ExpectedAnswer {
  /** Whether the backend accepted it at the revisions of the row. */
  readonly valid: boolean;
  /** Whether the newest backend accepts it. */
  readonly validAtHead: boolean | undefined;
  /** Peak of circular buffers. */
  readonly cbBytes: number | undefined;
  /** Peak of L1 tensors that the op allocates itself; operands do not count. */
  readonly l1PeakBytes: number | undefined;
  /** Bytes of the outputs in L1. */
  readonly outputBytes: number | undefined;
  /** Peak of circular buffers and tensors together. */
  readonly totalPeakBytes: number | undefined;
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
  readonly output: RecordedTensor | undefined;
  /** Op-specific arguments in the order of the test's call. */
  readonly config: readonly unknown[];
  /** The answer. */
  readonly expect: ExpectedAnswer;
}

/**
 * Reads rows in the schema of `op-model-expectations.json`.
 *
 * @param file name for messages
 * @param value parsed JSON
 * @throws {DiagnosticError} if the value is not a list of rows, or a tensor has a data type, pages or a memory that no
 * test names
 */
export function readExpectationRows(file: string, value: unknown): readonly ExpectationRow[] {
  if (!Array.isArray(value)) throw badData(file, "expected a list of rows");
  return value.map((row, index) => {
    if (!isRecord(row)) throw badData(file, `row ${index} is not an object`);
    return readRow(file, index, row);
  });
}

function readRow(file: string, index: number, row: Record<string, unknown>): ExpectationRow {
  const { op, expect } = row;
  if (typeof op !== "string" || !isRecord(expect) || typeof expect["valid"] !== "boolean") {
    throw badData(file, `row ${index} has no op or no expectation`);
  }
  const inputs = Array.isArray(row["inputs"]) ? row["inputs"] : [];
  const revs = Array.isArray(row["revs"]) ? row["revs"] : [];
  const number = (name: string) => {
    const found = expect[name];
    return typeof found === "number" ? found : undefined;
  };
  return {
    source: typeof row["source"] === "string" ? row["source"] : `row ${index}`,
    revs: revs.filter((rev) => typeof rev === "string"),
    op,
    inputs: inputs.map((input) => readTensor(file, index, input)),
    output: isRecord(row["output"]) ? readTensor(file, index, row["output"]) : undefined,
    config: Array.isArray(row["config"]) ? row["config"] : [],
    expect: {
      valid: expect["valid"],
      validAtHead: typeof expect["validAtHead"] === "boolean" ? expect["validAtHead"] : undefined,
      cbBytes: number("cbBytes"),
      l1PeakBytes: number("l1PeakBytes"),
      outputBytes: number("outputBytes"),
      totalPeakBytes: number("totalPeakBytes"),
    },
  };
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

const PAGES = ["TILE", "ROW_MAJOR"] as const;
const MEMORIES = ["Interleaved", "HeightSharded", "WidthSharded", "BlockSharded"] as const;
const BUFFERS = ["DRAM", "L1", "SystemMemory"] as const;

function readTensor(file: string, index: number, value: unknown): RecordedTensor {
  if (!isRecord(value)) throw badData(file, `row ${index} has a tensor that is not an object`);
  const fault = (key: string) => badData(file, `row ${index} has a tensor of ${key} ${value[key]}`);
  const optional = <Name extends string>(key: string, names: readonly Name[]): Name | undefined => {
    const found = names.find((name) => name === value[key]);
    if (found === undefined && value[key] !== undefined && value[key] !== null) throw fault(key);
    return found;
  };
  const buffer = optional("buffer", BUFFERS);
  if (buffer === undefined) throw fault("buffer");
  const grid = numbers(value["grid"]);
  return {
    shape: value["shape"] === undefined ? undefined : numbers(value["shape"]),
    dtype: optional("dtype", Object.keys(RECORDED_DATA_TYPES)) ?? "bf16",
    layout: optional("layout", PAGES) ?? "TILE",
    buffer,
    memory: optional("memory", MEMORIES),
    grid: [grid[0] ?? 1, grid[1] ?? 1],
  };
}

function numbers(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter((element) => typeof element === "number") : [];
}

function badData(file: string, reason: string): DiagnosticError {
  return inputError("audit/data", `Cannot read ${file}: ${reason}`);
}
