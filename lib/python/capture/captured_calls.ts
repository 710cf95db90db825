// SPDX-License-Identifier: Apache-2.0

/** An argument of a call of ttnn in Python, and what of the op it becomes. */
export interface CapturedParameter {
  readonly python: string;
  /**
   * An operand, any number of operands, an attribute, or nothing, because the result's type has it or no time depends
   * on it; `neutral` has no place in the op and is read only with a value of {@linkcode WITHOUT_EFFECT}.
   */
  readonly becomes: "operand" | "operands" | "attribute" | "nothing" | "neutral";
  /** Name of the op's attribute. */
  readonly attribute: string;
  /** Python's default, as Python prints it, for an argument that the op needs; `undefined` if it needs none. */
  readonly absent: string | undefined;
}

/** How a call of ttnn in Python becomes an op. */
export interface CapturedCall {
  /** Name of the op without its dialect. */
  readonly op: string;
  /** Positional arguments in order, then those that are passed by name; operands in the order of the op's. */
  readonly parameters: readonly CapturedParameter[];
  /** Whether the op has `operandSegmentSizes`, which tell its optional operands apart. */
  readonly isGrouped: boolean;
}

/**
 * Arguments that an op does not repeat: those for the memory and format of a result, which its type has as well;
 * those that steer the host or choose a variant of a kernel; and positions in a cache, on which no time depends
 * (ttnn:backend-0-81-1).
 */
export const SAID_BY_RESULT: ReadonlySet<string> = new Set(
  ("memory_config output_mem_config dtype output_dtype layout output_layout queue_id cq_id device core_grid " +
    "sub_core_grids output_tensor optional_output_tensor sub_device_id pad_value use_multicore fast_and_approximate_mode " +
    "vector_mode return_output_dim return_weights_and_bias output out use_legacy recip applied_shard_scheme " +
    "update_idxs cur_pos batch_idx embeddings_type padding_idx compute_with_storage_grid_size").split(" "),
);

/** Arguments that change nothing where they are passed with this value. */
export const WITHOUT_EFFECT: ReadonlySet<string> = new Set(
  ("reverse_order=False disable_compensated_sum=False training=False mirror_kernel=True scalar=1.0 value=1.0 " +
    "sparse_grad=False return_indices=False kv_tied=False rounding_mode=None mode=SigmoidMode.Accurate " +
    "variant=GeluVariant.Accurate").split(" "),
);

/** Calls whose operands are the op's in reverse. */
export const REVERSED: ReadonlySet<string> = new Set(["rsub", "rdiv"]);

/** Arguments that say how a device operation works, not what it computes. */
export const CONFIGS: ReadonlySet<string> = new Set(
  "program_config conv_config slice_config dram_slice_config config compute_kernel_config compute_config"
    .split(" "),
);

/** Calls whose results come from the host or from nowhere: to the program they are arguments. */
export const SOURCES: ReadonlySet<string> = new Set(
  ("from_torch as_tensor to_device from_device empty empty_like zeros zeros_like ones ones_like full full_like arange rand " +
    "load_tensor to_torch from_buffer create_group_norm_input_mask").split(" "),
);

/** Calls that make no tensor and that the text does without: tensors are freed after their last use. */
export const WITHOUT_RESULT: ReadonlySet<string> = new Set([
  "deallocate",
  "synchronize_device",
  "dump_tensor",
]);

/**
 * `NAME`, or `NAME>OP` where the op is called otherwise, with a `*` for grouped operands; then parameters: `tensor#`,
 * `tensors##` for any number, `python`, `python:attribute`, `python=absent`, `python!` for what becomes nothing,
 * `python!!` for what may only have a value without effect.
 */
