// SPDX-License-Identifier: Apache-2.0
import { FIDELITY_NAMES } from "../op_config/math_fidelity.ts";
import type {
  ComputeKernelConfig,
  Conv2dConfig,
  Conv2dSliceConfig,
  Conv3dConfig,
  MatmulProgramConfig,
  NormProgramConfig,
  OpSpecificAttributes,
  SdpaProgramConfig,
} from "../op_config/op_config.ts";
import type { UnaryWithParam } from "../op_config/value_kinds.ts";
import { dtypeText } from "./call_site.ts";
import type { Constants } from "./constants.ts";
import {
  type Keywords,
  pythonBool,
  pythonCall,
  pythonFloat,
  type PythonText,
  trueOnly,
} from "./python_text.ts";

function flag(value: boolean | undefined): PythonText | undefined {
  return value === undefined ? undefined : pythonBool(value);
}

/** A number; nothing, where it is ttnn's default. */
function unless(otherwise: number, value: number | undefined): number | undefined {
  return value === otherwise ? undefined : value;
}

function coordinate([x, y]: readonly [number, number]): PythonText {
  return `ttnn.CoreCoord(${x}, ${y})`;
}

/** A unary function with its parameters. */
export function unaryText({ opType, params }: UnaryWithParam): PythonText {
  return pythonCall("ttnn.UnaryWithParam", [
    `ttnn.UnaryOpType.${opType.toUpperCase()}`,
    ...params.slice(0, 1).map(pythonFloat),
  ]);
}

/**
 * The name of a compute kernel config. tt-mlir's runtime uses this class for every chip; fields that the text lacks
 * get ttnn's defaults.
 */
export function computeConfigName(
  constants: Constants,
  config: ComputeKernelConfig | undefined,
): string | undefined {
  if (config === undefined) return undefined;
  const { mathFidelity, mathApproxMode, fp32DestAccEn, packerL1Acc, dstFullSyncEn } = config;
  const words = [
    mathFidelity?.toUpperCase() ?? "COMPUTE",
    ...(fp32DestAccEn === true ? ["FP32"] : []),
    ...(packerL1Acc === true ? ["L1_ACC"] : []),
  ];
  return constants.name(
    "compute",
    words.join("_"),
    pythonCall("ttnn.WormholeComputeKernelConfig", [], {
      math_fidelity: mathFidelity === undefined
        ? undefined
        : `ttnn.MathFidelity.${FIDELITY_NAMES[mathFidelity]}`,
      math_approx_mode: flag(mathApproxMode),
      fp32_dest_acc_en: trueOnly(fp32DestAccEn),
      packer_l1_acc: trueOnly(packerL1Acc),
      dst_full_sync_en: trueOnly(dstFullSyncEn),
    }),
  );
}

/** The name of the compute config of an op; `undefined` where it leaves it to ttnn. */
export function computeName(
  constants: Constants,
  config: OpSpecificAttributes | undefined,
): string | undefined {
  return computeConfigName(constants, config?.computeConfig);
}

/** The name of the program config of an op; `undefined` where it has none. */
export function programName(
  constants: Constants,
  config: OpSpecificAttributes | undefined,
): string | undefined {
  switch (config?.kind) {
    case "matmul":
      return config.programConfig && matmulConfigName(constants, config.programConfig);
    case "norm":
      return config.programConfig && normConfigName(constants, config.programConfig);
    case "sdpa":
      return config.programConfig && sdpaConfigName(constants, config.programConfig);
    default:
      return undefined;
  }
}

const MATMUL_CLASSES: Readonly<Record<MatmulProgramConfig["kind"], readonly [name: string, type: string]>> = {
  matmul_multi_core_reuse: ["REUSE", "MatmulMultiCoreReuseProgramConfig"],
  matmul_multi_core_reuse_multi_cast: ["MATMUL_2D", "MatmulMultiCoreReuseMultiCastProgramConfig"],
  matmul_multi_core_reuse_multi_cast_1d: ["MATMUL_1D", "MatmulMultiCoreReuseMultiCast1DProgramConfig"],
  matmul_multi_core_reuse_multi_cast_dram_sharded: [
    "MATMUL_DRAM_SHARDED",
    "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig",
  ],
};

