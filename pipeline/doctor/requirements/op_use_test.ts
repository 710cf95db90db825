// SPDX-License-Identifier: Apache-2.0
import { assert, assertStringIncludes } from "@std/assert";
import { said } from "../testing/answers.ts";

const AT = "TT_FATAL @ ttnn/cpp/ttnn/operations";

/** Messages, with what is said of them and what is not. */
const ANSWERS: readonly (readonly [text: string, answer: string, not: string])[] = [
  // A condition and the sentence behind it stand apart without a mark between them.
  [
    `${AT}/reduction/argmax/device/argmax_op.cpp:52: input_shape[-1] % 32 == 0 Reduction dim size 50257 has to be a multiple of 32`,
    "from 50257 to 50272 (ttnn.pad with value = -inf",
    "0 Reduction",
  ],
  [
    "TT_FATAL @ groupnorm_op.cpp:77: a.padded_shape()[3] % num_groups == 0 Channels (320) must be divisible by number of groups (24)",
    "num_groups = 20, 16 or 10 instead of 24",
    "ttnn.pad",
  ],
  [
    "TT_FATAL: shape[dim] % TILE_HEIGHT == 0 Concat dimension 50 of input 1 must be divisible by 32 in tile layout (ttnn.concat)",
    "in rows (to_layout ROW_MAJOR of all operands",
    "ttnn.pad",
  ],
  ["TT_FATAL: k <= 32 is required by ttnn.topk", "ttnn.topk", "is required by ttnn.topk\nIt requires k"],
  // Extents that have to be equal, or 1, by what the op does with them.
  [
    `${AT}/eltwise/binary_ng/device/binary_ng_device_operation.cpp:210: a_dim == b_dim || a_dim == 1 || b_dim == 1\ninfo:\nBroadcasting rule violation for rank >= 1 : dim a: 12, dim b: 64`,
    "counts dimensions from the last one on",
    "ttnn.pad",
  ],
  [
    `${AT}/kv_cache/device/update_cache_op.cpp:38: input_tensor.padded_shape()[0] == 1\ninfo:\nError`,
    "batch_idx",
    "ttnn.concat",
  ],
  [
    `${AT}/transformer/sdpa/device/sdpa_op.cpp:100: nqh >= nkv && nqh % nkv == 0\ninfo:\nQ num_heads must be divisible by K num_heads. Got Q: 14, K: 4`,
    "ttnn.repeat_interleave of K and V",
    "ttnn.pad",
  ],
  [
    "The width of the first tensor must be equal to the height of the second tensor (768 != 3072)",
    "transpose_a or transpose_b",
    "ttnn.pad",
  ],
  // A limit is the message's own, and may be lifted.
  [
    "TT_FATAL: permute: tensor rank must be at most 4, got 5",
    "which may have lifted this limit",
    "at most 8",
  ],
  ["TT_FATAL: ttnn.argmax: Only argmax on last dim is supported!", "newer ttnn", "pad"],
  // The words say which op of the file it is.
  [
    `${AT}/normalization/layernorm/device/layernorm_device_operation.cpp:99: a == b\ninfo:\nttnn.rms_norm: gamma width 4096 must match input width 5120`,
    "ttnn.rms_norm asks",
    "ttnn.layer_norm",
  ],
];

Deno.test("a message is told by what its op does with extents, with its own limits, and by the op that it names", () => {
  for (const [text, answer, not] of ANSWERS) {
    const told = said(text);
    assertStringIncludes(told, answer, text);
    assert(!told.includes(not), `${not} in ${told}`);
  }
});
