// SPDX-License-Identifier: Apache-2.0
import { MATMUL } from "../../lib/ops/attributes/matmul.ts";
import { tensorElementText } from "../../lib/dialect/data_type.ts";
import type { Attribute, AttributeMap } from "../../lib/ir/attribute.ts";
import { parseModule, readAttributeText } from "../../lib/ir/mod.ts";
import { type DataType, parseDataType, ttnnFormat } from "../../lib/layout/data_type.ts";
import { normalDim, volume } from "../../lib/layout/extents.ts";
import { ATTENTION_FORM } from "../../lib/ops/attributes/attention.ts";
import { CONCAT, TRANSPOSE } from "../../lib/ops/attributes/movement.ts";
import { SOFTMAX } from "../../lib/ops/attributes/normalization.ts";
import { makeAttributes } from "../../lib/ops/attributes/print_attributes.ts";
import { readAttributes } from "../../lib/ops/attributes/read_attributes.ts";
import { ARGMAX, CUMULATIVE, PRODUCT, REDUCE, SORT, TOPK } from "../../lib/ops/attributes/reduction.ts";
import { CONV_TRANSPOSE2D, CONVOLUTION, POOL2D } from "../../lib/ops/attributes/window.ts";
import type { OpDefinition, OperandRole } from "../../lib/ops/definition.ts";
import { attributeFaults } from "../../lib/ops/op_attributes.ts";
import type { OpSignature, TensorShape } from "../../lib/ops/op_signature.ts";
import { windowOf } from "../../lib/ops/op_windows.ts";
import { rankFormat } from "../../lib/ops/rank_format.ts";
import { indexFormat } from "../../lib/ops/sliding_window.ts";
import { isShapeFault } from "../../lib/ops/shape_inference.ts";

/** Words that describe no op; the message quotes them and suggests a correction. */
export class UnreadableOp extends Error {
  override readonly name = "UnreadableOp";
}

/** An op in words. */
export interface OpWords {
  readonly definition: OpDefinition;
  /** One per operand: `32x4096`, `4096x14336:bfp8`. */
  readonly operands: readonly string[];
  /** One per result if they do not follow from the operands: the same form. */
  readonly results: readonly string[];
  /** `NAME=VALUE` per attribute. */
  readonly attributes: readonly string[];
  /** Format of tensors without a stated one. */
  readonly dataType: DataType;
  /** Format of weights and biases without a stated one. */
  readonly weights: DataType;
}

/** The signature of an op, read from words. */
export interface OpInWords extends OpSignature {
  readonly attributes: WatchedAttributes;
}

/** Formats under further short names. */
const FORMATS: Readonly<Record<string, DataType>> = {
  fp32: "f32",
  fp16: "f16",
  bfp8: "bfp_bf8",
  bfp4: "bfp_bf4",
};

/**
 * A format by any of its names.
 *
 * @throws {UnreadableOp} for another word
 */
export function readFormat(text: string): DataType {
  const format = FORMATS[text] ?? ttnnFormat(text) ?? parseDataType(text);
  if (format === undefined) {
    throw new UnreadableOp(`'${text}' is not an element format; write for example bf16, f32, bfp8 or bfp4`);
  }
  return format;
}

/**
 * The signature of an op: attributes that its operands imply are added, results inferred if none are given.
 *
 * @throws {UnreadableOp} if words cannot be read, or none are given for results that do not follow: of several results
 *   only values with their indices do
 */
export function readOp(words: OpWords): OpInWords {
  const { definition } = words;
  const roleOf = (operand: number): OperandRole => {
    const { roles } = definition;
    return roles[Math.min(operand, roles.length - 1)] ?? "activation";
  };
  requireOperandCount(definition, words.operands.length);
  const written = words.operands.map((text, operand) => readTensor(text, formatOf(roleOf(operand), words)));
  const given = new Map(words.attributes.map(readAttributeWord));
  requireFittingWeights(definition, given, written);
  const { attributes: implied, operands } = impliedBy(definition, given, written);
  const attributes = new WatchedAttributes(implied);
  const count = definition.results ?? 1;
  const results = words.results.length > 0
    ? words.results.map((text) => readTensor(text, words.dataType))
    : inferred(definition, attributes, operands, count);
  if (results.length !== count) {
    throw new UnreadableOp(`${definition.name} has ${count} results; give ${count} --result SHAPE`);
  }
  return { name: definition.name, attributes, operands, operandSegmentSizes: undefined, results };
}

/**
 * Refuses a wrong number of operands, which would otherwise be reported as a result that cannot be inferred,
 * or as refusals of all candidates.
 */
function requireOperandCount({ name, minOperands, maxOperands }: OpDefinition, given: number): void {
  if (given >= minOperands && given <= maxOperands) return;
  const limit = given < minOperands ? minOperands : maxOperands;
  const bound = minOperands === maxOperands ? "" : given < minOperands ? "at least " : "at most ";
  throw new UnreadableOp(
    `${name} takes ${bound}${limit} operand${limit === 1 ? "" : "s"}, not ${given}; write a SHAPE for each`,
  );
}

