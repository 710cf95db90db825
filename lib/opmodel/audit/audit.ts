// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import type { DataType } from "../../layout/data_type.ts";
import { type LayoutId, LayoutTable } from "../../layout/layout_table.ts";
import { makeLayout } from "../../layout/make_layout.ts";
import type { BufferType, TensorMemoryLayout } from "../../layout/ttnn_layout.ts";
import { attributeFaults } from "../../ops/op_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import type { OpSignature, TensorShape } from "../../ops/op_signature.ts";
import { isShapeFault } from "../../ops/shape_inference.ts";
import { createOpModel } from "../create_op_model.ts";
import type { OpConstraints, OpModel, ValidConstraints } from "../op_model.ts";
import { refusalOf } from "../verdict.ts";
import { type ExpectationRow, RECORDED_DATA_TYPES, type RecordedTensor } from "./expectation_row.ts";
import { readRowConfig, type RowConfig } from "./row_config.ts";

/** Figures that a recorded row can have. */
export type AuditedFigure = "valid" | "cbBytes" | "l1PeakBytes" | "outputBytes" | "totalPeakBytes";

/** A figure on which the op model and the backend differ. */
export interface AuditMiss {
  /** Test that the row comes from. */
  readonly source: string;
  /** Name in the test. */
  readonly op: string;
  /** Cost class of the op. */
  readonly family: string;
  /** The figure that differs; a row may miss several. */
  readonly figure: AuditedFigure;
  /** Bytes per core, or validity for `valid`. */
  readonly expected: number | boolean;
  /** Ours, in the same unit; `undefined` if the op model refuses a row that has figures. */
  readonly actual: number | boolean | undefined;
  /** The op model's reason, when it refuses. */
  readonly reason: string | undefined;
}

/** Exact matches of one figure over rows that have it on record. */
export interface ExactMatches {
  /** Rows whose figure is equal to the byte. */
  readonly exact: number;
  /** Rows that have the figure on record and are valid there. */
  readonly rows: number;
}

/** Agreement of some rows. */
export interface RowAgreement {
  /** Rows asked. */
  readonly rows: number;
  /** Rows whose validity agrees. */
  readonly validAgree: number;
  /** Peak of circular buffers. */
  readonly cb: ExactMatches;
  /** Peak of L1 tensors that the op allocates itself. */
  readonly l1Peak: ExactMatches;
  /** Bytes of the outputs in L1. */
  readonly output: ExactMatches;
}

/** Agreement of one op family. */
export interface FamilyAgreement extends RowAgreement {
  /** Cost class. */
  readonly family: string;
}

/** Outcome of an audit. */
export interface AuditReport extends RowAgreement {
  /** Peak of circular buffers and tensors together. */
  readonly totalPeak: ExactMatches;
  /** By cost class, in order of first sight. */
  readonly families: readonly FamilyAgreement[];
  /** In row order. */
  readonly misses: readonly AuditMiss[];
}

/**
 * Queries the op model with every recorded question and counts agreement. The rows are answers of the backend
 * of November 2025 (validity of August 2026 where recorded); `ttnn:backend-0-81-1`, which the op model
 * reproduces, answers some of them differently.
 *
 * @example
 * ```ts
 * import { getDevice } from "@tilewright/tilewright";
 * import { chipDescription } from "@tilewright/tilewright/device";
 * import { auditOpModel, readExpectationRows } from "@tilewright/tilewright/audit";
 * import { assertEquals } from "@std/assert";
 *
 * const tensor = { shape: [64, 64], dtype: "bf16", layout: "TILE", buffer: "DRAM", memory: "Interleaved", grid: [1, 1] };
 * const rows = readExpectationRows("rows.json", [
 *   { source: "example", op: "Relu", inputs: [tensor], output: tensor, expect: { valid: true, outputBytes: 0 } },
 * ]);
 * const report = auditOpModel(rows, chipDescription(getDevice("n150")));
 * assertEquals([report.validAgree, report.output], [1, { exact: 1, rows: 1 }]);
 * ```
 *
 * @param chip device of the recording (n150 with 8x8 workers)
 */
