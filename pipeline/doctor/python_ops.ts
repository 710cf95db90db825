// SPDX-License-Identifier: Apache-2.0

/**
 * Ops of ttnn 0.81.1 in Python without an op in the dialect; no backward forms (`exp_bw`), no in-place forms
 * (`add_`), no calls that compute nothing, no comparisons of tests.
 */
const ROOT = (
  "adaptive_avg_pool2d adaptive_max_pool2d addalpha addmm all_broadcast alt_complex_rotate90 angle " +
  "batch_norm bcast bernoulli bias_gelu bitcast bitwise_left_shift broadcast chunk clamped_silu_glu clip " +
  "clone complex_tensor conj copy_device_to_host_tensor copy_host_to_device_tensor " +
  "copy_host_to_device_tensor_partial deg2rad digamma div_no_nan dram_prefetcher ema empty_like eqz exp2 " +
  "expand fill_implicit_tile_padding fill_ones_rm fill_rm floor_div fmod fold full_like fused_rms_minimal " +
  "gcd geglu gez glu grid_sample gtz hardmish hardshrink hardtanh heaviside hypot i0 i1 index_fill " +
  "index_fill_new indexed_fill interleaved_to_sharded interleaved_to_sharded_partial isclose isinf isnan " +
  "isneginf isposinf l1_loss lcm ldexp lez lgamma log10 log2 log_sigmoid logaddexp logaddexp2 ltz " +
  "matmul_batched_weights moe moe_expert_token_remap moe_routing_remap moreh_abs_pow moreh_adam moreh_adamw " +
  "moreh_arange moreh_bmm moreh_bmm_backward moreh_clip_grad_norm moreh_cumsum_backward moreh_dot " +
  "moreh_dot_backward moreh_fold moreh_full moreh_full_like moreh_getitem moreh_group_norm " +
  "moreh_group_norm_backward moreh_layer_norm moreh_layer_norm_backward moreh_linear moreh_linear_backward " +
  "moreh_logsoftmax moreh_logsoftmax_backward moreh_matmul moreh_matmul_backward moreh_mean " +
  "moreh_mean_backward moreh_nll_loss moreh_nll_loss_backward moreh_nll_loss_unreduced_backward moreh_norm " +
  "moreh_norm_backward moreh_sgd moreh_softmax moreh_softmax_backward moreh_softmin moreh_softmin_backward " +
  "moreh_sum moreh_sum_backward move mse_loss multigammaln narrow nextafter nez nonzero normalize_global " +
  "normalize_hw ones_like outer plus_one polar polygamma polyval pow prelu " +
  "rad2deg randn rdiv reallocate reduce_to_root reglu relu_max relu_min reshape_on_device reshard roll " +
  "rotate rpow rsub scale_causal_mask_hw_dims_softmax_in_place scale_mask_softmax " +
  "scale_mask_softmax_in_place scatter_add sharded_to_interleaved sharded_to_interleaved_partial " +
  "sigmoid_accurate signbit situ_glu snake_beta softcap softmax_in_place softshrink split square " +
  "squared_difference squeeze stack std std_hw subalpha swiglu swish tanhshrink threshold tilize " +
  "tilize_with_val_padding tilize_with_zero_padding tosa_gather tosa_scatter tril triu uniform unsqueeze " +
  "unsqueeze_to_4D untilize untilize_with_unpadding var var_hw view xielu xlogy zeros_like"
).split(" ");

