// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { parseDataType } from "../layout/data_type.ts";
import { FIDELITY_NAMES, fidelityNamed } from "../op_config/math_fidelity.ts";
import {
  COMPUTE_KERNEL_CONFIG,
  type ComputeKernelConfig,
  CONV2D_CONFIG,
  type Conv2dConfig,
  type Conv2dSliceConfig,
  CONV3D_CONFIG,
  type Conv3dConfig,
  type MatmulProgramConfig,
  OP_CONFIGS,
  type OpSpecificAttributes,
} from "../op_config/op_config.ts";
import type { Struct } from "../op_config/struct.ts";
import { coordinate, CORE_RANGE_SET, unary, type UnaryWithParam } from "../op_config/value_kinds.ts";
import { dtypeText } from "./call_site.ts";
import type { Constants } from "./constants.ts";
import { type Keywords, pythonBool, pythonCall, pythonFloat, type PythonText } from "./python_text.ts";

/** A unary function with its parameters. */
export function unaryText({ opType, params }: UnaryWithParam): PythonText {
  return pythonCall("ttnn.UnaryWithParam", [
    `ttnn.UnaryOpType.${opType.toUpperCase()}`,
    ...params.slice(0, 1).map(pythonFloat),
  ]);
}

const SLICES: Readonly<Record<string, string>> = {
  l1_full: "Conv2dL1Full",
  dram_height: "Conv2dDRAMSliceHeight",
  dram_width: "Conv2dDRAMSliceWidth",
};

/** Words of a field, spelled in Python. */
const WORDS: Readonly<Record<string, (word: string) => PythonText | undefined>> = {
  math_fidelity: (word) => {
    const fidelity = fidelityNamed(word);
    return fidelity && `ttnn.MathFidelity.${FIDELITY_NAMES[fidelity]}`;
  },
  weights_dtype: (word) => {
    const dataType = parseDataType(word);
    return dataType && dtypeText(dataType);
  },
  shard_layout: (word) => `ttnn.TensorMemoryLayout.${word.toUpperCase()}`,
  output_layout: (word) => `ttnn.${word.toUpperCase()}_LAYOUT`,
  slice_type: (word) => `ttnn.${SLICES[word]}`,
};

/** Fields with another case in Python than in TTNN IR. */
const CASED: ReadonlyMap<string, string> = new Map(
  ["per_core_M", "per_core_N", "T_out_block", "W_out_block", "H_out_block", "C_out_block", "C_in_block"]
    .map((name) => [name.toLowerCase(), name]),
);

/** Flags that Python says even where they are false; ttnn's default of the others is false. */
const SAID_IF_FALSE: ReadonlySet<string> = new Set([
  "math_approx_mode",
  "reallocate_halo_output",
  "enable_kernel_stride_folding",
  "transpose_mcast",
  "fuse_batch",
  "mcast_in0",
  "inplace",
  "exp_approx_mode",
]);

/** Numbers that are ttnn's default, so that Python leaves them out. */
const DEFAULTS: Readonly<Record<string, number>> = { act_block_h_override: 0, act_block_w_div: 1 };

const [COORDINATE, FUNCTION] = [coordinate(""), unary("")];

/** The value of a field; `undefined` where Python does not say it. */
function valueText(constants: Constants, name: string, value: unknown): PythonText | number | undefined {
  if (typeof value === "boolean") return value || SAID_IF_FALSE.has(name) ? pythonBool(value) : undefined;
  if (typeof value === "number") return value === DEFAULTS[name] ? undefined : value;
  if (typeof value === "string") return WORDS[name]?.(value);
  const point = v.safeParse(COORDINATE.schema, value);
  if (point.success) return `ttnn.CoreCoord(${point.output.join(", ")})`;
  const applied = v.safeParse(FUNCTION.schema, value);
  if (applied.success) return unaryText(applied.output);
  const cores = v.safeParse(CORE_RANGE_SET.schema, value);
  return cores.success ? constants.cores(cores.output) : undefined;
}

