// SPDX-License-Identifier: Apache-2.0
import { enumWord } from "../../dialect/attribute_values.ts";
import { parseMemoryConfig } from "../../dialect/memory_config.ts";
import { parseDataType } from "../../layout/data_type.ts";
import { CONV_3D_COMPUTE } from "../../op_config/default_compute_config.ts";
import { type CallSite, dtypeText } from "../call_site.ts";
import {
  computeConfigName,
  computeName,
  conv2dConfigName,
  conv2dSliceName,
  conv3dConfigName,
} from "../op_configs.ts";
import {
  type Keywords,
  pythonBool,
  pythonCall,
  pythonList,
  pythonString,
  type PythonText,
  trueOnly,
} from "../python_text.ts";
import { Unsayable } from "../unsayable.ts";
import { callsOf, type CallWriter, type CallWriters } from "../writers.ts";

/** A pool's top, left, bottom, right as ttnn's top, bottom, left, right; convolutions have that order (tt-mlir:window-padding). */
function poolEdges(padding: readonly number[]): PythonText {
  const [top, left, bottom, right] = padding;
  return pythonList(
    padding.length === 4 ? [top ?? 0, bottom ?? 0, left ?? 0, right ?? 0] : padding,
  );
}

function listOf(site: CallSite, key: string): PythonText {
  return pythonList(site.integers(key));
}

/** The window of a convolution, named: the ops that prepare its weights take the same. */
function convolutionWindow(site: CallSite): PythonText {
  const [rows = 0, columns = rows] = site.integers("kernel_size");
  const [inputs, outputs] = [site.integer("in_channels"), site.integer("out_channels")];
  const [stride, padding, dilation] = [
    site.integers("stride"),
    site.integers("padding"),
    site.integers("dilation"),
  ];
  const groups = site.integer("groups");
  const called = pythonCall("window", [
    site.integer("batch_size"),
    site.integer("input_height"),
    site.integer("input_width"),
    inputs,
    outputs,
    listOf(site, "kernel_size"),
  ], {
    stride: unlessAll(1, stride),
    padding: unlessAll(0, padding),
    dilation: unlessAll(1, dilation),
    groups: groups === 1 ? undefined : groups,
  });
  return `**${site.constants.name("window", `WINDOW_${rows}x${columns}_${inputs}_TO_${outputs}`, called)}`;
}

/** A list; nothing, where all of it is the default. */
function unlessAll(otherwise: number, values: readonly number[]): PythonText | undefined {
  return values.every((value) => value === otherwise) ? undefined : pythonList(values);
}

function withWindow(callee: string, keywords: Keywords, window: PythonText): PythonText {
  return `${pythonCall(callee, [], keywords).slice(0, -1)}, ${window})`;
}

function configNames(site: CallSite): Keywords {
  const config = site.config();
  return {
    conv_config: conv2dConfigName(
      site.constants,
      config?.kind === "conv2d" ? config.conv2dConfig : undefined,
    ),
    compute_config: computeName(site.constants, config),
  };
}

function sliceName(site: CallSite): string | undefined {
  const config = site.config();
  return conv2dSliceName(site.constants, config?.kind === "conv2d" ? config.sliceConfig : undefined);
}

const convolution: (callee: string) => CallWriter = (callee) => (site) => {
  const isTransposed = callee.includes("transpose");
  const window = convolutionWindow(site);
  site.attribute("dtype");
  return withWindow(callee, {
    input_tensor: site.operand(0),
    weight_tensor: site.operand(1),
    bias_tensor: site.optional(2),
    device: "device",
    dtype: site.dtype,
    output_padding: isTransposed ? listOf(site, "output_padding") : undefined,
    memory_config: site.memory,
    ...configNames(site),
    [isTransposed ? "dram_slice_config" : "slice_config"]: sliceName(site),
  }, window);
};

const convolutionAlongLine: CallWriter = (site) => {
  site.attribute("dtype");
  const names = "in_channels out_channels batch_size input_length kernel_size stride dilation groups".split(
    " ",
  );
  return pythonCall("ttnn.conv1d", [], {
    input_tensor: site.operand(0),
    weight_tensor: site.operand(1),
    bias_tensor: site.optional(2),
    device: "device",
    dtype: site.dtype,
    ...Object.fromEntries(names.map((name) => [name, site.integer(name)])),
    padding: listOf(site, "padding"),
    memory_config: site.memory,
    ...configNames(site),
    slice_config: sliceName(site),
  });
};

function formatOf(site: CallSite, key: string): PythonText | undefined {
  const word = enumWord(site.attribute(key));
  if (word === undefined) return undefined;
  const dataType = parseDataType(word);
  if (dataType === undefined) throw new Unsayable(`${key} = ${word}`);
  return dtypeText(dataType);
}

