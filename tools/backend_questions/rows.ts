// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../../lib/layout/data_type.ts";
import { computeConfig } from "./products.ts";
import {
  alone,
  BF16_OR_F32,
  BF16_SELDOM_F32,
  choose,
  dense,
  float,
  FORMATS,
  integer,
  list,
  mostlyLast,
  ofOneTensor,
  type QuestionMaker,
  withExtent,
} from "./question.ts";
import { ACTIVATIONS, SCORES, TOKENS } from "./shapes.ts";

const softmax: QuestionMaker = ({ random, tensors }) => {
  const choice = choose(random, [...SCORES, ...SCORES, ...TOKENS], FORMATS);
  const input = tensors.any(choice);
  const dimension = mostlyLast(random, choice.shape, 0.85);
  return {
    op: "softmax",
    operands: [input],
    results: [choice],
    hint: tensors.hint(input, choice),
    attrs: { dimension: integer(dimension, "si32"), numericStable: String(random.chance(0.7)) },
  };
};

function norm(op: "layer_norm" | "rms_norm"): QuestionMaker {
  return ({ random, tensors }) => {
    const choice = choose(random, TOKENS, BF16_SELDOM_F32);
    const input = tensors.any(choice);
    const width = choice.shape.at(-1) ?? 1;
    const row = () =>
      tensors.at(random.chance(0.85) ? "dram" : "l1", { shape: random.chance(0.7) ? [width] : [1, width] });
    const hasWeight = random.chance(0.85);
    const hasBias = hasWeight && random.chance(op === "layer_norm" ? 0.85 : 0.15);
    const config = op === "rms_norm" ? computeConfig(random) : null;
    return {
      op,
      operands: [input, ...(hasWeight ? [row()] : []), ...(hasBias ? [row()] : [])],
      results: [choice],
      hintLike: input,
      attrs: {
        epsilon: float(1e-5),
        operandSegmentSizes: dense([1, Number(hasWeight), Number(hasBias)], "i32"),
        ...(config === null ? {} : { compute_config: config }),
      },
    };
  };
}

/** A result of a reduction over some dimensions. */
function reducedShape(shape: readonly number[], dims: readonly number[], keeps: boolean): readonly number[] {
  if (keeps) return shape.map((extent, index) => dims.includes(index) ? 1 : extent);
  return shape.filter((_, index) => !dims.includes(index));
}

const reduction = (ops: readonly string[]): QuestionMaker =>
  ofOneTensor(ops, alone(ACTIVATIONS), { formats: BF16_SELDOM_F32 }, (random, [shape]) => {
    const which = random.next();
    const last = shape.length - 1;
    const dims = which < 0.6 ? [last] : which < 0.8 ? [last - 1] : which < 0.9 ? [last - 1, last] : [0];
    const keeps = dims.length === shape.length || random.chance(0.7);
    return {
      result: reducedShape(shape, dims, keeps),
      attrs: { dim_arg: list(dims), keep_dim: String(keeps) },
    };
  });

const prod = ofOneTensor("prod", alone(TOKENS), {}, (random, [shape]) => {
  const dimension = random.below(shape.length);
  const keeps = random.chance(0.7);
  return {
    result: reducedShape(shape, [dimension], keeps),
    attrs: { dim_arg: integer(dimension, "i64"), keep_dim: String(keeps) },
  };
});

const argmax: QuestionMaker = ({ random, tensors }) => {
  const shape = random.pick([[1, 32000], [32, 1, 1000], [1, 1, 32, 8192], ...TOKENS.slice(0, 6)]);
  const tiled = random.chance(0.4);
  const input = tensors.any({
    shape,
    tiled,
    dataType: random.pick<DataType>(["bf16", "bf16", "f32", "si32"]),
  });
  const dimension = mostlyLast(random, shape, 0.85);
  const keeps = random.chance(0.5);
  const result = reducedShape(shape, [dimension], keeps);
  return {
    op: "argmax",
    operands: [input],
    results: [{ shape: result, dataType: "u32", tiled: false }],
    hint: random.chance(0.5)
      ? undefined
      : tensors.any({ shape: result, dataType: "u32", tiled: false, places: ["dram", "l1"] }),
    attrs: { dim: integer(dimension), keep_dim: String(keeps) },
  };
};

