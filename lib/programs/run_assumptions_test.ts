// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../testing/chips.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { launchPrograms } from "./launch.ts";
import { emptyRoom, filledPositions, FULL_RUN, type RunAssumptions } from "./op_launch.ts";
import type { DeviceProgram } from "./program.ts";
import { circularBufferBytes } from "./circular_buffer.ts";
import { type ProgramTensor, programTensor } from "./program_tensor.ts";
import fc from "fast-check";

const USERS = 32;

function tensor(shape: readonly number[]): ProgramTensor {
  const layout = makeLayout(
    { shape, dataType: "bf16", bufferType: "dram", memoryLayout: "interleaved" },
    TEST_WORMHOLE.workerGrid,
    TEST_WORMHOLE.dramBanks,
  );
  return programTensor({ shape, dataType: "bf16" }, layout);
}

/** Decode attention of 32 users over a cache of so many positions. */
function decode(positions: number, assumed: Partial<RunAssumptions>, isCausal = true) {
  const cache = tensor([USERS, 8, positions, 64]);
  const launched = launchPrograms("sdpa_decode", {
    name: "ttnn.scaled_dot_product_attention_decode",
    attributes: new Map([["is_causal", { kind: "bool", value: isCausal }]]),
    inputs: [tensor([1, USERS, 32, 64]), cache, cache],
    outputs: [tensor([1, USERS, 32, 64])],
    config: undefined,
  }, {
    chip: TEST_WORMHOLE,
    room: () => emptyRoom(TEST_WORMHOLE),
    mesh: [],
    assumed: { ...FULL_RUN, ...assumed },
  });
  assert(launched.status === "known");
  const [program]: readonly DeviceProgram[] = launched.programs;
  assert(program?.kind === "attention_decode");
  return program;
}

Deno.test("attention by position reads the assumed filling of the cache, with buffers for all of it", () => {
  const full = decode(4096, {});
  const quarter = decode(4096, { cacheFill: { kind: "share", share: 0.25 } });
  assertEquals(quarter.streamedBytes, full.streamedBytes / 4);
  assertEquals(quarter, decode(4096, { cacheFill: { kind: "positions", positions: 1024 } }));
  assertEquals(circularBufferBytes(quarter), circularBufferBytes(full));
  assertEquals(decode(4096, { activeUsers: 8 }).streamedBytes, full.streamedBytes / 4);
});

Deno.test("attention with a mask reads all of its cache, regardless of assumptions", () => {
  const assumed = { cacheFill: { kind: "positions", positions: 1 }, activeUsers: 1 } as const;
  assertEquals(decode(512, assumed, false), decode(512, {}, false));
});

Deno.test("filled positions are between one and all, and no fewer for a fuller cache", () => {
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 100_000 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (capacity, a, b) => {
      const at = (share: number) =>
        filledPositions({ ...FULL_RUN, cacheFill: { kind: "share", share } }, capacity);
      const [less, more] = [at(Math.min(a, b)), at(Math.max(a, b))];
      assert(1 <= less && less <= more && more <= capacity);
      assertEquals(at(1), capacity);
    },
  ));
});