/** The name of a program config of a matmul. */
function matmulConfigName(constants: Constants, config: MatmulProgramConfig): string {
  const [name, type] = MATMUL_CLASSES[config.kind];
  const common: Keywords = { in0_block_w: config.in0BlockW };
  const perCore: Keywords = { per_core_M: config.perCoreM, per_core_N: config.perCoreN };
  const fused: Keywords = "fusedActivation" in config && config.fusedActivation !== undefined
    ? { fused_activation: unaryText(config.fusedActivation) }
    : {};
  return constants.name(
    "program",
    `${name}_${config.perCoreM}x${config.perCoreN}`,
    pythonCall(`ttnn.${type}`, [], { ...matmulFields(constants, config, common, perCore), ...fused }),
  );
}

function matmulFields(
  constants: Constants,
  config: MatmulProgramConfig,
  common: Keywords,
  perCore: Keywords,
): Keywords {
  if (config.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded") {
    const { numWorkersPerDramBank: readers } = config;
    return {
      ...common,
      ...perCore,
      ...(readers === undefined ? {} : { num_workers_per_dram_bank: readers }),
    };
  }
  const subblock: Keywords = {
    compute_with_storage_grid_size: coordinate(config.computeWithStorageGridSize),
    ...common,
    out_subblock_h: config.outSubblockH,
    out_subblock_w: config.outSubblockW,
  };
  if (config.kind === "matmul_multi_core_reuse") return { ...subblock, ...perCore };
  const block: Keywords = {
    ...subblock,
    out_block_h: unless(config.perCoreM, config.outBlockH),
    out_block_w: unless(config.perCoreN, config.outBlockW),
    ...perCore,
  };
  if (config.kind === "matmul_multi_core_reuse_multi_cast") {
    return {
      ...block,
      transpose_mcast: pythonBool(config.transposeMcast),
      fuse_batch: config.fuseBatch ? undefined : "False",
    };
  }
  const ring: Keywords = config.gatherIn0
    ? {
      gather_in0: "True",
      hop_cores: constants.cores(config.hopCores),
      num_global_cb_receivers: config.numGlobalCbReceivers,
    }
    : {};
  return {
    ...block,
    fuse_batch: pythonBool(config.fuseBatch),
    mcast_in0: pythonBool(config.mcastIn0),
    ...ring,
    untilize_out: trueOnly(config.untilizeOut),
  };
}

/** The name of a conv2d config; without one ttnn's defaults, as tt-mlir's runtime passes them. */
export function conv2dConfigName(constants: Constants, config: Conv2dConfig = {}): string {
  const { weightsDtype, activation, shardLayout, coreGrid, outputLayout } = config;
  const words = ["CONV", shardLayout?.replace("_sharded", ""), activation?.opType];
  return constants.name(
    "program",
    words.flatMap((word) => word?.toUpperCase() ?? []).join("_"),
    pythonCall("ttnn.Conv2dConfig", [], {
      weights_dtype: weightsDtype === undefined ? undefined : dtypeText(weightsDtype),
      activation: activation === undefined ? undefined : unaryText(activation),
      deallocate_activation: trueOnly(config.deallocateActivation),
      reallocate_halo_output: flag(config.reallocateHaloOutput),
      act_block_h_override: unless(0, config.actBlockHOverride),
      act_block_w_div: unless(1, config.actBlockWDiv),
      reshard_if_not_optimal: trueOnly(config.reshardIfNotOptimal),
      override_sharding_config: trueOnly(config.overrideShardingConfig),
      shard_layout: shardLayout === undefined
        ? undefined
        : `ttnn.TensorMemoryLayout.${shardLayout.toUpperCase()}`,
      core_grid: coreGrid === undefined ? undefined : constants.cores(coreGrid),
      transpose_shards: trueOnly(config.transposeShards),
      output_layout: outputLayout === undefined
        ? undefined
        : outputLayout === "tile"
        ? "ttnn.TILE_LAYOUT"
        : "ttnn.ROW_MAJOR_LAYOUT",
      enable_act_double_buffer: trueOnly(config.enableActDoubleBuffer),
      enable_weights_double_buffer: trueOnly(config.enableWeightsDoubleBuffer),
      in_place: trueOnly(config.inPlace),
      enable_kernel_stride_folding: flag(config.enableKernelStrideFolding),
      config_tensors_in_dram: trueOnly(config.configTensorsInDram),
      full_inner_dim: trueOnly(config.fullInnerDim),
      enable_activation_reuse: trueOnly(config.enableActivationReuse),
      force_split_reader: trueOnly(config.forceSplitReader),
      override_output_sharding_config: trueOnly(config.overrideOutputShardingConfig),
    }),
  );
}

