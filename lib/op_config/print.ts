// SPDX-License-Identifier: Apache-2.0
import type {
  ComputeKernelConfig,
  Conv2dConfig,
  Conv2dSliceConfig,
  Conv3dConfig,
  MatmulProgramConfig,
  NormProgramConfig,
  OpSpecificAttributes,
  SdpaProgramConfig,
  UnaryWithParam,
} from "./op_config.ts";
import { coreRangeSetText } from "../dialect/core_range_set.ts";
import { configKeys } from "./property_keys.ts";
import type { PropertyText } from "../dialect/memory_op_properties.ts";

type Field = readonly [key: string, value: string | number | boolean | undefined];

/** `#ttnn.mnemonic<a = 1, b = true>`; fields without a value are left out. */
function struct(mnemonic: string, fields: readonly Field[]): string {
  const present = fields.filter(([, value]) => value !== undefined);
  return `#ttnn.${mnemonic}<${present.map(([key, value]) => `${key} = ${value}`).join(", ")}>`;
}

/**
 * The properties that spell an op's config, keys in print order.
 *
 * @returns nothing for ops that carry no config, and nothing for the parts that the op has no key for
 */
export function opConfigProperties(opName: string, config: OpSpecificAttributes): PropertyText[] {
  const keys = configKeys(opName);
  if (keys === undefined || keys.kind !== config.kind) return [];
  const properties: PropertyText[] = [];
  if (config.computeConfig !== undefined) {
    properties.push({ key: "compute_config", value: computeConfigText(config.computeConfig) });
  }
  const program = programText(config);
  if (keys.program !== undefined && program !== undefined) {
    properties.push({ key: keys.program, value: program });
  }
  if (config.kind === "conv2d" && config.sliceConfig !== undefined) {
    properties.push({ key: "conv2d_slice_config", value: conv2dSliceConfigText(config.sliceConfig) });
  }
  return properties;
}

function programText(config: OpSpecificAttributes): string | undefined {
  switch (config.kind) {
    case "conv2d":
      return config.conv2dConfig && conv2dConfigText(config.conv2dConfig);
    case "conv3d":
      return config.conv3dConfig && conv3dConfigText(config.conv3dConfig);
    case "matmul":
      return config.programConfig && matmulProgramConfigText(config.programConfig);
    case "norm":
      return config.programConfig && normProgramConfigText(config.programConfig);
    case "sdpa":
      return config.programConfig && sdpaProgramConfigText(config.programConfig);
  }
}

/** `#ttnn.device_compute_kernel_config<…>`. */
function computeConfigText(config: ComputeKernelConfig): string {
  return struct("device_compute_kernel_config", [
    ["math_fidelity", config.mathFidelity],
    ["math_approx_mode", config.mathApproxMode],
    ["fp32_dest_acc_en", config.fp32DestAccEn],
    ["packer_l1_acc", config.packerL1Acc],
    ["dst_full_sync_en", config.dstFullSyncEn],
  ]);
}

/** `#ttnn.conv2d_config<…>`. */
function conv2dConfigText(config: Conv2dConfig): string {
  return struct("conv2d_config", [
    ["weights_dtype", config.weightsDtype],
    ["activation", config.activation && `<${unaryBody(config.activation)}>`],
    ["deallocate_activation", config.deallocateActivation],
    ["reallocate_halo_output", config.reallocateHaloOutput],
    ["act_block_h_override", config.actBlockHOverride],
    ["act_block_w_div", config.actBlockWDiv],
    ["reshard_if_not_optimal", config.reshardIfNotOptimal],
    ["override_sharding_config", config.overrideShardingConfig],
    ["shard_layout", config.shardLayout],
    ["core_grid", config.coreGrid && `#ttnn.core_range_set${coreRangeSetText(config.coreGrid)}`],
    ["transpose_shards", config.transposeShards],
    ["output_layout", config.outputLayout],
    ["enable_act_double_buffer", config.enableActDoubleBuffer],
    ["enable_weights_double_buffer", config.enableWeightsDoubleBuffer],
    ["in_place", config.inPlace],
    ["enable_kernel_stride_folding", config.enableKernelStrideFolding],
    ["config_tensors_in_dram", config.configTensorsInDram],
  ]);
}

