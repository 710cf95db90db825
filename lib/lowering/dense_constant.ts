// SPDX-License-Identifier: Apache-2.0
import { f32Digits } from "../dialect/float_text.ts";
import { floatFromBits, type ModuleText } from "../ir/mod.ts";
import { volume } from "../layout/extents.ts";
import { bfloatBits, roundedTo } from "../layout/float_rounding.ts";
import type { ElementType } from "./element_type.ts";
import type { LazyForm, LazyTensor } from "./lazy_tensor.ts";
import { isFloat } from "../layout/data_type.ts";
import { perModule } from "../ir/per_module.ts";

/** Error in a `dense<…>` text. */
export class DenseError extends Error {
  override readonly name = "DenseError";
}

const I32_MAX = 2n ** 31n - 1n;
const I32_MIN = -(2n ** 31n);
const U32_MAX = 2n ** 32n - 1n;

/**
 * Reads `dense<…> : tensor<…>` and rebuilds it for a normalised element type: integers saturate to 32 bits, booleans
 * become 0 and 1, doubles become single-precision floats (tt-mlir `ElementTypeNormalization`).
 *
 * @param text source text of the attribute
 * @param source element type as the source spells it
 * @param target normalised element type
 * @param shape shape of the tensor
 * @throws {DenseError} if the text is not a dense attribute that can be rebuilt
 */
export function readDense(
  text: string,
  source: string,
  target: ElementType,
  shape: readonly number[],
): LazyForm {
  const body = /^dense<([^]*)>\s*:\s*[^>]*tensor<[^]*$/.exec(text.trim())?.[1];
  if (body === undefined) throw new DenseError(`'${text.slice(0, 40)}' is not a dense constant`);
  const content = body.trim();
  const kind = sourceKind(source);
  if (content.startsWith('"')) {
    const hex = /^"0x([0-9A-Fa-f]*)"$/.exec(content)?.[1];
    if (hex === undefined) throw new DenseError("the hex string is malformed");
    return readBlob(hex, kind, target, shape);
  }
  if (!content.startsWith("[")) return { kind: "splat", value: readScalar(content, kind, target) };
  let elements = 0;
  const rebuilt = content.replace(/[^[\],\s]+/g, (token) => {
    elements++;
    return scalarText(token, kind, target);
  });
  if (elements !== volume(shape)) {
    throw new DenseError(`the list holds ${elements} elements, the tensor ${volume(shape)}`);
  }
  return { kind: "constant", text: `dense<${rebuilt}> : ${typeOf(target, shape)}` };
}

/**
 * Rebuilds the data of a resource: as {@linkcode readDense}, but booleans take a byte each.
 *
 * @param hex little-endian elements, two digits per byte
 * @throws {DenseError} if their number does not match the tensor
 */
export function readResource(
  hex: string,
  source: string,
  target: ElementType,
  shape: readonly number[],
): LazyForm {
  const kind = sourceKind(source);
  return readBlob(hex, kind.bytes === 0 ? sourceKind("ui8") : kind, target, shape);
}

/** A constant without numbers: its resource is `__elided__`, or missing from the module. */
export function absentResource(text: string, target: ElementType, shape: readonly number[]): LazyForm {
  const name = text.slice(0, text.indexOf(">") + 1);
  return { kind: "constant", text: `${name} : ${typeOf(target, shape)}` };
}

/** A constant of listed numbers. */
export function denseList(
  shape: readonly number[],
  element: ElementType,
  values: readonly number[],
): LazyTensor {
  const texts = values.map((value) => isFloat(element.dataType) ? f32Digits(value) : value.toString());
  return {
    shape,
    element,
    form: { kind: "constant", text: `dense<${nested(shape, texts)}> : ${typeOf(element, shape)}` },
  };
}

/** A list of lists, as the text of a constant has it. */
function nested([extent = 1, ...inner]: readonly number[], texts: readonly string[]): string {
  const part = texts.length / extent;
  const items = inner.length === 0
    ? texts
    : Array.from({ length: extent }, (_, at) => nested(inner, texts.slice(at * part, (at + 1) * part)));
  return `[${items.join(", ")}]`;
}

