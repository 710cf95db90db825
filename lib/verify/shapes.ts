// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import { attributeMap } from "../ir/attribute_reader.ts";
import type { Operation } from "../ir/module_text.ts";
import { DYNAMIC, tensorTypeOf } from "../ir/tensor_type.ts";
import { formatExtents } from "../layout/layout_error.ts";
import type { Reporter } from "./reporter.ts";

type Shape = readonly number[];

/** What a rule sees of an op: shapes of its tensors (`undefined` for other operands) and its attributes. */
interface ShapedOp {
  readonly operands: readonly (Shape | undefined)[];
  readonly attributes: AttributeMap;
}

/** Gives the shape that result 0 must have; `undefined` when the rule cannot tell; a string when no shape would do. */
type ShapeRule = (op: ShapedOp, actual: Shape) => Shape | string | undefined;

const BROADCASTING =
  "add subtract multiply divide eq ne gt ge lt le logical_and logical_or logical_xor bitwise_and " +
  "bitwise_or bitwise_xor maximum minimum remainder atan2 pow_tensor where";
const SAME_SHAPE =
  "neg abs exp log log1p expm1 sqrt rsqrt cbrt reciprocal sin cos tan asin asinh acos atan tanh sigmoid " +
  "hardsigmoid silu mish relu relu6 gelu erf erfc sign floor ceil isfinite leaky_relu logical_not bitwise_not typecast " +
  "softmax rms_norm layer_norm clamp_scalar clamp_tensor pow_scalar to_layout to_memory_config to_device from_device";
const REDUCTIONS = "sum mean max min";

const RULES: ReadonlyMap<string, ShapeRule> = new Map<string, ShapeRule>([
  ...BROADCASTING.split(" ").map((op) => [`ttnn.${op}`, broadcastRule] as const),
  ...SAME_SHAPE.split(" ").map((op) => [`ttnn.${op}`, sameShapeRule] as const),
  ...REDUCTIONS.split(" ").map((op) => [`ttnn.${op}`, reductionRule] as const),
  ["ttnn.reshape", reshapeRule],
  ["ttnn.permute", permuteRule],
  ["ttnn.transpose", transposeRule],
  ["ttnn.concat", concatRule],
  ["ttnn.slice_static", sliceRule],
  ["ttnn.repeat", repeatRule],
  ["ttnn.pad", padRule],
  ["ttnn.matmul", matmulRule],
  ["ttnn.linear", linearRule],
]);

/** V11: results have the shapes that operands and attributes imply, for ops whose rule is known. */
export function verifyShapes(reporter: Reporter): void {
  const { module } = reporter;
  for (const operation of reporter.module.operations) {
    const rule = RULES.get(operation.name);
    const result = operation.results[0];
    if (rule === undefined || result === undefined) continue;
    const actual = tensorTypeOf(module, result)?.shape;
    const operands = operation.operands.map(({ value }) =>
      value === undefined ? undefined : tensorTypeOf(module, value)?.shape
    );
    if (actual === undefined || [actual, ...operands].some((shape) => shape?.includes(DYNAMIC))) continue;
    const op: ShapedOp = { operands, attributes: attributeMap(module, operation) };
    const expected = rule(op, actual);
    if (expected === undefined) continue;
    if (typeof expected === "string") reportShape(reporter, operation, expected);
    else if (formatExtents(expected) !== formatExtents(actual)) {
      reportShape(
        reporter,
        operation,
        `result must be ${formatExtents(expected)}, but is ${formatExtents(actual)}`,
      );
    }
  }
}

function reportShape(reporter: Reporter, operation: Operation, what: string): void {
  reporter.report("V11/shape", "error", operation.nameSpan, `'${operation.name}': ${what}`);
}

function volume(shape: Shape): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

/** An integer attribute or an array of them, in whatever form they are written. */
function integers(attributes: AttributeMap, key: string): readonly number[] | undefined {
  const attribute = attributes.get(key);
  switch (attribute?.kind) {
    case "integer":
      return [Number(attribute.value)];
    case "denseArray":
      return attribute.values;
    case "array": {
      const values = attribute.elements.map((element) =>
        element.kind === "integer" ? Number(element.value) : NaN
      );
      return values.some(Number.isNaN) ? undefined : values;
    }
    case "dialect":
      return attribute.mnemonic === "shape" ? attribute.body.split("x").map(Number) : undefined;
    default:
      return undefined;
  }
}

function flag(attributes: AttributeMap, key: string): boolean {
  const attribute = attributes.get(key);
  return attribute?.kind === "bool" && attribute.value;
}

function reshapeRule({ operands, attributes }: ShapedOp, actual: Shape): Shape | string | undefined {
  const [input] = operands;
  if (input === undefined) return undefined;
  if (volume(input) !== volume(actual)) {
    return `a tensor of ${volume(input)} elements cannot become ${formatExtents(actual)} of ${
      volume(actual)
    }`;
  }
  const shape = integers(attributes, "shape");
  return shape?.includes(-1) ? undefined : shape;
}

/** Dimensions are aligned at the last one; extents of 1 stretch. */
function broadcast(shapes: readonly Shape[]): Shape | string {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  const result: number[] = [];
  for (let back = rank; back >= 1; back--) {
    const extents = new Set(shapes.map((shape) => shape.at(-back) ?? 1).filter((extent) => extent !== 1));
    if (extents.size > 1) return `shapes ${shapes.map(formatExtents).join(" and ")} do not broadcast`;
    result.push([...extents][0] ?? 1);
  }
  return result;
}

function broadcastRule({ operands }: ShapedOp): Shape | string | undefined {
  const shapes = operands.filter((shape) => shape !== undefined);
  return shapes.length === 0 ? undefined : broadcast(shapes);
}

