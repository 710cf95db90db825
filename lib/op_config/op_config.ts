// SPDX-License-Identifier: Apache-2.0

/**
 * The op configs: what each holds, and beside it how every field is spelled, in print order
 * (tt-mlir:config-attributes). Parsing, printing, the JSON of a plan, its JSON schema and the override options read the
 * tables; a field that is added or respelled, and a config of a new kind, is written here and nowhere else.
 *
 * @module
 */

import type { CoreRange } from "../layout/core_range.ts";
import type { DataType } from "../layout/data_type.ts";
import { TENSOR_MEMORY_LAYOUTS, type TensorMemoryLayout } from "../layout/ttnn_layout.ts";
import { FIDELITIES, type MathFidelity } from "./math_fidelity.ts";
import {
  backendOnly,
  type FieldTable,
  optional,
  positionalStruct,
  programConfig,
  required,
  type Slot,
  slot,
  type Slots,
  type Struct,
  struct,
} from "./struct.ts";
import {
  coordinate,
  CORE_RANGE_SET,
  DATA_TYPE,
  FLAG,
  GRID,
  integer,
  unary,
  UNARY_NAME,
  type UnaryWithParam,
  word,
} from "./value_kinds.ts";

/** `uint32_t`; 0 leaves the choice to the backend. */
const COUNT = integer(0, 2 ** 32 - 1);
/** `uint32_t` or `uint64_t` that tt-metal divides by. */
const EXTENT = integer(1);
const SHARDING = word(TENSOR_MEMORY_LAYOUTS);
const LONG_COORDINATE = coordinate("#ttnn.core_coord");
const COORDINATE = coordinate("");

/**
 * `#ttnn.device_compute_kernel_config`. Absent fields are those of TTNN's struct; an op without the config runs with
 * what the backend takes for it ({@linkcode computeConfigInUse}).
 */
export interface ComputeKernelConfig {
  /** Mantissa passes of the matrix engine, 1 (`lofi`) to 4 (`hifi4`). Times scale with it. */
  readonly mathFidelity?: MathFidelity;
  /** Approximate variants of vector functions. Kept and printed; no prediction depends on it. */
  readonly mathApproxMode?: boolean;
  /**
   * Accumulation in f32: halves the tiles of the destination register, and partial results take f32 tiles.
   */
  readonly fp32DestAccEn?: boolean;
  /** The packer adds up partial results in L1, in bf16, or in f32 together with `fp32DestAccEn`. */
  readonly packerL1Acc?: boolean;
  /**
   * The whole destination register for one phase instead of half of it. Kept and printed: ttnn 0.81.1 takes no larger
   * subblocks with it, and no prediction depends on it.
   */
  readonly dstFullSyncEn?: boolean;
}

const COMPUTE_KERNEL: FieldTable<ComputeKernelConfig> = {
  mathFidelity: optional("math_fidelity", word(FIDELITIES)),
  mathApproxMode: optional("math_approx_mode", FLAG),
  fp32DestAccEn: optional("fp32_dest_acc_en", FLAG),
  packerL1Acc: optional("packer_l1_acc", FLAG),
  dstFullSyncEn: optional("dst_full_sync_en", FLAG),
};

/** `#ttnn.device_compute_kernel_config`. */
export const COMPUTE_KERNEL_CONFIG: Struct<ComputeKernelConfig> = struct(
  "device_compute_kernel_config",
  COMPUTE_KERNEL,
);

/**
 * The four matmul program configs of TTNN. Counts are in tiles, grids are `[columns, rows]` (x, y).
 *
 * A is `M x K`, B is `K x N`. A core computes `perCoreM x perCoreN` of the output, in blocks of
 * `outBlockH x outBlockW`, each in subblocks of `outSubblockH x outSubblockW` that fill the destination register, taking
 * `in0BlockW` of K per step. Each divides the one before; `in0BlockW` divides K (tt-metal:matmul).
 *
 * - `fuseBatch`: the batch of A counts as rows of M.
 * - `transposeMcast`: M runs along x and N along y instead of the other way round.
 * - `mcastIn0`: A is multicast and N is spread over the cores; otherwise B is multicast and M is spread.
 * - `gatherIn0`: the ring variant of 1D, A circulates among the cores that hold it; `numGlobalCbReceivers` must then be
 *   1, and `hopCores` changes no prediction.
 * - `untilizeOut`: the result is written in rows.
 */