const cumulative: QuestionMaker = ({ random, tensors }) => {
  const choice = choose(random, TOKENS, ["bf16", "bf16", "f32", "si32"]);
  const input = tensors.any(choice);
  return {
    op: random.pick(["cumsum", "cumprod", "moreh_cumsum"]),
    operands: [input],
    results: [choice],
    hint: tensors.hint(input, choice),
    attrs: { dim: integer(random.below(choice.shape.length), "i64") },
  };
};

const sort: QuestionMaker = ({ random, tensors }) => {
  const shape = random.pick([[1, 1024], [32, 128], [1, 1, 32, 256], [8, 64], [1, 64, 512]]);
  const input = tensors.any({ shape });
  return {
    op: "sort",
    operands: [input],
    results: [{ shape }, { shape }],
    hint: tensors.hint(input, { shape }),
    attrs: {
      dim: integer(mostlyLast(random, shape, 0.8), "si8"),
      descending: String(random.chance(0.5)),
      stable: "false",
    },
  };
};

const topk: QuestionMaker = ({ random, tensors }) => {
  const shape = random.pick([[1, 1, 32, 1024], [1, 1, 32, 8192], [32, 256], [1, 64, 128], [1, 1, 64, 64]]);
  const count = random.pick([1, 8, 32, 64]);
  const input = tensors.any({ shape, dataType: random.pick<DataType>(["bf16", "bf16", "bfp_bf8"]) });
  const result = withExtent(shape, -1, count);
  return {
    op: "topk",
    operands: [input],
    results: [{ shape: result }, { shape: result }],
    hint: random.chance(0.4) ? undefined : tensors.any({ shape: result }),
    attrs: { k: integer(count), dim: integer(-1), largest: "true", sorted: "true" },
  };
};

const batchNorm =
  (op: "batch_norm_inference" | "batch_norm_training"): QuestionMaker => ({ random, tensors }) => {
    const trains = op === "batch_norm_training";
    const shape = random.pick([[1, 64, 56, 56], [2, 128, 28, 28], [1, 512, 7, 7], [8, 32, 32, 32]]);
    const dataType = random.pick(BF16_OR_F32);
    const input = tensors.any({ shape, dataType });
    const perChannel = { shape: [1, shape[1] ?? 1, 1, 1], dataType };
    const one = () => random.chance(0.7) ? tensors.at("dram", perChannel) : tensors.any(perChannel);
    const scales = random.chance(0.7);
    const updates = !trains || random.chance(0.8);
    return {
      op,
      operands: [input, ...(updates ? [one(), one()] : []), ...(scales ? [one(), one()] : [])],
      results: [{ shape, dataType }],
      hintLike: input,
      attrs: {
        epsilon: float(1e-5),
        ...(trains ? { momentum: float(0.1) } : {}),
        operandSegmentSizes: dense([1, ...[updates, updates, scales, scales].map(Number)], "i32"),
      },
    };
  };

/** Makers of the families that work along rows: normalizations, reductions, sorting. */
export const ROW_FAMILIES: Readonly<Record<string, QuestionMaker>> = {
  softmax,
  layer_norm: norm("layer_norm"),
  rms_norm: norm("rms_norm"),
  batch_norm_inference: batchNorm("batch_norm_inference"),
  batch_norm_training: batchNorm("batch_norm_training"),
  reduce: reduction(["sum", "mean", "max"]),
  min: reduction(["min"]),
  prod,
  argmax,
  cumulative,
  sort,
  topk,
};
