// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { inputError } from "../../lib/diagnostics/diagnostic.ts";
import { readJson, validated } from "../../lib/diagnostics/read_json.ts";
import { DATA_TYPES, type DataType } from "../../lib/layout/data_type.ts";
import { LayoutError } from "../../lib/layout/layout_error.ts";
import { makeLayout } from "../../lib/layout/make_layout.ts";
import { attributeFaults } from "../../lib/ops/op_attributes.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import { isShapeFault } from "../../lib/ops/shape_inference.ts";
import type { ConstraintsRequest } from "../op_model_pipe/request.ts";
import { attributeTexts, wireTensor } from "./candidate_question.ts";
import type { LeftOutRow } from "./pipe_row.ts";
import type { RecordedAnswer, RecordedRow } from "./recorded_answer.ts";
import { readRowConfig, type RowConfig } from "./row_config.ts";

/** A value that a row may state as `null` or leave out. */
function stated<Value>(schema: v.GenericSchema<unknown, Value>) {
  return v.pipe(v.nullish(schema), v.transform((value) => value ?? undefined));
}

/** A name that upstream's tests spell `HeightSharded` or `DRAM`. */
const NAME = v.pipe(v.string(), v.transform(snakeCase));
/** Data types that they name otherwise than the dialect. */
const RENAMED_TYPES: ReadonlyMap<string, DataType> = new Map([
  ["s32", "si32"],
  ["bfp8", "bfp_bf8"],
  ["bfp8_b", "bfp_bf8"],
  ["bfp4", "bfp_bf4"],
  ["bfp4_b", "bfp_bf4"],
]);
const EXTENTS = v.pipe(v.array(v.number()), v.readonly());
const BYTES = stated(v.number());

const TENSOR = v.object({
  shape: stated(EXTENTS),
  dtype: v.pipe(
    v.nullish(v.string(), "bf16"),
    v.transform((name) => RENAMED_TYPES.get(name) ?? name),
    v.picklist(DATA_TYPES),
  ),
  layout: v.nullish(v.picklist(["TILE", "ROW_MAJOR"]), "TILE"),
  buffer: v.pipe(NAME, v.picklist(["dram", "l1", "system_memory"])),
  memory: stated(
    v.pipe(NAME, v.picklist(["interleaved", "height_sharded", "width_sharded", "block_sharded"])),
  ),
  /** `[rows, columns]` of shards. */
  grid: v.nullish(EXTENTS, [1, 1]),
});

/** A query of tt-mlir's own unit tests and the answer that they assert; bytes are per core. */
const ROW = v.object({
  /** File and test. */
  source: stated(v.string()),
  /** As the test names it, for example `MaxPool2dWithIndices`. */
  op: v.string(),
  inputs: v.nullish(v.array(TENSOR), []),
  /** Missing: a NULL hint. */
  output: stated(TENSOR),
  /** Op-specific arguments in the order of the test's call. */
  config: v.nullish(v.array(v.unknown()), []),
  expect: v.object({
    valid: v.boolean(),
    /** Whether the newest backend accepts it. */
    validAtHead: stated(v.boolean()),
    cbBytes: BYTES,
    l1PeakBytes: BYTES,
    outputBytes: BYTES,
    totalPeakBytes: BYTES,
  }),
});
type TestedRow = v.InferOutput<typeof ROW>;
type TestedTensor = v.InferOutput<typeof TENSOR>;

/**
 * Reads rows in the schema of `op-model-expectations.json`: answers of the backend of November 2025, validity of
 * August 2026 where recorded. The op model reproduces `ttnn:backend-0-81-1`, which answers some of them otherwise.
 *
 * @param file name for messages
 * @param device board of the recording
 * @throws {DiagnosticError} if the text is no list of rows, or a tensor has a data type, pages or a memory that no
 * test names; the message names the JSON path
 */
export function readExpectationRows(
  file: string,
  text: string,
  device: string,
  chip: ChipDescription,
): readonly (RecordedRow | LeftOutRow)[] {
  const refuse = (reason: string) => inputError("audit/data", `Cannot read ${file}: ${reason}`);
  const rows = validated(v.array(ROW), readJson(text, refuse), refuse);
  return rows.map((row, index): RecordedRow | LeftOutRow => {
    try {
      const source = `${row.source ?? "row"} (${index})`;
      return { device, source, question: questionOf(row, chip), answer: answerOf(row) };
    } catch (error) {
      if (error instanceof LayoutError) return { leftOut: error.message };
      throw error;
    }
  });
}