export type MatmulProgramConfig =
  | {
    readonly kind: "matmul_multi_core_reuse";
    readonly computeWithStorageGridSize: readonly [number, number];
    readonly in0BlockW: number;
    readonly outSubblockH: number;
    readonly outSubblockW: number;
    readonly perCoreM: number;
    readonly perCoreN: number;
  }
  | {
    readonly kind: "matmul_multi_core_reuse_multi_cast";
    readonly computeWithStorageGridSize: readonly [number, number];
    readonly in0BlockW: number;
    readonly outSubblockH: number;
    readonly outSubblockW: number;
    readonly outBlockH: number;
    readonly outBlockW: number;
    readonly perCoreM: number;
    readonly perCoreN: number;
    readonly transposeMcast: boolean;
    readonly fusedActivation?: UnaryWithParam;
    readonly fuseBatch: boolean;
  }
  | {
    readonly kind: "matmul_multi_core_reuse_multi_cast_1d";
    readonly computeWithStorageGridSize: readonly [number, number];
    readonly in0BlockW: number;
    readonly outSubblockH: number;
    readonly outSubblockW: number;
    readonly outBlockH: number;
    readonly outBlockW: number;
    readonly perCoreM: number;
    readonly perCoreN: number;
    readonly fuseBatch: boolean;
    readonly fusedActivation?: UnaryWithParam;
    readonly mcastIn0: boolean;
    readonly gatherIn0: boolean;
    readonly hopCores: readonly CoreRange[];
    readonly numGlobalCbReceivers: number;
    readonly untilizeOut: boolean;
  }
  | {
    readonly kind: "matmul_multi_core_reuse_multi_cast_dram_sharded";
    readonly in0BlockW: number;
    readonly perCoreM: number;
    readonly perCoreN: number;
    readonly fusedActivation?: UnaryWithParam;
    /** Cores that read each bank, 1 to 3, default one; more than one only on Blackhole (`ttnn:backend-0-81-1`). */
    readonly numWorkersPerDramBank?: number;
  };

const SUBBLOCK = {
  computeWithStorageGridSize: required("compute_with_storage_grid_size", LONG_COORDINATE),
  in0BlockW: required("in0_block_w", EXTENT),
  outSubblockH: required("out_subblock_h", EXTENT),
  outSubblockW: required("out_subblock_w", EXTENT),
};
const BLOCK = {
  ...SUBBLOCK,
  outBlockH: required("out_block_h", EXTENT),
  outBlockW: required("out_block_w", EXTENT),
};
const PER_CORE = {
  perCoreM: required("per_core_m", EXTENT),
  perCoreN: required("per_core_n", EXTENT),
};
const FUSED_ACTIVATION = optional("fused_activation", unary("#ttnn.unary_with_param"));
const FUSE_BATCH = required("fuse_batch", FLAG);

type MatmulFields<Kind extends MatmulProgramConfig["kind"]> = FieldTable<
  Omit<Extract<MatmulProgramConfig, { kind: Kind }>, "kind">
>;

const MATMUL_REUSE: MatmulFields<"matmul_multi_core_reuse"> = { ...SUBBLOCK, ...PER_CORE };

const MATMUL_MULTI_CAST: MatmulFields<"matmul_multi_core_reuse_multi_cast"> = {
  ...BLOCK,
  ...PER_CORE,
  transposeMcast: required("transpose_mcast", FLAG),
  fusedActivation: FUSED_ACTIVATION,
  fuseBatch: FUSE_BATCH,
};

const MATMUL_MULTI_CAST_1D: MatmulFields<"matmul_multi_core_reuse_multi_cast_1d"> = {
  ...BLOCK,
  ...PER_CORE,
  fuseBatch: FUSE_BATCH,
  fusedActivation: FUSED_ACTIVATION,
  mcastIn0: required("mcast_in0", FLAG),
  gatherIn0: required("gather_in0", FLAG),
  hopCores: required("hop_cores", CORE_RANGE_SET),
  numGlobalCbReceivers: required("num_global_cb_receivers", integer(0)),
  untilizeOut: required("untilize_out", FLAG),
};

const MATMUL_DRAM_SHARDED: MatmulFields<"matmul_multi_core_reuse_multi_cast_dram_sharded"> = {
  in0BlockW: SUBBLOCK.in0BlockW,
  ...PER_CORE,
  fusedActivation: FUSED_ACTIVATION,
  numWorkersPerDramBank: backendOnly("num_workers_per_dram_bank", EXTENT),
};

