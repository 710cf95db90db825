// SPDX-License-Identifier: Apache-2.0

/** How a call of ttnn in Python becomes an op. */
export interface CapturedCall {
  /** Name of the op without its dialect. */
  readonly op: string;
  /** Python's names of the tensors, in the order of the op's operands. */
  readonly tensors: readonly string[];
  /** Python's names of what becomes attributes, with the op's. */
  readonly attributes: readonly (readonly [python: string, attribute: string])[];
  /** Python's names of positional arguments in order; those of tensors, then of attributes unless they are mixed. */
  readonly positions: readonly string[];
  /** Whether the op says which of its operands are there. */
  readonly isGrouped: boolean;
  /** Whether the op's last operand is the device, and its only result the first that Python returns. */
  readonly takesDevice: boolean;
}

/**
 * Arguments that say where or how a result is stored, which its type says as well, and those that steer the host
 * (ttnn:backend-0-81-1).
 */
export const SAID_BY_RESULT: ReadonlySet<string> = new Set(
  ("memory_config output_mem_config dtype output_dtype layout output_layout queue_id cq_id device core_grid " +
    "sub_core_grids output_tensor optional_output_tensor sub_device_id pad_value use_multicore fast_and_approximate_mode " +
    "vector_mode return_output_dim return_weights_and_bias output use_legacy recip").split(" "),
);

/** Configs that captures do not print. */
export const UNPRINTED_CONFIGS: ReadonlySet<string> = new Set(
  "program_config compute_config conv_config slice_config".split(" "),
);

/** Calls whose results come from the host or from nowhere: to the program they are arguments. */
export const SOURCES: ReadonlySet<string> = new Set(
  ("from_torch as_tensor to_device from_device empty empty_like zeros zeros_like ones ones_like full full_like arange rand " +
    "load_tensor to_torch from_buffer").split(" "),
);

/** Calls that make no tensor and that the text does without: tensors are freed after their last use. */
export const WITHOUT_RESULT: ReadonlySet<string> = new Set([
  "deallocate",
  "synchronize_device",
  "dump_tensor",
]);

/** `"NAME"`, or `"NAME>OP"` where the op is called otherwise; tensors; attributes as `python` or `python:attribute`. */
function call(
  name: string,
  tensors: string,
  attributes: string = "",
  { isGrouped = false, takesDevice = false, positions }: {
    readonly isGrouped?: boolean;
    readonly takesDevice?: boolean;
    readonly positions?: string;
  } = {},
): [string, CapturedCall] {
  const [python = "", op = python.replace(/^.*\./, "")] = name.split(">");
  const pairs = attributes.split(" ").filter((word) => word !== "").map((word) => {
    const [given = "", attribute = given] = word.split(":");
    return [given, attribute] as const;
  });
  const names = tensors.split(" ");
  return [python, {
    op,
    tensors: names,
    attributes: pairs,
    positions: positions?.split(" ") ?? [...names, ...pairs.map(([given]) => given)],
    isGrouped,
    takesDevice,
  }];
}

const REDUCTION = "dim:dim_arg keepdim:keep_dim";
const ATTENTION = "is_causal scale sliding_window_size";
const IMAGE = "batch_size input_h:input_height input_w:input_width channels kernel_size stride padding";
const CONVOLUTION =
  "in_channels out_channels batch_size input_height input_width kernel_size stride padding dilation groups";

/** Calls with other words than the op's operands, by name without `ttnn.`, arguments in the order of ttnn's Python. */
export const CAPTURED_CALLS: ReadonlyMap<string, CapturedCall> = new Map([
  call("matmul", "input_tensor_a input_tensor_b", "transpose_a transpose_b activation"),
  call("linear", "input_tensor_a input_tensor_b bias", "transpose_a transpose_b activation"),
  call("layer_norm", "input_tensor weight bias", "epsilon", { isGrouped: true }),
  call("rms_norm", "input_tensor weight bias", "epsilon", { isGrouped: true }),
  call("softmax", "input_tensor", "dim:dimension numeric_stable:numericStable"),
  call("reshape", "input_tensor", "shape"),
  call("permute", "input_tensor", "dims:permutation"),
  call("transpose", "input_tensor", "dim1:dim0 dim2:dim1"),
  call("slice>slice_static", "input_tensor", "starts:begins ends steps:step"),
  call("repeat", "input_tensor", "repetition_vector:repeat_dims"),
  call("repeat_interleave", "input_tensor", "repeats dim"),
  call("sum", "input_tensor", REDUCTION),
  call("mean", "input_tensor", REDUCTION),
  call("max", "input_tensor", REDUCTION),
  call("min", "input_tensor", REDUCTION),
  call("argmax", "input_tensor", "dim keepdim:keep_dim"),
  call("embedding", "input_tensor weight"),
  call("leaky_relu", "input_tensor", "negative_slope:parameter"),
  call("pow>pow_scalar", "input_tensor", "exponent:rhs"),
  call("clamp>clamp_scalar", "input_tensor", "min max"),
  call("conv2d", "input_tensor weight_tensor bias_tensor", `${CONVOLUTION} conv_config:conv2d_config`, {
    takesDevice: true,
    positions: `input_tensor weight_tensor device ${CONVOLUTION} dtype bias_tensor conv_config`,
  }),
  call(
    "max_pool2d",
    "input_tensor",
    `${IMAGE} dilation ceil_mode config_tensor_in_dram:config_tensors_in_dram`,
  ),
  call("avg_pool2d", "input_tensor", `${IMAGE} ceil_mode count_include_pad`),
  call("typecast", "input_tensor"),
  call("to_layout", "input_tensor"),
  call("to_memory_config", "input_tensor"),
  call("interleaved_to_sharded>to_memory_config", "input_tensor"),
  call("sharded_to_interleaved>to_memory_config", "input_tensor"),
  call("reshard>to_memory_config", "input_tensor"),
  call("transformer.scaled_dot_product_attention", "q k v attn_mask", ATTENTION, { isGrouped: true }),
  call(
    "transformer.split_query_key_value_and_split_heads",
    "input_tensor kv_input_tensor",
    "num_heads num_kv_heads transpose_key",
  ),
  call("transformer.concatenate_heads", "input_tensor"),
  call("experimental.nlp_concat_heads", "input_tensor"),
]);
