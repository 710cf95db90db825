// SPDX-License-Identifier: Apache-2.0
import { enumWord } from "../../dialect/attribute_values.ts";
import { parseMemoryConfig } from "../../dialect/memory_config.ts";
import { parseDataType } from "../../layout/data_type.ts";
import { CONV_3D_COMPUTE } from "../../op_config/default_compute_config.ts";
import { type CallSite, dtypeText } from "../call_site.ts";
import { computeConfigName, conv2dConfigName, conv2dSliceName, conv3dConfigName } from "../op_configs.ts";
import { pythonList, type PythonText, Unsayable } from "../python_text.ts";
import { call, type CallArguments, type CallWriter, type CallWriters } from "../writers.ts";

/** A pool's top, left, bottom, right as ttnn's top, bottom, left, right; convolutions have that order (tt-mlir:window-padding). */
function poolEdges(padding: readonly number[]): PythonText {
  const [top, left, bottom, right] = padding;
  return pythonList(
    padding.length === 4 ? [top ?? 0, bottom ?? 0, left ?? 0, right ?? 0] : padding,
  );
}

/** A list; nothing, where all of it is the default. */
function unlessAll(otherwise: number, key: string): (site: CallSite) => PythonText | undefined {
  return (site) => {
    const values = site.integers(key);
    return values.every((value) => value === otherwise) ? undefined : pythonList(values);
  };
}

const WINDOW = call(
  "window batch_size:int input_height:int input_width:int in_channels:int out_channels:int kernel_size:ints =stride " +
    "=padding =dilation =groups",
  {
    stride: unlessAll(1, "stride"),
    padding: unlessAll(0, "padding"),
    dilation: unlessAll(1, "dilation"),
    groups: (site) => {
      const groups = site.integer("groups");
      return groups === 1 ? undefined : groups;
    },
  },
);

/** A call with the window of a convolution behind it, named: the ops that prepare its weights take the same. */
function withWindow(words: string, further: CallArguments = {}): CallWriter {
  const write = call(words, { ...CONFIGS, ...further });
  return (site) => {
    const [rows = 0, columns = rows] = site.integers("kernel_size");
    const name = `WINDOW_${rows}x${columns}_${site.integer("in_channels")}_TO_${
      site.integer("out_channels")
    }`;
    const window = site.constants.name("window", name, WINDOW(site));
    return `${write(site).slice(0, -1)}, **${window})`;
  };
}

const CONFIGS: CallArguments = {
  config: (site) => {
    const config = site.config();
    return conv2dConfigName(site.constants, config?.kind === "conv2d" ? config.conv2dConfig : undefined);
  },
  slice: (site) => {
    const config = site.config();
    return conv2dSliceName(site.constants, config?.kind === "conv2d" ? config.sliceConfig : undefined);
  },
};

/** Weights, bias and format of a convolution, and its configs. */
const OPERANDS = "input_tensor=0 weight_tensor=1 bias_tensor=2? device=device =dtype";
const CONFIGURED = "conv_config=config compute_config=compute";

function formatOf(key: string): (site: CallSite) => PythonText | undefined {
  return (site) => {
    const word = enumWord(site.attribute(key));
    if (word === undefined) return undefined;
    const dataType = parseDataType(word);
    if (dataType === undefined) throw new Unsayable(`${key} = ${word}`);
    return dtypeText(dataType);
  };
}

/** Weights or bias of a convolution as it takes them. */
const prepare = (callee: string): CallWriter => {
  const isTransposed = callee.includes("transpose");
  // A bias is the same whatever is padded behind the window.
  const words = callee.endsWith("bias")
    ? "bias_tensor=0 -weights_format -output_padding"
    : `weight_tensor=0 =weights_format:text? =has_bias:bool?False${
      isTransposed ? " =output_padding:ints" : ""
    }`;
  return withWindow(
    `${callee} ${words} input_memory_config=memories input_layout=layout device=device =input_dtype =output_dtype ` +
      `${CONFIGURED} ${isTransposed ? "dram_slice_config" : "slice_config"}=slice`,
    {
      memories: (site) => {
        const memory = parseMemoryConfig(site.text("input_memory_config") ?? "", site.alias);
        if (memory === undefined) throw new Unsayable("input_memory_config of another spelling");
        return site.constants.memory(memory);
      },
      layout: (site) =>
        enumWord(site.attribute("input_tensor_layout")) === "tile"
          ? "ttnn.TILE_LAYOUT"
          : "ttnn.ROW_MAJOR_LAYOUT",
      input_dtype: formatOf("input_dtype"),
      output_dtype: formatOf("output_dtype"),
    },
  );
};

