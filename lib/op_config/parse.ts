// SPDX-License-Identifier: Apache-2.0
import type { Attribute, AttributeMap } from "../ir/attribute.ts";
import { splitTopLevel } from "../ir/balanced.ts";
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
import { type AliasText, parseCoreRangeSet } from "../dialect/core_range_set.ts";
import { configKeys } from "./property_keys.ts";
import { setField, StructBody } from "../dialect/struct_body.ts";
import { isTensorMemoryLayout } from "../dialect/ttnn_layout.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const SAME: AliasText = (text) => text;

/**
 * The config that an op carries beside its layouts.
 *
 * @param attributes all attributes of the op
 * @param alias resolves aliases inside the configs
 * @returns `undefined` when the op's kind has none, or none of them stands there
 */
export function parseOpConfig(
  opName: string,
  attributes: AttributeMap,
  alias: AliasText = SAME,
): OpSpecificAttributes | undefined {
  const keys = configKeys(opName);
  if (keys === undefined) return undefined;
  const computeConfig = parseComputeConfig(attributes.get("compute_config"), alias);
  const compute = computeConfig === undefined ? {} : { computeConfig };
  const program = keys.program === undefined ? undefined : attributes.get(keys.program);
  if (program === undefined && computeConfig === undefined && !attributes.has("conv2d_slice_config")) {
    return undefined;
  }
  switch (keys.kind) {
    case "conv2d": {
      const conv2dConfig = parseConv2dConfig(program, alias);
      const sliceConfig = parseConv2dSliceConfig(attributes.get("conv2d_slice_config"));
      return {
        kind: "conv2d",
        ...(conv2dConfig === undefined ? {} : { conv2dConfig }),
        ...(sliceConfig === undefined ? {} : { sliceConfig }),
        ...compute,
      };
    }
    case "conv3d": {
      const conv3dConfig = parseConv3dConfig(program, alias);
      return { kind: "conv3d", ...(conv3dConfig === undefined ? {} : { conv3dConfig }), ...compute };
    }
    case "matmul": {
      const programConfig = parseMatmulProgramConfig(program, alias);
      return { kind: "matmul", ...(programConfig === undefined ? {} : { programConfig }), ...compute };
    }
    case "norm": {
      const programConfig = parseNormProgramConfig(program, alias);
      return { kind: "norm", ...(programConfig === undefined ? {} : { programConfig }), ...compute };
    }
    case "sdpa": {
      const programConfig = parseSdpaProgramConfig(program, alias);
      return { kind: "sdpa", ...(programConfig === undefined ? {} : { programConfig }), ...compute };
    }
  }
}

function bodyOf(
  attribute: Attribute | undefined,
  mnemonic: RegExp,
  alias: AliasText,
): StructBody | undefined {
  if (attribute?.kind !== "dialect" || !mnemonic.test(attribute.mnemonic)) return undefined;
  return new StructBody(attribute.body, alias);
}

/** Parses `#ttnn.device_compute_kernel_config`; `undefined` for anything else. */
function parseComputeConfig(
  attribute: Attribute | undefined,
  alias: AliasText = SAME,
): ComputeKernelConfig | undefined {
  const body = bodyOf(attribute, /^device_compute_kernel_config$/, alias);
  if (body === undefined) return undefined;
  const config: Mutable<ComputeKernelConfig> = {};
  const fidelity = body.word("math_fidelity")?.toLowerCase();
  if (fidelity === "lofi" || fidelity === "hifi2" || fidelity === "hifi3" || fidelity === "hifi4") {
    config.mathFidelity = fidelity;
  }
  setField(config, "mathApproxMode", body.bool("math_approx_mode"));
  setField(config, "fp32DestAccEn", body.bool("fp32_dest_acc_en"));
  setField(config, "packerL1Acc", body.bool("packer_l1_acc"));
  setField(config, "dstFullSyncEn", body.bool("dst_full_sync_en"));
  return config;
}

