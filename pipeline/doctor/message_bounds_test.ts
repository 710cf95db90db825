// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readRuntimeLog } from "./runtime_log.ts";
import { said } from "./testing/answers.ts";

function opsOf(log: string): readonly (string | undefined)[] {
  return readRuntimeLog(log).map(({ ops }) => ops?.[0]);
}

function checksOf(log: string): readonly string[] {
  return readRuntimeLog(log).map((failure) =>
    failure.kind === "failed_check" ? `${failure.subject}: ${failure.words}` : failure.kind
  );
}

Deno.test("a message ends at the next record or frame, headings of a report are none of it, and an inner op has its caller", () => {
  const at = "TT_FATAL @ /x/ttnn/cpp/ttnn/operations";
  assertEquals(
    checksOf(
      `loc("a"): error: 'ttnn.reshape' op volumes differ\n2026-03-02 (  10.2s) [  main ] x.cc:812 ERR| Failed`,
    ),
    ["verifier: 'ttnn.reshape' op volumes differ"],
  );
  assertEquals(
    checksOf(
      `${at}/reduction/topk/device/x.cpp:3: k > 1\ninfo:\nk is 1\n  File "models/a.py", line 6, in f\n    y = g(x)`,
    ),
    ["shapes: k is 1"],
  );
  assertStringIncludes(
    said(
      "### Describe the bug\n\x60ttnn.foo\x60 hangs with one core.\n### Expected behavior\nIt should pass",
    ),
    "stopped answering",
  );
  const inner = said(
    `\x60ttnn.concat\x60 op fails\n${at}/data_movement/slice/device/slice_op.cpp:80: a.rank() == b.rank()`,
  );
  assertStringIncludes(inner, "The op is ttnn.slice, which ttnn.concat runs");
  // A number within a noun, and a variable that has to be true.
  assertStringIncludes(
    said("TT_FATAL: in0_block_w 8 must divide the K tiles per shard 6 of input A (assert.hpp:104)"),
    "in0_block_w = 6, 3 or 2 instead of 8",
  );
  // What a compiler asserts is no rule of an op.
  assertEquals(
    checksOf(
      `python: /w/lib/Dialect/TTNN/Transforms/Optimizer.cpp:5: auto f(): Assertion \x60l.isSharded() && "expected sharded layout"' failed.`,
    )[0]?.split(":")[0],
    "crash",
  );
  // Shards are whole tiles, extents are padded and products of TTIR are products.
  const shards = said(
    `${at}/data_movement/sharded/interleaved_to_sharded/device/x.cpp:1: total_height % shard_height == 0\ninfo:\nShard height 224 must divide total height 960`,
  );
  assert(shards.includes("192, 160 or 96") && shards.includes("pad total_height from 960 to 1120"), shards);
  assertStringIncludes(
    said("error: 'ttir.dot_general' op Batch dimension sizes must match: 12 vs 8"),
    "ttnn.repeat of the one",
  );
  assertStringIncludes(
    said(
      `${at}/conv/conv1d/conv1d.cpp:6: input.logical_shape()[1] == input_length\ninfo:\nconv1d expects NLC input`,
    ),
    "N x L x C for a conv1d",
  );
  // A mask is no head, numbers that differ no kind of a config, and a line of devices no product.
  assertStringIncludes(
    said(
      `${at}/transformer/sdpa/device/x.cpp:9: mask_shape[2] == Sq && mask_shape[3] == Sk\ninfo:\nMask lengths must match Q and K`,
    ),
    "the mask made for S and T",
  );
  assert(
    !said(
      "ttnn.matmul: HEIGHT_SHARDED with MatmulMultiCoreReuseMultiCast1DProgramConfig gives incorrect results (PCC 0.1)",
    ).includes("is of another kind than"),
  );
  assertEquals(opsOf("reduce scatter fails on a ring and works in linear: std::bad_optional_access"), [
    "ttnn.reduce_scatter",
  ]);
  // What the model has is no choice of a call; a dimension is moved, and links are counted in words.
  const folded = said(
    `${at}/data_movement/fold/device/x.cpp:3: input_shape[1] % stride_h == 0\ninfo:\nInput height 225 must be divisible by stride_h 2`,
  );
  assert(folded.includes("from 225 to 226") && !folded.includes("stride_h = 1"), folded);
  assertStringIncludes(
    said(`${at}/x/repeat_interleave/x.cpp:2: normalized_dim < input_rank - 2`),
    "moves that dimension to the front",
  );
  assertStringIncludes(
    said(
      "TT_FATAL @ /x/tt_metal/fabric/x.cpp:8: a <= b\ninfo:\nRequested 4 routing planes but only 2 Ethernet links are up",
    ),
    "fewer num_links: 2",
  );
  assertStringIncludes(
    said(
      "error: 'ttnn.slice_static' op The ends attribute value 129 for dimension 2 exceeds the input size 128",
    ),
    "behind the last element",
  );
  assertStringIncludes(said(`${at}/normalization/batch_norm/device/x.cpp:2: b_shape[1] == C`), "as 1xCx1x1");
  const grouped = said(
    `${at}/conv/conv2d/conv2d_utils.cpp:2: conv_config.shard_layout.value() != TensorMemoryLayout::WIDTH_SHARDED || groups == 1`,
  );
  assert(grouped.includes("another shard_layout") && !grouped.includes("groups = 1"), grouped);
  assertStringIncludes(
    said("ERR| System descriptor mismatch: flatbuffer was compiled for 1 device(s), 2 are open"),
    "compile for the mesh that runs it",
  );
  // A helper's frame and what people say right before a message name the op.
  assertEquals(
    opsOf(
      "TT_FATAL @ /x/tt_metal/tt_metal.cpp:4: ok\ninfo:\nCannot add semaphore on core (x=0,y=0)\nbacktrace:\n --- tt::tt_metal::CreateSemaphore(int)\n --- reuse_mcast_optimized_helpers::create_program_mcast_in0_in1(tt::tt_metal::Program&" +
        ", unsigned int".repeat(40) + ")",
    ),
    ["ttnn.matmul"],
  );
  const [failing] = readRuntimeLog(
    "2. The all_gather op failed: \x60Device 4 is not connected to Device 6\x60",
  );
  assertEquals([failing?.ops, failing?.isGuess], [["ttnn.all_gather"], undefined]);
  // The name of a test is no message.
  assertEquals(
    checksOf(
      `Error: test_a[act_dtype=DataType.BFLOAT8_B-size=3]\n\nRuntimeError: TT_FATAL @ /x/tt_metal/impl/program/program.cpp:4: not on_dispatch_core\ninfo:\nIllegal kernel placement for reshard_reader, Kernels cannot be placed on dispatch cores!`,
    ).length,
    1,
  );
  // A family's file: the op is the one that is called, also where pytest prints the line below; and a validation's refusal.
  assertEquals(
    opsOf(
      `E ${at}/eltwise/unary/device/unary_device_operation.cpp:5: x.layout() == Layout::TILE\n>       y = ttnn.leaky_relu(x, negative_slope=0.1)`,
    ),
    ["ttnn.leaky_relu"],
  );
  assertEquals(
    checksOf(
      `error: Operation ttnn.foo_bar failed validation (original error: MetalBackendError - ${at}/x/foo_bar.cpp:8: n == m\ninfo:\nn 3 must equal m 4\n). No fallback configuration worked (tested up to 9 combinations).`,
    ).length,
    1,
  );
  // Chunks stay whole tiles, M of a softmax is no row of A, and the inner dimension of B are its rows.
  const chunks = said(
    `${at}/transformer/sdpa/device/x.cpp:1: Sk % k_chunk_size == 0\ninfo:\nK length: 4160, k_chunk_size: 512`,
  );
  assert(chunks.includes("416, 320 or 160") && !chunks.includes("260"), chunks);
  assert(!said(`${at}/normalization/softmax/device/x.cpp:1: M * K % block_w == 0`).includes("rows of A"));
  assertStringIncludes(
    said("error: 'ttnn.matmul' op Input A inner dimension (64) does not match Input B inner dimension (96)"),
    "the last dimension but one of the input b",
  );
  // An exception that only repeats what the logger said of a full bank or of buffers is no failure of its own.
  const large =
    "Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=7)] grow to 1622016 B which is beyond max L1 size of 1499136 B";
  assertEquals(
    readRuntimeLog(
      `critical | Always | TT_THROW: ${large} (assert.hpp:104)\n  File "a.py", line 3, in f\nRuntimeError: TT_THROW @ /x/program.cpp:1: tt::exception`,
    ).map(({ kind }) => kind),
    ["circular_buffers_too_large"],
  );
  assert(!said(`${at}/matmul/device/x.cpp:1: rotated_grid\ninfo:\nGrid is too big`).includes("must be true"));
});
