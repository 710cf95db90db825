// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertStringIncludes } from "@std/assert";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { explainFailure } from "./explain_failure.ts";
import { readRuntimeLog } from "./runtime_log.ts";

const FULL =
  "Out of Memory: Not enough space to allocate 49971200 B L1 buffer across 64 banks, where each bank needs to store 780800 B";
const CLASH = "Statically allocated circular buffers in program 30 clash with L1 buffers on core range " +
  "[(x=0,y=0) - (x=7,y=7)]. L1 buffer allocated at 997376 and static circular buffer region ends at 1192448";
const EXECUTING = 'RuntimeTTNN | DEBUG | Executing operation: %79 = "ttnn.conv2d"(%78) <{a = #x<"y">}> : ' +
  '(tensor<1xbf16>) -> tensor<1xbf16> loc("convolution.725"(callsite("a")))';

/** Op, caller and location of every failure. */
function opsIn(log: string): readonly string[] {
  return readRuntimeLog(log).map(({ ops, within, location }) =>
    [
      ops?.[0] ?? "-",
      ...within === undefined ? [] : [`in ${within}`],
      ...location === undefined ? [] : [location],
    ]
      .join(" ")
  );
}

/** All that is said of the only failure. */
function said(log: string): string {
  const [failure] = readRuntimeLog(log);
  if (failure === undefined) return "";
  const { meaning, advice } = explainFailure(failure, chipDescription(getDevice("n150")));
  return [...meaning, ...advice].join("\n");
}

Deno.test("a full bank and a clash are of the op that the runtime runs, the backtrace calls or the text names", () => {
  assertEquals(opsIn(`${EXECUTING}\n Always | CRITICAL | TT_FATAL: ${FULL}`), [
    "ttnn.conv2d convolution.725",
  ]);
  assertEquals(opsIn(`${FULL}\n\nOn a ttnn.conv2d op:\n`), ["ttnn.conv2d"]);
  assertEquals(opsIn(`${FULL}\n\non op:\n\n${EXECUTING}`), ["ttnn.conv2d convolution.725"]);
  assertEquals(opsIn(`> return ttnn.Tensor(\n    tensor=tensor,\n  )\nE  ${FULL}`), ["ttnn.from_torch"]);
  const trace = "info:\n" + FULL +
    "\nbacktrace:\n --- tt::tt_metal::BankManager::allocate_buffer(unsigned long)\n" +
    " --- ttnn::prim::ReshardDeviceOperation::create_output_tensors(a)\n --- ttnn::reshard(b)\n" +
    " --- ttnn::to_memory_config(c)\n --- tt::runtime::ttnn::submit(d)";
  assertEquals(opsIn(trace), ["ttnn.reshard in ttnn.to_memory_config"]);
  const mangled = `${CLASH}\nbacktrace:\n --- /x/libtt_metal.so(+0x30) [0x7f]\n` +
    " --- /x/_ttnncpp.so(_ZN4ttnn10operations6matmul6linearERKN2tt6TensorE+0x53) [0x7f]";
  assertEquals(opsIn(mangled), ["ttnn.linear"]);
  const frames =
    `critical | Always | TT_FATAL: ${FULL}\n\nTT_FATAL @ tt_metal/impl/allocator/bank_manager.cpp:462\n` +
    "\n  tt::tt_metal::BankManager::allocate_buffer(...)\n  ttnn::prim::SliceDeviceOperation::create_output_tensors(...)";
  assertEquals(opsIn(frames), ["ttnn.slice"]);
  assertEquals(
    opsIn(`  ttnn::tilize → MeshBuffer::create → BankManager::allocate_buffer\n  TT_FATAL: ${FULL}`),
    [
      "ttnn.to_layout",
    ],
  );
  assertEquals(
    opsIn(`${FULL}\nbank_manager.cpp:462\n  ttnn::prim::typecast -> TypecastDeviceOperation::create`),
    [
      "ttnn.typecast",
    ],
  );
});

Deno.test("ops of a program that is dumped before a failure are not named by it", () => {
  const dump =
    `MLIR Module ttir:\nmodule @m {\n %1 = "ttir.relu"(%0) : (f32) -> f32\n %2 = "ttir.exp"(%1) : (f32) -> f32\n}`;
  assertEquals(opsIn(`${dump}\n--- END OF MLIR MODULE ---\nAlways | FATAL | ${FULL}`), ["-"]);
  assertEquals(opsIn(`${dump}\n--- END OF MLIR MODULE ---\nsoftmax op: Always | FATAL | ${FULL}`), [
    "ttnn.softmax",
  ]);
});

