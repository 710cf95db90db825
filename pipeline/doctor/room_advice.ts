// SPDX-License-Identifier: Apache-2.0
import { isOf, type Remedy, remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

/** Advice that makes the buffers of an op smaller, by families of ops with similar buffers. */
const SMALLER_BUFFERS: readonly (readonly [ops: RegExp, advice: readonly Remedy[]])[] = [
  [/^conv3d$/, [
    "a Conv3dConfig of its own with smaller blocks: C_in_block first (32 or 16, a divisor of the channels), then T_out_block, H_out_block and W_out_block, and C_out_block = 32; its buffers hold a block's patch, kernel times C_in_block",
    "or a kernel whose windows do not overlap as a reshape and a matmul",
  ]],
  [/^(?:conv\w*|prepare_conv\w*)$/, [
    "slice the convolution through DRAM (conv2d_slice_config: dram_height or dram_width instead of l1_full), or into more slices (num_slices) where it is sliced already",
    remedy`${asks.ACT_BLOCK}a smaller act_block_h_override (a multiple of 32)${asks.OR}, or block shards instead of height shards where channels are many`,
  ]],
  [/pool2d$/, [
    remedy`slice the pool through DRAM (its slice config)${asks.MORE_CORES}, or shards over more cores: height shards for many rows, block shards for many channels`,
  ]],
  [/^(?:matmul|linear|sparse_matmul|minimal_matmul\w*|matmul_\w+)$/, [
    remedy`smaller blocks: in0_block_w first, then out_block_h and out_block_w (per_core_M, per_core_N)${asks.NO_PROGRAM_CONFIG}; no program config at all lets the backend choose`,
    remedy`${asks.MORE_CORES}${asks.DRAM}operands in DRAM, and sharded over more cores what has to stay in L1`,
  ]],
  [/norm|^softmax|^moreh_softmax/, [
    "its buffers hold blocks of whole rows: width or block shards, which cut the row among cores, a smaller subblock_w or block_w, or bf16 instead of f32",
    remedy`${asks.DRAM}interleaved in DRAM for operands and result: then only its buffers are in L1`,
  ]],
  [/attention|sdpa|mla/, [
    remedy`smaller q_chunk_size and k_chunk_size in its program config (for a decode k_chunk_size = 32 and fewer max_cores_per_head_batch)${asks.MORE_CORES}, or more cores in its grid`,
  ]],
  [/^(?:to_memory_config|reshard|interleaved_to_sharded|sharded_to_interleaved|move|reallocate)$/, [
    remedy`it makes a copy while its input is still there: free other tensors in L1 before it${asks.DRAM}, or make that copy in DRAM`,
    "or let the op before it make the layout that the next one reads: then there is no copy",
  ]],
  [
    /^(?:concat|reshape|permute|transpose|slice|pad|gather|scatter\w*|embedding|argmax|sort|topk|repeat\w*|tilize\w*|untilize\w*|to_layout|fold|upsample|cumsum)$/,
    [
      "its buffers hold whole rows (of the last dimension) or rows of tiles: split a long last dimension, or do it in tiles where it takes them",
      remedy`${asks.DRAM}operands and result interleaved in DRAM: then only its buffers are in L1`,
    ],
  ],
  [/cache/, [
    "its buffers hold rows of the cache of all heads: fewer heads or users per call, or a cache in bfp_bf8",
  ]],
  [/gather|reduce_scatter|all_reduce|all_to_all/, [
    remedy`${asks.DRAM}its buffers and its persistent output are in L1 beside your tensors: operands and result in DRAM${asks.OR}, or fewer links and workers`,
  ]],
];

/**
 * Remedies for an op that lacks room in L1, most promising first; the general ones where the op is not known.
 *
 * @param isOnOneCore whether its program runs on one core, so that more of them do not help
 */
export function adviceForRoom(ops: readonly string[] | undefined, isOnOneCore = false): readonly Remedy[] {
  const name = ops?.[0]?.replace(/^.*\./, "");
  const [, advice = GENERAL] = SMALLER_BUFFERS.find(([family]) => name !== undefined && family.test(name)) ??
    [];
  return isOnOneCore ? [ONE_CORE, ...advice.filter((one) => !isOf(one, asks.MORE_CORES))] : advice;
}

const ONE_CORE =
  remedy`its program runs on one core (few rows, or a form of the op that is not divided): shorter rows or fewer at a time (the tensor in parts, joined behind it), or what divides it (shards that cut the row, dim given, a multi-core option, tiles)${asks.NEWER}, or a newer ttnn`;

const GENERAL = [
  remedy`smaller blocks (act_block_h of a convolution, in0_block_w or out_block of a matmul)${asks.MORE_CORES}, or more cores for the op`,
];