/** The integers of an si32 or ui32 constant that was already read; `undefined` for every other form or type, and where its text lacks them. */
export function constantIntegers(form: LazyForm, { text }: ElementType): readonly number[] | undefined {
  const kind = SOURCE_KINDS.get(text);
  if (form.kind !== "constant" || kind?.bytes !== 4 || !/^[us]i32$/.test(text)) return undefined;
  const hex = /^dense<"0x([0-9A-F]*)">/.exec(form.text)?.[1];
  if (hex !== undefined) {
    const view = new DataView(Uint8Array.fromHex(hex).buffer);
    return Array.from({ length: view.byteLength / 4 }, (_, index) => Number(kind.read(view, index * 4)));
  }
  const list = /^dense<(\[[^>]*)>/.exec(form.text)?.[1];
  return list === undefined ? undefined : (list.match(/-?\d+/g) ?? []).map(Number);
}

function sourceKind(source: string): SourceKind {
  const kind = SOURCE_KINDS.get(source);
  if (kind === undefined) throw new DenseError(`constants of '${source}' are not known`);
  return kind;
}

function typeOf(target: ElementType, shape: readonly number[]): string {
  return `tensor<${[...shape, target.text].join("x")}>`;
}

interface SourceKind {
  /** Bytes of one element in a hex blob; 0 for bits. */
  readonly bytes: number;
  readonly read: (view: DataView, offset: number) => number | bigint;
  /** Reads a float literal that is spelled as its bits. */
  readonly fromBits: (bits: bigint) => number;
}

function integerKind(bytes: number, read: SourceKind["read"]): SourceKind {
  return { bytes, read, fromBits: Number };
}

function floatKind(type: string, bytes: number, read: SourceKind["read"]): readonly [string, SourceKind] {
  const fromBits = (bits: bigint): number => {
    if (bits < 1n << BigInt(8 * bytes)) return floatFromBits(bits, type);
    throw new DenseError(`0x${bits.toString(16).toUpperCase()} has more bits than ${type}`);
  };
  return [type, { bytes, read, fromBits }];
}

const SOURCE_KINDS: ReadonlyMap<string, SourceKind> = new Map([
  ...["i1", "ui1", "si1"].map((name) => [name, integerKind(0, () => 0)] as const),
  ...["i8", "si8"].map((name) => [name, integerKind(1, (view, offset) => view.getInt8(offset))] as const),
  ["ui8", integerKind(1, (view, offset) => view.getUint8(offset))],
  ...["i16", "si16"].map((name) => [name, integerKind(2, (view, at) => view.getInt16(at, true))] as const),
  ["ui16", integerKind(2, (view, offset) => view.getUint16(offset, true))],
  ...["i32", "si32"].map((name) => [name, integerKind(4, (view, at) => view.getInt32(at, true))] as const),
  ["ui32", integerKind(4, (view, offset) => view.getUint32(offset, true))],
  ...["i64", "si64", "index"].map((name) =>
    [name, integerKind(8, (view, offset) => view.getBigInt64(offset, true))] as const
  ),
  ["ui64", integerKind(8, (view, offset) => view.getBigUint64(offset, true))],
  floatKind("f16", 2, (view, offset) => view.getFloat16(offset, true)),
  floatKind("bf16", 2, (view, offset) => floatFromBits(BigInt(view.getUint16(offset, true)), "bf16")),
  floatKind("f32", 4, (view, offset) => view.getFloat32(offset, true)),
  floatKind("f64", 8, (view, offset) => view.getFloat64(offset, true)),
]);

/** Saturates an integer to the range of i32 for an si32 target, to that of ui32 for every other one. */
function saturate(value: bigint, target: ElementType): bigint {
  const [low, high] = target.dataType === "si32" ? [I32_MIN, I32_MAX] : [0n, U32_MAX];
  return value < low ? low : value > high ? high : value;
}

function readScalar(token: string, kind: SourceKind, target: ElementType): number {
  if (token === "true") return 1;
  if (token === "false") return 0;
  const hex = /^(-?)0x([0-9A-Fa-f]+)$/.exec(token);
  const value = hex === null ? Number(token) : kind.fromBits(BigInt(`0x${hex[2]}`));
  if (Number.isNaN(value) && hex === null) throw new DenseError(`'${token}' is not a number`);
  if (isFloat(target.dataType)) return roundedTo(value, target.dataType);
  return Number(saturate(/^-?\d+$/.test(token) ? BigInt(token) : BigInt(Math.trunc(value)), target));
}

/** One element of a nested list. Decimal literals that stay valid are kept as they are. */
function scalarText(token: string, kind: SourceKind, target: ElementType): string {
  const float = isFloat(target.dataType);
  if (token === "true" || token === "false") {
    return float ? (token === "true" ? "1.000000e+00" : "0.000000e+00") : token === "true" ? "1" : "0";
  }
  if (!float) return readScalar(token, kind, target).toString();
  if (/^-?\d+$/.test(token)) return `${token}.0`;
  const hex = /^0x([0-9A-Fa-f]+)$/.exec(token);
  if (hex !== null) return bitsText(kind.fromBits(BigInt(token)), target);
  return token;
}

/** A float as its bits in the target's width, which MLIR reads for every value. */
function bitsText(value: number, target: ElementType): string {
  return `0x${hexText(encode([value], target).toReversed())}`;
}

function hexText(bytes: Uint8Array): string {
  return bytes.toHex().toUpperCase();
}

function readBlob(hex: string, kind: SourceKind, target: ElementType, shape: readonly number[]): LazyForm {
  if (hex.length % 2 !== 0) throw new DenseError("the hex string is malformed");
  const bytes = Uint8Array.fromHex(hex);
  const count = volume(shape);
  const values = kind.bytes === 0 ? readBits(bytes, count) : readElements(bytes, kind, target);
  const only = values[0];
  if (values.length === 1 && only !== undefined) return { kind: "splat", value: only };
  if (values.length !== count) {
    throw new DenseError(`the hex string holds ${values.length} elements, the tensor ${count}`);
  }
  return {
    kind: "constant",
    text: `dense<"0x${hexText(encode(values, target))}"> : ${typeOf(target, shape)}`,
  };
}

function readElements(bytes: Uint8Array, kind: SourceKind, target: ElementType): number[] {
  if (bytes.length % kind.bytes !== 0) {
    throw new DenseError("the hex string does not hold a whole number of elements");
  }
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / kind.bytes }, (_, index) => {
    const value = kind.read(view, index * kind.bytes);
    return typeof value === "bigint" ? Number(saturate(value, target)) : value;
  });
}

