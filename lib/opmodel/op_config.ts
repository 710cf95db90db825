// SPDX-License-Identifier: Apache-2.0
import type { CoreRange } from "../layout/core_range.ts";
import type { DataType } from "../layout/data_type.ts";
import type { TensorMemoryLayout } from "../layout/ttnn_layout.ts";

/** Math fidelity of the matrix engine, as `ttnn.device_compute_kernel_config` spells it. */
export type MathFidelity = "lofi" | "hifi2" | "hifi3" | "hifi4";

/** `#ttnn.device_compute_kernel_config`; absent fields mean the backend's default. */
export interface ComputeKernelConfig {
  readonly mathFidelity?: MathFidelity;
  readonly mathApproxMode?: boolean;
  readonly fp32DestAccEn?: boolean;
  readonly packerL1Acc?: boolean;
  readonly dstFullSyncEn?: boolean;
}

/** `#ttnn.unary_with_param`. */
export interface UnaryWithParam {
  readonly opType: string;
  readonly params: readonly number[];
}

/** The four matmul program configs of TTNN. Counts are in tiles, grids are `[columns, rows]` (x, y). */
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
  readonly weightsDtype?: DataType;
  readonly activation?: UnaryWithParam;
  readonly deallocateActivation?: boolean;
  readonly reallocateHaloOutput?: boolean;
  readonly actBlockHOverride?: number;
  readonly actBlockWDiv?: number;
  readonly reshardIfNotOptimal?: boolean;
  readonly overrideShardingConfig?: boolean;
  readonly shardLayout?: TensorMemoryLayout;
  readonly coreGrid?: readonly CoreRange[];
  readonly transposeShards?: boolean;
  readonly outputLayout?: "tile" | "row_major";
  readonly enableActDoubleBuffer?: boolean;
  readonly enableWeightsDoubleBuffer?: boolean;
  readonly inPlace?: boolean;
  readonly enableKernelStrideFolding?: boolean;
  readonly configTensorsInDram?: boolean;
}

/** `#ttnn.conv2d_slice_config`. */
export interface Conv2dSliceConfig {
  readonly sliceType: "dram_height" | "dram_width" | "l1_full";
  readonly numSlices: number;
}

/** `#ttnn.conv3d_config`; absent fields mean the backend's default. Block sizes in elements. */
export interface Conv3dConfig {
  readonly weightsDtype?: DataType;
  readonly tOutBlock?: number;
  readonly wOutBlock?: number;
  readonly hOutBlock?: number;
  readonly cOutBlock?: number;
  readonly cInBlock?: number;
  readonly computeWithStorageGridSize?: readonly [number, number];
}

/** Program configs of sharded softmax and layer norm. Counts are in tiles. */
export interface NormProgramConfig {
  readonly computeWithStorageGridSize: readonly [number, number];
  readonly subblockW: number;
  readonly blockH: number;
  readonly blockW: number;
  readonly inplace: boolean;
}

/** `#ttnn.sdpa_program_config`. Chunk sizes in elements. */
export interface SdpaProgramConfig {
  readonly computeWithStorageGridSize: readonly [number, number];
  readonly qChunkSize: number;
  readonly kChunkSize: number;
  readonly expApproxMode?: boolean;
}

/** Config of one op beside its output layout, as tt-mlir's `OpConfig::OpSpecificAttrs`, by op kind. */
export type OpSpecificAttributes =
  | {
    readonly kind: "conv2d";
    readonly conv2dConfig?: Conv2dConfig;
    readonly sliceConfig?: Conv2dSliceConfig;
    readonly computeConfig?: ComputeKernelConfig;
  }
  | {
    readonly kind: "conv3d";
    readonly conv3dConfig?: Conv3dConfig;
    readonly computeConfig?: ComputeKernelConfig;
  }
  | {
    readonly kind: "matmul";
    readonly programConfig?: MatmulProgramConfig;
    readonly computeConfig?: ComputeKernelConfig;
  }
  | {
    readonly kind: "norm";
    readonly programConfig?: NormProgramConfig;
    readonly computeConfig?: ComputeKernelConfig;
  }
  | {
    readonly kind: "sdpa";
    readonly programConfig?: SdpaProgramConfig;
    readonly computeConfig?: ComputeKernelConfig;
  };
