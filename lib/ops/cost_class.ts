// SPDX-License-Identifier: Apache-2.0

/** The kind of work of an op; each kind has one kernel model in the simulator. */
export type CostClass =
  | "matmul"
  | "sparse_matmul"
  | "conv2d"
  | "conv3d"
  | "pool"
  | "upsample"
  | "eltwise_unary"
  | "eltwise_binary"
  | "eltwise_ternary"
  | "reduction"
  | "softmax"
  | "norm"
  | "sdpa"
  | "sdpa_decode"
  | "rotary"
  | "cache_update"
  | "embedding"
  | "permute"
  | "reshape"
  | "concat"
  | "slice"
  | "pad"
  | "repeat"
  | "gather"
  | "sort"
  | "heads"
  | "typecast"
  | "to_layout"
  | "reshard"
  | "host_transfer"
  | "creation"
  | "ccl"
  | "view"
  | "training"
  | "dit"
  | "free"
  | "opaque";

/**
 * Categories of tt-perf-report's summary: arithmetic, data movement between places, tensor manipulation, collectives
 * and host work.
 */
export type OpCategory = "Compute" | "DM" | "TM" | "CCL" | "Host" | "Other";

/** Kinds of work with their own published prediction error; keys of a device's `accuracy`. */
export type AccuracyGroup =
  | "matmul"
  | "convolution"
  | "eltwise"
  | "reduction"
  | "attention"
  | "dataMovement"
  | "reshard"
  | "collective";

/** Facts that hold for all ops of a cost class. */
export interface CostClassFacts {
  /** Category of tt-perf-report 1.4; by the kind of work if the report has none for the op. */
  readonly category: OpCategory;
  /** The class whose published error applies to its predictions. */
  readonly accuracy: AccuracyGroup;
  /** tt-metal's device operation as its profiler writes it; `undefined` where it is the op's own name. */
  readonly deviceOperation: string | undefined;
  /** Whether the ops run on the matrix engine at a math fidelity. */
  readonly matrixEngine: boolean;
  /** Whether the op does nothing but move one tensor from one layout to another. */
  readonly changesLayout: boolean;
}

function facts(
  category: OpCategory,
  accuracy: AccuracyGroup,
  deviceOperation?: string,
  special?: "matrix engine" | "layout change",
): CostClassFacts {
  return {
    category,
    accuracy,
    deviceOperation,
    matrixEngine: special === "matrix engine",
    changesLayout: special === "layout change",
  };
}

/** The facts of each cost class. */
export const COST_CLASSES: Readonly<Record<CostClass, CostClassFacts>> = {
  matmul: facts("Compute", "matmul", "MatmulDeviceOperation", "matrix engine"),
  sparse_matmul: facts("Compute", "matmul", "SparseMatmulDeviceOperation", "matrix engine"),
  conv2d: facts("Compute", "convolution", "Conv2dDeviceOperation", "matrix engine"),
  conv3d: facts("Compute", "convolution", "Conv3dDeviceOperation", "matrix engine"),
  pool: facts("Compute", "convolution", "Pool2D"),
  upsample: facts("Compute", "dataMovement", "UpsampleOperation"),
  eltwise_unary: facts("Compute", "eltwise", "UnaryDeviceOperation"),
  eltwise_binary: facts("Compute", "eltwise", "BinaryNgDeviceOperation"),
  eltwise_ternary: facts("TM", "eltwise", "TernaryDeviceOperation"),
  reduction: facts("Compute", "reduction", "ReduceDeviceOperation"),
  softmax: facts("Compute", "reduction", "SoftmaxDeviceOperation"),
  norm: facts("Compute", "reduction"),
  sdpa: facts("Compute", "attention", "SDPAOperation", "matrix engine"),
  sdpa_decode: facts("Compute", "attention", "SdpaDecodeDeviceOperation", "matrix engine"),
  rotary: facts("Compute", "attention"),
  cache_update: facts("DM", "dataMovement"),
  embedding: facts("Compute", "dataMovement", "EmbeddingsDeviceOperation"),
  permute: facts("TM", "dataMovement", "PermuteDeviceOperation"),
  reshape: facts("TM", "dataMovement", "ReshapeViewDeviceOperation"),
  concat: facts("TM", "dataMovement", "ConcatDeviceOperation"),
  slice: facts("TM", "dataMovement", "SliceDeviceOperation"),
  pad: facts("TM", "dataMovement", "PadDeviceOperation"),
  repeat: facts("TM", "dataMovement", "RepeatDeviceOperation"),
  gather: facts("DM", "dataMovement"),
  sort: facts("Compute", "reduction"),
  heads: facts("TM", "dataMovement"),
  typecast: facts("TM", "eltwise", "TypecastDeviceOperation"),
  to_layout: facts("TM", "reshard", undefined, "layout change"),
  reshard: facts("DM", "reshard", undefined, "layout change"),
  host_transfer: facts("Host", "dataMovement"),
  creation: facts("DM", "eltwise", "FullDeviceOperation"),
  ccl: facts("CCL", "collective"),
  view: facts("TM", "dataMovement"),
  training: facts("Compute", "reduction"),
  dit: facts("Compute", "matmul", undefined, "matrix engine"),
  free: facts("Other", "dataMovement"),
  opaque: facts("Other", "dataMovement"),
};