/** Properties of pools from before 2026, whose values ttnn no longer takes. */
function readFormer(site: CallSite): void {
  for (const key of ["applied_shard_scheme", "in_place_halo"]) {
    if (site.has(key) && site.attribute(key)?.kind !== "bool") throw new Unsayable(key);
  }
}

const POOL =
  "0 =batch_size:int input_h=input_height:int input_w=input_width:int =channels:int =kernel_size:ints " +
  "=stride:ints padding=edges";
// tt-mlir's runtime asks for rows even if the type declares tiles (tt-mlir:runtime-calls).
const POOLED = "memory =reallocate_halo_output:false? output_layout=ttnn.ROW_MAJOR_LAYOUT " +
  "config_tensor_in_dram=config_tensors_in_dram:true?";

function pool(words: string): CallWriter {
  const write = call(words, {
    edges: (site) => poolEdges(site.integers("padding")),
    indices: ({ results }) => results.length === 2 ? "True" : undefined,
  });
  return (site) => {
    readFormer(site);
    return write(site);
  };
}

const maxPool = pool(
  `ttnn.max_pool2d ${POOL} ${POOLED} =dilation:ints =ceil_mode:true? return_indices=indices`,
);

const conv3d = call(
  "ttnn.experimental.conv3d input_tensor=0 weight_tensor=1 device=device bias_tensor=2? =config =dtype " +
    "output_channels=out_channels:int =kernel_size:ints =stride:ints =padding:ints dilation=ones " +
    '=padding_mode:text?"zeros" =groups:int memory compute_kernel_config=needed -batch_size -in_channels -input_depth ' +
    "-input_height -input_width",
  {
    config: (site) => {
      const config = site.config();
      return conv3dConfigName(site.constants, config?.kind === "conv3d" ? config.conv3dConfig : undefined);
    },
    ones: () => "[1, 1, 1]",
    needed: (site) => computeConfigName(site.constants, site.config()?.computeConfig ?? CONV_3D_COMPUTE),
  },
);

/** Convolutions, what prepares their weights, and pools. */
export const WINDOW_CALLS: CallWriters = {
  conv2d: withWindow(`ttnn.conv2d ${OPERANDS} memory ${CONFIGURED} slice_config=slice`),
  conv_transpose2d: withWindow(
    `ttnn.conv_transpose2d ${OPERANDS} =output_padding:ints memory ${CONFIGURED} dram_slice_config=slice`,
  ),
  conv1d: call(
    `ttnn.conv1d ${OPERANDS} =in_channels:int =out_channels:int =batch_size:int =input_length:int =kernel_size:int ` +
      `=stride:int =dilation:int =groups:int =padding:ints memory ${CONFIGURED} slice_config=slice`,
    CONFIGS,
  ),
  prepare_conv2d_weights: prepare("ttnn.prepare_conv_weights"),
  prepare_conv2d_bias: prepare("ttnn.prepare_conv_bias"),
  prepare_conv_transpose2d_weights: prepare("ttnn.prepare_conv_transpose2d_weights"),
  prepare_conv_transpose2d_bias: prepare("ttnn.prepare_conv_transpose2d_bias"),
  conv3d,
  prepare_conv3d_weights: call(
    "ttnn.experimental.prepare_conv3d_weights weight_tensor=0 =groups:int C_in_block=c_in_block:int =alignment:int " +
      "device=device",
  ),
  max_pool2d: maxPool,
  max_pool2d_with_indices: maxPool,
  avg_pool2d: pool(
    `ttnn.avg_pool2d ${POOL} =ceil_mode:true? ${POOLED} =count_include_pad:bool?True -dilation`,
  ),
  global_avg_pool2d: call("ttnn.global_avg_pool2d 0 memory"),
};
