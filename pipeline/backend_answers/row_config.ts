// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "../../lib/ir/attribute.ts";
import { splitTopLevel } from "../../lib/ir/balanced.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import type {
  ComputeKernelConfig,
  Conv2dConfig,
  OpSpecificAttributes,
} from "../../lib/op_config/op_config.ts";

/** The meaning of a recorded query's positional arguments. */
export interface RowConfig {
  readonly attributes: ReadonlyMap<string, Attribute>;
  /** Element format of the result, if an argument names one. */
  readonly dataType: DataType | undefined;
  /** Shape of the result, if an argument names one. */
  readonly shape: readonly number[] | undefined;
  readonly config: OpSpecificAttributes | undefined;
}

/** Reads the arguments of a row; skips arguments that the op model does not use. */
export function readRowConfig(name: string, args: readonly unknown[]): RowConfig {
  const attributes = readArguments(name, args);
  const texts = args.filter((arg) => typeof arg === "string");
  return {
    attributes,
    dataType: texts.map(dataTypeIn).find((type) => type !== undefined),
    shape: shapeIn(args),
    config: name.startsWith("ttnn.conv") ? convConfig(texts.join(" ")) : undefined,
  };
}

/** A list of numbers, also one inside `{name: […]}` or `ShapeAttr([…])`. */
function listOf(value: unknown): readonly number[] | undefined {
  if (Array.isArray(value)) return value.every((element) => typeof element === "number") ? value : undefined;
  if (typeof value === "string") {
    const match = /^ShapeAttr\(\[([^\]]*)\]\)$/.exec(value);
    return match?.[1]?.split(",").map(Number);
  }
  if (typeof value === "object" && value !== null) {
    return Object.values(value).map(listOf).find((list) => list);
  }
  return undefined;
}

/**
 * The arguments of upstream's tests by op, per kind in their own order: numbers, lists (`[]`), booleans
 * (`?`). Arguments that are not listed are unused.
 */
const ARGUMENTS: readonly (readonly [ops: string, properties: string])[] = [
  ["sum mean max min", "dim_arg[]"],
  ["softmax", "dimension numericStable?"],
  ["argmax", "dim keep_dim?"],
  ["prod", "dim_arg"],
  ["cumsum cumprod moreh_cumsum sort concat scatter", "dim"],
  ["topk", "k dim"],
  ["reshape", "shape[]"],
  ["permute", "permutation[]"],
  ["transpose", "dim0 dim1"],
  ["slice_static", "begins[] ends[] step[]"],
  ["repeat", "repeat_dims[]"],
  ["repeat_interleave", "repeats dim"],
  ["scaled_dot_product_attention", "is_causal?"],
  ["pad", "padding[]"],
  ["matmul linear", "transpose_a? transpose_b?"],
  [
    "conv2d",
    "in_channels out_channels batch_size input_height input_width groups kernel_size[] stride[] padding[] dilation[]",
  ],
  [
    "conv_transpose2d",
    "in_channels out_channels batch_size input_height input_width groups kernel_size[] stride[] padding[] " +
    "output_padding[] dilation[]",
  ],
  ["conv1d", "in_channels out_channels batch_size input_length kernel_size stride dilation groups padding[]"],
  [
    "conv3d",
    "in_channels out_channels batch_size input_depth input_height input_width kernel_size[] stride[] padding[]",
  ],
  [
    "max_pool2d avg_pool2d max_pool2d_with_indices",
    "batch_size input_height input_width channels kernel_size[] stride[] padding[] dilation[]",
  ],
  ["upsample", "scale_factor"],
  ["split_query_key_value_and_split_heads", "num_heads transpose_key?"],
  ["nlp_concat_heads_decode", "num_heads"],
  ["gather", "dim"],
  ["quantize requantize dequantize", "axis"],
  ["group_norm", "num_groups epsilon"],
  ["nlp_create_qkv_heads_decode", "num_heads num_kv_heads"],
];

/**
 * Properties of an op from a test's arguments. Reductions keep their dimensions unless the test states
 * otherwise.
 */
function readArguments(name: string, args: readonly unknown[]): Map<string, Attribute> {
  const attributes = new Map<string, Attribute>([["keep_dim", { kind: "bool", value: true }]]);
  const properties = ARGUMENTS.find(([ops]) => ops.split(" ").includes(name.replace("ttnn.", "")))?.[1] ?? "";
  // Optional arguments that are left out are null.
  const left = args.filter((arg) => arg !== null).map(argumentAttribute);
  for (const property of properties.split(" ")) {
    const kind = property.endsWith("[]") ? "denseArray" : property.endsWith("?") ? "bool" : "number";
    const at = left.findIndex((attribute) =>
      kind === "number"
        ? attribute?.kind === "integer" || attribute?.kind === "float"
        : attribute?.kind === kind
    );
    const [attribute] = at < 0 ? [] : left.splice(at, 1);
    if (attribute !== undefined) attributes.set(property.replace(/\[\]|\?/, ""), attribute);
  }
  return attributes;
}

