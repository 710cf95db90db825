// SPDX-License-Identifier: Apache-2.0
import type { CoreRange } from "../layout/core_range.ts";
import type { DataType } from "../layout/data_type.ts";
import type { TensorMemoryLayout } from "../layout/ttnn_layout.ts";

/** Math fidelity of the matrix engine, as `ttnn.device_compute_kernel_config` spells it. */
export type MathFidelity = "lofi" | "hifi2" | "hifi3" | "hifi4";

/** `#ttnn.device_compute_kernel_config`; absent fields mean the backend's default. */
export interface ComputeKernelConfig {
  /** Mantissa passes of the matrix engine, 1 (`lofi`) to 4 (`hifi4`). Times scale with it; `hifi2` is priced when absent. */
  readonly mathFidelity?: MathFidelity;
  /** Approximate variants of vector functions. Kept and printed; no prediction depends on it. */
  readonly mathApproxMode?: boolean;
  /**
   * Accumulation in f32: halves the tiles of the destination register, and partial results take f32 tiles.
   */
  readonly fp32DestAccEn?: boolean;
  /** The packer adds up partial results in L1, in bf16, or in f32 together with `fp32DestAccEn`. */
  readonly packerL1Acc?: boolean;
  /** The whole destination register for one phase instead of half of it: twice the tiles per subblock. */
  readonly dstFullSyncEn?: boolean;
}

/** `#ttnn.unary_with_param`. */
export interface UnaryWithParam {
  /** Name as TTNN spells it, for example `relu` or `gelu`; not checked. */
  readonly opType: string;
  /** Numbers that the function takes, in its order; `[]` for most. */
  readonly params: readonly number[];
}

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
 * - `gatherIn0`, `hopCores`, `numGlobalCbReceivers`: the ring variant of 1D; no prediction depends on them.
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
  };

/** `#ttnn.conv2d_config`; absent fields mean the backend's default. */
export interface Conv2dConfig {
  /** Format of the prepared weights; the weight tensor's own when absent. */
  readonly weightsDtype?: DataType;
  /** Function applied to the result before it is written. */
  readonly activation?: UnaryWithParam;
  /**
   * Frees the input once the halo is gathered. Only for inputs without another reader; L1 is predicted as if
   * it stayed.
   */
  readonly deallocateActivation?: boolean;
  /** Moves the halo output to close holes in L1. Kept and printed; no prediction depends on it. */
  readonly reallocateHaloOutput?: boolean;
  /**
   * Rows (elements) of a core's activation block, a multiple of 32, as upper bound; 0 or absent takes all
   * rows of the core. Smaller divisors are taken where L1 is short.
   */
  readonly actBlockHOverride?: number;
  /** Cuts the width of the activation block into so many parts, default 1; no effect on height sharding. */
  readonly actBlockWDiv?: number;
  /** Lets the backend reshard a sharded input; refused without `shardLayout`. */
  readonly reshardIfNotOptimal?: boolean;
  /** Takes the cores from `coreGrid`; refused without `shardLayout` and `coreGrid`. */
  readonly overrideShardingConfig?: boolean;
  /** Sharding of the convolution: height, width or block; others are refused. Free when absent. */
  readonly shardLayout?: TensorMemoryLayout;
  /** Cores for `overrideShardingConfig`: a line for height and width sharding, a rectangle for blocks. */
  readonly coreGrid?: readonly CoreRange[];
  /** Column-major order of block shards. Kept and printed; no prediction depends on it. */
  readonly transposeShards?: boolean;
  /**
   * Pages of the result, default `tile`; with `row_major` partial results take a circular buffer of their
   * own.
   */
  readonly outputLayout?: "tile" | "row_major";
  /** Twice the circular buffer for activations, default one. */
  readonly enableActDoubleBuffer?: boolean;
  /**
   * Twice the circular buffer for weights, default one; height sharding in several blocks keeps one per
   * kernel row instead.
   */
  readonly enableWeightsDoubleBuffer?: boolean;
  /** The halo overwrites the input's buffer; predictions count half of its bytes. */
  readonly inPlace?: boolean;
  /** Folds strides into channels. Kept and printed; no prediction depends on it. */
  readonly enableKernelStrideFolding?: boolean;
  /** Index tables in DRAM instead of L1_SMALL. Kept and printed; no prediction depends on it. */
  readonly configTensorsInDram?: boolean;
}

/** `#ttnn.conv2d_slice_config`. */
export interface Conv2dSliceConfig {
  /** Axis of the output that is cut so that slices stream through L1 from DRAM; `l1_full` does not cut. */
  readonly sliceType: "dram_height" | "dram_width" | "l1_full";
  /**
   * Slices to cut into, 0 for automatic. Predictions take as many as it takes to fit, whatever stands here.
   */
  readonly numSlices: number;
}

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
  /** Input channels per block: a multiple of 16 that divides the padded channels; default 32. */
  readonly cInBlock?: number;
  /** Cores `[columns, rows]`. Kept and printed; no prediction depends on it. */
  readonly computeWithStorageGridSize?: readonly [number, number];
}

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
  /** Most cores that share one head of one batch. Kept and printed; no prediction depends on it. */
  readonly maxCoresPerHeadBatch?: number;
}

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