export function auditOpModel(rows: readonly ExpectationRow[], chip: ChipDescription): AuditReport {
  const model = createOpModel({ chip, layouts: new LayoutTable() });
  const audited = rows.map((row): AuditedRow => {
    const name = ttnnName(row.op);
    const config = readRowConfig(name, row.config);
    const family = model.traits(signatureOfRow(name, row, config)).costClass;
    const answer = ask(model, name, row, config);
    const reason = answer.status === "invalid" ? answer.message : undefined;
    return { row, family, compared: comparedFigures(row, answer), reason };
  });
  const families = Map.groupBy(audited, ({ family }) => family);
  return {
    ...agreementOf(audited),
    totalPeak: exactMatches(audited, "totalPeakBytes"),
    families: [...families].map(([family, own]) => ({ family, ...agreementOf(own) })),
    misses: audited.flatMap(missesOf),
  };
}

/** A row beside the op model's answer. */
interface AuditedRow extends Pick<AuditMiss, "family" | "reason"> {
  readonly row: ExpectationRow;
  readonly compared: readonly Pick<AuditMiss, "figure" | "expected" | "actual">[];
}

/**
 * Queries one recorded question. Layouts that cannot exist are refused, as the backend refuses their tensor
 * specs.
 */
function ask(model: OpModel, name: string, row: ExpectationRow, config: RowConfig): OpConstraints {
  const signature = signatureOfRow(name, row, config);
  try {
    const inputs = row.inputs.map((input, index) => layoutOfTensor(model, input, signature.operands[index]));
    const result = signature.results[0];
    const hint = row.output === undefined ? undefined : layoutOfTensor(model, row.output, {
      shape: row.output.shape ?? result?.shape ?? [1],
      dataType: result?.dataType ?? dataTypeOf(row.output.dtype),
    });
    return model.queryOpConstraints(signature, inputs, hint, config.config, Number.NEGATIVE_INFINITY);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refusalOf("unsupported_layout", "layout/geometry", error.message, "tt-mlir:op-model");
  }
}

/** The op of a row as a query to the op model; the result shape is inferred from the op where possible. */
function signatureOfRow(name: string, row: ExpectationRow, config: RowConfig): OpSignature {
  const operands = row.inputs.map((input): TensorShape => ({
    shape: input.shape ?? [1],
    dataType: dataTypeOf(input.dtype),
  }));
  const bare = { name, attributes: config.attributes, operands, operandSegmentSizes: undefined };
  const definition = definitionOf(name);
  const followed = attributeFaults(bare).length > 0 ? undefined : definition.inferShape?.({
    operands: operands.map((operand) => operand.shape),
    attributes: config.attributes,
    declared: undefined,
  });
  const inferred = operands.length === 0 ? config.shape : isShapeFault(followed) ? undefined : followed;
  const shape = inferred ?? row.output?.shape ?? operands[0]?.shape ?? [1];
  const dataType = config.dataType ??
    (row.output === undefined ? operands[0]?.dataType ?? "bf16" : dataTypeOf(row.output.dtype));
  const results = Array.from({ length: definition.results ?? 1 }, (): TensorShape => ({ shape, dataType }));
  return { ...bare, results };
}

const MEMORY_LAYOUTS: Readonly<Record<NonNullable<RecordedTensor["memory"]>, TensorMemoryLayout>> = {
  Interleaved: "interleaved",
  HeightSharded: "height_sharded",
  WidthSharded: "width_sharded",
  BlockSharded: "block_sharded",
};

const BUFFER_TYPES: Readonly<Record<RecordedTensor["buffer"], BufferType>> = {
  DRAM: "dram",
  L1: "l1",
  SystemMemory: "system_memory",
};

