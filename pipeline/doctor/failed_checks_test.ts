// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { readAnswers } from "../backend_answers/read_answers.ts";
import { CHECK_SUBJECTS } from "./check_subjects.ts";
import { explainFailure } from "./explain_failure.ts";
import { failedCheckOf } from "./failed_checks.ts";
import { readRuntimeLog } from "./runtime_log.ts";

Deno.test("a check that failed is found with its words, its file and the ops that it is about", () => {
  const log = `critical | Always | TT_FATAL: Kt (48) must be divisible by in0_block_w (5) (assert.hpp:104)
    RuntimeError: TT_FATAL @ /tmp/ttnn/cpp/ttnn/operations/matmul/device/matmul_device_operation.cpp:1533: Kt % program_config.in0_block_w == 0
    info:
    MatmulMultiCoreReuseMultiCastProgramConfig: Kt (48) must be divisible by in0_block_w (5)
    backtrace:
     --- ttnn::operations::matmul`;
  const [, located] = readRuntimeLog(log);
  assertEquals(located, {
    kind: "failed_check",
    subject: "blocks",
    words: "MatmulMultiCoreReuseMultiCastProgramConfig: Kt (48) must be divisible by in0_block_w (5)",
    file: "matmul_device_operation",
    ops: ["ttnn.matmul", "ttnn.linear"],
    numbers: [48, 5],
  });
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
  ["shapes", "K sequence length must be multiple of chunk size, got: 160 and 128"],
  ["shapes", "Flattened hidden dimension 2304 must be a multiple of width cores 5 * tile width 32"],
  ["hang", "TIMEOUT: device timeout, potential hang detected, the device is unrecoverable"],
  ["host_memory", "Querying size for a host channel that does not exist."],
  ["declared_layout", "Layout mismatch, expected Layout::TILE, got Layout::ROW_MAJOR"],
  ["fallback", "Operation ttnn.matmul failed validation, fallback configuration found: dram interleaved"],
];

Deno.test("a check's words determine its subject, and every subject has a remedy", () => {
  const chip = chipDescription(getDevice("n150"));
  for (const [subject, words] of MESSAGES) {
    const failure = failedCheckOf(words);
    assertEquals(failure?.subject, subject, words);
    assert(failure !== undefined);
    const { meaning, advice } = explainFailure(failure, chip);
    assert(meaning.length >= 2 && advice.length >= 3, words);
  }
  assertEquals(failedCheckOf("what is this"), undefined);
  const tried = new Set(MESSAGES.map(([subject]) => subject));
  assertEquals(CHECK_SUBJECTS.filter(({ name }) => !tried.has(name)), [], "subjects without a message");
});

Deno.test("a message says which memory layout is wanted and which one there is", () => {
  const failure = failedCheckOf(
    "Input tensor memory layout must be HEIGHT_SHARDED but got TensorMemoryLayout::WIDTH_SHARDED",
  );
  assert(failure !== undefined);
  const { meaning } = explainFailure(failure, chipDescription(getDevice("n150")));
  assertStringIncludes(meaning.join(), "height sharded, and not width sharded");
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
      if (failure?.kind !== "failed_check" || failure.ops === undefined) continue;
      named++;
      assert(failure.ops.includes(question.op), `${question.op}: ${answer.reason}`);
    }
  }
  assert(unexplained * 50 < refusals, `${unexplained} of ${refusals} refusals are of no subject`);
  assert(refusals > 50 && named > refusals / 2, `${refusals} refusals, of which ${named} name ops`);
});
