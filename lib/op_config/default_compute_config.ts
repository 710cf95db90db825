// SPDX-License-Identifier: Apache-2.0
import { type Architecture, kernelsOf } from "../device/chip_description.ts";
import { type DataType, elementBytes, isBlockFloat } from "../layout/data_type.ts";
import { definitionOf, isKnownOp, type OpFamily } from "../ops/op_book.ts";
import type { ComputeKernelConfig } from "./op_config.ts";
import type { MathFidelity } from "./math_fidelity.ts";

/** The facts on which the compute config of an op depends. */
export interface ComputeQuestion {
  /** Full name, for example `ttnn.matmul`. */
  readonly op: string;
  /** Element formats of the tensor operands that the kernel computes with, in their order. */
  readonly operands: readonly DataType[];
  /** Element format of result 0. */
  readonly result: DataType;
  /** Whether a product comes with a program config or a core grid. Default: it does not. */
  readonly isPlanned?: boolean;
  /** Whether a product over elements (`ttnn.prod`) goes over all dimensions. Default: along one. */
  readonly isOverAll?: boolean;
  readonly architecture: Architecture;
}

/** A compute config without absent fields. */
export type ComputeDefaults = Required<Omit<ComputeKernelConfig, "dstFullSyncEn">>;

/**
 * The compute config of every conv3d, instead of the backend's default: tt-mlir's runtime passes it if the text states none
 * (tt-mlir:runtime-calls), and tt-mlir's op configs state the first and the third field.
 */
export const CONV_3D_COMPUTE: ComputeDefaults = {
  mathFidelity: "hifi4",
  mathApproxMode: true,
  fp32DestAccEn: true,
  packerL1Acc: false,
};

/** Fidelity, or `exact`: HiFi4 where the chip computes f32 right with it, HiFi3 on Wormhole. */
type DefaultFidelity = MathFidelity | "exact";

/** When a flag is on, by formats. */
type When = (question: ComputeQuestion) => boolean;

const always: When = () => true;
const never: When = () => false;
const ofF32: When = ({ operands }) => operands[0] === "f32";
const notOfF32: When = (question) => !ofF32(question);
const ofF32Pair: When = ({ operands: [a, b] }) => a === "f32" && b === "f32";
const toF32: When = ({ result }) => result === "f32";
const notToF32: When = (question) => !toF32(question);
/** An operand or the result has elements of four bytes. */
const fourBytes: When = ({ operands, result }) =>
  [...operands, result].some((type) => !isBlockFloat(type) && elementBytes(type) === 4);

/** Defaults of the ops of a family. */
interface DefaultRow {
  readonly fidelity: DefaultFidelity | ((question: ComputeQuestion) => DefaultFidelity);
  readonly fp32: When;
  /** Default: never. */
  readonly packer?: When;
  readonly approx?: When;
  /** Whether only tensors of block formats are computed with; others are copied without a compute kernel. */
  readonly onlyBlockFormats?: boolean;
}

/** Kernels that pass tiles on or through the vector unit. */
const TILEWISE: DefaultRow = { fidelity: "hifi4", fp32: fourBytes };
const REDUCTION: DefaultRow = { fidelity: "exact", fp32: always };
const CONVOLUTION: DefaultRow = { fidelity: "hifi4", fp32: ofF32Pair, approx: always };
const POOL: DefaultRow = { fidelity: "hifi4", fp32: never };
const PRODUCT: DefaultRow = { fidelity: productFidelity, fp32: toF32, packer: notToF32 };
const ATTENTION: DefaultRow = { fidelity: "hifi2", fp32: never, approx: always };
const ROTARY: DefaultRow = { fidelity: "hifi4", fp32: never, approx: always };
const CACHE: DefaultRow = { fidelity: "lofi", fp32: never, approx: always };
const BATCH_NORM: DefaultRow = { fidelity: "exact", fp32: always, packer: always };
const RMS_NORM: DefaultRow = { fidelity: "hifi4", fp32: never, approx: always };
const COPY: DefaultRow = { ...TILEWISE, onlyBlockFormats: true };

/**
 * TTNN's compute config for an op without one, by family (`ttnn:backend-0-81-1`). Families that launch no compute
 * kernel, or that were not asked, have no row.
 */
