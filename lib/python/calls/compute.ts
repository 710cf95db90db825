// SPDX-License-Identifier: Apache-2.0
import { fusedActivationOf } from "../../op_config/activations.ts";
import type { CallSite } from "../call_site.ts";
import { computeName, matmulConfigName, normConfigName } from "../op_configs.ts";
import {
  type Keywords,
  pythonBool,
  pythonCall,
  pythonFloat,
  pythonList,
  pythonString,
  type PythonText,
  trueOnly,
} from "../python_text.ts";
import { callsOf, type CallWriter, type CallWriters } from "../writers.ts";

/** The keywords that `matmul` and `linear` share. An activation in the program config is the op's: both would apply it twice. */
function product(site: CallSite): Keywords {
  const config = site.config();
  const program = config?.kind === "matmul" ? config.programConfig : undefined;
  const activation = site.string("activation");
  const isFused = fusedActivationOf(config) !== undefined;
  return {
    transpose_a: trueOnly(site.flag("transpose_a", false)),
    transpose_b: trueOnly(site.flag("transpose_b", false)),
    dtype: site.dtype,
    memory_config: site.memory,
    program_config: program === undefined ? undefined : matmulConfigName(site.constants, program),
    activation: activation === undefined || activation === "" || isFused
      ? undefined
      : pythonString(activation),
    compute_kernel_config: computeName(site.constants, config),
  };
}

/** Which pairs are multiplied is data: `nnz`, where the text counts them. */
const sparseProduct: CallWriter = (site) => {
  const config = site.config();
  const program = config?.kind === "matmul" ? config.programConfig : undefined;
  return pythonCall("ttnn.sparse_matmul", [site.operand(0), site.operand(1)], {
    sparsity: site.operand(2),
    program_config: program === undefined ? undefined : matmulConfigName(site.constants, program),
    nnz: site.integerOr("nnz", undefined),
    is_input_a_sparse: pythonBool(site.flag("is_input_a_sparse", false)),
    is_input_b_sparse: pythonBool(site.flag("is_input_b_sparse", true)),
    memory_config: site.memory,
    dtype: site.dtype,
    compute_kernel_config: computeName(site.constants, config),
  });
};

function floatOr(site: CallSite, key: string): PythonText | undefined {
  const value = site.numberOr(key, undefined);
  return value === undefined ? undefined : pythonFloat(value);
}

const norm: (callee: string) => CallWriter = (callee) => (site) => {
  const [input = "", weight, bias, residual] = site.groups();
  const compute = computeName(site.constants, site.config());
  return pythonCall(callee, [input], {
    weight,
    bias,
    residual_input_tensor: residual,
    epsilon: floatOr(site, "epsilon"),
    memory_config: site.memory,
    // tt-mlir's runtime passes no compute config to layer_norm (tt-mlir:runtime-calls).
    compute_kernel_config: callee === "ttnn.layer_norm" ? undefined : compute,
  });
};

/** The configs of a half of a norm over chips. */
function gatheredConfig(site: CallSite): Keywords {
  const config = site.config();
  const program = config?.kind === "norm" ? config.programConfig : undefined;
  return {
    program_config: program === undefined ? undefined : normConfigName(site.constants, program),
    memory_config: site.memory,
    compute_kernel_config: computeName(site.constants, config),
  };
}

/** Statistics of the rows that one chip has. */
const normStatistics: (callee: string) => CallWriter = (callee) => (site) => {
  const [input = "", residual, reciprocals] = site.groups();
  return pythonCall(callee, [input], {
    dtype: site.dtype,
    residual_input_tensor: residual,
    recip_tensor: reciprocals,
    use_2d_core_grid: callee === "ttnn.rms_norm_pre_all_gather"
      ? trueOnly(site.flag("use_2d_core_grid", false))
      : undefined,
    ...gatheredConfig(site),
  });
};

