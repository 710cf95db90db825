// SPDX-License-Identifier: Apache-2.0
import { fusedActivationOf } from "../../op_config/activations.ts";
import { pythonString } from "../python_text.ts";
import { call, type CallArguments, callsOf, type CallWriters } from "../writers.ts";

/** The keywords that `matmul` and `linear` share. */
const PRODUCT = "=transpose_a:true? =transpose_b:true? =dtype memory program =activation compute";

/** An activation in the program config is the op's: both would apply it twice. */
const ACTIVATION: CallArguments = {
  activation: (site) => {
    const activation = site.string("activation") ?? "";
    const isFused = fusedActivationOf(site.config()) !== undefined;
    return activation === "" || isFused ? undefined : pythonString(activation);
  },
};

/** The configs of a half of a norm over chips. */
const GATHERED = "program memory compute";

/** Products, norms, reductions, orderings. */
export const COMPUTE_CALLS: CallWriters = {
  matmul: call(`ttnn.matmul 0 1 ${PRODUCT}`, ACTIVATION),
  linear: call(`ttnn.linear 0 1 bias=2? ${PRODUCT}`, ACTIVATION),
  // Which pairs are multiplied is data: `nnz`, where the text counts them.
  sparse_matmul: call(
    "ttnn.sparse_matmul 0 1 sparsity=2 program =nnz:int? =is_input_a_sparse:bool?False =is_input_b_sparse:bool?True " +
      "memory =dtype compute",
  ),
  softmax: call("ttnn.softmax 0 dim=dimension:int memory numeric_stable=numericStable:bool?False compute"),
  ...callsOf("layer_norm rms_norm", (callee) => {
    // tt-mlir's runtime passes no compute config to layer_norm (tt-mlir:runtime-calls).
    const compute = callee === "ttnn.layer_norm" ? "-compute_config" : "compute";
    return call(`${callee} @0 weight=@1 bias=@2 residual_input_tensor=@3 =epsilon:float? memory ${compute}`);
  }),
  // Statistics of the rows that one chip has.
  ...callsOf("layer_norm_pre_all_gather rms_norm_pre_all_gather", (callee) => {
    const grid = callee === "ttnn.rms_norm_pre_all_gather" ? "=use_2d_core_grid:true? " : "";
    return call(`${callee} @0 =dtype residual_input_tensor=@1 recip_tensor=@2 ${grid}${GATHERED}`);
  }),
  // Rows that are scaled by the gathered statistics of all chips.
  ...callsOf(
    "layer_norm_post_all_gather rms_norm_post_all_gather",
    (callee) => call(`${callee} @0 @1 =epsilon:float? weight=@2 bias=@3 ${GATHERED}`),
  ),
  ...Object.fromEntries(["inference", "training"].map((kind) => {
    const training = kind === "training" ? "training=True =momentum:float?" : "training=False";
    return [
      `batch_norm_${kind}`,
      call(
        `ttnn.batch_norm @0 running_mean=@1 running_var=@2 ${training} eps=epsilon:float weight=@3 bias=@4 memory compute`,
      ),
    ];
  })),
  ...callsOf(
    "sum mean max min",
    (callee) => call(`${callee} 0 dim=dim_arg:ints? keepdim=keep_dim:bool?False memory compute`),
  ),
  ...callsOf("prod argmax", (callee) =>
    call(`${callee} 0 =dim keepdim=keep_dim:bool?False memory`, {
      dim: (site) => (site.integersOr("dim_arg", undefined) ?? site.integersOr("dim", undefined))?.[0],
    })),
  ...callsOf("cumsum cumprod moreh_cumsum", (callee) => call(`${callee} 0 dim:int memory`)),
  topk: call("ttnn.topk 0 k:int dim:int largest:bool?True sorted:bool?True memory"),
  topk_router_gpt: call(
    "ttnn.experimental.topk_router_gpt 0 weight_tensor=1 bias_tensor=2 =k:int =num_experts:int",
  ),
  sort: call("ttnn.sort 0 =dim:int =descending:bool?False =stable:bool?False memory"),
};