function questionOf(
  { op: testName, inputs, output, config: given }: TestedRow,
  chip: ChipDescription,
): ConstraintsRequest {
  const name = ttnnName(testName);
  const config = readRowConfig(name, given);
  const { shape, dataType } = resultOf(name, inputs, output, config);
  return {
    kind: "constraints",
    op: name,
    attrs: attributeTexts({ name, attributes: config.attributes }, config.config),
    operands: inputs.map((input) => wireOf(input, chip)),
    results: Array.from(
      { length: definitionOf(name).results ?? 1 },
      () => ({ shape, elementType: dataType, layout: null }),
    ),
    outputLayout: output === undefined ? null : wireOf({ shape, ...output, dtype: dataType }, chip).layout,
    opConfig: { kind: "none" },
    // Tests have no budget.
    additionalL1: Number.NEGATIVE_INFINITY,
    usableL1: Number.POSITIVE_INFINITY,
    liveRecords: null,
  };
}

/** The results of a row's op: their shape is inferred from the op where possible. */
function resultOf(
  name: string,
  inputs: readonly TestedTensor[],
  output: TestedTensor | undefined,
  { attributes, shape: given, dataType }: RowConfig,
): TensorShape {
  const operands = inputs.map(({ shape = [1], dtype }): TensorShape => ({ shape, dataType: dtype }));
  const op = { name, attributes, operands, operandSegmentSizes: undefined };
  const followed = attributeFaults(op).length > 0 ? undefined : definitionOf(name).inferShape?.({
    operands: operands.map(({ shape }) => shape),
    attributes,
    declared: undefined,
  });
  const inferred = operands.length === 0 ? given : isShapeFault(followed) ? undefined : followed;
  return {
    shape: inferred ?? output?.shape ?? operands[0]?.shape ?? [1],
    dataType: dataType ?? output?.dtype ?? operands[0]?.dataType ?? "bf16",
  };
}

/** @throws {LayoutError} for a layout that the tensor cannot have */
function wireOf(
  { shape = [1], dtype, layout, buffer, memory, grid }: TestedTensor,
  { workerGrid, dramBanks }: ChipDescription,
): ReturnType<typeof wireTensor> {
  const memoryLayout = buffer === "system_memory" ? undefined : memory;
  const tile = layout === "TILE" ? {} : { tile: null };
  const request = { shape, dataType: dtype, ...tile, bufferType: buffer, memoryLayout, grid };
  return wireTensor(shape, makeLayout(request, workerGrid, dramBanks), workerGrid);
}

function answerOf({ expect }: TestedRow): RecordedAnswer {
  if (!(expect.validAtHead ?? expect.valid)) {
    return { ok: false, status: "error", reason: "the test expects an error" };
  }
  const { cbBytes, l1PeakBytes, totalPeakBytes, outputBytes } = expect;
  return {
    ok: true,
    cbPeak: cbBytes,
    tensorPeak: l1PeakBytes,
    totalPeak: totalPeakBytes,
    outputBytes,
    programs: undefined,
    events: undefined,
    results: undefined,
    computeConfigs: [],
  };
}

/** Names that tests use for ops of the dialect. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["Equal", "eq"],
  ["NotEqual", "ne"],
  ["GreaterEqual", "ge"],
  ["GreaterThan", "gt"],
  ["LessEqual", "le"],
  ["LessThan", "lt"],
  ["IsFinite", "isfinite"],
  ["ArgMax", "argmax"],
  ["MorehCumSum", "moreh_cumsum"],
  ["CumSum", "cumsum"],
  ["CumProd", "cumprod"],
  ["TopK", "topk"],
  ["TopKRouterGpt", "topk_router_gpt"],
  ["AdamW", "adamw"],
  ["SDPAForward", "sdpa_fw"],
  ["SDPABackward", "sdpa_bw"],
  ["EmbeddingBackward", "embedding_bw"],
  ["GeluBackward", "gelu_bw"],
]);

/** Name in the `ttnn` dialect of an op that a test names, for example `NLPConcatHeads` → `ttnn.nlp_concat_heads`. */
export function ttnnName(testName: string): string {
  return `ttnn.${RENAMED.get(testName) ?? snakeCase(testName)}`;
}

function snakeCase(name: string): string {
  return name.replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2").replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}