/** `#ttnn.conv2d_config`; absent fields mean the backend's default. */
export interface Conv2dConfig {
  /** Format of the prepared weights; the weight tensor's own when absent. */
  readonly weightsDtype?: DataType;
  /** Function applied to the result before it is written. */
  readonly activation?: UnaryWithParam;
  /** Frees an input in L1 once the halo is gathered or the matmul has run. Only for inputs without another reader. */
  readonly deallocateActivation?: boolean;
  /** Moves the halo output to close holes in L1, default true. */
  readonly reallocateHaloOutput?: boolean;
  /**
   * Rows (elements) of a core's activation block, a multiple of 32, as upper bound: the largest divisor of the core's
   * rows up to it is taken. 0 or absent takes all rows of the core.
   */
  readonly actBlockHOverride?: number;
  /** Width sharding: cuts the width of the activation block into so many parts, default 1. */
  readonly actBlockWDiv?: number;
  /** Lets the backend reshard a sharded input; for these and for slices refused without `shardLayout`. */
  readonly reshardIfNotOptimal?: boolean;
  /** Takes the cores from `coreGrid`. Kept and printed; its effect is not modelled. */
  readonly overrideShardingConfig?: boolean;
  /**
   * Sharding of the convolution: height, width or block; others are refused. Shards that the kernel can read stay as
   * they are without `reshardIfNotOptimal`. Absent, the backend chooses it for interleaved inputs.
   */
  readonly shardLayout?: TensorMemoryLayout;
  /** Cores for `overrideShardingConfig`: a line for height and width sharding, a rectangle for blocks. */
  readonly coreGrid?: readonly CoreRange[];
  /** Column-major order of block shards. Kept and printed; its effect is not modelled. */
  readonly transposeShards?: boolean;
  /**
   * Pages of the result, default `tile`; with `row_major` partial results take a circular buffer of their
   * own. A matmul, a linear and a single slice write tiles in any case.
   */
  readonly outputLayout?: "tile" | "row_major";
  /** Twice the circular buffer for activations, default one. */
  readonly enableActDoubleBuffer?: boolean;
  /**
   * Twice the circular buffer for weights, default one; height sharding in several blocks keeps one per
   * kernel row instead.
   */
  readonly enableWeightsDoubleBuffer?: boolean;
  /** The halo overwrites the input's buffer. Kept and printed; no prediction depends on it. */
  readonly inPlace?: boolean;
  /** Folds strides into channels; absent, the backend does so for some windows that tile the image. */
  readonly enableKernelStrideFolding?: boolean;
  /** Index tables in DRAM, read through a circular buffer, instead of in L1_SMALL; default false. */
  readonly configTensorsInDram?: boolean;
  /** Block sharding: the contracted extent in one step instead of one step per kernel row. */
  readonly fullInnerDim?: boolean;
  /** Height sharding: windows reuse the pixels of the one before. No prediction depends on it. */
  readonly enableActivationReuse?: boolean;
  /** Two readers of windows where the backend would take one. No prediction depends on it. */
  readonly forceSplitReader?: boolean;
  /** Block sharding: the result on cores of the memory config. No prediction depends on it. */
  readonly overrideOutputShardingConfig?: boolean;
}

const CONV2D: FieldTable<Conv2dConfig> = {
  weightsDtype: optional("weights_dtype", DATA_TYPE),
  activation: optional("activation", unary(""), [{ until: "g1", kind: UNARY_NAME }]),
  deallocateActivation: optional("deallocate_activation", FLAG),
  reallocateHaloOutput: optional("reallocate_halo_output", FLAG),
  actBlockHOverride: optional("act_block_h_override", COUNT),
  actBlockWDiv: optional("act_block_w_div", COUNT),
  reshardIfNotOptimal: optional("reshard_if_not_optimal", FLAG),
  overrideShardingConfig: optional("override_sharding_config", FLAG),
  shardLayout: optional("shard_layout", SHARDING),
  coreGrid: optional("core_grid", CORE_RANGE_SET),
  transposeShards: optional("transpose_shards", FLAG),
  outputLayout: optional("output_layout", word(["tile", "row_major"])),
  enableActDoubleBuffer: optional("enable_act_double_buffer", FLAG),
  enableWeightsDoubleBuffer: optional("enable_weights_double_buffer", FLAG),
  inPlace: optional("in_place", FLAG),
  enableKernelStrideFolding: optional("enable_kernel_stride_folding", FLAG),
  configTensorsInDram: optional("config_tensors_in_dram", FLAG),
  fullInnerDim: backendOnly("full_inner_dim", FLAG),
  enableActivationReuse: backendOnly("enable_activation_reuse", FLAG),
  forceSplitReader: backendOnly("force_split_reader", FLAG),
  overrideOutputShardingConfig: backendOnly("override_output_sharding_config", FLAG),
};