function sameShapeRule({ operands }: ShapedOp): Shape | undefined {
  return operands[0];
}

function permuteRule({ operands, attributes }: ShapedOp): Shape | string | undefined {
  const [input] = operands;
  const permutation = integers(attributes, "permutation");
  if (input === undefined || permutation === undefined) return undefined;
  const isPermutation = permutation.length === input.length &&
    new Set(permutation).size === input.length &&
    permutation.every((dim) => dim >= 0 && dim < input.length);
  if (!isPermutation) return `[${permutation.join(", ")}] is no permutation of ${input.length} dimensions`;
  return permutation.map((dim) => input[dim] ?? 1);
}

function transposeRule({ operands, attributes }: ShapedOp): Shape | undefined {
  const [input] = operands;
  const [dim0] = integers(attributes, "dim0") ?? [];
  const [dim1] = integers(attributes, "dim1") ?? [];
  if (input === undefined || dim0 === undefined || dim1 === undefined) return undefined;
  const a = normalize(dim0, input.length);
  const b = normalize(dim1, input.length);
  return input.map((extent, dim) => (dim === a ? input[b] : dim === b ? input[a] : extent) ?? 1);
}

function normalize(dim: number, rank: number): number {
  return dim < 0 ? dim + rank : dim;
}

function concatRule({ operands, attributes }: ShapedOp): Shape | string | undefined {
  const [first, ...rest] = operands;
  const [dim] = integers(attributes, "dim") ?? [];
  if (first === undefined || dim === undefined) return undefined;
  const axis = normalize(dim, first.length);
  const result = [...first];
  for (const shape of rest) {
    if (shape === undefined) return undefined;
    const fits = shape.length === first.length &&
      shape.every((extent, index) => index === axis || extent === first[index]);
    if (!fits) {
      return `${formatExtents(shape)} does not concatenate with ${formatExtents(first)} along ${axis}`;
    }
    result[axis] = (result[axis] ?? 0) + (shape[axis] ?? 0);
  }
  return result;
}

function sliceRule({ operands, attributes }: ShapedOp): Shape | string | undefined {
  const [input] = operands;
  const begins = integers(attributes, "begins");
  const ends = integers(attributes, "ends");
  const steps = integers(attributes, "step");
  if (input === undefined || begins === undefined || ends === undefined || steps === undefined) {
    return undefined;
  }
  const result: number[] = [];
  for (const [dim, extent] of input.entries()) {
    const begin = normalize(begins[dim] ?? 0, extent);
    const end = normalize(ends[dim] ?? extent, extent);
    const step = steps[dim] ?? 1;
    if (step === 0 || begin > extent || end > extent) {
      return `slice [${begin}, ${end}) step ${step} leaves dimension ${dim} of extent ${extent}`;
    }
    result.push(Math.max(0, Math.ceil((end - begin) / step)));
  }
  return result;
}

function repeatRule({ operands, attributes }: ShapedOp): Shape | undefined {
  const [input] = operands;
  const factors = integers(attributes, "repeat_dims");
  if (input === undefined || factors?.length !== input.length) return undefined;
  return input.map((extent, dim) => extent * (factors[dim] ?? 1));
}

function padRule({ operands, attributes }: ShapedOp): Shape | undefined {
  const [input] = operands;
  const padding = integers(attributes, "padding");
  if (input === undefined || padding?.length !== 2 * input.length) return undefined;
  return input.map((extent, dim) => extent + (padding[2 * dim] ?? 0) + (padding[2 * dim + 1] ?? 0));
}

function reductionRule({ operands, attributes }: ShapedOp): Shape | undefined {
  const [input] = operands;
  if (input === undefined) return undefined;
  const dims = (integers(attributes, "dim_arg") ?? input.map((_, dim) => dim)).map((dim) =>
    normalize(dim, input.length)
  );
  if (!attributes.has("keep_dim")) return undefined;
  if (flag(attributes, "keep_dim")) return input.map((extent, dim) => (dims.includes(dim) ? 1 : extent));
  return input.filter((_, dim) => !dims.includes(dim));
}

function matmulRule({ operands, attributes }: ShapedOp): Shape | string | undefined {
  const [a, b] = operands;
  if (a === undefined || b === undefined || a.length < 2 || b.length < 2) return undefined;
  const [m, k] = lastTwo(a, flag(attributes, "transpose_a"));
  const [inner, n] = lastTwo(b, flag(attributes, "transpose_b"));
  if (k !== inner) {
    return `inner dimensions of ${formatExtents(a)} and ${formatExtents(b)} differ: ${k} and ${inner}`;
  }
  const batch = broadcast([a.slice(0, -2), b.slice(0, -2)]);
  return typeof batch === "string" ? batch : [...batch, m, n];
}

/** The bias broadcasts with the product; leading dimensions of 1 that it adds may be dropped again. */
function linearRule(op: ShapedOp, actual: Shape): Shape | string | undefined {
  const product = matmulRule(op);
  const bias = op.operands[2];
  if (product === undefined || typeof product === "string" || bias === undefined) return product;
  const sum = broadcast([product, bias]);
  if (typeof sum === "string") return sum;
  return formatExtents(withoutLeadingOnes(sum)) === formatExtents(withoutLeadingOnes(actual)) ? actual : sum;
}

function withoutLeadingOnes(shape: Shape): Shape {
  const first = shape.findIndex((extent) => extent !== 1);
  return first === -1 ? [] : shape.slice(first);
}

function lastTwo(shape: Shape, transposed: boolean): readonly [number, number] {
  const rows = shape.at(-2) ?? 1;
  const columns = shape.at(-1) ?? 1;
  return transposed ? [columns, rows] : [rows, columns];
}
