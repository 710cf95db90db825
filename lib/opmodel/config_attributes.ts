// SPDX-License-Identifier: Apache-2.0
import type { Attribute, AttributeMap } from "../ir/attribute.ts";
import type { DataType } from "../layout/data_type.ts";
import type { TensorMemoryLayout } from "../layout/ttnn_layout.ts";
import type {
  ComputeKernelConfig,
  Conv2dConfig,
  Conv2dSliceConfig,
  Conv3dConfig,
  MathFidelity,
  MatmulProgramConfig,
  NormProgramConfig,
  SdpaProgramConfig,
  UnaryWithParam,
} from "./op_config.ts";
import { parseStructBody, type StructBody } from "./struct_body.ts";

const FIDELITIES: readonly MathFidelity[] = ["lofi", "hifi2", "hifi3", "hifi4"];
const MEMORY_LAYOUTS: readonly TensorMemoryLayout[] = [
  "interleaved",
  "height_sharded",
  "width_sharded",
  "block_sharded",
  "nd_sharded",
];
const DATA_TYPES: readonly DataType[] = [
  "f32",
  "f16",
  "bf16",
  "bfp_f8",
  "bfp_bf8",
  "bfp_f4",
  "bfp_bf4",
  "bfp_f2",
  "bfp_bf2",
  "u32",
  "u16",
  "u8",
  "si32",
  "i1",
];

/** The compute kernel config that an op carries, under any of its names. */
export function readComputeConfig(attributes: AttributeMap): ComputeKernelConfig | undefined {
  const body = structOf(attributes.get("compute_config") ?? attributes.get("compute_kernel_config"));
  if (body === undefined) return undefined;
  return compact<ComputeKernelConfig>({
    mathFidelity: body.oneOf("math_fidelity", FIDELITIES),
    mathApproxMode: body.bool("math_approx_mode"),
    fp32DestAccEn: body.bool("fp32_dest_acc_en"),
    packerL1Acc: body.bool("packer_l1_acc"),
    dstFullSyncEn: body.bool("dst_full_sync_en"),
  });
}

/** The matmul program config that an op carries. */
export function readMatmulConfig(attributes: AttributeMap): MatmulProgramConfig | undefined {
  const attribute = attributes.get("matmul_program_config") ?? attributes.get("program_config");
  if (attribute?.kind !== "dialect") return undefined;
  const body = parseStructBody(attribute.body);
  const common = {
    in0BlockW: body.integer("in0_block_w") ?? 0,
    perCoreM: body.integer("per_core_m") ?? 0,
    perCoreN: body.integer("per_core_n") ?? 0,
  };
  const grid = body.pair("compute_with_storage_grid_size") ?? [0, 0];
  const subblocks = {
    outSubblockH: body.integer("out_subblock_h") ?? 0,
    outSubblockW: body.integer("out_subblock_w") ?? 0,
  };
  const blocks = {
    outBlockH: body.integer("out_block_h") ?? 0,
    outBlockW: body.integer("out_block_w") ?? 0,
  };
  const activation = unaryOf(body.struct("fused_activation"));
  const fused = activation === undefined ? {} : { fusedActivation: activation };
  switch (attribute.mnemonic) {
    case "matmul_multi_core_reuse_program_config":
      return { kind: "matmul_multi_core_reuse", computeWithStorageGridSize: grid, ...common, ...subblocks };
    case "matmul_multi_core_reuse_multi_cast_program_config":
      return {
        kind: "matmul_multi_core_reuse_multi_cast",
        computeWithStorageGridSize: grid,
        ...common,
        ...subblocks,
        ...blocks,
        transposeMcast: body.bool("transpose_mcast") ?? false,
        fuseBatch: body.bool("fuse_batch") ?? true,
        ...fused,
      };
    case "matmul_multi_core_reuse_multi_cast_1d_program_config":
      return {
        kind: "matmul_multi_core_reuse_multi_cast_1d",
        computeWithStorageGridSize: grid,
        ...common,
        ...subblocks,
        ...blocks,
        fuseBatch: body.bool("fuse_batch") ?? true,
        mcastIn0: body.bool("mcast_in0") ?? true,
        gatherIn0: body.bool("gather_in0") ?? false,
        hopCores: [],
        numGlobalCbReceivers: body.integer("num_global_cb_receivers") ?? 0,
        untilizeOut: body.bool("untilize_out") ?? false,
        ...fused,
      };
    case "matmul_multi_core_reuse_multi_cast_dram_sharded_program_config":
      return { kind: "matmul_multi_core_reuse_multi_cast_dram_sharded", ...common, ...fused };
    default:
      return undefined;
  }
}