/**
 * Fields of a convolution's config that ttnn and TTNN had in 2024 and 2025 (tt-metal:conv2d). The format of the result
 * is read from its type, fidelity from the compute config, and readers are split as today's ttnn does.
 */
const DROPPED_CONV2D_FIELDS = [
  "math_fidelity",
  "dtype",
  "math_approx_mode_enabled",
  "fp32_dest_acc_enabled",
  "packer_l1_accum_enabled",
  "input_channels_alignment",
  "preprocess_weights_on_device",
  "always_preprocess_weights",
  "enable_split_reader",
  "enable_subblock_padding",
];

/** `#ttnn.conv2d_config`, which `--override-conv2d-config` reads too. */
export const CONV2D_CONFIG: Struct<Conv2dConfig> = struct("conv2d_config", CONV2D, DROPPED_CONV2D_FIELDS);

/** `#ttnn.conv2d_slice_config`. */
export interface Conv2dSliceConfig {
  /** Axis of the output that is cut so that slices stream through L1 from DRAM; `l1_full` does not cut. */
  readonly sliceType: "dram_height" | "dram_width" | "l1_full";
  /** Slices to cut into; 0 takes the fewest that fit. More than the axis allows are refused. */
  readonly numSlices: number;
}

const CONV2D_SLICE: FieldTable<Conv2dSliceConfig> = {
  sliceType: required("slice_type", word(["dram_height", "dram_width", "l1_full"])),
  numSlices: required("num_slices", COUNT),
};

/** `#ttnn.conv3d_config`; absent fields mean the backend's default. Block sizes in elements. */
export interface Conv3dConfig {
  /** Format of the prepared weights; the weight tensor's own when absent. */
  readonly weightsDtype?: DataType;
  /** Output frames per block; default 1. */
  readonly tOutBlock?: number;
  /** Output columns per block; default 1. */
  readonly wOutBlock?: number;
  /** Output rows per block; default 1. */
  readonly hOutBlock?: number;
  /** Output channels per block: a multiple of 32 that divides the padded channels; default 32. */
  readonly cOutBlock?: number;
  /** Input channels per block: a multiple of 16 that divides the channels; default 32. */
  readonly cInBlock?: number;
  /** Cores `[columns, rows]`; those of the chip by default. */
  readonly computeWithStorageGridSize?: readonly [number, number];
}

const CONV3D: FieldTable<Conv3dConfig> = {
  weightsDtype: optional("weights_dtype", DATA_TYPE),
  tOutBlock: optional("t_out_block", COUNT),
  wOutBlock: optional("w_out_block", COUNT),
  hOutBlock: optional("h_out_block", COUNT),
  cOutBlock: optional("c_out_block", COUNT),
  cInBlock: optional("c_in_block", COUNT),
  computeWithStorageGridSize: optional("compute_with_storage_grid_size", GRID),
};

/** `#ttnn.conv3d_config`, which `--override-conv3d-config` reads too. */
export const CONV3D_CONFIG: Struct<Conv3dConfig> = struct("conv3d_config", CONV3D);

/** Program configs of sharded softmax and layer norm. Counts are in tiles. */
export interface NormProgramConfig {
  /** Cores `[columns, rows]` that hold the shards' bounding box. */
  readonly computeWithStorageGridSize: readonly [number, number];
  /** Width of what is computed in the destination register at once; divides `blockW`. */
  readonly subblockW: number;
  /** Height of one core's shard. */
  readonly blockH: number;
  /** Width of one core's shard. */
  readonly blockW: number;
  /** The result overwrites the input's buffer. */
  readonly inplace: boolean;
}

const LAYER_NORM: FieldTable<NormProgramConfig> = {
  computeWithStorageGridSize: required("compute_with_storage_grid_size", COORDINATE),
  subblockW: required("subblock_w", EXTENT),
  blockH: required("block_h", EXTENT),
  blockW: required("block_w", EXTENT),
  inplace: required("inplace", FLAG),
};

