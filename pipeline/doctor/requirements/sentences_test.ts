// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { said } from "../testing/answers.ts";
import { textOf } from "../remedy.ts";
import { deriveFrom } from "./derive.ts";

function remediesOf(words: string, condition?: string): string {
  const told = deriveFrom({ condition, words, ops: undefined, numbers: [] });
  return told === undefined ? "" : told.remedies.map(textOf).join("\n");
}

/** Forms of sentences without a condition, with the remedy that follows. */
const SENTENCES: readonly (readonly [words: string, remedy: string])[] = [
  ["Input dimension without padding[2] (49) must equal output dimension without padding[2] (50)", "(49)"],
  ["Tensor height must be divisible by input tile height", "to a multiple of 32"],
  ["Uniform: unsupported output dtype BFLOAT8_B", "another dtype than bfp8 in the call"],
  ["Roll does not currently support sharding", "makes it interleaved"],
  ["For width broadcast: rows_a (32) must equal rows_b (64) and cols_b (64) must equal 32", "cols_b = 32"],
  [
    "Output tensor shape must be [1, 32], got [1, 64]",
    "no preallocated result in the call, or one of the shape [1, 32]",
  ],
  ["pow_int: output shape [1, 32] must match input shape [1, 64]", "no preallocated result"],
  ["roll optional output shape mismatch", "no preallocated result"],
  ["Error, Input tensor size should be greater than 0 but has 0", "at least 1 elements"],
  ["some_split requires chunks >= 1, got chunks=0", "chunks of at least 1 instead of 0"],
  ["Device must be provided when weight tensor is unprepared (rank 5)", "pass device to the call"],
  ["Num of users must be multiple of 32 for input a!", "pad num_users to a multiple of 32"],
  [
    "SomeReduce reduces only outer dims: dim must be between 0 and 1, but has 3",
    "dim of 0 to 1 instead of 3",
  ],
  ["Dimension for topk is out of range (expected to be in range of [-4, 3])", "dim of -4 to 3"],
  ["Mixed dtype is not supported for binary operation LCM", "one format for"],
  ["Minimal version requires row major sharding orientation", "ShardOrientation ROW_MAJOR"],
  ["repeat: memory_config nd_shard_spec must match optional_output_tensor", "no memory_config in the call"],
  ["Number of heads in input shape (32) must be at least num_heads (40)", "at least 40: ttnn.pad it"],
  ["Only rank 4 and dim == 0 or 1 are supported for SOME_SUM", "dim = 0 or 1"],
  ["Batch height (32) must equal cache batch (8) rounded up to a tile", "the cache (8)"],
  [
    "scatter dim 3 (size 100) must be divisible by num_devices 8",
    "dimension 3 of the operand from 100 to 104",
  ],
  ["Only tile layout supports some conversion", "to TILE before the op"],
  ["When a mask is provided to SOME, it must be in BF16 or BFP8", "typecast of the mask to bf16 or bfp8"],
  ["x with f32 input requires fp32_dest_acc_en=true in the config", "fp32_dest_acc_en = true"],
  ["Negative mask padded shape[3] must be divisible by tile_width, but is 40", "from 40 to 64"],
  ["Block size must be divisible by 32, got 16", "Block size = 32 instead of 16"],
  ["Inputs to some binary op must be tilized", "a to_layout of the inputs to TILE"],
  [
    "Joint head dimensions must match. Got Q: 64, K: 64, V: 128",
    "heads of one size",
  ],
  [
    "Some ring SDPA supports at most 8 head-segments per core row. Got B*NH=40",
    "at most 8 head-segments per core row",
  ],
  ["Sharded input not supported for this conv yet!", "makes it interleaved"],
  ["Causal mask is required for scale causal mask softmax", "pass causal mask"],
  [
    "'ttnn.concat' op Output tensor dimension 0 does not match the sum of input dimensions: 3 vs. 4.",
    "the result's type",
  ],
  ["'ttnn.x' op failed to verify that all of {value, result} have same shape", "the result's type"],
  [
    "Invalid head size: 54. The head size must be a multiple of the tile width (32).",
    "pad head size from 54 to 64",
  ],
  [
    "Unsupported bias shape: padded last dimension of bias, 64, not equal to b's padded last dimension, 128.",
    "(128)",
  ],
  ["some_tensor must be rank >= 3 ([..., tokens, hidden]); got rank 2", "at least 3 dimensions"],
  ["Sequence length 50 must divide evenly into Tiles of Tile Height 32", "from 50 to 64"],
  ["rope_cos dim 1 (4) must be 1 (broadcast across heads) or num_heads_per_device (8)", "with 1 in"],
  ["divisor_tensor to nll_loss need to be on device!", "divisor_tensor onto the device"],
  [
    "some_decode requires M_tiles (= ceil(M / h)) <= 8 so the block fits, but got M_tiles=10",
    "M_tiles at most 8",
  ],
  ["Topk shape inner dim must be padded to 32, got 10", "from 10 to 32"],
  ["out_block_h is 0, which is not valid", "out_block_h of at least 1"],
  ["Output tensor layout must match input tensor layout", "no layout of its own"],
  ["Cosine cache must cover the input sequence length", "at least"],
];

/** Sentences whose words only look like a layout or a bound. */
const UNREAD: readonly string[] = [
  "idxs_tensor must fit in one row-major device page",
  "Input B must be either sharded or interleaved",
  "Unsupported storage type",
  "Unsupported layout conversion from Layout.ROW_MAJOR to Layout.TILE",
  "local_tensor must have at least one tile row/token",
  "Unsupported config type for X. Needs to be 2D Multicast.",
  // Half of them, read alone, would be false.
  "memory config must be sharded and not WIDTH_SHARDED but got X",
  "Sharded output tensor must have a sharded input tensor",
];

