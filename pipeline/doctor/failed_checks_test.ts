// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { readAnswers } from "../backend_answers/read_answers.ts";
import { CHECK_SUBJECTS } from "./check_subjects.ts";
import { explainFailure } from "./explain_failure.ts";
import { failedCheckOf } from "./failed_check.ts";
import { fingerprintOf } from "./known_reports/fingerprint.ts";
import { readRuntimeLog } from "./runtime_log.ts";

Deno.test("a check that failed is found with its words, its file and the ops that it is about", () => {
  const log = `critical | Always | TT_FATAL: Kt (48) must be divisible by in0_block_w (5) (assert.hpp:104)
    RuntimeError: TT_FATAL @ /tmp/ttnn/cpp/ttnn/operations/matmul/device/matmul_device_operation.cpp:1533: Kt % program_config.in0_block_w == 0
    info:
    MatmulMultiCoreReuseMultiCastProgramConfig: Kt (48) must be divisible by in0_block_w (5)
    backtrace:
     --- ttnn::operations::matmul`;
  // The logger's line is the same failure, with less.
  const [located, ...others] = readRuntimeLog(log);
  assertEquals(others, []);
  assertEquals(located, {
    kind: "failed_check",
    subject: "blocks",
    words: "MatmulMultiCoreReuseMultiCastProgramConfig: Kt (48) must be divisible by in0_block_w (5)",
    condition: "Kt % program_config.in0_block_w == 0",
    file: "matmul_device_operation",
    ops: ["ttnn.matmul", "ttnn.linear"],
    numbers: [48, 5],
  });
});

Deno.test("a remedy names the share along the axis of the message, and where to look comes behind remedies", () => {
  const explained = (axis: string): readonly string[] => {
    const [failure] = readRuntimeLog(
      `TT_FATAL @ /x/ttnn/cpp/ttnn/operations/matmul/device/factory.cpp:17: num_blocks_${axis} <= num_cores_${
        axis === "y" ? "r" : "c"
      }
    info:
    Num output blocks along ${axis} (9) must be smaller than or equal to number of ${
        axis === "y" ? "rows" : "columns"
      } (7)`,
    );
    assert(failure !== undefined);
    return explainFailure(failure, chipDescription(getDevice("n150"))).advice;
  };
  for (const [axis, share] of [["y", "per_core_M (rows, y)"], ["x", "per_core_N (columns, x)"]] as const) {
    const advice = explained(axis);
    const [named = -1, general = -1] = [share, "as the rule has it"].map((part) =>
      advice.findIndex((remedy) => remedy.includes(part))
    );
    assert(named >= 0 && (general < 0 || named < general), `${axis}: ${advice.join("; ")}`);
  }
});

Deno.test("a message that is understood in full is no failed check besides", () => {
  const failures = readRuntimeLog(`TT_FATAL @ /x/bank_manager.cpp:462: false
    info:
    Out of Memory: Not enough space to allocate 16384 B L1_SMALL buffer across 64 banks, where each bank needs to store 256 B, but bank size is 0 B (allocated: 0 B, free: 0 B, largest free block: 0 B)`);
  assertEquals(failures.map((failure) => failure.kind === "bank_full" && failure.memory), ["L1_SMALL"]);
});