Deno.test("a failure that is told twice, once with its op, is one", () => {
  const log = `2026-02-23 13:07:03 | critical | Always | TT_THROW: ${CLASH} (assert.hpp:104)\n` +
    `2026-02-23 13:07:03 - ERROR - exception=TT_THROW @ /x/program.cpp:949: tt::exception\ninfo:\n${CLASH}\n` +
    "backtrace:\n...\n --- ttnn::rms_norm(tt::tt_metal::Tensor const&, float)";
  assertEquals(opsIn(log), ["ttnn.rms_norm"]);
});

Deno.test("remedies for lack of room are those of the op", () => {
  assertStringIncludes(said(`${EXECUTING}\n${FULL}`), "slice the convolution through DRAM");
  const norm = `${CLASH}\nbacktrace:\n --- ttnn::rms_norm(tt::tt_metal::Tensor const&, float)`;
  assertStringIncludes(said(norm), "blocks of whole rows");
  assertStringIncludes(said(CLASH), "act_block_h of a convolution");
  // The whole region of tensors is no larger than L1_SMALL may be.
  const small = CLASH.replace("997376", "1498000").replace("1192448", "1498192");
  assertStringIncludes(said(small), "l1_small_size that is 192 bytes smaller");
});

Deno.test("tt-mlir's diagnostics name the place, and the refusal that they quote is explained", () => {
  const log =
    'error: loc("convolution.5"): OperationValidationAndFallback: Operation ttnn.conv2d failed validation ' +
    "(original error: OutOfMemoryError - Not enough L1 memory). No fallback configuration worked (tested up to 9 combinations).";
  assertEquals(
    readRuntimeLog(log).map((failure) => failure.kind === "failed_check" ? failure.subject : failure.kind),
    ["capacity"],
  );
  assertEquals(
    opsIn(
      'loc("gather.2770"): error: OperationValidationAndFallback: Operation failed validation and no fallback configuration worked',
    ),
    [
      "- gather.2770",
    ],
  );
});

Deno.test("a kernel names its op, and files that are called after what they do within it", () => {
  assertEquals(
    opsIn(
      "TT_THROW @ /x/tt_metal/impl/kernels/kernel.cpp:220: tt::exception info: 1760 Bytes unique+common " +
        "runtime args targeting kernel reshard_reader on (x=0,y=0) are too large. Max allowable size is 1024 Bytes",
    ),
    [
      "ttnn.reshard",
    ],
  );
  assertEquals(
    opsIn(
      "TT_THROW @ /x/program.cpp:39: tt::exception info: Failed to generate binaries for embeddings_tilize " +
        "TT_THROW @ /x/jit_build/build.cpp:500: tt::exception info: ncrisc build failed",
    ),
    ["ttnn.embedding"],
  );
  assertEquals(
    opsIn(
      "TT_FATAL @ tt_eager/tt_dnn/op_library/untilize/untilize_with_halo_op_v2.cpp:570: ncores_nhw_ == " +
        "shard_spec.grid.num_cores() info: ncores_nhw (8) != shard_spec.grid.num_cores (9)",
    ),
    ["ttnn.conv2d"],
  );
});

/** Subjects of a log's checks, with their words. */
function checksIn(log: string): readonly string[] {
  return readRuntimeLog(log).map((failure) =>
    failure.kind === "failed_check" ? `${failure.subject}: ${failure.words}` : failure.kind
  );
}

Deno.test("a log that only warns has its warnings, and a text its conditions in backticks", () => {
  const warning =
    "2026-05-08 13:20:56.927 | warning  |              Op | Conv2D DRAM ignores the memory config (conv2d.cpp:790)";
  const info = "2026-05-08 13:20:56.930 | info     |              Op | Auto determined DRAM Slice Config";
  assertEquals(checksIn(`${info}\n${warning}\n${info}`), [
    "warning: Conv2D DRAM ignores the memory config (conv2d.cpp:790)",
  ]);
  assertEquals(checksIn("graphs for matmul fail:\n- `Mt % per_core_M == 0`\n"), [
    "blocks: Mt % per_core_M == 0",
  ]);
  assertEquals(opsIn("graphs for matmul fail:\n- `Mt % per_core_M == 0`\n"), ["ttnn.matmul"]);
});

