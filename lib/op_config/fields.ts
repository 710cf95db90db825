// SPDX-License-Identifier: Apache-2.0

/**
 * The op configs as tables, in print order (tt-mlir:config-attributes). Parsing, printing, the JSON of a plan, its JSON
 * schema and the override options read them; a field that is added or respelled is one row here.
 *
 * @module
 */

import { TENSOR_MEMORY_LAYOUTS } from "../layout/ttnn_layout.ts";
import type {
  ComputeKernelConfig,
  Conv2dConfig,
  Conv2dSliceConfig,
  Conv3dConfig,
  MatmulProgramConfig,
  NormProgramConfig,
  OpSpecificAttributes,
  SdpaProgramConfig,
} from "./op_config.ts";
import {
  type FieldTable,
  optional,
  positionalStruct,
  programConfig,
  required,
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
  word,
} from "./value_kinds.ts";

/** `uint32_t`; 0 leaves the choice to the backend. */
const COUNT = integer(0, 2 ** 32 - 1);
/** `uint32_t` or `uint64_t` that tt-metal divides by. */
const EXTENT = integer(1);
const SHARDING = word(TENSOR_MEMORY_LAYOUTS);
const LONG_COORDINATE = coordinate("#ttnn.core_coord");
const COORDINATE = coordinate("");

const COMPUTE_KERNEL: FieldTable<ComputeKernelConfig> = {
  mathFidelity: optional("math_fidelity", word(["lofi", "hifi2", "hifi3", "hifi4"])),
  mathApproxMode: optional("math_approx_mode", FLAG),
  fp32DestAccEn: optional("fp32_dest_acc_en", FLAG),
  packerL1Acc: optional("packer_l1_acc", FLAG),
  dstFullSyncEn: optional("dst_full_sync_en", FLAG),
};

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
};

const CONV2D_SLICE: FieldTable<Conv2dSliceConfig> = {
  sliceType: required("slice_type", word(["dram_height", "dram_width", "l1_full"])),
  numSlices: required("num_slices", COUNT),
};

const CONV3D: FieldTable<Conv3dConfig> = {
  weightsDtype: optional("weights_dtype", DATA_TYPE),
  tOutBlock: optional("t_out_block", COUNT),
  wOutBlock: optional("w_out_block", COUNT),
  hOutBlock: optional("h_out_block", COUNT),
  cOutBlock: optional("c_out_block", COUNT),
  cInBlock: optional("c_in_block", COUNT),
  computeWithStorageGridSize: optional("compute_with_storage_grid_size", GRID),
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
};

const LAYER_NORM: FieldTable<NormProgramConfig> = {
  computeWithStorageGridSize: required("compute_with_storage_grid_size", COORDINATE),
  subblockW: required("subblock_w", EXTENT),
  blockH: required("block_h", EXTENT),
  blockW: required("block_w", EXTENT),
  inplace: required("inplace", FLAG),
};

const SDPA: FieldTable<SdpaProgramConfig> = {
  computeWithStorageGridSize: required("compute_with_storage_grid_size", COORDINATE),
  subCoreGrids: optional("sub_core_grids", CORE_RANGE_SET),
  qChunkSize: required("q_chunk_size", integer(0)),
  kChunkSize: required("k_chunk_size", integer(0)),
  expApproxMode: optional("exp_approx_mode", FLAG),
  maxCoresPerHeadBatch: optional("max_cores_per_head_batch", COUNT),
};

/** `#ttnn.conv2d_config`, which `--override-conv2d-config` reads too. */
export const CONV2D_CONFIG: Struct<Conv2dConfig> = struct("conv2d_config", CONV2D);

/** `#ttnn.conv3d_config`, which `--override-conv3d-config` reads too. */
export const CONV3D_CONFIG: Struct<Conv3dConfig> = struct("conv3d_config", CONV3D);

/** One struct attribute of an op: the property that holds it, and the structs that may stand there. */
export interface Slot<out Config> {
  /** `undefined` is the program config, which ops carry under keys of their own. */
  readonly property: string | undefined;
  readonly structs: readonly Struct<Config>[];
}

/** Slots by their name in data. */
export type Slots = Readonly<Record<string, Slot<unknown>>>;

type SlotTable<Attributes> = {
  readonly [Key in Exclude<keyof Attributes, "kind">]-?: Slot<NonNullable<Attributes[Key]>>;
};

/** What an op of each kind carries. */
type OpConfigTable = {
  readonly [Kind in OpSpecificAttributes["kind"]]: SlotTable<Extract<OpSpecificAttributes, { kind: Kind }>>;
};

function slot<Config>(property: string | undefined, ...structs: readonly Struct<Config>[]): Slot<Config> {
  return { property, structs };
}

const COMPUTE_CONFIG = slot(
  "compute_config",
  struct<ComputeKernelConfig>("device_compute_kernel_config", COMPUTE_KERNEL),
);

/** The slots of every kind of op config, in the order in which the properties print. */
export const OP_CONFIGS: OpConfigTable & Readonly<Record<string, Slots>> = {
  conv2d: {
    computeConfig: COMPUTE_CONFIG,
    conv2dConfig: slot(undefined, CONV2D_CONFIG),
    sliceConfig: slot(
      "conv2d_slice_config",
      positionalStruct<Conv2dSliceConfig>("conv2d_slice_config", CONV2D_SLICE),
    ),
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