/** An argument of a test as an attribute; `undefined` for arguments of other kinds. */
function argumentAttribute(value: unknown): Attribute | undefined {
  if (typeof value === "boolean") return { kind: "bool", value };
  if (typeof value === "number") {
    return Number.isInteger(value)
      ? { kind: "integer", value: BigInt(value), type: undefined }
      : { kind: "float", value, type: undefined };
  }
  const values = listOf(value);
  return values === undefined ? undefined : { kind: "denseArray", elementType: "i64", values };
}

const DATA_TYPES: readonly (readonly [RegExp, DataType])[] = [
  [/\bFloat32\b/, "f32"],
  [/\bBFloat16\b/, "bf16"],
  [/\bUInt32\b/, "u32"],
  [/\bUInt16\b/, "u16"],
  [/\bUInt8\b/, "u8"],
  [/\bInt32\b/, "si32"],
  [/\bBFP_BFloat8\b/, "bfp_bf8"],
  [/\bBFP_BFloat4\b/, "bfp_bf4"],
];

function dataTypeIn(text: string): DataType | undefined {
  if (!/^(DataTypeAttr\()?\w+\)?$/.test(text)) return undefined;
  return DATA_TYPES.find(([pattern]) => pattern.test(text))?.[1];
}

function shapeIn(args: readonly unknown[]): readonly number[] | undefined {
  for (const arg of args) if (typeof arg === "string" && arg.startsWith("ShapeAttr(")) return listOf(arg);
  const first = args[0];
  return Array.isArray(first) ? listOf(first) : undefined;
}

/** Reads `Conv2dConfigAttr(…)`, `Conv3dConfigAttr(…)` and `DeviceComputeKernelConfigAttr(…)` of a test. */
function convConfig(text: string): OpSpecificAttributes | undefined {
  const compute = argumentsOf(text, "DeviceComputeKernelConfigAttr");
  const computeConfig: ComputeKernelConfig | undefined = compute === undefined ? undefined : {
    mathFidelity: compute[0] === "LoFi" ? "lofi" : "hifi4",
    fp32DestAccEn: isTrue(compute[2]),
    packerL1Acc: isTrue(compute[3]),
    dstFullSyncEn: isTrue(compute[4]),
  };
  const conv3d = argumentsOf(text, "Conv3dConfigAttr");
  if (conv3d !== undefined) {
    const [tOutBlock, wOutBlock, hOutBlock, cOutBlock, cInBlock] = conv3d.slice(1, 6).map(Number);
    return {
      kind: "conv3d",
      conv3dConfig: {
        ...(Number.isInteger(tOutBlock) ? { tOutBlock: Number(tOutBlock) } : {}),
        ...(Number.isInteger(wOutBlock) ? { wOutBlock: Number(wOutBlock) } : {}),
        ...(Number.isInteger(hOutBlock) ? { hOutBlock: Number(hOutBlock) } : {}),
        ...(Number.isInteger(cOutBlock) ? { cOutBlock: Number(cOutBlock) } : {}),
        ...(Number.isInteger(cInBlock) ? { cInBlock: Number(cInBlock) } : {}),
      },
    };
  }
  const conv2d = argumentsOf(text, "Conv2dConfigAttr");
  const full = /L1Full/.test(text);
  if (conv2d === undefined && computeConfig === undefined && !full) return undefined;
  return {
    kind: "conv2d",
    ...(conv2d === undefined ? {} : { conv2dConfig: conv2dConfigOf(conv2d) }),
    ...(computeConfig === undefined ? {} : { computeConfig }),
    ...(full ? { sliceConfig: { sliceType: "l1_full", numSlices: 0 } } : {}),
  };
}

function conv2dConfigOf(args: readonly string[]): Conv2dConfig {
  const flag = (index: number) => isTrue(args[index]);
  const height = Number(args[4]);
  return {
    deallocateActivation: flag(2),
    reallocateHaloOutput: flag(3),
    ...(Number.isInteger(height) ? { actBlockHOverride: height } : {}),
    reshardIfNotOptimal: flag(6),
    overrideShardingConfig: flag(7),
    transposeShards: flag(10),
    outputLayout: args[11] === "RowMajor" ? "row_major" : "tile",
    enableActDoubleBuffer: flag(12),
    enableWeightsDoubleBuffer: flag(13),
    inPlace: flag(14),
  };
}

/** Arguments of a call in a text, nested calls kept whole; the last one goes on to the end of the text. */
function argumentsOf(text: string, name: string): readonly string[] | undefined {
  const [, call] = text.split(`${name}(`);
  return call === undefined ? undefined : splitTopLevel(call, ",");
}

function isTrue(argument: string | undefined): boolean {
  return argument?.startsWith("BoolAttr(True)") ?? false;
}