/** Weights or bias of a convolution as it takes them. */
const prepare: (callee: string) => CallWriter = (callee) => (site) => {
  const isTransposed = callee.includes("transpose");
  const isBias = callee.endsWith("bias");
  const window = convolutionWindow(site);
  const memory = parseMemoryConfig(site.text("input_memory_config") ?? "", site.alias);
  if (memory === undefined) throw new Unsayable("input_memory_config of another spelling");
  const weightsFormat = site.string("weights_format");
  // A bias is the same whatever is padded behind the window.
  if (isBias) site.attribute("output_padding");
  return withWindow(callee, {
    [isBias ? "bias_tensor" : "weight_tensor"]: site.operand(0),
    weights_format: isBias || weightsFormat === undefined ? undefined : pythonString(weightsFormat),
    has_bias: isBias ? undefined : pythonBool(site.flag("has_bias", false)),
    output_padding: isTransposed && !isBias ? listOf(site, "output_padding") : undefined,
    input_memory_config: site.constants.memory(memory),
    input_layout: enumWord(site.attribute("input_tensor_layout")) === "tile"
      ? "ttnn.TILE_LAYOUT"
      : "ttnn.ROW_MAJOR_LAYOUT",
    device: "device",
    input_dtype: formatOf(site, "input_dtype"),
    output_dtype: formatOf(site, "output_dtype"),
    ...configNames(site),
    [isTransposed ? "dram_slice_config" : "slice_config"]: sliceName(site),
  }, window);
};

function poolKeywords(site: CallSite): Keywords {
  return {
    batch_size: site.integer("batch_size"),
    input_h: site.integer("input_height"),
    input_w: site.integer("input_width"),
    channels: site.integer("channels"),
    kernel_size: listOf(site, "kernel_size"),
    stride: listOf(site, "stride"),
    padding: poolEdges(site.integers("padding")),
    ceil_mode: trueOnly(site.flag("ceil_mode", false)),
    memory_config: site.memory,
    reallocate_halo_output: site.flag("reallocate_halo_output", true) ? undefined : "False",
    // tt-mlir's runtime asks for rows even if the type declares tiles (tt-mlir:runtime-calls).
    output_layout: "ttnn.ROW_MAJOR_LAYOUT",
    config_tensor_in_dram: trueOnly(site.flag("config_tensors_in_dram", false)),
  };
}

/** Properties of pools from before 2026, whose values ttnn no longer takes. */
function readFormer(site: CallSite): void {
  for (const key of ["applied_shard_scheme", "in_place_halo"]) {
    if (site.has(key) && site.attribute(key)?.kind !== "bool") throw new Unsayable(key);
  }
}

const maxPool: CallWriter = (site) => {
  readFormer(site);
  const { ceil_mode, ...rest } = poolKeywords(site);
  return pythonCall("ttnn.max_pool2d", [site.operand(0)], {
    ...rest,
    dilation: listOf(site, "dilation"),
    ceil_mode,
    return_indices: site.results.length === 2 ? "True" : undefined,
  });
};

const avgPool: CallWriter = (site) => {
  readFormer(site);
  site.integersOr("dilation", undefined);
  return pythonCall("ttnn.avg_pool2d", [site.operand(0)], {
    ...poolKeywords(site),
    count_include_pad: pythonBool(site.flag("count_include_pad", true)),
  });
};

const conv3d: CallWriter = (site) => {
  const config = site.config();
  for (const key of ["batch_size", "in_channels", "input_depth", "input_height", "input_width", "dtype"]) {
    site.attribute(key);
  }
  return pythonCall("ttnn.experimental.conv3d", [], {
    input_tensor: site.operand(0),
    weight_tensor: site.operand(1),
    device: "device",
    bias_tensor: site.optional(2),
    config: conv3dConfigName(site.constants, config?.kind === "conv3d" ? config.conv3dConfig : undefined),
    dtype: site.dtype,
    output_channels: site.integer("out_channels"),
    kernel_size: listOf(site, "kernel_size"),
    stride: listOf(site, "stride"),
    padding: listOf(site, "padding"),
    dilation: "[1, 1, 1]",
    padding_mode: pythonString(site.string("padding_mode") ?? "zeros"),
    groups: site.integer("groups"),
    memory_config: site.memory,
    compute_kernel_config: computeConfigName(site.constants, config?.computeConfig ?? CONV_3D_COMPUTE),
  });
};

const prepareConv3d: CallWriter = (site) =>
  pythonCall("ttnn.experimental.prepare_conv3d_weights", [], {
    weight_tensor: site.operand(0),
    groups: site.integer("groups"),
    C_in_block: site.integer("c_in_block"),
    alignment: site.integer("alignment"),
    device: "device",
  });

/** Convolutions, what prepares their weights, and pools. */
export const WINDOW_CALLS: CallWriters = {
  ...callsOf("conv2d conv_transpose2d", convolution),
  conv1d: convolutionAlongLine,
  prepare_conv2d_weights: prepare("ttnn.prepare_conv_weights"),
  prepare_conv2d_bias: prepare("ttnn.prepare_conv_bias"),
  prepare_conv_transpose2d_weights: prepare("ttnn.prepare_conv_transpose2d_weights"),
  prepare_conv_transpose2d_bias: prepare("ttnn.prepare_conv_transpose2d_bias"),
  conv3d,
  prepare_conv3d_weights: prepareConv3d,
  max_pool2d: maxPool,
  max_pool2d_with_indices: maxPool,
  avg_pool2d: avgPool,
  ...callsOf("global_avg_pool2d", (callee) => (site) => {
    site.attribute("dtype");
    return pythonCall(callee, [site.operand(0)], { memory_config: site.memory });
  }),
};