Deno.test("devices that wait for one that hangs are not listed", () => {
  const hang =
    "2026-05-08 12:56:00 | critical | Always | TT_THROW: TIMEOUT: device timeout, potential hang detected (assert.hpp:104)\n";
  const waiting = (device: number) =>
    `2026-05-08 16:56:00 | critical | Always | TT_THROW: Device ${device}: Timeout (240000 ms) waiting for physical cores to finish: 14-3.\n`;
  assertEquals(checksIn(hang + waiting(0) + waiting(1)).length, 1);
});

Deno.test("an exception about operands is one of ttnn, and extents that may not be padded are about tiles", () => {
  assertEquals(checksIn("E   RuntimeError: input_tensor_a must be on device!"), [
    "storage: input_tensor_a must be on device!",
  ]);
  assertEquals(
    checksIn(
      "TT_FATAL @ /x/ttnn/cpp/ttnn/operations/transformer/sdpa/device/sdpa_op.cpp:43: logical_shape[3] == legacy_shape[3]",
    ),
    ["divisible: logical_shape[3] == legacy_shape[3]"],
  );
  assertEquals(
    opsIn(
      `loc("scatter.2137_pad"("scatter.2137")): error: 'ttnn.pad' op Output tensor shape (32,768) must match`,
    ),
    [
      "ttnn.pad scatter.2137_pad",
    ],
  );
});

Deno.test("a message in backticks is what they hold, and what MLIR prints around its errors is none of it", () => {
  assertEquals(
    checksIn(
      "ttnn.experimental.x(a) dies with `Must have exactly 1 optional input tensor, got: 0`. No config",
    ),
    [
      "arguments: Must have exactly 1 optional input tensor, got: 0",
    ],
  );
  assertEquals(
    checksIn("- message: `RuntimeError: Out of L1 Memory`\n- test.py::test[((1, 256), torch.float32)]"),
    [
      "capacity: Out of L1 Memory",
    ],
  );
  assertEquals(
    checksIn(
      "a.mlir:5:3: error: 'func.func' op result 0 - unknown mesh: @mesh\n  func.func public @main(%a: i1) {",
    ),
    ["verifier: 'func.func' op result 0 - unknown mesh: @mesh"],
  );
  const at = 'loc("xla__sharding"): error: ';
  assertEquals(
    checksIn(`${at}expected a sharding attribute\n${at}failed to legalize operation 'stablehlo.custom_call'`),
    [
      "compiler: expected a sharding attribute; failed to legalize operation 'stablehlo.custom_call'",
    ],
  );
  assertEquals(
    checksIn("ERROR: UndefinedBehavior: tensix_execute_pacr: format=0 mismatches format=5").length,
    1,
  );
});

Deno.test("extents that differ by the padding of tiles, and types that do not convert, are said", () => {
  assertStringIncludes(
    said("The size of tensor a (84) must match the size of tensor b (96) at non-singleton dimension 3"),
    "96 is 84 padded to whole tiles of 32",
  );
  assertStringIncludes(
    said("The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 3"),
    "before a program for the chip exists",
  );
  assertStringIncludes(
    said(
      "error: failed to legalize unresolved materialization from ('tensor<1xbf16>') to ('tensor<1xf32>') that remained",
    ),
    "a value of type tensor<1xbf16> where tensor<1xf32> is declared",
  );
});

