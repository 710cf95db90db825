// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { AT, failuresIn, LEGALIZE, said } from "./testing/answers.ts";

const REPEAT =
  `${AT}/data_movement/repeat/repeat.cpp:37: (a.shape()[dim] * a.element_size()) % a.buffer()->alignment() == 0\ninfo:\nCurrent repeat implementation requires aligned last dim`;
const ON_A_CORE =
  "Statically allocated circular buffers on core range [(x=0,y=0) - (x=0,y=0)] grow to 1507840 B which is beyond max L1 size of 1499136 B";

/** What must not be in the answer to a message, which is a neighbour of those that it answers. */
const NEIGHBOURS: readonly (readonly [other: string, text: string])[] = [
  [
    "Op's own choice of buffer",
    `${AT}/x.cpp:4: a % b == 0\ninfo:\nbuffer size must be divisible by new page size`,
  ],
  [
    "shards whose width",
    "RuntimeError: TT_FATAL @ /x/tt_metal/impl/buffers/buffer.cpp:41: page_size % sizeof(uint32_t) == 0",
  ],
  ["one element of the batch", "TT_FATAL: batch size must be greater than 1 (assert.hpp:103)"],
  [
    "no lowering",
    "[TTNNShim] OxOp:OxOperation(opcode=upsample_nearest2ddefault, execution_flags=)\n_[TTNNShim] Error in scaling operation upsample_nearest2d: Only integer scale factors are supported, even when using output_size_",
  ],
  [
    "no lowering",
    'loc("reshape.59"): error: Could not apply propagated tensor shardings to tensor dimensions',
  ],
  ["words of 4 bytes", `${AT}/x/x.cpp:1: num_cores % 2 == 0\ninfo:\nCores must come in pairs`],
  [
    "pad the head size",
    `${AT}/transformer/sdpa/device/sdpa_op.cpp:1: n % k == 0\ninfo:\nnum_heads must be a multiple of num_kv_heads`,
  ],
  [
    "pad the head size",
    `${AT}/transformer/split_query_key_value_and_split_heads/x.cpp:1: shape[3] % (num_w_cores * TILE_WIDTH) == 0\ninfo:\nFlattened hidden dimension 2304 must be a multiple of width cores 5 * tile width 32`,
  ],
  [
    "A in shards",
    `${AT}/matmul/device/matmul_op.cpp:2: M % per_core_M == 0\ninfo:\nMatmulMultiCoreReuseProgramConfig: per_core_M, 3, must divide M, 4`,
  ],
  [
    "A in shards",
    `${AT}/matmul/device/matmul_op.cpp:2: !act.has_value()\ninfo:\nSharded matmul run with UnaryOpType::GELU activation: this should be placed in the program config's fused_activation field`,
  ],
  [
    "new entries",
    `${AT}/experimental/paged_cache/device/paged_update_cache_op.cpp:2: x\ninfo:\nExpect update_idxs to be HEIGHT SHARDED if sharded`,
  ],
  [
    "one entry for each dimension",
    `${AT}/data_movement/pad/device/pad_op.cpp:2: a\ninfo:\nTensor rank is not 4`,
  ],
  ["on the host, where", "TT_FATAL: Input must be a host tensor (assert.hpp:1)"],
  [
    "fewer num_links",
    "TT_FATAL @ /x/tt_metal/fabric/x.cpp:1: up\ninfo:\nEthernet links of device 3 did not train",
  ],
  ["Shapes differ here", "PCC comparison failed for input shape [1, 32]: pcc=0.93, required 0.97"],
  [
    "moreh_softmax",
    `${AT}/normalization/softmax/device/softmax_op.cpp:9: mask.dtype() == DataType::BFLOAT16`,
  ],
  ["shards", REPEAT],
  [
    "An average pool",
    "max pool 2d fails: the maximum number of runtime arguments, which is 256, is exceeded",
  ],
  [
    "bytes of a row",
    `${AT}/reduction/topk/device/topk_op.cpp:3: is_pow2\ninfo:\nDimension 96 must be a power of two`,
  ],
  [
    "no types of 64 bits",
    `${LEGALIZE} 'stablehlo.gather' that was explicitly marked illegal: (tensor<8xi64>) -> tensor<8xf32>`,
  ],
];

Deno.test("no row of the experts answers its neighbours", () => {
  for (const [other, text] of NEIGHBOURS) assert(!said(text).includes(other), `${other}: ${said(text)}`);
});

Deno.test("a program on one core is not told more of them, and its limit is named where it is Grayskull's", () => {
  const cores = "on core range [(x=0,y=0) - (x=0,y=0)]";
  const older =
    `argmax: allocated circular buffers ${cores} grow beyond max L1 size.\nRuntimeError: TT_THROW @ ../tt_metal/impl/program/program.cpp:512: tt::exception\ninfo:\nStatically allocated circular buffers ${cores} grow to 5550880 B which is beyond max L1 size of 1048576 B\n\nand\n`;
  assertEquals(failuresIn(older).map(({ kind }) => kind), ["circular_buffers_too_large"]);
  assertStringIncludes(said(older), "Grayskull's");
  const clash =
    `Statically allocated circular buffers in program 7 clash with L1 buffers ${cores}. L1 buffer allocated at 1431744 and static circular buffer region ends at 1435488`;
  for (const text of [older, clash]) {
    assertStringIncludes(said(text), "on one core");
    assert(!said(text).includes("more cores"));
  }
  assertStringIncludes(
    said(`\`aten.native_layer_norm.default\` failed with \`${ON_A_CORE}\``),
    "cut the row among cores",
  );
});