/** Parses `#ttnn.conv2d_config`; `undefined` for anything else. */
function parseConv2dConfig(
  attribute: Attribute | undefined,
  alias: AliasText = SAME,
): Conv2dConfig | undefined {
  const body = bodyOf(attribute, /^conv2d_config$/, alias);
  if (body === undefined) return undefined;
  const config: Mutable<Conv2dConfig> = {};
  setField(config, "weightsDtype", body.dataType("weights_dtype"));
  setField(config, "activation", parseActivation(body, "activation"));
  setField(config, "deallocateActivation", body.bool("deallocate_activation"));
  setField(config, "reallocateHaloOutput", body.bool("reallocate_halo_output"));
  setField(config, "actBlockHOverride", body.integer("act_block_h_override"));
  setField(config, "actBlockWDiv", body.integer("act_block_w_div"));
  setField(config, "reshardIfNotOptimal", body.bool("reshard_if_not_optimal"));
  setField(config, "overrideShardingConfig", body.bool("override_sharding_config"));
  const shardLayout = body.word("shard_layout");
  if (shardLayout !== undefined && isTensorMemoryLayout(shardLayout)) config.shardLayout = shardLayout;
  const coreGrid = body.text("core_grid");
  if (coreGrid !== undefined) setField(config, "coreGrid", parseCoreRangeSet(coreGrid, body.alias));
  setField(config, "transposeShards", body.bool("transpose_shards"));
  const outputLayout = body.word("output_layout");
  if (outputLayout === "tile" || outputLayout === "row_major") config.outputLayout = outputLayout;
  setField(config, "enableActDoubleBuffer", body.bool("enable_act_double_buffer"));
  setField(config, "enableWeightsDoubleBuffer", body.bool("enable_weights_double_buffer"));
  setField(config, "inPlace", body.bool("in_place"));
  setField(config, "enableKernelStrideFolding", body.bool("enable_kernel_stride_folding"));
  setField(config, "configTensorsInDram", body.bool("config_tensors_in_dram"));
  return config;
}

/** An activation as an attribute `<op_type = relu>` or, in text before mid 2025, as a string `"relu"`. */
function parseActivation(body: StructBody, key: string): UnaryWithParam | undefined {
  const nested = body.body(key);
  if (nested !== undefined) return parseUnaryBody(nested, body.alias);
  const name = /^"(\w+)"$/.exec(body.text(key) ?? "")?.[1];
  return name === undefined ? undefined : { opType: name, params: [] };
}

function parseUnaryBody(text: string, alias: AliasText): UnaryWithParam | undefined {
  const body = new StructBody(text, alias);
  const opType = body.word("op_type");
  if (opType === undefined) return undefined;
  const list = /^\[([^]*)\]$/.exec(body.text("params") ?? "")?.[1] ?? "";
  const params = splitTopLevel(list, ",").map((item) => Number(item.split(":")[0]));
  return params.every(Number.isFinite) ? { opType, params } : undefined;
}

/** Parses `#ttnn.conv2d_slice_config<l1_full, 0>`; `undefined` for anything else. */
function parseConv2dSliceConfig(attribute: Attribute | undefined): Conv2dSliceConfig | undefined {
  if (attribute?.kind !== "dialect" || attribute.mnemonic !== "conv2d_slice_config") return undefined;
  const parts = /^\s*(dram_height|dram_width|l1_full)\s*,\s*(\d+)\s*$/.exec(attribute.body);
  const sliceType = parts?.[1];
  if (sliceType !== "dram_height" && sliceType !== "dram_width" && sliceType !== "l1_full") return undefined;
  return { sliceType, numSlices: Number(parts?.[2]) };
}

/** Parses `#ttnn.conv3d_config`; `undefined` for anything else. */
function parseConv3dConfig(
  attribute: Attribute | undefined,
  alias: AliasText = SAME,
): Conv3dConfig | undefined {
  const body = bodyOf(attribute, /^conv3d_config$/, alias);
  if (body === undefined) return undefined;
  const config: Mutable<Conv3dConfig> = {};
  setField(config, "weightsDtype", body.dataType("weights_dtype"));
  setField(config, "tOutBlock", body.integer("t_out_block"));
  setField(config, "wOutBlock", body.integer("w_out_block"));
  setField(config, "hOutBlock", body.integer("h_out_block"));
  setField(config, "cOutBlock", body.integer("c_out_block"));
  setField(config, "cInBlock", body.integer("c_in_block"));
  setField(config, "computeWithStorageGridSize", body.grid("compute_with_storage_grid_size"));
  return config;
}