Deno.test("shortened messages, complaints in prose and fenced settings are read for what they are", () => {
  assertStringIncludes(
    said("message: `RuntimeError: Statically allocated circular buffers clash with L1 buffers`"),
    "reach up into a tensor",
  );
  assertEquals(
    checksIn(
      "inserts a `to_memory_config` (reshard) before `reshape`:\n```\nStatically allocated circular buffers clash with L1 buffers on core range\n```",
    ),
    [
      "capacity: Statically allocated circular buffers clash with L1 buffers on core range",
    ],
  );
  assertEquals(
    checksIn(
      "Sharded ops lead to segfault with this setup:\n```\nShardStrategy.BLOCK ShardOrientation.COL_MAJOR True\n```",
    )[0]?.split(":")[0],
    "crash",
  );
  assertEquals(
    checksIn("With N=128:\n```\nallclose(CPU, TT): False\nelements wrong   : 1180 / 1806336\n```")[0]?.split(
      ":",
    )[0],
    "accuracy",
  );
  assertEquals(
    checksIn("`ttir.paged_update_cache op: Input tensor must have shape equal to the users: 32, got 16`")[0]
      ?.split(":")[0],
    "verifier",
  );
  assertEquals(opsIn(`decode block fails with a similar rms norm l1 OOM error:\n\x60${CLASH}\x60`), [
    "ttnn.rms_norm",
  ]);
  assertStringIncludes(
    said(`decode block fails with a similar rms norm error:\n\x60${CLASH}\x60`),
    "By the text around the message, the op may be ttnn.rms_norm",
  );
  assertStringIncludes(
    said(
      "TT_FATAL @ /x/ttnn/cpp/ttnn/operations/kv_cache/device/update_cache_op.cpp:38: input_tensor.padded_shape()[0] == 1 info: Error",
    ),
    "one user at a time",
  );
});

Deno.test("what is wrong is said of the config, the shards or the padding that it is of", () => {
  assertEquals(
    checksIn(
      "TT_ASSERT @ /w/ttnn/cpp/ttnn/operations/conv/conv2d/conv2d_utils.cpp:347: act_block_h_override % 32 == 0 info: " +
        "Config Error: act_block_h_override must be a multiple of 32 (tile height).",
    )[0]?.split(":")[0],
    "blocks",
  );
  const row =
    "TT_FATAL @ tt_eager/tt_dnn/op_library/sharded/sharded_op.cpp:91: same_row_size info: row major must have " +
    "shard_spec[1] be the same on both input and output";
  assertEquals([checksIn(row)[0]?.split(":")[0], ...opsIn(row)], ["shard_extent", "-"]);
  assertStringIncludes(
    said("Physical shard shape (1, 64) must be tile {32, 32} sized!"),
    "shards of 32x64 instead of 1x64",
  );
  assertStringIncludes(
    said("E   AssertionError: list(expected.shape)=[1, 255, 40, 40] vs list(actual.shape)=[1, 256, 40, 40]"),
    "256 is 255 padded to whole tiles of 32",
  );
  assertStringIncludes(
    said("conv2d failed with `x_ntiles % y_ntiles == 0` for certain shapes"),
    "By the text around the message, the op may be ttnn.conv2d",
  );
  // What the file says is no guess, whatever running text names.
  assertEquals(
    said(
      "Unit testing Conv2d, 2 failed:\nTT_FATAL @ ../ttnn/cpp/ttnn/operations/matmul/device/matmul_op.cpp:9: a == b info: Mismatch of width",
    ).includes("By the text around"),
    false,
  );
});

Deno.test("a condition that running text only mentions has not failed, and blocks of norms are not those of products", () => {
  assertEquals(
    checksIn("`ttnn.x` returns garbage whenever the size is 32 and `cur_pos >= 32`")[0]?.split(":")[0],
    "accuracy",
  );
  const norm = said(
    "TT_FATAL @ /x/ttnn/operations/normalization/groupnorm/device/multi_core/groupnorm_op_multi_core.cpp:1321: per_core_M_group_1 % TILE_HEIGHT == 0",
  );
  assertEquals([
    norm.includes("in0_block_w"),
    norm.includes("a grid whose rows and columns divide the tiles"),
  ], [false, true]);
  assertStringIncludes(
    said(
      "Device 0 worker core(x= 0,y= 0): ncrisc using noc0 tried to unicast read 32 bytes to local L1[0x079a00] (invalid address alignment)",
    ),
    "a kernel reads or writes where it must not",
  );
});

Deno.test("the file of a test of an op, and a frame of tt-metal before TTNN, name the op", () => {
  assertEquals(opsIn(`pytest tests/ttnn/unit_tests/operations/test_new_conv2d.py::test_unet\nE ${FULL}`), [
    "ttnn.conv2d",
  ]);
  const frame =
    " --- tt::tt_metal::Reshard::create_output_tensors(std::vector<tt::tt_metal::Tensor> const&) const";
  assertEquals(opsIn(`${FULL}\nbacktrace:\n${frame}`), ["ttnn.reshard"]);
});