/** The conv2d config that an op carries. */
export function readConv2dConfig(attributes: AttributeMap): Conv2dConfig | undefined {
  const body = structOf(attributes.get("conv2d_config"));
  if (body === undefined) return undefined;
  return compact<Conv2dConfig>({
    weightsDtype: body.oneOf("weights_dtype", DATA_TYPES),
    activation: unaryOf(body.struct("activation")),
    deallocateActivation: body.bool("deallocate_activation"),
    reallocateHaloOutput: body.bool("reallocate_halo_output"),
    actBlockHOverride: body.integer("act_block_h_override"),
    actBlockWDiv: body.integer("act_block_w_div"),
    reshardIfNotOptimal: body.bool("reshard_if_not_optimal"),
    overrideShardingConfig: body.bool("override_sharding_config"),
    shardLayout: body.oneOf("shard_layout", MEMORY_LAYOUTS),
    transposeShards: body.bool("transpose_shards"),
    outputLayout: body.oneOf("output_layout", ["tile", "row_major"]),
    enableActDoubleBuffer: body.bool("enable_act_double_buffer"),
    enableWeightsDoubleBuffer: body.bool("enable_weights_double_buffer"),
    inPlace: body.bool("in_place"),
    enableKernelStrideFolding: body.bool("enable_kernel_stride_folding"),
    configTensorsInDram: body.bool("config_tensors_in_dram"),
  });
}

/** The conv2d slice config that an op carries. */
export function readConv2dSliceConfig(attributes: AttributeMap): Conv2dSliceConfig | undefined {
  const attribute = attributes.get("conv2d_slice_config");
  if (attribute?.kind !== "dialect") return undefined;
  const [type, count] = attribute.body.split(",").map((part) => part.trim());
  const sliceType = type?.replace("slice_type = ", "").replace(/^<(.*)>$/, "$1");
  if (sliceType !== "dram_height" && sliceType !== "dram_width" && sliceType !== "l1_full") return undefined;
  const numSlices = Number(count?.replace("num_slices = ", "") ?? 0);
  return { sliceType, numSlices: Number.isInteger(numSlices) ? numSlices : 0 };
}

/** The conv3d config that an op carries. */
export function readConv3dConfig(attributes: AttributeMap): Conv3dConfig | undefined {
  const body = structOf(attributes.get("conv3d_config"));
  if (body === undefined) return undefined;
  return compact<Conv3dConfig>({
    weightsDtype: body.oneOf("weights_dtype", DATA_TYPES),
    tOutBlock: body.integer("t_out_block"),
    wOutBlock: body.integer("w_out_block"),
    hOutBlock: body.integer("h_out_block"),
    cOutBlock: body.integer("c_out_block"),
    cInBlock: body.integer("c_in_block"),
    computeWithStorageGridSize: body.pair("compute_with_storage_grid_size"),
  });
}

/** The sharded softmax or layer-norm program config that an op carries. */
export function readNormConfig(attributes: AttributeMap): NormProgramConfig | undefined {
  const body = structOf(attributes.get("program_config"));
  const grid = body?.pair("compute_with_storage_grid_size");
  if (body === undefined || grid === undefined) return undefined;
  return {
    computeWithStorageGridSize: grid,
    subblockW: body.integer("subblock_w") ?? 0,
    blockH: body.integer("block_h") ?? 0,
    blockW: body.integer("block_w") ?? 0,
    inplace: body.bool("inplace") ?? false,
  };
}

/** The attention program config that an op carries. */
export function readSdpaConfig(attributes: AttributeMap): SdpaProgramConfig | undefined {
  const body = structOf(attributes.get("program_config"));
  const grid = body?.pair("compute_with_storage_grid_size");
  const qChunkSize = body?.integer("q_chunk_size");
  const kChunkSize = body?.integer("k_chunk_size");
  if (body === undefined || grid === undefined || qChunkSize === undefined || kChunkSize === undefined) {
    return undefined;
  }
  const expApproxMode = body.bool("exp_approx_mode");
  return {
    computeWithStorageGridSize: grid,
    qChunkSize,
    kChunkSize,
    ...(expApproxMode === undefined ? {} : { expApproxMode }),
  };
}

/** The attribute as a struct of named fields. */
function structOf(attribute: Attribute | undefined): StructBody | undefined {
  return attribute?.kind === "dialect" ? parseStructBody(attribute.body) : undefined;
}

function unaryOf(body: StructBody | undefined): UnaryWithParam | undefined {
  const opType = body?.text("op_type");
  if (body === undefined || opType === undefined) return undefined;
  return { opType, params: body.numbers("params") ?? [] };
}

/** Drops fields that are `undefined`, as `exactOptionalPropertyTypes` wants it. */
function compact<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  const kept: Partial<T> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
