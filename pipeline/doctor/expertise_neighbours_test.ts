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

Deno.test("a program on one core is not told more of them, and its limit is named where it is an older chip's", () => {
  const cores = "on core range [(x=0,y=0) - (x=0,y=0)]";
  const older =
    `argmax: allocated circular buffers ${cores} grow beyond max L1 size.\nRuntimeError: TT_THROW @ ../tt_metal/impl/program/program.cpp:512: tt::exception\ninfo:\nStatically allocated circular buffers ${cores} grow to 5550880 B which is beyond max L1 size of 1048576 B\n\nand\n`;
  assertEquals(failuresIn(older).map(({ kind }) => kind), ["circular_buffers_too_large"]);
  assertStringIncludes(said(older), "an older chip's");
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