Deno.test("sentences without a condition are read in the forms in which ops write them", () => {
  for (const [words, remedy] of SENTENCES) assertStringIncludes(remediesOf(words), remedy, words);
  for (const words of UNREAD) assertEquals(remediesOf(words), "", words);
  const quoted = "x/a.cpp:1: a.layout() == Layout::TILE Example of the input: {'shape': [1, 24]}";
  assertStringIncludes(remediesOf(quoted), "to_layout of operand a to TILE");
  assertStringIncludes(remediesOf("", "x.rank() >= 2 && x.rank() <= 4"), "2 to 4 dimensions");
  assertStringIncludes(remediesOf("", "scale_c == 1"), "scale_c = 1");
  // A subblock gives way to its block.
  const subblock = remediesOf("out_block_w 26 must be divisible by out_subblock_w 4");
  assert(subblock.startsWith("out_subblock_w = 2 or 1 instead of 4"), subblock);
});

Deno.test("a remedy for one half of a condition keeps the other", () => {
  const block = (channels: number, blocks: number): string =>
    remediesOf(
      `C_out_block must be a multiple of 32 and divide output_channels. Got C_out_block=${blocks} and output_channels=${channels}`,
      "args.output_channels % args.config.C_out_block == 0 && args.config.C_out_block % TILE_WIDTH == 0",
    );
  // No divisor of 48 is a multiple of 32; of 192, 96, 64 and 32 are.
  assert(block(48, 32).startsWith("pad output_channels from 48 to 64"), block(48, 32));
  assert(block(192, 128).startsWith("C_out_block = 96, 64 or 32 instead of 128"), block(192, 128));
});

Deno.test("terms are told in words, and what belongs to no call is not told to change", () => {
  const last = deriveFrom({
    condition: "attributes.dims.back() == tensor_args.input_tensor.logical_shape().rank() - 1",
    words: "",
    ops: ["ttnn.permute"],
    numbers: [],
  });
  assert(last?.rule === "dims[-1] must equal the rank of input_tensor - 1", last?.rule);
  assert(!remediesOf("Input X must be a multiple of 64, pad with -inf if necessary").includes("case"));
});

/** Sentences with the rule that is told of them. */
const RULES: readonly (readonly [words: string, rule: string])[] = [
  // A number belongs to the noun that it stands with, and what was found to the one that is without.
  ["Dim 3 of x (size=100) must be divisible by num_devices (8)", "(here 100 and 8)"],
  [
    "some_cache: per_core_M, 7, must divide M, 160, if per_core_M < M!",
    "a multiple of per_core_M (here 160 and 7)",
  ],
  ["input rank must be 4 ([N, 1, H*W, C]), got 40", "the rank of the input must be 4 (here 40)"],
  ["Dim 0 of input tensor must be 1", "dimension 0 of the input tensor must be 1"],
  ["rows (W) must match. Got Q=40 V=64", "(here 40 and 64)"],
  ["per_core_M must equal shard_shape[0] (64) / tile_height (32)", "must equal shard_shape[0] / tile_height"],
  // Formats have no numbers, and a tensor by itself is none.
  ["moe biases must be BFLOAT16, got 13", "the format of moe biases must be bf16"],
  [
    "First two dimensions for the weights must be 1 but got 3 and 5",
    "the first two dimensions of the weights must be 1",
  ],
  ["cos[24] must be DRAM-interleaved or DRAM ND-sharded", "must be interleaved or ND sharded"],
  [
    "Assertion `d % g == 0' failed: Collapsed extent must be evenly divisible by grid side, got 4 % 3 != 0",
    "must be a multiple of grid side",
  ],
];

Deno.test("the rule of a sentence has its nouns, its bounds and its numbers, and nothing else", () => {
  for (const [words, rule] of RULES) {
    const told = deriveFrom({ condition: undefined, words, ops: undefined, numbers: [] })?.rule ?? "";
    assert(told.endsWith(rule), `${words}: ${told}`);
  }
});

/** Messages with what their answer has to hold. */
const ANSWERS: readonly (readonly [text: string, answer: string])[] = [
  [
    "/x/lib/Conversion/D2MToTTNN/D2MToTTNN.cpp:3: static X f(): Assertion `castOp` failed, Expected Y.",
    "Here it is D2MToTTNN",
  ],
  [
    "ERROR: UndefinedBehavior: tensix_execute_pacr: intermediate_format=0 mismatches late_from_format=5",
    "simulators",
  ],
  [
    "ttnn.full(x)\nRuntimeError: TT_FATAL @ ../ttnn/cpp/ttnn/operations/numpy/functions.hpp:70: shape[-2] % TILE_HEIGHT == 0",
    "must be a multiple of 32",
  ],
  [
    'ttnn.mul_bw fails: "Inputs to eltwise binary must be tilized"',
    "a to_layout of the operand to TILE",
  ],
  [
    "RuntimeError('The expanded size of the tensor (32) must match the existing size (7) at dimension 0.",
    "(here 32 and 7)",
  ],
];

Deno.test("what no check of an op says has its place, its tool and its numbers", () => {
  for (const [text, answer] of ANSWERS) assertStringIncludes(said(text), answer, text);
  assert(!said(ANSWERS[2]?.[0] ?? "").includes("ttnn.numpy"));
});
