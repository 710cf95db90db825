// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { explainFailure } from "./explain_failure.ts";
import { helpfulIn, type Remedy, remedy, textOf } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";
import { readRuntimeLog } from "./runtime_log.ts";

/** What is advised of a text, in one line. */
function advised(text: string): string {
  return readRuntimeLog(text).flatMap((failure) =>
    explainFailure(failure, chipDescription(getDevice("n150")), text).advice
  ).join("; ");
}

Deno.test("remedies do not ask for what the text says is so, or has failed", () => {
  const cases: readonly (readonly [text: string, one: Remedy, left: readonly string[]])[] = [
    [
      "with optimization-level=1",
      remedy`a newer tt-mlir${asks.LEVEL_1}, or optimization-level=1, which shards nothing`,
      [
        "a newer tt-mlir",
      ],
    ],
    [
      "levels optimization-level=1 and optimization_level=2 fail",
      remedy`${asks.LEVEL_1}optimization-level=1 helps`,
      [
        "optimization-level=1 helps",
      ],
    ],
    ["fails at >= 110 cores", remedy`smaller blocks${asks.MORE_CORES}, or more cores for the op`, [
      "smaller blocks",
    ]],
    ["runs on 110 cores", remedy`smaller blocks${asks.MORE_CORES}, or more cores for the op`, [
      "smaller blocks, or more cores for the op",
    ]],
    ["num_links=1", remedy`${asks.FEWER_LINKS}fewer num_links`, []],
    ["layout=ttnn.TILE_LAYOUT", remedy`${asks.TILES}the operand in tiles`, []],
    ["layout=ttnn.TILE_LAYOUT, later ROW_MAJOR_LAYOUT", remedy`${asks.TILES}the operand in tiles`, [
      "the operand in tiles",
    ]],
  ];
  for (const [text, one, left] of cases) assertEquals(helpfulIn([one], text).map(textOf), left, text);
});

Deno.test("more cores are no remedy on a whole grid, and fewer bits none where they do not suffice", () => {
  const clash = (to: string): string =>
    `circular buffers in program 3 clash with L1 buffers on core range [(x=0,y=0) - (${to})]. L1 buffer allocated at 1100000 and static circular buffer region ends at 1120000`;
  assertStringIncludes(advised(clash("x=3,y=3")), "more cores");
  assert(!advised(clash("x=7,y=7")).includes("more cores"));
  const bank = (bytes: number): string =>
    `Not enough space to allocate ${
      bytes * 8
    } B L1 buffer across 8 banks, where each bank needs to store ${bytes} B, but bank size is 1300000 B (allocated: 0 B, free: 1300000 B, largest free block: 1300000 B)`;
  assertStringIncludes(advised(bank(2_000_000)), "bfp_bf8");
  assert(!advised(bank(4_000_000)).includes("bfp_bf8"));
});