/** Checks the weights that a user typed; those of a graph are checked by the compiler. */
function requireFittingWeights(
  { costClass, family, name }: OpDefinition,
  given: ReadonlyMap<string, Attribute>,
  [image, weights]: readonly TensorShape[],
): void {
  if (costClass !== "conv2d" || image?.shape.length !== 4 || weights === undefined) return;
  const isTransposed = family === "conv_transpose2d";
  const written = `weights ${weights.shape.join("x")}`;
  if (weights.shape.length !== 4) {
    throw new UnreadableOp(
      `${name}: ${written} are not a kernel shape; write ${
        isTransposed ? "IxOxHxW" : "OxIxHxW"
      }, such as 64x32x3x3`,
    );
  }
  const channels = image.shape.at(-1) ?? 1;
  const perGroup = weights.shape[isTransposed ? 0 : 1] ?? 1;
  const implied = makeAttributes(CONVOLUTION, { groups: Math.max(1, Math.floor(channels / perGroup)) });
  const { groups } = isTransposed
    ? { groups: 1 }
    : readAttributes({ attributes: new Map([...implied, ...given]) }, CONVOLUTION);
  if (perGroup * groups !== channels) {
    throw new UnreadableOp(
      `${name}: ${written} take ${perGroup} channels in ${groups} ${
        groups === 1 ? "group" : "groups"
      }, the image has ${channels}`,
    );
  }
}

function formatOf(role: OperandRole, { dataType, weights }: OpWords): DataType {
  if (role === "weight" || role === "bias") return weights;
  return role === "index" ? "u32" : dataType;
}

/** `32x4096`, `32x4096:bfp8`, `32x4096xbf16` or `tensor<32x4096xbf16>`; a scalar is `:f32`. */
function readTensor(text: string, dataType: DataType): TensorShape {
  const bare = text.replace(/^tensor<(.*)>$/, "$1");
  const match = /^((?:\d+x)*\d+)?(?:[x:]([a-z]\w*))?$/.exec(bare);
  if (match === null) {
    throw new UnreadableOp(
      `'${text}' is not a tensor; write its extents and, where it is not the default, its format: 32x4096 or 32x4096:bfp8`,
    );
  }
  const shape = match[1] === undefined ? [] : match[1].split("x").map(Number);
  if (shape.includes(0)) {
    throw new UnreadableOp(`'${text}' has an extent of 0; an op needs elements to work on`);
  }
  return { shape, dataType: match[2] === undefined ? dataType : readFormat(match[2]) };
}

function readAttributeWord(text: string): readonly [string, Attribute] {
  const split = text.indexOf("=");
  if (split <= 0) {
    throw new UnreadableOp(`'${text}' is not an attribute; write NAME=VALUE, for example dim=-1`);
  }
  const name = text.slice(0, split).trim();
  return [name, readAttributeText(NO_ALIASES, attributeText(text.slice(split + 1).trim()))];
}

/** A module without aliases; attribute texts use none. */
const NO_ALIASES = parseModule("module {}\n", "attribute");