/** `#ttnn.conv2d_slice_config<l1_full, 0>`. */
function conv2dSliceConfigText(config: Conv2dSliceConfig): string {
  return `#ttnn.conv2d_slice_config<${config.sliceType}, ${config.numSlices}>`;
}

/** `#ttnn.conv3d_config<…>`. */
function conv3dConfigText(config: Conv3dConfig): string {
  const grid = config.computeWithStorageGridSize;
  return struct("conv3d_config", [
    ["weights_dtype", config.weightsDtype],
    ["t_out_block", config.tOutBlock],
    ["w_out_block", config.wOutBlock],
    ["h_out_block", config.hOutBlock],
    ["c_out_block", config.cOutBlock],
    ["c_in_block", config.cInBlock],
    ["compute_with_storage_grid_size", grid && `#ttcore.grid<${grid[1]}x${grid[0]}>`],
  ]);
}

/** `#ttnn.matmul_…_program_config<…>`. */
function matmulProgramConfigText(config: MatmulProgramConfig): string {
  const mnemonic = `${config.kind}_program_config`;
  const perCore: readonly Field[] = [["per_core_m", config.perCoreM], ["per_core_n", config.perCoreN]];
  if (config.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded") {
    return struct(mnemonic, [
      ["in0_block_w", config.in0BlockW],
      ...perCore,
      ["fused_activation", activationText(config.fusedActivation)],
    ]);
  }
  const [x, y] = config.computeWithStorageGridSize;
  const subblocks: readonly Field[] = [
    ["compute_with_storage_grid_size", `#ttnn.core_coord<${x}, ${y}>`],
    ["in0_block_w", config.in0BlockW],
    ["out_subblock_h", config.outSubblockH],
    ["out_subblock_w", config.outSubblockW],
  ];
  if (config.kind === "matmul_multi_core_reuse") return struct(mnemonic, [...subblocks, ...perCore]);
  const blocks: readonly Field[] = [
    ...subblocks,
    ["out_block_h", config.outBlockH],
    ["out_block_w", config.outBlockW],
    ...perCore,
  ];
  if (config.kind === "matmul_multi_core_reuse_multi_cast") {
    return struct(mnemonic, [
      ...blocks,
      ["transpose_mcast", config.transposeMcast],
      ["fused_activation", activationText(config.fusedActivation)],
      ["fuse_batch", config.fuseBatch],
    ]);
  }
  return struct(mnemonic, [
    ...blocks,
    ["fuse_batch", config.fuseBatch],
    ["fused_activation", activationText(config.fusedActivation)],
    ["mcast_in0", config.mcastIn0],
    ["gather_in0", config.gatherIn0],
    ["hop_cores", `#ttnn.core_range_set${coreRangeSetText(config.hopCores)}`],
    ["num_global_cb_receivers", config.numGlobalCbReceivers],
    ["untilize_out", config.untilizeOut],
  ]);
}

/** `#ttnn.layernorm_sharded_multicore_program_config<…>`. */
function normProgramConfigText(config: NormProgramConfig): string {
  const [x, y] = config.computeWithStorageGridSize;
  return struct("layernorm_sharded_multicore_program_config", [
    ["compute_with_storage_grid_size", `<${x}, ${y}>`],
    ["subblock_w", config.subblockW],
    ["block_h", config.blockH],
    ["block_w", config.blockW],
    ["inplace", config.inplace],
  ]);
}

/** `#ttnn.sdpa_program_config<…>`. */
function sdpaProgramConfigText(config: SdpaProgramConfig): string {
  const [x, y] = config.computeWithStorageGridSize;
  return struct("sdpa_program_config", [
    ["compute_with_storage_grid_size", `<${x}, ${y}>`],
    ["q_chunk_size", config.qChunkSize],
    ["k_chunk_size", config.kChunkSize],
    ["exp_approx_mode", config.expApproxMode],
  ]);
}

function activationText(activation: UnaryWithParam | undefined): string | undefined {
  return activation && `#ttnn.unary_with_param<${unaryBody(activation)}>`;
}

function unaryBody(activation: UnaryWithParam): string {
  const params = activation.params.map((value) =>
    `${Number.isInteger(value) ? value.toFixed(1) : value} : f32`
  );
  return `op_type = ${activation.opType}${params.length === 0 ? "" : `, params = [${params.join(", ")}]`}`;
}