function call(text: string): readonly [string, CapturedCall] {
  const [called = "", ...words] = text.split(/\s+/);
  const [, python = "", op = python.replace(/^.*\./, ""), group] =
    /^([\w.]+)(?:>(\w+))?(\*?)$/.exec(called) ?? [];
  const parameters = words.map((word): CapturedParameter => {
    const [, name = "", attribute = name, mark, absent] =
      /^(\w+)(?::(\w+))?(#{1,2}|!{1,2})?(?:=(.*))?$/.exec(word) ?? [];
    const becomes = mark === "#"
      ? "operand"
      : mark === "##"
      ? "operands"
      : mark === "!"
      ? "nothing"
      : mark === "!!"
      ? "neutral"
      : "attribute";
    return { python: name, becomes: SAID_BY_RESULT.has(name) ? "nothing" : becomes, attribute, absent };
  });
  return [python, { op, parameters, isGrouped: group === "*" }];
}

const PRODUCT = "input_tensor_a# input_tensor_b#";
const TRANSPOSED = "transpose_a transpose_b activation";
const REDUCTION = "input_tensor# dim:dim_arg keepdim:keep_dim=False";
const ATTENTION = "is_causal scale sliding_window_size attention_sink#";
const DECODING = "attn_mask# cur_pos_tensor# is_causal scale sliding_window_size attention_sink#";
const IMAGE =
  "input_tensor# batch_size input_h:input_height input_w:input_width channels kernel_size stride padding";
const FILTER = "in_channels out_channels batch_size input_height input_width kernel_size";
const WINDOW = "stride=[1,1] padding=[0,0] dilation=[1,1] groups=1 dtype bias_tensor# conv_config";
const HEADS = "num_heads num_kv_heads";

/** Calls with other words than the op's, by name without `ttnn.`, arguments in the order of ttnn's Python. */
const CALLS: readonly (readonly [string, CapturedCall])[] = [
  `matmul ${PRODUCT} ${TRANSPOSED}`,
  `linear ${PRODUCT} bias# ${TRANSPOSED}`,
  "layer_norm* input_tensor# weight# bias# residual_input_tensor# epsilon=1e-12",
  "rms_norm* input_tensor# weight# bias# residual_input_tensor# epsilon=1e-12",
  "batch_norm>batch_norm_inference* input# running_mean# running_var# weight# bias# eps:epsilon=1e-5",
  "group_norm* input_tensor# input_mask# weight# bias# num_groups epsilon=1e-12 inplace! num_out_blocks! negative_mask!",
  "softmax input_tensor# dim:dimension=-1 numeric_stable:numericStable=True",
  "softmax_in_place>softmax input_tensor# dim:dimension=-1 numeric_stable:numericStable=True",
  "reshape input_tensor# shape!",
  "view>reshape input_tensor# shape!",
  "experimental.view>reshape input_tensor# shape! c! h! w!",
  "unsqueeze>reshape input_tensor# dim!",
  "squeeze>reshape input_tensor# dim!",
  "unsqueeze_to_4D>reshape tensor#",
  "permute input_tensor# dims:permutation",
  "transpose input_tensor# dim1:dim0 dim2:dim1",
  "slice>slice_static input_tensor# starts:begins ends:ends steps:step",
  "slice>slice_static input_tensor# slice_start:begins slice_end:ends slice_step:step",
  "concat tensors## dim=0",
  "pad input_tensor# padding value=0.0",
  "repeat input_tensor# repeat_dims",
  "repeat input_tensor# repetition_vector:repeat_dims",
  "expand>repeat input_tensor# output_shape!",
  "repeat_interleave input_tensor# repeats dim",
  `sum ${REDUCTION}`,
  `mean ${REDUCTION}`,
  `max ${REDUCTION}`,
  `min ${REDUCTION}`,
  `prod ${REDUCTION}`,
  "argmax input_tensor# dim keepdim:keep_dim=False",
  "cumsum input# dim",
  "cumprod input_tensor# dim",
  "topk input_tensor# k=32 dim=-1 largest=True sorted=True",
  "sort input_tensor# dim=-1 descending=False stable=False",
  "sampling input_values_tensor# input_indices_tensor# k# p# temp# seed!",
  "gather input# dim index#",
  "scatter input# dim index# src#",
  "embedding input_tensor# weight#",
  "swish>silu input_tensor#",
  "sigmoid_accurate>sigmoid input_tensor#",
  "leaky_relu input_tensor# negative_slope:parameter",
  "elu input_tensor# alpha=1.0",
  "softplus input_tensor# beta=1.0 threshold=20.0",
  "pow>pow_scalar input_tensor# exponent:rhs",
  "pow>pow_tensor input_tensor# exponent#",
  "clamp>clamp_scalar input_tensor# min max",
  "clamp input_tensor# min# max#",
  "clip>clamp_scalar input_tensor# min max",
  "clip>clamp input_tensor# min# max#",
  "addcmul input_a# input_b# input_c# value!!",
  "addcdiv input_a# input_b# input_c# value!!",
  "lerp input# end# weight#",
  "where predicate# true_value# false_value#",
  "div>divide input_tensor_a# input_tensor_b#",
  "mul>multiply input_tensor_a# input_tensor_b#",
  "sub>subtract input_tensor_a# input_tensor_b#",
  "rsub>subtract input_tensor_a# input_tensor_b#",
  "rdiv>divide input_tensor# value#",
  `conv2d input_tensor# weight_tensor# device ${FILTER} ${WINDOW}`,
  `conv_transpose2d input_tensor# weight_tensor# device ${FILTER} output_padding=[0,0] ${WINDOW}`,
  `max_pool2d ${IMAGE} dilation=[1,1] ceil_mode=False config_tensor_in_dram:config_tensors_in_dram deallocate_input!`,
  `avg_pool2d ${IMAGE} ceil_mode=False count_include_pad config_tensor_in_dram:config_tensors_in_dram deallocate_input!`,
  "upsample input_tensor# scale_factor mode",
  "typecast input_tensor# dtype",
  "to_layout tensor# layout",
  "tilize>to_layout input_tensor#",
  "tilize_with_zero_padding>to_layout input_tensor#",
  "tilize_with_val_padding>to_layout input_tensor# output_tensor_shape! pad_value",
  "untilize>to_layout input_tensor#",
  "untilize_with_unpadding>to_layout input_tensor# output_tensor_end!",
  "to_memory_config tensor# memory_config",
  "interleaved_to_sharded>to_memory_config input_tensor# sharded_memory_config! grid! shard_shape!",
  "sharded_to_interleaved>to_memory_config input_tensor#",
  "reshard>to_memory_config input_tensor#",
  "clone>assign input#",
  "move>assign input_tensor#",
  "reallocate>assign tensor#",
  "copy input_a# input_b#",
  "fill_cache cache_tensor# input_tensor# batch_idx:batch_offset=0 update_idx!",
  "kv_cache.fill_cache_for_user_>fill_cache cache# input# batch_index:batch_offset=0 update_idx!",
  "update_cache cache# input# update_idx# batch_offset=0",
  "kv_cache.update_cache_for_token_>update_cache cache# input# update_index# batch_offset=0",
  "experimental.paged_update_cache cache_tensor# input_tensor# update_idxs_tensor# page_table# share_cache batch_offset!",
  "experimental.paged_fill_cache cache_tensor# input_tensor# page_table# batch_idx_tensor#",
  `transformer.scaled_dot_product_attention* input_tensor_q# input_tensor_k# input_tensor_v# attn_mask# ${ATTENTION}`,
  `transformer.scaled_dot_product_attention_decode* input_tensor_q# input_tensor_k# input_tensor_v# ${DECODING}`,
  "transformer.paged_scaled_dot_product_attention_decode* input_tensor_q# input_tensor_k# input_tensor_v# " +
  `page_table_tensor# ${DECODING}`,
  `transformer.split_query_key_value_and_split_heads input_tensor# kv_input_tensor# ${HEADS} transpose_key=True`,
  "transformer.concatenate_heads input_tensor#",
  `experimental.nlp_create_qkv_heads input# input_kv# ${HEADS} transpose_k_heads:transpose_key=True`,
  `experimental.nlp_create_qkv_heads_decode input_tensor# batch_offset# ${HEADS} overlap_qk_coregrid slice_size`,
  ...["falcon7b", "vit", "segformer"].map((model) =>
    `experimental.nlp_create_qkv_heads_${model}>nlp_create_qkv_heads input#`
  ),
  "experimental.nlp_concat_heads input_tensor#",
  "experimental.nlp_concat_heads_decode input_tensor# num_heads",
  "experimental.rotary_embedding input_tensor# cos_cache# sin_cache# token_index",
  "experimental.rotary_embedding_llama input_tensor# cos_cache# sin_cache# trans_mat# is_decode_mode=False",
].map(call);

/** Ways to read a call, by its name without `ttnn.`: the first that takes its arguments holds. */
export const CAPTURED_CALLS: ReadonlyMap<string, readonly CapturedCall[]> = new Map(
  [...Map.groupBy(CALLS, ([name]) => name)].map(([name, calls]) => [name, calls.map(([, made]) => made)]),
);

/** A call of an op of so many tensors alone, by the names that ttnn gives them. */
export function plainCall(op: string, tensors: number): CapturedCall {
  const names = tensors === 1 ? "input_tensor#" : "input_tensor_a# input_tensor_b# input_tensor_c#";
  const [, made] = call(`${op} ${names.split(" ").slice(0, tensors).join(" ")}`);
  return made;
}