Deno.test("what a logger and an exception say of one check, or a partitioner of one sharding, is told once", () => {
  const words = "page table stick size must be a multiple of 32";
  const file = "/x/ttnn/cpp/ttnn/operations/transformer/sdpa/device/sdpa_program_factory.cpp";
  assertEquals(
    failuresIn(
      `critical | Always | TT_FATAL: ${words} (assert.hpp:104)\n\nRuntimeError: TT_FATAL @ ${file}:151: p.page_table_stick_size % 32 == 0\n${words}\nbacktrace:\n --- x`,
    ).length,
    1,
  );
  const [slice, ...others] = failuresIn(
    "TT_FATAL: Can only slice tilized tensor with height begin aligned (assert.hpp:104)\n{TT_FATAL @ /x/ttnn/operations/data_movement/slice/device/slice_op.cpp:161:\n (a[-2] % TILE_HEIGHT == 0)}\nRuntimeError: Bad StatusOr access",
  );
  assertEquals(others, []);
  assertEquals(
    slice?.kind === "failed_check" && [slice.words, slice.condition],
    ["Can only slice tilized tensor with height begin aligned", "(a[-2] % TILE_HEIGHT == 0)"],
  );
  assertEquals(
    failuresIn(
      'loc("reshape.59"): error: Could not apply propagated tensor shardings to tensor dimensions\nerror: Could not update shapes based on their tensor sharding attributes\nERR| Failed to run stablehlo pipeline',
    ).length,
    1,
  );
});

const dram = (bytes: number): string =>
  `TT_FATAL: Out of Memory: Not enough space to allocate ${
    bytes * 12
  } B DRAM buffer across 12 banks, where each bank ` +
  `needs to store ${bytes} B, but bank size is 1073741792 B`;

Deno.test("a check of ttnn is read by its path where nothing marks it, and code in backticks within a fence is kept", () => {
  const [bare] = failuresIn(
    "/x/ttnn/cpp/ttnn/operations/matmul/device/matmul_op.cpp:775: config.per_core_N > 0\ninfo:\nper_core_N must be greater than 0",
  );
  assert(bare?.kind === "failed_check");
  assertEquals([bare.words, bare.condition, bare.ops?.[0]], [
    "per_core_N must be greater than 0",
    "config.per_core_N > 0",
    "ttnn.matmul",
  ]);
  const [fenced] = failuresIn(
    "The error:\n```\nerror: failed to legalize operation `ttir.convolution`\n```\n",
  );
  assertEquals(
    fenced?.kind === "failed_check" && fenced.words,
    "failed to legalize operation `ttir.convolution`",
  );
});

Deno.test("what fills DRAM is told: others, if the tensor is small against a bank, else its padding", () => {
  assertStringIncludes(said(dram(10_924_032)), "1.0 % of a bank");
  assert(!said(dram(10_924_032)).includes("padded up to 32"));
  assertStringIncludes(said(dram(483_831_808)), "padded up to 32");
  assertStringIncludes(
    said(`all_reduce_async called on: ccl::Topology::Linear\n${dram(10_924_032)}`),
    "reduce_scatter and all_gather",
  );
});

Deno.test("a limit names the chip, and more banks than a Wormhole has without their size name none", () => {
  const bank = (banks: number): string =>
    `Out of Memory: Not enough space to allocate 98304000 B L1 buffer across ${banks} banks, where each bank needs to store 983040 B`;
  assert(said(bank(56)).includes("a bank has"));
  assert(!said(bank(100)).includes("a bank has"));
  assertStringIncludes(
    said("TT_THROW: Statically allocated circular buffers grow beyond max L1 size of 1572864 B"),
    "1,572,864 bytes of L1 are Blackhole's",
  );
});

Deno.test("rows of a pool that are to be a power of two are not told to be multiples of 16", () => {
  const text =
    "TT_FATAL @ ../ttnn/cpp/ttnn/operations/pool/maxpool/device/max_pool_program_factory.cpp:30: is_pow2\ninfo:\nRow size (nchannels * bytes = 192) should be power of 2 (false).";
  assertStringIncludes(said(text), "pad it from 192 to 256");
  assert(!said(text).includes("channels padded to 16"));
});

Deno.test("an op beside its family, in a test's name or in the call, is the op; and what only tiles do not take is done in rows", () => {
  const unary = failuresIn(
    'Sharded eltwise unary ops crash:\nFatal Python error: Segmentation fault\n  File "/x/test_eltwise_isfinite_sharded.py", line 3 in run',
  );
  assertEquals(unary.map(({ ops }) => ops), [["ttnn.isfinite"]]);
  const called = failuresIn(
    `ttnn.typecast(x)\nTT_FATAL @ /x/ttnn/cpp/ttnn/operations/eltwise/unary/device/unary_device_operation.cpp:1: input.layout() == Layout::TILE`,
  );
  assertEquals(called.map(({ ops, within }) => [ops, within]), [[["ttnn.typecast"], undefined]]);
  assertStringIncludes(
    said("TT_FATAL: ttnn.slice: Only strides of 1 are supported in TILE layout"),
    "in rows, which",
  );
  assert(!said("TT_FATAL: Datatype conversion is only supported for tiled tensors").includes("in rows"));
});