/** `#ttnn.sdpa_program_config`. Chunk sizes in elements. */
export interface SdpaProgramConfig {
  /** Cores `[columns, rows]`. */
  readonly computeWithStorageGridSize: readonly [number, number];
  /** Cores to use among them. Kept and printed; no prediction depends on it. */
  readonly subCoreGrids?: readonly CoreRange[];
  /**
   * Rows of queries that one core works on at once: a multiple of 32 outside of decoding; 0 takes the default
   * 32.
   */
  readonly qChunkSize: number;
  /** Rows of keys and values per step, likewise; 0 lets decoding choose from the length of the cache. */
  readonly kChunkSize: number;
  /** Approximate exponential. Kept and printed; no prediction depends on it. */
  readonly expApproxMode?: boolean;
  /** Most cores that share one head of one batch in decoding, default 16. */
  readonly maxCoresPerHeadBatch?: number;
}

const SDPA: FieldTable<SdpaProgramConfig> = {
  computeWithStorageGridSize: required("compute_with_storage_grid_size", COORDINATE),
  subCoreGrids: optional("sub_core_grids", CORE_RANGE_SET),
  qChunkSize: required("q_chunk_size", integer(0)),
  kChunkSize: required("k_chunk_size", integer(0)),
  expApproxMode: optional("exp_approx_mode", FLAG),
  maxCoresPerHeadBatch: optional("max_cores_per_head_batch", COUNT),
};

/** Config of one op beside its output layout, as tt-mlir's `OpConfig::OpSpecificAttrs`, by op kind. */
export type OpSpecificAttributes =
  & { readonly computeConfig?: ComputeKernelConfig }
  & (
    | {
      readonly kind: "conv2d";
      readonly conv2dConfig?: Conv2dConfig;
      readonly sliceConfig?: Conv2dSliceConfig;
    }
    | { readonly kind: "conv3d"; readonly conv3dConfig?: Conv3dConfig }
    | { readonly kind: "matmul"; readonly programConfig?: MatmulProgramConfig }
    | { readonly kind: "norm"; readonly programConfig?: NormProgramConfig }
    | { readonly kind: "sdpa"; readonly programConfig?: SdpaProgramConfig }
  );

type SlotTable<Attributes> = {
  readonly [Key in Exclude<keyof Attributes, "kind">]-?: Slot<NonNullable<Attributes[Key]>>;
};

/** The slots of each kind of op. */
type OpConfigTable = {
  readonly [Kind in OpSpecificAttributes["kind"]]: SlotTable<Extract<OpSpecificAttributes, { kind: Kind }>>;
};

const COMPUTE_CONFIG = slot("compute_config", COMPUTE_KERNEL_CONFIG);
const SLICE_CONFIG = positionalStruct<Conv2dSliceConfig>("conv2d_slice_config", CONV2D_SLICE);

/** The slots of every kind of op config, in the order in which the properties print. */
export const OP_CONFIGS: OpConfigTable & Readonly<Record<string, Slots>> = {
  conv2d: {
    computeConfig: COMPUTE_CONFIG,
    conv2dConfig: slot(undefined, CONV2D_CONFIG),
    sliceConfig: slot("conv2d_slice_config", SLICE_CONFIG),
  },
  conv3d: { computeConfig: COMPUTE_CONFIG, conv3dConfig: slot(undefined, CONV3D_CONFIG) },
  matmul: {
    computeConfig: COMPUTE_CONFIG,
    programConfig: slot<MatmulProgramConfig>(
      undefined,
      programConfig("matmul_multi_core_reuse", MATMUL_REUSE),
      programConfig("matmul_multi_core_reuse_multi_cast", MATMUL_MULTI_CAST),
      programConfig("matmul_multi_core_reuse_multi_cast_1d", MATMUL_MULTI_CAST_1D),
      programConfig("matmul_multi_core_reuse_multi_cast_dram_sharded", MATMUL_DRAM_SHARDED),
    ),
  },
  norm: {
    computeConfig: COMPUTE_CONFIG,
    programConfig: slot(
      undefined,
      struct<NormProgramConfig>("layernorm_sharded_multicore_program_config", LAYER_NORM),
    ),
  },
  sdpa: {
    computeConfig: COMPUTE_CONFIG,
    programConfig: slot(undefined, struct<SdpaProgramConfig>("sdpa_program_config", SDPA)),
  },
};

/**
 * The kind of config that an op's definition names.
 *
 * @throws {RangeError} for a kind that has no table
 */
export function configKind(kind: string): OpSpecificAttributes["kind"] {
  for (const known of ["conv2d", "conv3d", "matmul", "norm", "sdpa"] as const) {
    if (known === kind) return known;
  }
  throw new RangeError(`Cannot read a config of kind ${kind}: no table says its fields`);
}
