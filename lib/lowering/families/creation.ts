// SPDX-License-Identifier: Apache-2.0
import {
  absentResource,
  DenseError,
  readDense,
  readResource,
  resourceHex,
  resourceName,
} from "../dense_constant.ts";
import { tensorTypeAt } from "../../ir/mod.ts";
import { type FunctionLowering, splat } from "../function_lowering.ts";
import { complexPart } from "../element_type.ts";
import { broadcasted, type LazyTensor, reshaped } from "../lazy_tensor.ts";
import { becomes, type LoweringRules } from "../lowering_rule.ts";
import type { NormalType, TtirOp } from "../ttir_op.ts";

/** Ops that make tensors from attributes. */
export const CREATION: LoweringRules = {
  "arith.constant": { lower: constant, operands: 0 },
  "ttir.constant": { lower: constant, operands: 0 },
  "ttir.full": { lower: (op, f) => filled(op, f, op.requiredFloat("fill_value")), operands: 0 },
  "ttir.zeros": { lower: (op, f) => filled(op, f, 0, "zeros"), operands: 0 },
  "ttir.ones": { lower: (op, f) => filled(op, f, 1, "ones"), operands: 0 },
  "ttir.empty": { lower: empty, operands: 0 },
  "tensor.empty": { lower: empty, operands: 0 },
  "ttir.arange": { lower: arange, operands: 0 },
  "ttir.rand": { lower: rand, operands: 0 },
  "ttir.dropout": becomes("dropout", 1, (op) => ({
    prob: op.requiredFloat("prob"),
    scale: op.requiredFloat("scale"),
    seed: op.integer("seed") ?? 0,
    use_per_device_seed: op.flag("use_per_device_seed", true),
  })),
  "ttir.get_dimension_size": { lower: dimensionSize, operands: 1 },
};

function constant(op: TtirOp, f: FunctionLowering): void {
  const span = op.operation.resultTypes?.[0];
  const source = span === undefined ? undefined : tensorTypeAt(op.module, span)?.elementType;
  if (source === undefined) {
    throw op.error("its result is not a tensor; unroll the loop or fold the branch that uses it", "results");
  }
  const { shape, element } = op.resultType();
  const text = op.attributeText("value");
  if (text === undefined) throw op.error("attribute 'value' is missing", "attribute");
  try {
    const spelled = complexPart(source) ?? source;
    if (spelled !== source && text.includes("(")) {
      return f.defineResult(op, pairs(text, spelled, { shape, element }));
    }
    const resource = resourceName(text);
    const hex = resource === undefined ? undefined : resourceHex(op.module, resource);
    const form = resource === undefined
      ? readDense(text, spelled, element, shape)
      : hex === undefined
      ? absentResource(text, element, shape)
      : readResource(hex, spelled, element, shape);
    f.defineResult(op, { shape, element, form });
  } catch (error) {
    if (error instanceof DenseError) throw op.error(error.message, "attribute");
    throw error;
  }
}

/** Complex numbers `(re, im)` as lists of two, one of them for all where the constant is a splat. */
function pairs(text: string, part: string, { shape, element }: NormalType): LazyTensor {
  const lists = text.replaceAll("(", "[").replaceAll(")", "]");
  const one = /^dense<\s*\(/.test(text)
    ? shape.map((_, dim) => (dim === shape.length - 1 ? 2 : 1))
    : undefined;
  if (one === undefined) return { shape, element, form: readDense(lists, part, element, shape) };
  const pair: LazyTensor = { shape: [2], element, form: readDense(lists, part, element, [2]) };
  return broadcasted(reshaped(pair, one), shape);
}

function filled(op: TtirOp, f: FunctionLowering, value: number, name?: "ones" | "zeros"): void {
  const { shape, element } = op.resultType();
  const declared = op.integers("shape");
  if (declared !== undefined) op.expectShape(declared);
  const form = { kind: "splat", value, ...(name === undefined ? {} : { op: name }) } as const;
  f.defineResult(op, { shape, element, form });
}

function empty(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  f.defineResult(op, { shape, element, form: { kind: "empty" } });
}

/** One row of numbers along `arange_dimension`, repeated along the others. */
function arange(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const dim = op.dimension(op.integer("arange_dimension") ?? 0, shape.length);
  const extent = shape[dim] ?? 1;
  const [start, end, step] = [
    op.requiredInteger("start"),
    op.requiredInteger("end"),
    op.requiredInteger("step"),
  ];
  const count = Math.ceil((end - start) / step);
  if (count !== extent) {
    throw op.error(`${start} to ${end} by ${step} are not the ${extent} numbers of its result`, "shape");
  }
  const numbers = f.apply("arange", [f.device()], { shape: [extent], element }, {
    end,
    start,
    step,
  });
  const row = reshaped(numbers, shape.map((own, at) => (at === dim ? own : 1)));
  f.defineResult(op, broadcasted(row, shape));
}

function rand(op: TtirOp, f: FunctionLowering): void {
  f.replace(op, "rand", [f.device()], {
    high: op.float("high") ?? 1,
    low: op.float("low") ?? 0,
    seed: op.integer("seed") ?? 0,
    size: op.resultType().shape,
  });
}

function dimensionSize(op: TtirOp, f: FunctionLowering): void {
  const { shape, element } = op.resultType();
  const input = f.operand(op, 0);
  const dim = op.dimension(op.requiredInteger("dimension"), input.shape.length);
  f.defineResult(op, splat(shape, element, input.shape[dim] ?? 1));
}