const DEFAULTS: Readonly<Partial<Record<OpFamily, DefaultRow>>> = {
  matmul: PRODUCT,
  sparse_matmul: PRODUCT,
  conv2d: CONVOLUTION,
  conv_transpose2d: CONVOLUTION,
  conv1d: CONVOLUTION,
  conv3d: { fidelity: "hifi2", fp32: never, approx: always },
  max_pool: POOL,
  avg_pool: POOL,
  max_pool_with_indices: POOL,
  global_pool: REDUCTION,
  upsample: { fidelity: "hifi4", fp32: never, approx: always },
  softmax: { fidelity: "exact", fp32: always, approx: notOfF32 },
  layer_norm: { fidelity: "hifi4", fp32: always },
  rms_norm: RMS_NORM,
  unrecorded_rms_norm: RMS_NORM,
  unrecorded_norm: { fidelity: "hifi4", fp32: ofF32, approx: always },
  batch_norm_inference: BATCH_NORM,
  batch_norm_training: BATCH_NORM,
  unary: TILEWISE,
  logit: TILEWISE,
  binary: TILEWISE,
  ternary: TILEWISE,
  typecast: TILEWISE,
  reduce: REDUCTION,
  min: REDUCTION,
  prod: { fidelity: exactForF32, fp32: ofF32 },
  cumulative: { fidelity: exactForF32, fp32: always },
  topk: TILEWISE,
  sort: TILEWISE,
  sdpa: ATTENTION,
  sdpa_decode: ATTENTION,
  rotary: ROTARY,
  rotary_llama: ROTARY,
  embedding: TILEWISE,
  transpose: TILEWISE,
  permute: COPY,
  pad: COPY,
  reshape: COPY,
  to_layout: TILEWISE,
  update_cache: CACHE,
  paged_update_cache: CACHE,
};

/** Ops that differ from their family. */
const BY_OP: Readonly<Record<string, DefaultRow>> = {
  "ttnn.split_query_key_value_and_split_heads": TILEWISE,
};

/** All dimensions at once go through the kernel of reductions. */
const PRODUCT_OVER_ALL: DefaultRow = { ...REDUCTION, approx: always };

/**
 * The compute config that the backend takes for an op without one (`ttnn:backend-0-81-1`); `undefined` if it launches no compute
 * kernel, or if what it takes is not known.
 */
export function defaultComputeConfig(question: ComputeQuestion): ComputeDefaults | undefined {
  const row = rowOf(question);
  if (row === undefined) return undefined;
  if (row.onlyBlockFormats === true && !question.operands.some(isBlockFloat)) return undefined;
  const fidelity = typeof row.fidelity === "string" ? row.fidelity : row.fidelity(question);
  return {
    mathFidelity: fidelity !== "exact"
      ? fidelity
      : kernelsOf(question.architecture) === "blackhole"
      ? "hifi4"
      : "hifi3",
    fp32DestAccEn: row.fp32(question),
    packerL1Acc: row.packer?.(question) ?? false,
    mathApproxMode: row.approx?.(question) ?? false,
  };
}

/**
 * The compute config that an op runs with. A config that is there replaces the default as a whole: fields that it leaves
 * out are those of TTNN's struct, not the default's (`ttnn:backend-0-81-1`; LoFi is what the struct holds that tt-mlir's runtime
 * fills).
 */
export function computeConfigInUse(
  explicit: ComputeKernelConfig | undefined,
  question: ComputeQuestion,
): ComputeDefaults | undefined {
  if (explicit === undefined) return defaultComputeConfig(question);
  return {
    mathFidelity: explicit.mathFidelity ?? "lofi",
    fp32DestAccEn: explicit.fp32DestAccEn ?? false,
    packerL1Acc: explicit.packerL1Acc ?? false,
    mathApproxMode: explicit.mathApproxMode ?? true,
  };
}

/**
 * Completes the observed fields of a config with the backend's defaults. For configs with which an op is known to run, unlike
 * {@linkcode computeConfigInUse}, which interprets a written config.
 */
export function withDefaults(stated: ComputeKernelConfig, question: ComputeQuestion): ComputeKernelConfig {
  return { ...defaultComputeConfig(question), ...stated };
}

function rowOf({ op, isOverAll = false }: ComputeQuestion): DefaultRow | undefined {
  if (!isKnownOp(op)) return undefined;
  const { family } = definitionOf(op);
  if (family === "prod" && isOverAll) return PRODUCT_OVER_ALL;
  return BY_OP[op] ?? DEFAULTS[family];
}

/** Products of f32 are exact, those of block formats and those with a program config take one pass, others two. */
function productFidelity(question: ComputeQuestion): DefaultFidelity {
  if (ofF32Pair(question)) return "exact";
  const { operands: [a, b], isPlanned = false } = question;
  const areBlocks = a !== undefined && b !== undefined && isBlockFloat(a) && isBlockFloat(b);
  return isPlanned || areBlocks ? "lofi" : "hifi2";
}

function exactForF32(question: ComputeQuestion): DefaultFidelity {
  return ofF32(question) ? "exact" : "hifi4";
}
