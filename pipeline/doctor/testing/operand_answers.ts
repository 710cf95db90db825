// SPDX-License-Identifier: Apache-2.0
import { AT } from "./answers.ts";

/** Messages on operands of a call, each with what has to be in the answer. */
export const OPERAND_ANSWERS: readonly (readonly [answer: string, text: string])[] = [
  [
    "transpose_a",
    "> c = ttnn.matmul(a, b)\nE RuntimeError: The width of the first tensor must be equal to the height of the second tensor",
  ],
  [
    "C_in x C_out/groups x KH x KW",
    "error: 'ttir.conv_transpose2d' op Number of input channels from input tensor must match the first dimension of the weight tensor. Got 64 input channels and 1 in the weight tensor.",
  ],
  [
    "or groups = 4 where",
    "error: 'ttir.conv2d' op Number of input channels from input tensor must match the second dimension of the weight tensor. Got 64 input channels and 16 in the weight tensor.",
  ],
  [
    "straight from ttnn.from_torch",
    "RuntimeError: TT_THROW @ /x/functions.hpp:1: tt::exception\ninfo:\nTensor must have BorrowedStorage",
  ],
  [
    "ttnn.get_device_tensors",
    "TT_FATAL @ /x/functions.cpp:1: buffers.size() == 1\ninfo:\nOne buffer only",
  ],
  ["unsqueeze or reshape each", "TT_FATAL @ /x/shape_base.cpp:1: false\ninfo:\nCan't convert shape rank"],
  // A variable's name says nothing: the words that were logged before it do.
  [
    "on both input and output",
    "FATAL | rows must be alike on both input and output\nTT_FATAL @ /x/y.cpp:1: same_size",
  ],
  [
    "a ttnn.add of it behind",
    `${AT}/matmul/device/matmul_op.cpp:1: bias_shape_aligned[-2] == in0_tile_shape[0]`,
  ],
  [
    "to a multiple of 256",
    `${AT}/ccl/all_reduce/all_reduce.cpp:3: false\ninfo:\nNo scatter dimension found for shape [1, 1, 32, 96] and num_workers 8`,
  ],
  [
    "(2D multicast), or no",
    "TT_FATAL: Unsupported MatmulProgramConfig type for X. Needs to be 2D Multicast.",
  ],
  [
    "declared type as the op makes it",
    "FATAL | Input output tensor size mismatch in memcpy: 512 * 2 != 16384 * 2",
  ],
  [
    "the result's type as operands and attributes make it",
    "error: 'ttir.broadcast' op Input tensor shape (1,8) does not broadcast to output (4,16) using broadcast value (4,1)",
  ],
  [
    "fewer heads in a call",
    `${AT}/x.cpp:6: this->num_q_heads <= 32\ninfo:\n64 heads, only up to 32 are supported`,
  ],
  ["no call with an empty operand", "TT_FATAL: round_up: multiple must not be 0 (assert.hpp:1)"],
  [
    "the result in the operand's format",
    `${AT}/eltwise/unary/device/x.cpp:4: input_tile_size == output_tile_size`,
  ],
  [
    "the operand interleaved before the op",
    "TT_FATAL @ tt_metal/impl/buffers/buffer_distribution_spec.cpp:335:\ntensor_shape.rank() >= shard_shape.rank()\nTensor shape rank (3) can't be less than shard shape rank (4)!",
  ],
  [
    "packed tile by tile",
    "RuntimeError: TT_ASSERT @ ./tt_metal/common/bfloat8.hpp:154: fp32_vec.size() % num_float_in_tile == 0",
  ],
  [
    "declare the indices as u32",
    'Executing operation: %v, %i = "ttnn.sort"(%37) <{dim = 1 : si8}> : (tensor<1xbf16>) -> tensor<1xui16>\nAlways | FATAL | DataType mismatch, expected UINT16, got UINT32\nDEBUG_ASSERT',
  ],
  [
    "which knows tensors without elements",
    "TT_FATAL @ /x/ttnn/cpp/ttnn/tensor/tensor_utils.cpp:475: shape[index] > 0",
  ],
  [
    "pad the last dimension of the input to a multiple of 32",
    "RuntimeError: Input channels should be padded to nearest TILE_WIDTH (32) or should be 16",
  ],
  [
    "nearly every op takes bf16",
    "Runtime failure\nError message: Cannot pad RM tensor with specified format\n\n```\nmodule {\n  func.func @main() {\n    // not legal\n  }\n}\n```",
  ],
  [
    "An empty bank would hold it",
    "Out of Memory: Not enough space to allocate 75669504 B L1 buffer across 64 banks, where each bank needs to store 1182336 B, but bank size is only 1331392 B",
  ],
  [
    "the result's type as operands and attributes make it",
    "error: 'ttir.reshape' op Input tensor number of elements 701 and output tensor number of elements 131087 must be the same",
  ],
];
