// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_L1_CAP, usableL1Bytes } from "../../lib/device/chip_description.ts";
import type { ConstraintsRequest, WireConfig, WireValue } from "../../pipeline/op_model_pipe/request.ts";
import type { Random } from "./random.ts";
import type { AskedTensor, TensorChoice, TensorMaker } from "./tensors.ts";

/** What a family's questions are made from. */
export interface Maker {
  readonly random: Random;
  readonly tensors: TensorMaker;
}

/** Makes one question of a family; each call another. */
export type QuestionMaker = (maker: Maker) => ConstraintsRequest;

/** The parts of a question that differ. */
export interface QuestionParts {
  /** Without its dialect. */
  readonly op: string;
  readonly operands: readonly (AskedTensor | { readonly type: string })[];
  /** The results, declared in DRAM as passes find them. */
  readonly results: readonly TensorChoice[];
  readonly hint?: AskedTensor | undefined;
  /** Operand for {@linkcode TensorMaker.hint} of the first result, in place of `hint`. */
  readonly hintLike?: AskedTensor;
  readonly attrs?: Readonly<Record<string, string>>;
  readonly config?: WireConfig;
}

/** A question of the pipe. */
export function questionOf({ tensors }: Maker, parts: QuestionParts): ConstraintsRequest {
  const { op, operands, results, hintLike } = parts;
  const [result] = results;
  const hint = hintLike === undefined || result === undefined ? parts.hint : tensors.hint(hintLike, result);
  return {
    kind: "constraints",
    op: `ttnn.${op}`,
    attrs: parts.attrs ?? {},
    operands: operands.map((operand): WireValue => "wire" in operand ? operand.wire : operand),
    results: results.map((choice) => tensors.at("dram", choice).wire),
    outputLayout: hint?.wire.layout ?? null,
    opConfig: withoutNulls(parts.config ?? {}),
    additionalL1: 0,
    usableL1: usableL1Bytes(tensors.chip, DEFAULT_L1_CAP, 0),
    liveRecords: null,
  };
}

/** The parts that are given; their kind does not matter where none is. */
function withoutNulls(config: WireConfig): WireConfig {
  const given = Object.entries(config).filter(([, text]) => text !== null);
  return given.length < 2 ? { kind: "none" } : Object.fromEntries(given);
}

/** `[1 : i32, 2 : i32]`. */
export function list(values: readonly number[], type = "i32"): string {
  return `[${values.map((value) => `${value} : ${type}`).join(", ")}]`;
}

/** `array<i64: 1, 2>`. */
export function dense(values: readonly number[], type = "i64"): string {
  return `array<${type}: ${values.join(", ")}>`;
}

/** A number with its type. */
export function integer(value: number, type = "i32"): string {
  return `${value} : ${type}`;
}

/** A floating point number as MLIR prints it. */
export function float(value: number): string {
  return `${value.toExponential(6)} : f32`;
}

/** A shape with one dimension replaced; negative dimensions count from the end. */
export function withExtent(shape: readonly number[], dimension: number, extent: number): readonly number[] {
  const at = dimension < 0 ? shape.length + dimension : dimension;
  return shape.map((old, index) => index === at ? extent : old);
}