/** Rows that are scaled by the gathered statistics of all chips. */
const normScaling: (callee: string) => CallWriter = (callee) => (site) => {
  const [input = "", stats = "", weight, bias] = site.groups();
  return pythonCall(callee, [input, stats], {
    epsilon: floatOr(site, "epsilon"),
    weight,
    bias,
    ...gatheredConfig(site),
  });
};

const reduction: (callee: string) => CallWriter = (callee) => (site) => {
  const dims = site.integersOr("dim_arg", undefined);
  return pythonCall(callee, [site.operand(0)], {
    dim: dims === undefined ? undefined : pythonList(dims),
    keepdim: pythonBool(site.flag("keep_dim", false)),
    memory_config: site.memory,
    compute_kernel_config: computeName(site.constants, site.config()),
  });
};

const oneDimension: (callee: string) => CallWriter = (callee) => (site) => {
  const [dim] = site.integersOr("dim_arg", undefined) ?? site.integersOr("dim", undefined) ?? [];
  return pythonCall(callee, [site.operand(0)], {
    dim,
    keepdim: pythonBool(site.flag("keep_dim", false)),
    memory_config: site.memory,
  });
};

const cumulative: (callee: string) => CallWriter = (callee) => (site) =>
  pythonCall(callee, [site.operand(0), site.integer("dim")], { memory_config: site.memory });

const topk: CallWriter = (site) =>
  pythonCall("ttnn.topk", [
    site.operand(0),
    site.integer("k"),
    site.integer("dim"),
    pythonBool(site.flag("largest", true)),
    pythonBool(site.flag("sorted", true)),
  ], { memory_config: site.memory });

const sort: CallWriter = (site) =>
  pythonCall("ttnn.sort", [site.operand(0)], {
    dim: site.integer("dim"),
    descending: pythonBool(site.flag("descending", false)),
    stable: pythonBool(site.flag("stable", false)),
    memory_config: site.memory,
  });

const softmax: CallWriter = (site) =>
  pythonCall("ttnn.softmax", [site.operand(0)], {
    dim: site.integer("dimension"),
    memory_config: site.memory,
    numeric_stable: pythonBool(site.flag("numericStable", false)),
    compute_kernel_config: computeName(site.constants, site.config()),
  });

const batchNorm: (isTraining: boolean) => CallWriter = (isTraining) => (site) => {
  const [input = "", mean, variance, weight, bias] = site.groups();
  return pythonCall("ttnn.batch_norm", [input], {
    running_mean: mean,
    running_var: variance,
    training: pythonBool(isTraining),
    momentum: isTraining ? floatOr(site, "momentum") : undefined,
    eps: pythonFloat(site.number("epsilon")),
    weight,
    bias,
    memory_config: site.memory,
    compute_kernel_config: computeName(site.constants, site.config()),
  });
};

/** Products, norms, reductions, orderings. */
export const COMPUTE_CALLS: CallWriters = {
  matmul: (site) => pythonCall("ttnn.matmul", [site.operand(0), site.operand(1)], product(site)),
  linear: (site) =>
    pythonCall("ttnn.linear", [site.operand(0), site.operand(1)], {
      bias: site.optional(2),
      ...product(site),
    }),
  sparse_matmul: sparseProduct,
  softmax,
  ...callsOf("layer_norm rms_norm", norm),
  ...callsOf("layer_norm_pre_all_gather rms_norm_pre_all_gather", normStatistics),
  ...callsOf("layer_norm_post_all_gather rms_norm_post_all_gather", normScaling),
  batch_norm_inference: batchNorm(false),
  batch_norm_training: batchNorm(true),
  ...callsOf("sum mean max min", reduction),
  ...callsOf("prod argmax", oneDimension),
  ...callsOf("cumsum cumprod moreh_cumsum", cumulative),
  topk,
  topk_router_gpt: (site) =>
    pythonCall("ttnn.experimental.topk_router_gpt", [site.operand(0)], {
      weight_tensor: site.operand(1),
      bias_tensor: site.operand(2),
      k: site.integer("k"),
      num_experts: site.integer("num_experts"),
    }),
  sort,
};