const SLICES = {
  l1_full: "Conv2dL1Full",
  dram_height: "Conv2dDRAMSliceHeight",
  dram_width: "Conv2dDRAMSliceWidth",
} as const;

/** The name of a slice config; `undefined` without one. */
export function conv2dSliceName(
  constants: Constants,
  config: Conv2dSliceConfig | undefined,
): string | undefined {
  if (config === undefined) return undefined;
  return constants.name(
    "program",
    config.sliceType === "l1_full"
      ? "IN_L1"
      : `SLICED_${config.sliceType.replace("dram_", "").toUpperCase()}`,
    pythonCall("ttnn.Conv2dSliceConfig", [], {
      slice_type: `ttnn.${SLICES[config.sliceType]}`,
      num_slices: config.numSlices,
    }),
  );
}

/** The name of a conv3d config; without one ttnn's defaults. */
export function conv3dConfigName(constants: Constants, config: Conv3dConfig = {}): string {
  const { weightsDtype, computeWithStorageGridSize: grid } = config;
  return constants.name(
    "program",
    "CONV_3D",
    pythonCall("ttnn.Conv3dConfig", [], {
      weights_dtype: weightsDtype === undefined ? undefined : dtypeText(weightsDtype),
      T_out_block: config.tOutBlock,
      W_out_block: config.wOutBlock,
      H_out_block: config.hOutBlock,
      C_out_block: config.cOutBlock,
      C_in_block: config.cInBlock,
      compute_with_storage_grid_size: grid === undefined ? undefined : coordinate(grid),
    }),
  );
}

/** The name of a program config of a norm or softmax on shards. */
function normConfigName(constants: Constants, config: NormProgramConfig): string {
  return constants.name(
    "program",
    `NORM_${config.blockH}x${config.blockW}`,
    pythonCall("ttnn.LayerNormShardedMultiCoreProgramConfig", [], {
      compute_with_storage_grid_size: coordinate(config.computeWithStorageGridSize),
      subblock_w: config.subblockW,
      block_h: config.blockH,
      block_w: config.blockW,
      inplace: pythonBool(config.inplace),
    }),
  );
}

/** The name of a program config of attention. */
function sdpaConfigName(constants: Constants, config: SdpaProgramConfig): string {
  const { subCoreGrids } = config;
  return constants.name(
    "program",
    "ATTENTION",
    pythonCall("ttnn.SDPAProgramConfig", [], {
      compute_with_storage_grid_size: coordinate(config.computeWithStorageGridSize),
      sub_core_grids: subCoreGrids === undefined ? undefined : constants.cores(subCoreGrids),
      q_chunk_size: config.qChunkSize,
      k_chunk_size: config.kChunkSize,
      exp_approx_mode: flag(config.expApproxMode),
      max_cores_per_head_batch: config.maxCoresPerHeadBatch,
    }),
  );
}
