// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";
import type { CostClass } from "./cost_class.ts";
import type { InferShape } from "./shape_inference.ts";
import type { OpSignature } from "./op_signature.ts";

/** Part that an operand plays; decides which candidates make sense for it. */
export type OperandRole = "activation" | "weight" | "bias" | "index" | "cache" | "mask" | "scalar" | "device";

/** Operands of one name in the op's definition (tt-mlir:ttir-to-ttnn). */
export interface OperandGroup {
  readonly role: OperandRole;
  /** Fewest and most operands of the group. */
  readonly least: number;
  readonly most: number;
}

/** An operand that is always there. */
export function operand(role: OperandRole): OperandGroup {
  return { role, least: 1, most: 1 };
}

/** An operand that may be left out. */
export function optional(role: OperandRole): OperandGroup {
  return { role, least: 0, most: 1 };
}

/** Any number of operands. */
export function anyNumber(role: OperandRole): OperandGroup {
  return { role, least: 0, most: Number.POSITIVE_INFINITY };
}

/** Which rule of the op model says what the op accepts and needs. Ops of one family differ in name and cost only. */
export type OpFamily =
  | "unary"
  | "logit"
  | "composite_unary"
  | "binary"
  | "logical_binary"
  | "remainder"
  | "atan2"
  | "gelu_bw"
  | "ternary"
  | "quantize"
  | "dequantize"
  | "requantize"
  | "typecast"
  | "copy"
  | "adamw"
  | "matmul"
  | "softmax"
  | "rms_norm"
  | "layer_norm"
  | "batch_norm_inference"
  | "batch_norm_training"
  | "unrecorded_norm"
  | "unrecorded_rms_norm"
  | "reduce"
  | "min"
  | "prod"
  | "argmax"
  | "cumulative"
  | "sort"
  | "topk"
  | "sampling"
  | "reshape"
  | "permute"
  | "transpose"
  | "concat"
  | "slice"
  | "pad"
  | "repeat"
  | "repeat_interleave"
  | "embedding"
  | "embedding_bw"
  | "gather"
  | "scatter"
  | "to_layout"
  | "to_memory_config"
  | "conv2d"
  | "conv_transpose2d"
  | "conv1d"
  | "conv3d"
  | "max_pool"
  | "avg_pool"
  | "max_pool_with_indices"
  | "global_pool"
  | "upsample"
  | "sdpa"
  | "sdpa_fw"
  | "sdpa_bw"
  | "sdpa_decode"
  | "rotary"
  | "rotary_llama"
  | "concat_heads"
  | "concat_heads_decode"
  | "split_heads"
  | "create_heads_decode"
  | "fill_cache"
  | "update_cache"
  | "paged_update_cache"
  | "paged_fill_cache"
  | "creation"
  | "empty"
  | "rand"
  | "mesh_partition"
  | "all_gather"
  | "reduce_scatter"
  | "all_reduce"
  /** Runs as the input has it: collectives, host transfers, bookkeeping. */
  | "fixed"
  /** As `fixed`, and nobody has told what the op does. */
  | "opaque";

/** Kind of config that an op takes. */
export type ConfigKind = "conv2d" | "conv3d" | "matmul" | "norm" | "sdpa";

/** The config that an op takes. `compute_config` stands under the same key for all. */
export interface ConfigSlot {
  readonly kind: ConfigKind;
  /** Key of the program or conv config among the op's properties; `undefined` where the op has none. */
  readonly program: string | undefined;
  /** Whether policies search for a config; otherwise the op keeps the one that it has. */
  readonly searched: boolean;
}

/** What the vector unit does per tile, by how much it is (published:ops-2, cycles of the math thread and of 255 ops). */
export type VectorFunction =
  /** Nothing: ops of the matrix engine (sums, products) and those that only move data. */
  | "none"
  /** A handful of instructions per vector. */
  | "simple"
  /** Iterations of a root or reciprocal. */
  | "root"
  /** One polynomial on a reduced range: tanh, sine, logarithm. */
  | "polynomial"
  /** An exponential. */
  | "exp"
  /** An exponential or polynomial and a quotient or a second branch: sigmoid, softplus, tangent. */
  | "quotient"
  | "erf"
  /** Several of these: gelu, inverse tangent. */
  | "transcendental"
  /** Roots and logarithms after one another: powers, inverse hyperbolic functions. */
  | "inverse";