/** Booleans are packed eight to a byte, lowest bit first; a byte of all ones or zeros alone is a splat. */
function readBits(bytes: Uint8Array, count: number): number[] {
  if (bytes.length === 1 && (bytes[0] === 0xff || bytes[0] === 0)) return [bytes[0] === 0 ? 0 : 1];
  if (bytes.length !== Math.ceil(count / 8)) {
    throw new DenseError("the hex string does not hold one bit per element");
  }
  return Array.from({ length: count }, (_, index) => ((bytes[index >> 3] ?? 0) >> (index & 7)) & 1);
}

/** Little-endian bytes of the values in the target's format. */
function encode(values: readonly number[], target: ElementType): Uint8Array {
  const { dataType } = target;
  const width = dataType === "bf16" || dataType === "f16" || dataType === "u16"
    ? 2
    : dataType === "u8"
    ? 1
    : 4;
  const view = new DataView(new ArrayBuffer(values.length * width));
  values.forEach((value, index) => {
    const offset = index * width;
    if (dataType === "f32") view.setFloat32(offset, value, true);
    else if (dataType === "bf16") view.setUint16(offset, bfloatBits(value), true);
    else if (dataType === "f16") view.setFloat16(offset, value, true);
    else if (width === 1) view.setUint8(offset, value);
    else if (width === 2) view.setUint16(offset, value, true);
    else if (dataType === "u32") view.setUint32(offset, value, true);
    else view.setInt32(offset, value, true);
  });
  return new Uint8Array(view.buffer);
}

/** Bytes before the data of a blob: its alignment. */
const ALIGNMENT_BYTES = 4;

/** Resources of the file by name, read on first use. */
const resourcesOf = perModule(() => new Map<string, string>());

/**
 * The numbers of `dense_resource<name>` as hex digits, from the `{-# dialect_resources: … #-}` at the end of the file;
 * `undefined` where it has no such blob.
 */
export function resourceHex(module: ModuleText, name: string): string | undefined {
  const resources = resourcesOf(module);
  if (resources.size === 0) {
    const start = module.text.lastIndexOf("{-#");
    const metadata = start === -1 ? "" : module.text.slice(start);
    for (const [, quoted, bare, hex = ""] of metadata.matchAll(ENTRY)) {
      resources.set(quoted ?? bare ?? "", hex.slice(2 * ALIGNMENT_BYTES));
    }
  }
  return resources.get(name);
}

const ENTRY = /(?:"((?:[^"\\]|\\.)*)"|([\w.$-]+))\s*:\s*"0x([0-9A-Fa-f]*)"/g;

/** The name in `dense_resource<name> : tensor<…>`; `undefined` for another attribute. */
export function resourceName(text: string): string | undefined {
  const match = /^dense_resource<\s*(?:"((?:[^"\\]|\\.)*)"|([\w.$-]+))\s*>/.exec(text.trim());
  return match?.[1] ?? match?.[2];
}