/** A config as its class in Python, with the fields of its structs in TTNN IR. A fused activation stands last. */
function configText(
  constants: Constants,
  type: string,
  structs: readonly Struct<unknown>[],
  config: object,
): PythonText {
  const values: ReadonlyMap<string, unknown> = new Map(Object.entries(config));
  const { fused_activation, ...keywords }: Keywords = Object.fromEntries(
    structs.flatMap(({ fields }) => Object.entries(fields)).map(([key, { name }]) => [
      CASED.get(name) ?? name,
      valueText(constants, name, values.get(key)),
    ]),
  );
  return pythonCall(`ttnn.${type}`, [], { ...keywords, fused_activation });
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
  const words = [
    config.mathFidelity?.toUpperCase() ?? "COMPUTE",
    ...(config.fp32DestAccEn === true ? ["FP32"] : []),
    ...(config.packerL1Acc === true ? ["L1_ACC"] : []),
  ];
  const text = configText(constants, "WormholeComputeKernelConfig", [COMPUTE_KERNEL_CONFIG], config);
  return constants.name("compute", words.join("_"), text);
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
  const named = (name: string, type: string, values: object, structs: readonly Struct<unknown>[]) =>
    constants.name("program", name, configText(constants, type, structs, values));
  switch (config?.kind) {
    case "matmul": {
      const program = config.programConfig;
      if (program === undefined) return undefined;
      const [name, type] = MATMUL_CLASSES[program.kind];
      const { structs } = OP_CONFIGS.matmul.programConfig;
      return named(
        `${name}_${program.perCoreM}x${program.perCoreN}`,
        type,
        saidOf(program),
        structs.filter(({ tag }) => tag.kind === program.kind),
      );
    }
    case "norm": {
      const program = config.programConfig;
      const { structs } = OP_CONFIGS.norm.programConfig;
      return program && named(
        `NORM_${program.blockH}x${program.blockW}`,
        "LayerNormShardedMultiCoreProgramConfig",
        program,
        structs,
      );
    }
    case "sdpa": {
      const { structs } = OP_CONFIGS.sdpa.programConfig;
      return config.programConfig && named("ATTENTION", "SDPAProgramConfig", config.programConfig, structs);
    }
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

/** A program config without the fields that have ttnn's default beside the others. */
function saidOf(config: MatmulProgramConfig): object {
  if (!("outBlockH" in config)) return config;
  const said = {
    ...config,
    outBlockH: config.outBlockH === config.perCoreM ? undefined : config.outBlockH,
    outBlockW: config.outBlockW === config.perCoreN ? undefined : config.outBlockW,
  };
  if (config.kind === "matmul_multi_core_reuse_multi_cast") {
    return { ...said, fuseBatch: config.fuseBatch ? undefined : false };
  }
  return config.gatherIn0 ? said : { ...said, hopCores: undefined, numGlobalCbReceivers: undefined };
}

/** The name of a conv2d config; without one ttnn's defaults, as tt-mlir's runtime passes them. */
export function conv2dConfigName(constants: Constants, config: Conv2dConfig = {}): string {
  const words = ["CONV", config.shardLayout?.replace("_sharded", ""), config.activation?.opType];
  return constants.name(
    "program",
    words.flatMap((word) => word?.toUpperCase() ?? []).join("_"),
    configText(constants, "Conv2dConfig", [CONV2D_CONFIG], config),
  );
}

/** The name of a slice config; `undefined` without one. */
export function conv2dSliceName(
  constants: Constants,
  config: Conv2dSliceConfig | undefined,
): string | undefined {
  if (config === undefined) return undefined;
  const { sliceType } = config;
  return constants.name(
    "program",
    sliceType === "l1_full" ? "IN_L1" : `SLICED_${sliceType.replace("dram_", "").toUpperCase()}`,
    configText(constants, "Conv2dSliceConfig", OP_CONFIGS.conv2d.sliceConfig.structs, config),
  );
}

/** The name of a conv3d config; without one ttnn's defaults. */
export function conv3dConfigName(constants: Constants, config: Conv3dConfig = {}): string {
  return constants.name("program", "CONV_3D", configText(constants, "Conv3dConfig", [CONV3D_CONFIG], config));
}