/** Everything that is known of an op before its shapes and layouts are. */
export interface OpDefinition {
  /** Full name, for example `ttnn.matmul`. */
  readonly name: string;
  readonly family: OpFamily;
  /** Which kernel model prices it. */
  readonly costClass: CostClass;
  /** In the op's order; where the op has operand groups, one per group. */
  readonly operands: readonly OperandGroup[];
  /** Role per operand group; the last entry holds for all further ones. */
  readonly roles: readonly OperandRole[];
  /** Fewest and most tensor operands. */
  readonly minOperands: number;
  readonly maxOperands: number;
  /** Number of results; `undefined` where it is not fixed. */
  readonly results: number | undefined;
  /** Shape of the first result from operands and properties; `undefined` where it does not follow from them. */
  readonly inferShape: InferShape | undefined;
  /**
   * Element format that result 0 has, whatever a declaration says: that of an operand, or always the same; `undefined`
   * where the kernel is asked for a format (element-wise ops of two operands, matmuls, convolutions, casts) or nobody
   * told. {@linkcode returnedFormat} reads it.
   */
  readonly formatOf: number | DataType | undefined;
  /** Whether result 0 has the pages, tiles or rows, of operand 0, whatever a declaration says. */
  readonly keepsPages: boolean;
  /** Whether result 0 may share the buffer of operand 0 for these shapes; layouts may still forbid it. */
  readonly isView: ((op: OpSignature, tiled: boolean) => boolean) | undefined;
  /** Operand that is overwritten; such ops have no result, or the operand's tensor once more. */
  readonly inPlaceOperand: number | undefined;
  /** False for ops that run as the input has them and are never moved. */
  readonly movable: boolean;
  /** Whether operands in host memory are what the op expects. */
  readonly acceptsHost: boolean;
  readonly config: ConfigSlot | undefined;
  /** `undefined` for ops that are not elementwise. */
  readonly vectorFunction: VectorFunction | undefined;
  /** The profiler's name where it is not that of the cost class. */
  readonly deviceOperation: string | undefined;
  /** Whether the op changes where or how a tensor is held and nothing else: it decides no value. */
  readonly memoryOp: boolean;
}

/** What a definition says beside name, family and cost class where it differs from an op with one tensor operand. */
export type OpFacts = Partial<
  Omit<OpDefinition, "name" | "family" | "costClass" | "roles" | "minOperands" | "maxOperands">
>;

/**
 * Defines ops that differ in nothing but their names.
 *
 * @param names separated by spaces; without a dialect they are of `ttnn`
 */
export function defineOps(
  names: string,
  family: OpFamily,
  costClass: CostClass,
  facts: OpFacts = {},
): readonly OpDefinition[] {
  return names.split(" ").map((name) =>
    defineOp(name.includes(".") ? name : `ttnn.${name}`, family, costClass, facts)
  );
}

/** Defines one op by its full name. */
export function defineOp(name: string, family: OpFamily, costClass: CostClass, facts: OpFacts): OpDefinition {
  const operands = facts.operands ?? [operand("activation")];
  const tensors = operands.filter(({ role }) => role !== "device");
  return {
    results: 1,
    inferShape: undefined,
    formatOf: undefined,
    keepsPages: false,
    isView: undefined,
    inPlaceOperand: undefined,
    movable: true,
    acceptsHost: false,
    config: undefined,
    vectorFunction: undefined,
    deviceOperation: undefined,
    memoryOp: false,
    ...facts,
    name,
    family,
    costClass,
    operands,
    roles: operands.map(({ role }) => role),
    minOperands: tensors.reduce((sum, { least }) => sum + least, 0),
    maxOperands: tensors.reduce((sum, { most }) => sum + most, 0),
  };
}