Deno.test("of the file of a family the words name the op", () => {
  const check = (words: string): string =>
    `TT_FATAL @ /x/ttnn/cpp/ttnn/operations/eltwise/binary_ng/device/binary_ng_op.cpp:3: ok\ninfo:\n${words}`;
  assertEquals(opsIn(check("situ_glu: the kernel takes bf16 only")), ["ttnn.situ_glu"]);
  assertEquals(opsIn(check("Operands have different layouts")), ["ttnn.add"]);
  assertEquals(
    opsIn(
      "TT_FATAL @ /x/ttnn/cpp/ttnn/operations/experimental/paged_cache/device/fill_cache/paged_fill_cache_device_op.cpp:3: ok",
    ),
    ["ttnn.paged_fill_cache"],
  );
});

Deno.test("shards on too few cores, and pages that do not fill a tensor, are said with what helps", () => {
  const shards = "TT_ASSERT @ tt_eager/tensor/tensor.cpp:654: num_shards == num_cores\ninfo:\n" +
    "Number of shards 64 must match number of cores 56";
  assertStringIncludes(said(shards), "as many cores as there are shards (64 against 56)");
  const page = "TT_FATAL @ ttnn/cpp/ttnn/tensor/layout/tensor_layout.cpp:214: " +
    "(width_remainder == 0 && height_remainder == 0) || ((physical_size.width() * physical_size.height()) == 0)\n" +
    "info:\nPhysical size (1, 96) must be multiple of page size (1, 64)";
  assertStringIncludes(said(page), "shards whose sides divide the tensor");
});

Deno.test("what people say in a title is read: a hang, an op that is failing, a weight in rows", () => {
  const hang = said("Layernorm with non-tile aligned W and row-major gamma hangs device\nAdd the test below");
  assertStringIncludes(hang, "never comes. The board has to be reset");
  const clash = `ttnn.conv2d is failing with an error in the unit test, of ${"x".repeat(200)}:\n${CLASH}`;
  assertEquals(opsIn(clash), ["ttnn.conv2d"]);
  const gamma =
    "TT_FATAL in x.rms_norm: LayerNorm gamma padded dim must equal tile_width (layernorm.cpp:105)";
  assertStringIncludes(said(gamma), "gamma with 32 in a dimension");
});

Deno.test("what a text calls is the op, and a path across two lines, or a list behind it, are no words of the message", () => {
  const uneven =
    "`no un-even shard size support memory layout X::BLOCK_SHARDED` error appears when calling " +
    "`ttnn.add`, after `ttnn.linear`.";
  assertEquals(opsIn(uneven), ["ttnn.add"]);
  const [failure] = readRuntimeLog(
    "models failing with **RuntimeError: TT_FATAL @ /x/tt-metal/src/tt-metal/\n" +
      "ttnn/cpp/ttnn/operations/conv/conv2d/device/conv2d_op.cpp:527: bias_ntiles == weight_matrix_width_ntiles**\n" +
      "error due to revert\n\n- [ ] forge/test/test_efficientnet.py::test_b2\n- [ ] forge/test/test_segformer.py::test_b1",
  );
  assertEquals(failure?.kind === "failed_check" ? [failure.file, failure.words] : [], [
    "conv2d_op",
    "bias_ntiles == weight_matrix_width_ntiles",
  ]);
});

Deno.test("shards that a compiler chose are lifted by it, in front of what helped elsewhere", () => {
  const check =
    "TT_FATAL @ /x/tt_metal/impl/tensor/spec/layout/tensor_layout.cpp:159: !shard_align_error.has_value()\ninfo:\nPhysical shard shape (32, 1) must be tile {32, 32} sized!\nbacktrace:\n --- ttnn::to_layout(tt::tt_metal::Tensor const&)";
  const told = (text: string) => {
    const [failure] = readRuntimeLog(text);
    return failure === undefined
      ? []
      : explainFailure(failure, chipDescription(getDevice("n150")), text).advice;
  };
  const compiled = told(`a model of tt-xla fails with optimization-level=2:\n${check}`);
  assertStringIncludes(compiled[0] ?? "", "shards of 32x32 instead of 32x1");
  const [lower, reported] = [/optimization-level=1/, /tt-mlir#\d/].map((words) =>
    compiled.findIndex((one) => words.test(one))
  );
  assertEquals([lower !== -1, (lower ?? 0) < (reported ?? 0)], [true, true]);
  assertEquals(told(check).some((one) => one.includes("optimization-level")), false);
});