/** Parses one of the four `#ttnn.matmul_…_program_config`s; `undefined` for anything else. */
function parseMatmulProgramConfig(
  attribute: Attribute | undefined,
  alias: AliasText = SAME,
): MatmulProgramConfig | undefined {
  const body = bodyOf(attribute, /^matmul_multi_core_reuse\w*_program_config$/, alias);
  if (body === undefined || attribute?.kind !== "dialect") return undefined;
  const integer = (key: string) => body.integer(key) ?? 0;
  const fused = parseActivation(body, "fused_activation");
  const activation = fused === undefined ? {} : { fusedActivation: fused };
  const perCore = { perCoreM: integer("per_core_m"), perCoreN: integer("per_core_n") };
  const in0BlockW = integer("in0_block_w");
  const kind = attribute.mnemonic.replace(/_program_config$/, "");
  if (kind === "matmul_multi_core_reuse_multi_cast_dram_sharded") {
    return { kind, in0BlockW, ...perCore, ...activation };
  }
  const subblocks = {
    computeWithStorageGridSize: body.coordinate("compute_with_storage_grid_size") ?? [0, 0],
    in0BlockW,
    outSubblockH: integer("out_subblock_h"),
    outSubblockW: integer("out_subblock_w"),
    ...perCore,
  } as const;
  if (kind === "matmul_multi_core_reuse") return { kind, ...subblocks };
  const blocks = {
    ...subblocks,
    outBlockH: integer("out_block_h"),
    outBlockW: integer("out_block_w"),
    fuseBatch: body.bool("fuse_batch") ?? false,
    ...activation,
  };
  if (kind === "matmul_multi_core_reuse_multi_cast") {
    return { kind, ...blocks, transposeMcast: body.bool("transpose_mcast") ?? false };
  }
  if (kind !== "matmul_multi_core_reuse_multi_cast_1d") return undefined;
  return {
    kind,
    ...blocks,
    mcastIn0: body.bool("mcast_in0") ?? false,
    gatherIn0: body.bool("gather_in0") ?? false,
    hopCores: parseCoreRangeSet(body.text("hop_cores") ?? "<>", alias) ?? [],
    numGlobalCbReceivers: integer("num_global_cb_receivers"),
    untilizeOut: body.bool("untilize_out") ?? false,
  };
}

/** Parses the sharded program configs of layer norm and softmax; `undefined` for anything else. */
function parseNormProgramConfig(
  attribute: Attribute | undefined,
  alias: AliasText = SAME,
): NormProgramConfig | undefined {
  const body = bodyOf(attribute, /^(?:layernorm|softmax)_sharded_multi_?core_program_config$/, alias);
  const computeWithStorageGridSize = body?.coordinate("compute_with_storage_grid_size");
  if (body === undefined || computeWithStorageGridSize === undefined) return undefined;
  return {
    computeWithStorageGridSize,
    subblockW: body.integer("subblock_w") ?? 1,
    blockH: body.integer("block_h") ?? 1,
    blockW: body.integer("block_w") ?? 1,
    inplace: body.bool("inplace") ?? false,
  };
}

/** Parses `#ttnn.sdpa_program_config`; `undefined` for anything else. */
function parseSdpaProgramConfig(
  attribute: Attribute | undefined,
  alias: AliasText = SAME,
): SdpaProgramConfig | undefined {
  const body = bodyOf(attribute, /^sdpa_program_config$/, alias);
  const computeWithStorageGridSize = body?.coordinate("compute_with_storage_grid_size");
  if (body === undefined || computeWithStorageGridSize === undefined) return undefined;
  const expApproxMode = body.bool("exp_approx_mode");
  return {
    computeWithStorageGridSize,
    qChunkSize: body.integer("q_chunk_size") ?? 0,
    kChunkSize: body.integer("k_chunk_size") ?? 0,
    ...(expApproxMode === undefined ? {} : { expApproxMode }),
  };
}