/** MLIR text for a number, a list of numbers, a boolean or a word; MLIR text stays. */
function attributeText(value: string): string {
  if (/^-?\d+$/.test(value)) return `${value} : si32`;
  if (/^-?\d*\.\d+$/.test(value)) return `${value} : f32`;
  if (/^-?\d+([,x]-?\d+)+$/.test(value)) return `array<i32: ${value.split(/[,x]/).join(", ")}>`;
  if (/^(true|false|[#["{@].*|array<.*|dense<.*|.* : .*)$/s.test(value)) return value;
  return `"${value}"`;
}

/** Format of the indices that an op returns in the shape of its first result; `undefined` for ops that return none. */
function formatOfIndices(
  { family, name }: OpDefinition,
  attributes: OpSignature["attributes"],
  [input]: readonly TensorShape[],
): DataType | undefined {
  const op = { name, attributes };
  if (family === "max_pool_with_indices") {
    const window = windowOf(op);
    return window === undefined ? "u32" : indexFormat(window);
  }
  if (input === undefined || (family !== "sort" && family !== "topk")) return undefined;
  const { dim } = readAttributes(op, family === "sort" ? SORT : TOPK);
  return rankFormat(family, input.dataType, input.shape[normalDim(dim, input.shape.length)] ?? 1);
}

/** The results that follow from the operands; fewer than `count` where only the first one follows. */
function inferred(
  definition: OpDefinition,
  attributes: OpSignature["attributes"],
  operands: readonly TensorShape[],
  count: number,
): readonly TensorShape[] {
  if (count === 0) return [];
  const { name, inferShape } = definition;
  const [fault] = attributeFaults({ name, attributes });
  if (fault !== undefined) throw new UnreadableOp(`${name}: ${fault}; give it with --attr NAME=VALUE`);
  const shape = inferShape?.({
    operands: operands.map((tensor) => tensor.shape),
    attributes,
    declared: undefined,
  });
  if (isShapeFault(shape)) throw new UnreadableOp(`${name}: ${shape.fault}`);
  if (shape === undefined || shape.some((extent) => !Number.isInteger(extent))) {
    throw new UnreadableOp(
      `${name}: its result does not follow from ${
        operands.map((tensor) => tensor.shape.join("x")).join(", ") || "no operands"
      }; give --result SHAPE, or the attributes that say it with --attr NAME=VALUE`,
    );
  }
  if (shape.some((extent) => extent < 1)) {
    throw new UnreadableOp(`${name}: its result would be ${shape.join("x")}, without any element`);
  }
  const { roles } = definition;
  const source = operands.findIndex((_, index) => roles[Math.min(index, roles.length - 1)] !== "index");
  const dataType = operands[Math.max(0, source)]?.dataType ?? "bf16";
  const results: TensorShape[] = [{ shape, dataType }];
  const indices = formatOfIndices(definition, attributes, operands);
  if (indices !== undefined) results.push({ shape, dataType: indices });
  return results;
}

/** A tensor as one writes it: `32x4096xbf16`. */
export function tensorWords({ shape, dataType }: TensorShape): string {
  return [...shape, tensorElementText(dataType).replace(/^!ttcore\.tile<32x32, (\w+)>$/, "$1")].join("x");
}

/**
 * Attributes that record their reads. No list states the attributes of an op; one that reading and pricing
 * never read has no effect, and is most likely misspelled.
 */
export class WatchedAttributes extends Map<string, Attribute> {
  readonly #asked: Set<string> = new Set();

  override get(name: string): Attribute | undefined {
    this.#asked.add(name);
    return super.get(name);
  }

  override has(name: string): boolean {
    this.#asked.add(name);
    return super.has(name);
  }

  /** Attributes that were never read, in order. */
  unasked(): readonly string[] {
    return [...this.keys()].filter((name) => !this.#asked.has(name));
  }
}

/** An op with the attributes that its operands imply, and its operands in TTNN's shapes. */
export interface ImpliedOp {
  readonly attributes: AttributeMap;
  readonly operands: readonly TensorShape[];
}

/**
 * Adds attributes that follow from the operands: the image of a convolution or pool (NHWC, then flattened as
 * TTNN takes it; weights OIHW), the last dimension of a reduction. Given attributes win.
 */
export function impliedBy(
  definition: OpDefinition,
  given: ReadonlyMap<string, Attribute>,
  operands: readonly TensorShape[],
): ImpliedOp {
  const image = isImageOp(definition) ? operands[0] : undefined;
  const implied = image?.shape.length === 4
    ? imageAttributes(definition, image.shape, operands[1]?.shape)
    : impliedByFamily(definition);
  const attributes = new Map([...implied, ...given]);
  if (image === undefined || image.shape.length !== 4) return { attributes, operands };
  const channels = image.shape.at(-1) ?? 1;
  const flat = { ...image, shape: [1, 1, volume(image.shape) / channels, channels] };
  return { attributes, operands: [flat, ...operands.slice(1)] };
}

function isImageOp({ costClass, family }: OpDefinition): boolean {
  return costClass === "conv2d" || (costClass === "pool" && family !== "global_pool");
}

function imageAttributes(
  { costClass, family }: OpDefinition,
  [batch = 1, height = 1, width = 1, channels = 1]: readonly number[],
  weights: readonly number[] | undefined,
): AttributeMap {
  const window = {
    batch_size: batch,
    input_height: height,
    input_width: width,
    dilation: [1, 1],
    padding: [0, 0],
  };
  if (costClass === "pool" || weights === undefined) {
    return makeAttributes(POOL2D, { ...window, channels, ceil_mode: false });
  }
  const transposed = family === "conv_transpose2d";
  const [first = 1, second = 1, kernelHeight = 1, kernelWidth = 1] = weights;
  const groups = transposed ? 1 : Math.max(1, Math.round(channels / second));
  return makeAttributes(CONV_TRANSPOSE2D, {
    ...window,
    in_channels: channels,
    out_channels: transposed ? second : first,
    kernel_size: [kernelHeight, kernelWidth],
    stride: [1, 1],
    groups,
    output_padding: transposed ? [0, 0] : undefined,
  });
}

function impliedByFamily({ family, costClass }: OpDefinition): AttributeMap {
  switch (family) {
    case "argmax":
      return makeAttributes(ARGMAX, { keep_dim: true, dim: -1 });
    case "reduce":
    case "min":
      return makeAttributes(REDUCE, { keep_dim: true, dim_arg: [-1] });
    case "prod":
      return makeAttributes(PRODUCT, { keep_dim: true, dim_arg: -1 });
    case "softmax":
      return makeAttributes(SOFTMAX, { dimension: -1 });
    case "concat":
      return makeAttributes(CONCAT, { dim: -1 });
    case "cumulative":
      return makeAttributes(CUMULATIVE, { dim: -1 });
    case "sort":
      return makeAttributes(SORT, { dim: -1 });
    case "sdpa":
      return makeAttributes(ATTENTION_FORM, { is_causal: true });
    case "transpose":
      return makeAttributes(TRANSPOSE, { dim0: -2, dim1: -1 });
    default:
      return costClass === "matmul"
        ? makeAttributes(MATMUL, { transpose_a: false, transpose_b: false })
        : new Map();
  }
}