/** The same of `ttnn.experimental`. */
const EXPERIMENTAL = (
  "add_shared_expert_weights all_gather_async all_gather_async_reversed all_gather_concat " +
  "all_gather_matmul_async all_reduce_create_qkv_heads all_to_all_async all_to_all_async_generic " +
  "apply_twiddles apply_twiddles_xl attn_matmul attn_matmul_from_cache bluestein_fft broadcast_to " +
  "complex_mul convert_to_chw convert_to_hwc deepseek_grouped_gate deepseek_moe_fast_reduce_nc " +
  "deepseek_moe_fast_reduce_nc_fused deepseek_moe_post_combine_tilize deepseek_moe_reduce_scatter " +
  "dit_fused_distributed_groupnorm dit_fused_distributed_groupnorm_create_stats_buffer " +
  "dit_fused_distributed_layernorm dit_fused_distributed_layernorm_create_stats_buffer " +
  "dit_fused_distributed_rmsnorm dit_fused_distributed_rmsnorm_create_stats_buffer " +
  "dit_layernorm_post_allgather dit_layernorm_pre_allgather dit_minimal_matmul_addcmul_fused fast_reduce_nc " +
  "fast_reduce_nc_split fft fft_radix_pass fft_three_pass fused_msda fused_msda_from_offsets " +
  "group_attn_matmul halo_scatter hc_sum_reduce high_bw_all_gather ifft indexed_fused_update_cache " +
  "indexer_score_dsa indexer_score_msa intimg isin llama_all_gather_matmul_async llama_reduce_scatter " +
  "llama_rs_create_heads llama_rs_matmul matmul_decode matmul_reduce_scatter_async minimal_matmul " +
  "minimal_matmul_split moe_compute moe_gpt multi_scale_deformable_attn neighbor_pad_async " +
  "neighbor_pad_halo nlp_concat_heads_boltz nlp_create_q_heads_split nlp_create_qkv_heads_boltz " +
  "nlp_create_qkv_heads_falcon7b nlp_create_qkv_heads_segformer nlp_create_qkv_heads_vit " +
  "nlp_kv_cache_load_slice padded_slice paged_fused_update_cache prefix_scan " +
  "prepare_w0_w1_tensor_for_moe_compute prepare_w0_w1_tensor_with_bias prepare_w2_tensor_for_moe_compute " +
  "prepare_w2_tensor_with_bias quantize_weights_via_host recv_async recv_async_h2d recv_direct_async " +
  "reduce_scatter_minimal_async reduce_scatter_minimal_async_create_intermediate_buffer " +
  "reduce_scatter_minimal_direct reduce_scatter_minimal_direct_create_persistent_buffers " +
  "reduce_scatter_minimal_direct_create_staging_buffer repeat_and_interleave_eltwise_mul " +
  "ring_attention_all_gather_async ring_indexer_score_dsa rotary_embedding_hf " +
  "rotary_embedding_llama_fused_qk rotate_half selective_reduce_combine send_async send_async_d2h " +
  "send_direct_async slice_reshard_async slice_write strided_all_gather_async " +
  "strided_all_gather_minimal_matmul_async strided_reduce_scatter_async " +
  "tensor_prefetcher_block_count_for_matmul_1d topk_large_indices topk_router_gpt transpose_rm " +
  "wan_fused_rmsnorm_post_allgather wan_fused_rmsnorm_pre_allgather"
).split(" ");

/** The same of `ttnn.transformer`. */
const TRANSFORMER = (
  "attention_softmax chunk_gated_delta_rule chunked_flash_mla_prefill " +
  "exp_ring_joint_scaled_dot_product_attention flash_multi_latent_attention_decode " +
  "fused_recurrent_gated_delta_rule gated_delta_attn_seq joint_scaled_dot_product_attention " +
  "ring_distributed_scaled_dot_product_attention ring_joint_scaled_dot_product_attention ring_mla " +
  "sparse_sdpa sparse_sdpa_msa"
).split(" ");

/** Python names of ops that the dialect lacks, by name without underscores: `highbwallgather`. */
export const PYTHON_OPS: ReadonlyMap<string, string> = new Map([
  ...ROOT.map((name) => [plain(name), `ttnn.${name}`] as const),
  ...EXPERIMENTAL.map((name) => [plain(name), `ttnn.experimental.${name}`] as const),
  ...TRANSFORMER.map((name) => [plain(name), `ttnn.transformer.${name}`] as const),
]);

function plain(name: string): string {
  return name.replaceAll("_", "");
}
