// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { readAnswers } from "../backend_answers/read_answers.ts";
import { explainFailure } from "./explain_failure.ts";
import { type CheckSubject, failedCheckOf } from "./failed_checks.ts";
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
    subject: "other",
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

const MESSAGES: readonly (readonly [CheckSubject, string])[] = [
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
});

Deno.test("a refusal that was recorded is read, and names the op that it was of among those it may be about", () => {
  const folder = join(PROJECT_ROOT, "testdata", "backend");
  let refusals = 0;
  let named = 0;
  for (const { name } of Deno.readDirSync(folder)) {
    if (!name.endsWith(".jsonl")) continue;
    for (const { question, answer } of readAnswers(name, Deno.readTextFileSync(join(folder, name))).rows) {
      if (answer.ok || !/\.[ch]pp: .* \| /.test(answer.reason)) continue;
      refusals++;
      const failures = readRuntimeLog(answer.reason);
      assertEquals(failures.length, 1, answer.reason);
      const [failure] = failures;
      if (failure?.kind !== "failed_check" || failure.ops === undefined) continue;
      named++;
      assert(failure.ops.includes(question.op), `${question.op}: ${answer.reason}`);
    }
  }
  assert(refusals > 50 && named > refusals / 2, `${refusals} refusals, of which ${named} name ops`);
});
