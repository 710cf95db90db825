// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { chipOfRecording } from "../pipeline/backend_answers/ask_rule_book.ts";
import { readStoredRow, storedLine } from "../pipeline/backend_answers/compact_row.ts";
import { RECORDED_DEVICES, type RecordedAcceptance } from "../pipeline/backend_answers/recorded_answer.ts";
import { conditionalTest } from "../testing/corpus.ts";
import { BackendProcess } from "../cli/backend/backend_process.ts";
import { ENVIRONMENT_VARIABLE, findBackend } from "../cli/backend/environment.ts";
import { denoHost } from "../cli/deno_host.ts";
import { QUESTION_FAMILIES, questionsOf } from "./backend_questions/mod.ts";
import { ROOT } from "./steps.ts";

const FOLDER = join(ROOT, "testdata", "backend");

/** An answer with one of everything that a row has. */
const ANSWER: RecordedAcceptance = {
  ok: true,
  cbPeak: 4112,
  tensorPeak: 2048,
  totalPeak: 6160,
  programs: [{
    operation: "Halo",
    buffers: [
      { bytes: 2048, backed: true, scratch: false, cores: [{ start: { x: 0, y: 0 }, end: { x: 7, y: 1 } }] },
      { bytes: 16, backed: false, scratch: true, cores: [{ start: { x: 0, y: 0 }, end: { x: 7, y: 1 } }] },
      {
        bytes: 4096,
        backed: false,
        scratch: false,
        cores: [{ start: { x: 0, y: 0 }, end: { x: 7, y: 0 } }, {
          start: { x: 0, y: 1 },
          end: { x: 2, y: 1 },
        }],
      },
    ],
  }, { operation: "Move", buffers: [] }],
  events: [
    { kind: "allocate", memory: "l1_small", bytesPerBank: 64 },
    { kind: "allocate", memory: "l1", bytesPerBank: 2048 },
    { kind: "run" },
    { kind: "free", tensor: 0 },
    { kind: "free", tensor: undefined },
    { kind: "allocate", memory: "dram", bytesPerBank: 4096 },
    { kind: "run" },
  ],
  results: [
    { bufferType: "dram", memoryLayout: "interleaved", dataType: "bf16", tiled: false, shards: undefined },
    {
      bufferType: "l1",
      memoryLayout: "block_sharded",
      dataType: "f32",
      tiled: true,
      shards: { extent: [64, 96], cores: [{ start: { x: 0, y: 0 }, end: { x: 1, y: 2 } }] },
    },
  ],
  computeConfigs: ["HiFi4 packer_l1_acc"],
};

Deno.test("a stored row of every family reads back as it was", () => {
  for (const device of RECORDED_DEVICES) {
    const chip = chipOfRecording(device);
    for (const family of QUESTION_FAMILIES) {
      const questions = questionsOf(family, chip, "test");
      for (let count = 0; count < 8; count++) {
        const question = questions.next().value;
        const row = { device, question, answer: ANSWER };
        const line = storedLine(row, chip);
        assertEquals(readStoredRow(line, chipOfRecording), row, line);
      }
    }
  }
});

Deno.test("the same seed makes the same questions, another one others", () => {
  const chip = chipOfRecording("n150");
  const first = (seed: string) => JSON.stringify(questionsOf("matmul_1d", chip, seed).next().value);
  assertEquals(first("a"), first("a"));
  assert(first("a") !== first("b"));
});

conditionalTest(
  "the backend answers as recorded",
  Deno.env.get(ENVIRONMENT_VARIABLE) === undefined ? "TILEWRIGHT_TTNN names no environment" : undefined,
  async () => {
    const backend = await BackendProcess.start(denoHost, await findBackend(denoHost), "n150");
    const chip = chipOfRecording("n150");
    for (const { name } of Deno.readDirSync(FOLDER)) {
      if (!name.endsWith(".jsonl")) continue;
      const lines = Deno.readTextFileSync(join(FOLDER, name)).split("\n").filter((line) =>
        line.includes('"n150"')
      );
      for (const line of [lines[0], lines.at(-1)]) {
        if (line === undefined) continue;
        const { device, question } = readStoredRow(line, chipOfRecording);
        const answer = await backend.ask(question);
        assert(!("unaskable" in answer), line);
        assertEquals(storedLine({ device, question, answer }, chip), line);
      }
    }
    await backend.close();
  },
);
