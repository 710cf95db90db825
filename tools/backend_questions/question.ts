// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_L1_CAP, usableL1Bytes } from "../../lib/device/chip_description.ts";
import type { ConstraintsRequest, WireConfig, WireValue } from "../../pipeline/op_model_pipe/request.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import type { Random } from "./random.ts";
import type { AskedTensor, TensorChoice, TensorMaker } from "./tensors.ts";

/** Formats to choose from, each repeated as often as models have it compared with the others. */
export const BF16_OR_F32: readonly DataType[] = ["bf16", "bf16", "f32"];
export const BF16_SELDOM_F32: readonly DataType[] = ["bf16", "bf16", "bf16", "f32"];
export const FORMATS: readonly DataType[] = [...BF16_SELDOM_F32, "bfp_bf8"];

/** What a family's questions are made from. */
export interface Maker {
  readonly random: Random;
  readonly tensors: TensorMaker;
}

/** Makes the parts of one question of a family; each call those of another. */
export type QuestionMaker = (maker: Maker) => QuestionParts;

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
export function questionOf(tensors: TensorMaker, parts: QuestionParts): ConstraintsRequest {
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

/** A case of an op of one tensor: the shape of its operand, and what else of it is chosen together with that. */
type OneTensorCase = readonly [shape: readonly number[], ...more: readonly unknown[]];

/** Shapes as cases in which nothing else is chosen. */
export function alone(
  shapes: readonly (readonly number[])[],
): readonly (readonly [shape: readonly number[]])[] {
  return shapes.map((shape) => [shape]);
}

/**
 * Questions of an op, or one of several, whose only tensor operand is in a random place.
 *
 * @param choice formats, by default `bf16`, and how probable tiles are, by default certain
 * @param made shape of the result, by default the operand's, and attributes of a case
 */
export function ofOneTensor<Case extends OneTensorCase>(
  op: string | readonly string[],
  cases: readonly Case[],
  choice: { readonly formats?: readonly DataType[]; readonly tiled?: number },
  made: (random: Random, given: Case, tiled: boolean) => {
    readonly result?: readonly number[];
    readonly attrs?: Readonly<Record<string, string>>;
  } = () => ({}),
): QuestionMaker {
  return ({ random, tensors }) => {
    const given = random.pick(cases);
    const [shape] = given;
    const dataType = choice.formats === undefined ? "bf16" : random.pick(choice.formats);
    const tiled = choice.tiled === undefined || random.chance(choice.tiled);
    const input = tensors.any({ shape, dataType, tiled });
    const { result = shape, attrs = {} } = made(random, given, tiled);
    const results = [{ shape: result, dataType, tiled }];
    return {
      op: typeof op === "string" ? op : random.pick(op),
      operands: [input],
      results,
      hintLike: input,
      attrs,
    };
  };
}

/** One of the shapes in one of the formats; without tiles, of this probability, only what can lie in rows. */
export function choose(
  random: Random,
  shapes: readonly (readonly number[])[],
  formats: readonly DataType[],
  tiled = 1,
): Required<Omit<TensorChoice, "places">> {
  const shape = random.pick(shapes);
  const dataType = random.pick(formats);
  return { shape, dataType, tiled: dataType === "bfp_bf8" || tiled === 1 || random.chance(tiled) };
}

/** The last dimension, with this probability, or any. */
export function mostlyLast(random: Random, shape: readonly number[], probability: number): number {
  return random.chance(probability) ? shape.length - 1 : random.below(shape.length);
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