const MESSAGES: readonly (readonly [subject: string, words: string])[] = [
  ["shard_tiles", "Physical shard shape (30, 32) must be tile {32, 32} sized!"],
  ["shard_extent", "Shard width 64 must match physical width 128 for height sharded"],
  ["shard_extent", "Input tensor shard width (64) must equal padded width (128)"],
  ["shard_count", "Number of shards along height 100 must not exceed number of cores 64"],
  [
    "shard_count",
    "Number of shards along width 9 must not exceed number of columns 8 for row major orientation!",
  ],
  [
    "slices",
    "DRAM Auto slice could not find valid slice configuration. Tried up to 10240 slices for Width-slicing on output dimension 10240. Available L1: 1392640 bytes.",
  ],
  ["cores", "Tensor shard spec grid {[1-0 - 1-7]} must lie within compute grid (1, 8)"],
  ["no_shards", "autosharding could not determine valid shard scheme, please check tensor dimensions"],
  ["no_dimension", "ShapeBase[] index out of range. 2 not in [-4, 2)"],
  ["division_by_zero", "Divide by 0 error"],
  [
    "trace_region",
    "Creating trace buffers of size 12345344B on MeshDevice 0, but only 0B is allocated for trace region.",
  ],
  [
    "kernel_size",
    "Program size (79760) too large for kernel config buffer (70656) on TENSIX (assert.hpp:104)",
  ],
  [
    "runtime_arguments",
    "352 unique+common runtime args targeting kernel reader_concat on (x=0,y=0) are too large. Max allowable is 341",
  ],
  [
    "semaphores",
    "Unable to initialize semaphore on core range [(x=0,y=0) - (x=7,y=7)]: all 16 semaphores are in use",
  ],
  ["cores", "Target number of cores 72 is greater than total number of available cores 64"],
  ["cores", "num_blocks_total 128 must be <= num_cores 64"],
  [
    "shard_count",
    "Expected number of shards 64 to be less than or equal to total number of L1 banks 56 in compute cores",
  ],
  [
    "shard_count",
    "Input tensor shard grid must have num_cores (1) equal to the number of users / batch (32)",
  ],
  [
    "cores",
    "Num output blocks along y (9) must be smaller than or equal to the number of rows in compute grid (8)!",
  ],
  ["cores", "Invalid shard grid: shard core (0, 10) has no L1 bank on this device, which has 130 of them"],
  ["blocks", "number of M blocks ceil(M/per_core_M)=12 must not exceed input A shard grid cores (1)"],
  ["blocks", "out_subblock_w 4 times out_subblock_h 4 needs to be at most 8 to fit in hardware"],
  ["memory_layout", "input A must be WIDTH_SHARDED when mcast_in0 or gather_in0 is set, got: BLOCK_SHARDED"],
  ["memory_layout", "Operands to SDPA need to be DRAM/L1 interleaved"],
  ["page_layout", "Slice write expects input tensor to be in TILE layout, got Layout::ROW_MAJOR"],
  ["data_type", "Input and cache tensors must have same dtype!"],
  ["alignment", "Output row-major shard width 4 gives page size 8 bytes, which must be aligned to 16 bytes"],
  ["capacity", "Workload of Tiles 384 at Tile Size 2048 (times 2 for output) exceeds L1 capacity 1499136"],
  [
    "shard_spec",
    "Sharded memory layout TensorMemoryLayout::BLOCK_SHARDED requires either nd_shard_spec or shard_spec to be set",
  ],
  ["divisible", "K sequence length must be multiple of chunk size, got: 160 and 128"],
  ["divisible", "Flattened hidden dimension 2304 must be a multiple of width cores 5 * tile width 32"],
  ["hang", "TIMEOUT: device timeout, potential hang detected, the device is unrecoverable"],
  ["host_memory", "Querying size for a host channel that does not exist."],
  ["declared_layout", "Layout mismatch, expected Layout::TILE, got Layout::ROW_MAJOR"],
  ["board", "Expected 4 eth links from physical chip 1 to physical chip 0"],
  ["compiler", "failed to legalize operation 'ttir.sort' that was explicitly marked illegal"],
  ["partitioner", "'sdy.all_slice' op operates on an axis which is already bound"],
  ["verifier", "'ttnn.concat' op Output shape dimension[1](8) doesn't match the expected output shape"],
  ["kernel_build", "trisc1 build failed. Log: /tmp/kernels/log"],
  ["accuracy", "PCC comparison failed. Calculated: pcc=0.91. Required: pcc=0.99"],
  ["crash", "Assertion `isa(x)' failed."],
  ["accuracy", "Decode PCC failed. PCC=0.81, Required=0.9"],
  ["prepared_weights", "weight_matrix_width_ntiles % weight_block_w_ntiles == 0"],
  ["page_layout", "All tensors must have the same layout."],
  ["alignment", "Shard page size must currently have an aligned size"],
  ["rank", "Broadcasting is only possible up to rank 4"],
  ["wrapper", "Bad StatusOr access: INTERNAL: Error code: 13"],
  ["wrapper", "Error code: 13"],
  ["capacity", "Out of Memory: Not enough space in L1"],
  ["shapes", "A tensor with volume 0 is not supported"],
  ["missing_value", "bad optional access"],
  ["declared_layout", "Mismatch between computed MemoryConfig(a) and provided MemoryConfig(b) mem config"],
  ["shared_buffer", "Circular buffer size 4096 B exceeds allocated L1 buffer bank size of 2048 B"],
  ["data_type", "Unsupported DataType!"],
  ["page_layout", "a.get_layout() == Layout::ROW_MAJOR"],
  ["alignment", "page_size % sizeof(uint32_t) == 0"],
  ["no_fallback", "no fallback configuration worked for ttnn.sort"],
  ["reserved_room", "Worker L1 size 1500000 is larger than max size 1400000"],
  ["worker_grid", "Shard cores specified {[0-0 - 3-3]} do not match sub-device cores {[0-0 - 1-1]}"],
  ["worker_grid", "Bounds-Error -- Logical DRAM core 9-0 is outside dram_bank_endpoint_coords grid (8x1)"],
  [
    "shared_buffer",
    "Cannot set circular buffer size to 4096. This is larger than the associated dynamically allocated L1 buffer bank size of 2048 B",
  ],
  ["shard_spec", "Buffer is sharded, but no shard parameters specified"],
  ["optimizer_room", "L1SpillManagementBase: a value has no contiguous L1 placement after all evictions"],
  ["op_model", "Backend constraints are not implemented for op ttnn.sort"],
  ["worker_grid", "No core coordinate found at location: (9, 0, TENSIX, LOGICAL)"],
  ["worker_grid", "Illegal kernel placement for reader_x, kernels cannot be placed on dispatch cores!"],
  ["mlir_text", "custom op 'ttnn.new_op' is unknown"],
  ["kernel_program", "GCB has no senders"],
  ["semaphores", "Ran out of semaphore IDs on sliding-halo worker core (9, 2)"],
  ["tools", "On core (x=6,y=1): ncrisc using noc0 tried to accesss core (00,01) L1[addr=0x400974f0,len=16]"],
  ["streams", "HDSocketConnectorState version mismatch: got 64, expected 40."],
  ["prepared_weights", "output_channels_padded_to_tile_width 64 must be at most weight_matrix_width 32"],
  ["rank", "Input tensor ranks must be equal"],
  ["rank", "dims.size() == 4"],
  ["shard_tiles", "Shard shape Shape([8, 216]) must be tile 32x32 sized!"],
  ["memory_layout", "gather_in0 matmul requires in1 to be WIDTH_SHARDED (K-row-major)"],
  ["missing_value", "Failed to create model runner 'tt-sd3.5': unordered_map::at"],
  ["accuracy", "AssertionError: 0.016801602847155116"],
  ["host_out_of_memory", "std::bad_alloc"],
  ["model_code", "torch_xla/csrc/xla_bridge.cpp:1 : Check failed: tensor"],
  ["download", "401 Client Error: Unauthorized for url"],
  ["python_call", "ttnn.foo(): incompatible function arguments."],
  ["model_code", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"],
  ["installation", "No module named 'ttnn'"],
  ["job_limit", "Timeout >600.0s"],
  ["diagnostic", "error: expected something else"],
  ["python_error", "KeyError: 'weight'"],
  ["model_size", "The model is too large for a single chip"],
  ["xla_status", "INVALID_ARGUMENT: Executable has other parameters"],
  ["streams", "Receiver of the socket has other pages than its sender"],
  ["queue", "Sub-devices are loaded while the command queue is busy"],
  ["settings", "TT_METAL_FOO has to be 0 or 1"],
  ["tools", "profiler DRAM buffer is full"],
  ["files", "Failed to open file /tmp/a.json"],
  ["kernel_program", "Kernel reader has no compile time args named x"],
  ["mesh", "Mesh shape [2, 4] has another number of devices"],
  ["hidden_cache_miss", "program cache miss occurred, but cache misses are forbidden"],
  ["shard_grid", "Shard orientation must be ROW_MAJOR"],
  ["storage", "Weights need to be on device"],
  ["tile_shape", "Only tiles of one kind: tile height must be 32"],
  ["architecture", "Only supported on Blackhole"],
  ["rank", "Input has to have rank 4"],
  ["arguments", "Only one of scalar and tensor can be provided"],
  ["internal", "Internal error: the core map is none that was expected"],
  ["fallback", "Operation ttnn.matmul failed validation, fallback configuration found: dram interleaved"],
];

Deno.test("a check's words determine its subject, and every subject has a remedy", () => {
  const chip = chipDescription(getDevice("n150"));
  for (const [subject, words] of MESSAGES) {
    const failure = failedCheckOf(words);
    assertEquals(failure?.subject, subject, words);
    assert(failure !== undefined);
    const { meaning, advice } = explainFailure(failure, chip);
    assert(meaning.length >= 1 && advice.length >= 1, words);
  }
  assertEquals(failedCheckOf("what is this"), undefined);
  const tried = new Set(["warning", ...MESSAGES.map(([subject]) => subject)]);
  assertEquals(CHECK_SUBJECTS.filter(({ name }) => !tried.has(name)), [], "subjects without a message");
});

/** Conditions as ttnn spells them, with words that say less; the folder says which op it is. */
const CONDITIONS:
  readonly (readonly [subject: string, op: string | undefined, file: string, condition: string])[] = [
    ["page_layout", "ttnn.sort", "operations/data_movement/sort/device/x.cpp", "t.layout() == Layout::TILE"],
    ["memory_layout", "ttnn.softmax", "operations/normalization/softmax/softmax.cpp", "!mask->is_sharded()"],
    [
      "storage",
      "ttnn.experimental.foo",
      "operations/experimental/ccl/foo/device/a/x.cpp",
      "b.buffer() != nullptr",
    ],
    ["data_type", "ttnn.sum", "operations/reduction/generic/device/x.cpp", "a.dtype() == DataType::BFLOAT16"],
    ["divisible", "ttnn.add", "operations/eltwise/binary_ng/device/x.cpp", "shape[-1] % TILE_WIDTH == 0"],
    ["rank", "ttnn.max_pool2d", "operations/pool/generic/generic_pools.cpp", "x.logical_shape().rank() == 4"],
    [
      "shapes",
      "ttnn.reshape",
      "operations/data_movement/reshape_view/reshape.cpp",
      "a.volume() == b.volume()",
    ],
    ["blocks", "ttnn.matmul", "operations/matmul/device/config/x.cpp", "Kt % in0_block_w == 0"],
    [
      "shard_spec",
      "ttnn.group_norm",
      "operations/normalization/groupnorm/x.cpp",
      "s.shard_spec().has_value()",
    ],
    [
      "shard_grid",
      undefined,
      "operations/data_movement/common/x.cpp",
      "a.shard_spec()->grid == b.shard_spec()->grid",
    ],
    ["arguments", "ttnn.conv3d", "operations/experimental/conv3d/device/x.cpp", "args.groups == 1"],
    ["board", undefined, "tt_metal/fabric/topology_mapper.cpp", "a.layout() == Layout::TILE"],
    ["queue", undefined, "tt_metal/impl/dispatch/x.cpp", "a % b == 0"],
    ["streams", undefined, "ttnn/core/services/h2d_socket_service.cpp", "shape.rank() == 4"],
  ];

Deno.test("the condition that failed tells what a check is about, and its folder tells the op or that there is none", () => {
  for (const [subject, op, file, condition] of CONDITIONS) {
    const log =
      `RuntimeError: TT_FATAL @ /project/ttnn/cpp/ttnn/${file}:12: ${condition}\ninfo:\nError\nbacktrace:\n --- x`;
    const [failure] = readRuntimeLog(log);
    assert(failure?.kind === "failed_check", log);
    assertEquals([failure.subject, failure.ops?.[0]], [subject, op], log);
    const { advice } = explainFailure(failure, chipDescription(getDevice("n150")));
    // Only where layouts matter does a program tell more.
    assertEquals(
      advice.some((one) => one.startsWith("give the program")),
      !/board|queue|streams/.test(subject),
    );
  }
});

Deno.test("the op is that of a backtrace where neither the file nor Python names one", () => {
  const [failure] = readRuntimeLog(
    `TT_FATAL @ /p/tt_metal/impl/tensor/spec/tensor_spec.cpp:1: a.dtype() == b.dtype()
    info:
    formats differ
    backtrace:
     --- tt::tt_metal::TensorSpec::TensorSpec(int)
     --- ttnn::operations::pool::AvgPool2DOp::invoke(tt::tt_metal::Tensor const&)
     --- tt::runtime::submit(int)`,
  );
  assertEquals(failure?.kind === "failed_check" && failure.ops, ["ttnn.avg_pool2d"]);
});

Deno.test("a message is read among the colours, times and processes of loggers and tests", () => {
  const clash = "Statically allocated circular buffers in program 7 clash with L1 buffers on core range";
  const rest =
    "[(x=0,y=0) - (x=3,y=7)]. L1 buffer allocated at 600000 and static circular buffer region ends at 700000";
  const red = (text: string) => `\u001B[31m${text}\u001B[0m`;
  const worker = "(Worker_TP1 pid=71) ERROR 03-04 05:06:07 [core.py:7] ";
  for (
    const log of [
      `2026-03-04 05:06:07.089 | critical |  Always | TT_THROW: ${clash} ${red(rest)}\r\n`,
      `E       ${clash}\nE       ${rest}`,
      `2026-03-04T05:06:07.0890123Z ${clash}\n2026-03-04T05:06:07.0890124Z ${rest}`,
      `${worker}${clash}\n${worker}${rest}`,
      `> ${clash}\n> ${rest}`,
    ]
  ) assertEquals(readRuntimeLog(log).map(({ kind }) => kind), ["circular_buffer_clash"], log);
});

Deno.test("words of a check end where the next record, error or location begins", () => {
  const words = (log: string) =>
    readRuntimeLog(log).map((failure) => failure.kind === "failed_check" ? failure.words : failure.kind);
  assertEquals(
    words(`critical | Always | TT_FATAL: Shard width 64 must match physical width 96 for height sharded
              RuntimeTTNN |    DEBUG | Executing operation: %3 = "ttnn.matmul"(%1, %2)`),
    ["Shard width 64 must match physical width 96 for height sharded"],
  );
  assertEquals(
    words(`loc("a"): error: 'ttir.conv2d' op stride must be positive
      loc("b"): error: failed to legalize operation 'ttir.reverse' that was explicitly marked illegal`),
    [
      "'ttir.conv2d' op stride must be positive",
      "failed to legalize operation 'ttir.reverse' that was explicitly marked illegal",
    ],
  );
  assertEquals(
    words(
      `loc("c"): error: OperationValidationAndFallback: Operation ttnn.sort failed validation (original error: TT_FATAL @ /x/sort_device_operation.cpp:9: t.is_tiled()
      info:
      Input of sort must be tilized
      ). No fallback configuration worked (tested up to 12 combinations).
      Operation IR: "ttnn.sort"(%1)`,
    ),
    [
      "Input of sort must be tilized",
    ],
  );
  // A logger's line without words says nothing beside the condition, nor does a crash's last line.
  assertEquals(
    words(
      "critical | Always | TT_FATAL: Error (assert.hpp:1)\nTT_FATAL @ /p/a.cpp:1: a.rank() == 4\ninfo:\nError",
    ),
    ["a.rank() == 4"],
  );
  assertEquals(
    words("  what():  Timeout of a remote IO request on an ethernet core.\nAborted (core dumped)"),
    [
      "Timeout of a remote IO request on an ethernet core.",
    ],
  );
  // What only passes an error on is told where nothing else is known.
  assertEquals(words("RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13").length, 1);
  assertEquals(words(`TT_FATAL: bad grid (assert.hpp:1)\nBad StatusOr access: INTERNAL: Error code: 13`), [
    "bad grid",
  ]);
});

Deno.test("an error is found by what calls it one, and a bare message by its words", () => {
  const subjects = (log: string) =>
    readRuntimeLog(log).map((failure) => failure.kind === "failed_check" ? failure.subject : failure.kind);
  assertEquals(subjects("E   ValueError: Attempting a reshape between different volumes"), ["shapes"]);
  assertEquals(subjects("01:02 | critical | Always | All tensors must have the same layout."), [
    "page_layout",
  ]);
  assertEquals(
    subjects("[8:1] *** Process received signal ***\n[8:1] Signal: Floating point exception (8)"),
    ["division_by_zero"],
  );
  assertEquals(subjects("  what():  Shard page size must currently have an aligned size"), ["alignment"]);
  assertEquals(subjects("Row size should be a power of 2"), ["divisible"]);
  assertEquals(subjects("ValueError: no module of this name"), ["python_error"]);
  // A condition alone, and what says that something is not given.
  assertEquals(subjects("a.shard_spec().value().shape[1] % TILE_WIDTH == 0"), ["shard_tiles"]);
  assertEquals(subjects("RuntimeError: Bcast batch should have been provided"), ["arguments"]);
  assertEquals(subjects("/bin/bash: line 1: 4242 Killed python3 run.py"), ["host_out_of_memory"]);
  // Of several errors those that are understood; of a long log no line that nothing calls an error.
  assertEquals(subjects("KeyError: 'a'\nRuntimeError: bad optional access"), ["missing_value"]);
  assertEquals(subjects(`${"compiled layer\n".repeat(200)}reshape done`), []);
});

Deno.test("a message names the op that it begins with, also where TTNN has none of it", () => {
  const opsOf = (log: string) => {
    const [failure] = readRuntimeLog(`critical | Always | TT_FATAL: ${log} (assert.hpp:104)`);
    return failure?.kind === "failed_check" ? failure.ops : undefined;
  };
  assertEquals(opsOf("Bernoulli: Input tensor must be Float32 or Bfloat16"), ["ttnn.bernoulli"]);
  assertEquals(opsOf("indexer_score kv_len 40 must be tile-aligned"), ["ttnn.experimental.indexer_score"]);
  assertEquals(opsOf("slice_write input/output data formats must match"), ["ttnn.experimental.slice_write"]);
  assertEquals(opsOf("gather_in0 matmul requires in1 to be WIDTH_SHARDED"), ["ttnn.matmul", "ttnn.linear"]);
  assertEquals(opsOf("MeshGraph: the descriptor must name its host"), undefined);
  assertEquals(opsOf("output_channels_padded_to_tile_width 64 must be at most weight_matrix_width 32"), [
    "ttnn.conv2d",
    "ttnn.conv_transpose2d",
  ]);
});

Deno.test("a message is found in the text of an exception, and g++'s within a kernel's build", () => {
  const subjects = (log: string) =>
    readRuntimeLog(log).map((failure) => failure.kind === "failed_check" ? failure.subject : failure.kind);
  const printed = String
    .raw`ERROR RuntimeError('TT_THROW @ /w/tt_metal/impl/dispatch/memory.cpp:7: tt::exception\ninfo:\n` +
    String
      .raw`TIMEOUT: device timeout in fetch queue wait, potential hang detected\nbacktrace:\n --- /w/a.so')`;
  assertEquals(subjects(printed), ["hang"]);
  const build = "a.h:29:10: fatal error: api/erfinv.h: No such file or directory\n" +
    "12:31 | critical | Always | TT_THROW: trisc1 build failed. Log: /tmp/log (assert.hpp:104)";
  assertEquals(subjects(build), ["kernel_build"]);
  // What is said to be an error in running text is no compiler's.
  assertEquals(subjects("there is a runtime error: `number of cores 48 in shard spec not equal to 54`"), [
    "shard_count",
  ]);
});

Deno.test("an exception that breaks off within its path says what the logger said before it", () => {
  const [check, ...more] = readRuntimeLog(
    'Always | FATAL    | Inputs of the op must have the same rank\nTraceback (most recent call last):\n  File "a.py", line 3, in <module>\n    c = ttnn.matmul(a, b)\nRuntimeError: TT_FATAL @ ../ttnn/cp',
  );
  assertEquals(more, []);
  assert(check?.kind === "failed_check");
  assertEquals([check.words, check.ops], ["Inputs of the op must have the same rank", ["ttnn.matmul"]]);
});

Deno.test("a message without a name is of the op that Python called last", () => {
  const [failure] = readRuntimeLog(`  File "/m.py", line 3, in forward
    y = ttnn.experimental.rotary_embedding(x, cos, sin)
  File "/m.py", line 4, in forward
    z = ttnn.to_memory_config(y, config)
RuntimeError: bad optional access`);
  assertEquals(failure?.kind === "failed_check" && failure.ops, ["ttnn.to_memory_config"]);
});

Deno.test("a message is quoted with the memory layout that there is, and the one that it wants is made", () => {
  const failure = failedCheckOf(
    "Input tensor memory layout must be HEIGHT_SHARDED but got TensorMemoryLayout::WIDTH_SHARDED",
  );
  assert(failure !== undefined);
  const { meaning, advice } = explainFailure(failure, chipDescription(getDevice("n150")));
  assertStringIncludes(meaning.join(), "but got TensorMemoryLayout::WIDTH_SHARDED");
  assertStringIncludes(advice.join(), "makes it height sharded");
});

Deno.test("a hang in a log is found without the mark of a check, also where ttnn throws it", () => {
  const log =
    "critical | Always | TT_THROW: Device 0: Timeout (240000 ms) waiting for physical cores to finish: 14-3, 14-2.";
  const marked =
    "terminate called: TIMEOUT: device timeout, potential hang detected, the device is unrecoverable";
  for (const text of [log, marked]) {
    assertEquals(readRuntimeLog(text).map((failure) => failure.kind === "failed_check" && failure.subject), [
      "hang",
    ]);
  }
});

Deno.test("a refusal that was recorded is read, and names the op that it was of among those it may be about", () => {
  const folder = join(PROJECT_ROOT, "testdata", "backend");
  let refusals = 0;
  let named = 0;
  let unexplained = 0;
  for (const { name } of Deno.readDirSync(folder)) {
    if (!name.endsWith(".jsonl")) continue;
    for (const { question, answer } of readAnswers(name, Deno.readTextFileSync(join(folder, name))).rows) {
      if (answer.ok || !/\.[ch]pp: .* \| /.test(answer.reason)) continue;
      refusals++;
      const failures = readRuntimeLog(answer.reason);
      assertEquals(failures.length, 1, answer.reason);
      const [failure] = failures;
      if (failure?.kind === "failed_check" && failure.subject === "other") unexplained++;
      // A shared file that names the likeliest op may be run by another one.
      if (failure?.kind !== "failed_check" || failure.ops === undefined || failure.isGuess === true) continue;
      named++;
      assert(failure.ops.includes(question.op), `${question.op}: ${answer.reason}`);
    }
  }
  assert(unexplained * 50 < refusals, `${unexplained} of ${refusals} refusals are of no subject`);
  assert(refusals > 50 && named > refusals / 2, `${refusals} refusals, of which ${named} name ops`);
});

Deno.test("an assertion counts in front of what LLVM prints of the crash, and is found among the reports by its condition", () => {
  const crash =
    "ttmlir-opt: /src/lib/Dialect/Passes.cpp:40: virtual void mlir::tt::SomePass::runOnOperation(): " +
    "Assertion `module->hasAttr(tt::SystemDescAttr::name)' failed.\n" +
    "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include the crash backtrace.\n" +
    `Stack dump:\n0.\tProgram arguments: ttmlir-opt ${"--some-option ".repeat(40)}model.mlir\n`;
  const [failure, ...others] = readRuntimeLog(crash);
  assertEquals(others, []);
  assert(failure?.kind === "failed_check" && failure.words.includes("SystemDescAttr"), failure?.kind);
  const told = (message: string) => [...fingerprintOf(message, undefined, []).words];
  assertEquals(told(failure.words), told("Assertion `module->hasAttr(tt::SystemDescAttr::name)' failed."));
});

Deno.test("a blank line ends a check without words, and not one whose words stand behind it", () => {
  const check =
    "TT_FATAL @ ../ttnn/cpp/ttnn/operations/embedding/device/embedding_device_operation.cpp:25: a.get_layout() == Layout::ROW_MAJOR";
  const words = (text: string) =>
    readRuntimeLog(text).map((failure) => failure.kind === "failed_check" ? failure.words : failure.kind);
  assertEquals(words(`${check}\n\nEx input:\n{'weight_shape': [81, 768]}\n`), [
    "a.get_layout() == Layout::ROW_MAJOR",
  ]);
  assertEquals(words(`${check}\n\ninfo:\n\nIndices are in tiles\n`), ["Indices are in tiles"]);
});

Deno.test("a variable that the exception names alone is the logger's failure once more; another check behind it is not", () => {
  const logged =
    `critical | Always | TT_FATAL: DRAM Auto slice could not find valid slice configuration (assert.hpp:104)
    RuntimeError: TT_FATAL @ /tmp/ttnn/cpp/ttnn/operations/sliding_window/op_slicing/op_slicing.cpp:266: `;
  const words = (log: string): readonly (string | undefined)[] =>
    readRuntimeLog(log).map((failure) => failure.kind === "failed_check" ? failure.words : undefined);
  const [first] = words(logged);
  assertEquals(words(`${logged}found_valid_config`), [first]);
  assertEquals(words(`${logged}found_valid_config\n    info:\n    input rank must be 4`), [
    first,
    "input rank must be 4",
  ]);
});