function layoutOfTensor(
  model: OpModel,
  recorded: RecordedTensor,
  type: TensorShape | undefined,
): LayoutId | undefined {
  if (type === undefined) return undefined;
  const bufferType = BUFFER_TYPES[recorded.buffer];
  const memoryLayout = bufferType === "system_memory" || recorded.memory === undefined
    ? undefined
    : MEMORY_LAYOUTS[recorded.memory];
  return model.layouts.intern(makeLayout(
    {
      shape: type.shape,
      dataType: type.dataType,
      ...(recorded.layout === "TILE" ? {} : { tile: null }),
      bufferType,
      memoryLayout,
      grid: recorded.grid,
    },
    model.chip.workerGrid,
    model.chip.dramBanks,
  ));
}

/** @throws {RangeError} for a name that no test has */
function dataTypeOf(name: string): DataType {
  const dataType = RECORDED_DATA_TYPES[name];
  if (dataType === undefined) throw new RangeError(`Cannot ask about a tensor of '${name}'`);
  return dataType;
}

/** Figures in bytes per core, with the op model's value of each. */
const FIGURES: readonly (readonly [Exclude<AuditedFigure, "valid">, (answer: ValidConstraints) => number])[] =
  [
    ["cbBytes", ({ cbPeakBytes }) => cbPeakBytes],
    ["l1PeakBytes", ({ tensorL1PeakBytes }) => tensorL1PeakBytes],
    ["outputBytes", ({ outputL1Bytes }) => outputL1Bytes],
    ["totalPeakBytes", ({ l1PeakBytes }) => l1PeakBytes],
  ];

/** What the row has on record, each beside the op model's answer. */
function comparedFigures(
  { expect }: ExpectationRow,
  answer: OpConstraints,
): readonly Pick<AuditMiss, "figure" | "expected" | "actual">[] {
  const ours = answer.status === "valid" ? answer : undefined;
  return [
    { figure: "valid", expected: expect.validAtHead ?? expect.valid, actual: ours !== undefined },
    ...FIGURES.flatMap(([figure, valueIn]) => {
      const expected = expect.valid ? expect[figure] : undefined;
      return expected === undefined ? [] : [{ figure, expected, actual: ours && valueIn(ours) }];
    }),
  ];
}

function exactMatches(rows: readonly AuditedRow[], wanted: AuditedFigure): ExactMatches {
  const compared = rows.flatMap((row) => row.compared.filter(({ figure }) => figure === wanted));
  return {
    exact: compared.filter(({ expected, actual }) => expected === actual).length,
    rows: compared.length,
  };
}

function agreementOf(rows: readonly AuditedRow[]): RowAgreement {
  return {
    rows: rows.length,
    validAgree: exactMatches(rows, "valid").exact,
    cb: exactMatches(rows, "cbBytes"),
    l1Peak: exactMatches(rows, "l1PeakBytes"),
    output: exactMatches(rows, "outputBytes"),
  };
}

function missesOf({ row: { source, op }, family, compared, reason }: AuditedRow): readonly AuditMiss[] {
  return compared.filter(({ expected, actual }) => expected !== actual)
    .map((missed) => ({ source, op, family, ...missed, reason }));
}

/** Names that tests use for ops of the dialect. */
const RENAMED: Readonly<Record<string, string>> = {
  Equal: "eq",
  NotEqual: "ne",
  GreaterEqual: "ge",
  GreaterThan: "gt",
  LessEqual: "le",
  LessThan: "lt",
  IsFinite: "isfinite",
  ArgMax: "argmax",
  MorehCumSum: "moreh_cumsum",
  CumSum: "cumsum",
  CumProd: "cumprod",
  TopK: "topk",
  TopKRouterGpt: "topk_router_gpt",
  AdamW: "adamw",
  SDPAForward: "sdpa_fw",
  SDPABackward: "sdpa_bw",
  EmbeddingBackward: "embedding_bw",
  GeluBackward: "gelu_bw",
};

/** Name in the `ttnn` dialect of an op that a test names, for example `NLPConcatHeads` → `ttnn.nlp_concat_heads`. */
export function ttnnName(testName: string): string {
  const renamed = RENAMED[testName];
  if (renamed !== undefined) return `ttnn.${renamed}`;
  const snake = testName
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase();
  return `ttnn.${snake}`;
}
