// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { readRuntimeLog } from "./runtime_log.ts";

Deno.test("readRuntimeLog() reads both spellings of core ranges, across line breaks", () => {
  const failures = readRuntimeLog(`
    TT_THROW: Statically allocated circular buffers in program 350188 clash with L1 buffers
    on core range [0-0 - 7-7]. L1 buffer allocated at 104448 and static circular buffer region ends at 107936
    RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13
    E  Statically allocated circular buffers in program 168 clash with L1 buffers on core range [(x=0,y=0) - (x=3,y=7)]. L1 buffer allocated at 665600 and static circular buffer region ends at 890144
  `);
  assertEquals(failures, [
    {
      kind: "circular_buffer_clash",
      program: 350188,
      cores: [{ start: { x: 0, y: 0 }, end: { x: 7, y: 7 } }],
      tensorAddress: 104448,
      circularBufferEnd: 107936,
      overlapBytes: 3488,
    },
    {
      kind: "circular_buffer_clash",
      program: 168,
      cores: [{ start: { x: 0, y: 0 }, end: { x: 3, y: 7 } }],
      tensorAddress: 665600,
      circularBufferEnd: 890144,
      overlapBytes: 224544,
    },
  ]);
});

Deno.test("readRuntimeLog() reads full banks and their fragmentation", () => {
  const said =
    "TT_FATAL: Out of Memory: Not enough space to allocate 26542080 B L1 buffer across 48 banks, where " +
    "each bank needs to store 552960 B, but bank size is 1329888 B (allocated: 417792 B, free: 912096 B, largest " +
    "free block: 522240 B) (assert.hpp:104)";
  assertEquals(readRuntimeLog(`${said}\n${said}`), [{
    kind: "bank_full",
    memory: "L1",
    bytes: 26542080,
    banks: 48,
    bytesPerBank: 552960,
    saysBytesPerBank: true,
    bankSize: 1329888,
    allocated: 417792,
    free: 912096,
    largestFree: 522240,
    missingBytes: 30720,
    fragmented: true,
  }]);
  const [old] = readRuntimeLog(
    "Out of Memory: Not enough space to allocate 48814080 B L1 buffer across 60 banks, where each bank needs to store 813568 B",
  );
  assertEquals(old?.kind === "bank_full" ? old.fragmented : undefined, false);
});

Deno.test("readRuntimeLog() reads a full bank whose room is shared with other allocators", () => {
  const [failure] = readRuntimeLog(
    "Out of Memory: Not enough space after considering dependencies to allocate 6400 B L1 across 64 banks (100 B per bank), bank size is 1000 B (allocated: 950 B, free: 50 B, largest free block: 40 B). After subtracting 2 dependency range(s)",
  );
  assertEquals(
    failure?.kind === "bank_full" ? [failure.bytesPerBank, failure.bankSize, failure.missingBytes] : failure,
    [100, 1000, 60],
  );
});

Deno.test("readRuntimeLog() reads circular buffers that are larger than L1", () => {
  const [failure] = readRuntimeLog(
    "Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=0)] grow to 1749248 B which is beyond max L1 size of 1499136 B",
  );
  assertEquals(failure?.kind, "circular_buffers_too_large");
  assertEquals(failure?.kind === "circular_buffers_too_large" ? failure.overlapBytes : 0, 250112);
});

Deno.test("readRuntimeLog() finds nothing in other text", () => {
  assertEquals(readRuntimeLog("all is well"), []);
});

Deno.test("readRuntimeLog() computes missing bytes from the most exact figure", () => {
  const missing = (figures: string): number | undefined => {
    const [failure] = readRuntimeLog(
      "Not enough space to allocate 48000 B L1 buffer across 60 banks, where each bank needs to store 800 B" +
        figures,
    );
    return failure?.kind === "bank_full" ? failure.missingBytes : -1;
  };
  assertEquals(missing(""), undefined);
  assertEquals(missing(", but bank size is 700 B"), 100);
  assertEquals(
    missing(", but bank size is 1000 B (allocated: 700 B, free: 300 B, largest free block: 200 B)"),
    600,
  );
  // A bank that is large enough by itself misses what others hold, and nobody says how much that is.
  assertEquals(missing(", but bank size is 1000 B"), undefined);
});

Deno.test("numbers of bytes may have separators, and cores braces", () => {
  const bytes = (text: string): readonly unknown[] =>
    readRuntimeLog(text).map((failure) => failure.kind === "bank_full" ? failure.bytesPerBank : failure.kind);
  const full = (perBank: string): string =>
    `Not enough space to allocate 86450176 B L1 buffer across 64 banks, where each bank needs to store ${perBank} B`;
  for (const written of ["1350784", "1,350,784", "1'350'784", "1\u202f350\u202f784"]) {
    assertEquals(bytes(full(written)), [1_350_784]);
  }
  const large =
    "circular buffers in program 2 on core range {[(x=0,y=0) - (x=7,y=6)], [(x=0,y=7) - (x=3,y=7)]} grow to " +
    "1,688,864 B which is beyond max L1 size of 1,499,136 B";
  assertEquals(bytes(large), ["circular_buffers_too_large"]);
});

Deno.test("readRuntimeLog() lists failures of all kinds as they come", () => {
  const full =
    "Not enough space to allocate 480 B DRAM buffer across 6 banks, where each bank needs to store 80 B. ";
  const large =
    "circular buffers on core range [0-0 - 7-0] grow to 2000 B which is beyond max L1 size of 1000 B. ";
  const clash = "circular buffers in program 1 clash with L1 buffers on core range [0-0 - 7-7]. " +
    "L1 buffer allocated at 100 and static circular buffer region ends at 200. ";
  const kinds = (text: string): readonly string[] => readRuntimeLog(text).map(({ kind }) => kind);
  assertEquals(kinds(full + large + clash), [
    "bank_full",
    "circular_buffers_too_large",
    "circular_buffer_clash",
  ]);
});

Deno.test("figures of a bank are read in other units and without the largest hole, and none are taken from the next message", () => {
  const full = (room: string): readonly unknown[] =>
    readRuntimeLog(
      `Not enough space to allocate 800 MB DRAM buffer across 8 banks, where each bank needs to store 100 MB${room}`,
    )
      .map((failure) =>
        failure.kind === "bank_full" && [failure.fragmented, failure.free, failure.missingBytes]
      );
  assertEquals(full(", but bank size is 4 GiB (allocated: 3000 MB, free: 1194 MB)"), [[
    true,
    1_194e6,
    undefined,
  ]]);
  assertEquals(full(" (free=50 MB largest_free=20 MB)"), [[false, 50e6, 80e6]]);
  assertEquals(full(". TT_FATAL: free: 50 MB").slice(0, 1), [[false, undefined, undefined]]);
  const told = (text: string): readonly unknown[] =>
    readRuntimeLog(text).map((failure) =>
      failure.kind === "bank_full" && [failure.memory, failure.bytesPerBank, failure.free, failure.fragmented]
    );
  assertEquals(told("Out of Memory: DRAM: requested 3.2 GB, available 1.1 GB"), [[
    "DRAM",
    3.2e9,
    1.1e9,
    false,
  ]]);
  assertEquals(told("OOM in L1: need 900 KB, free: 1 MB, largest free block: 700 KB"), [[
    "L1",
    9e5,
    1e6,
    true,
  ]]);
});

Deno.test("names of servers and ranks before lines are none of a message, also of one in bold letters", () => {
  const line = (text: string): string => `[SERVER] ERROR 02-17 21:00:42 [engine.py:506] ${text}`;
  const served = readRuntimeLog(
    [
      line("TT_FATAL @ /x/tt_metal/fabric/control_plane.cpp:9: a.size() >= b.size()"),
      line("Expected 4 eth links"),
    ]
      .join("\n"),
  );
  assertEquals(served.map((one) => one.kind === "failed_check" && [one.condition, one.words]), [
    ["a.size() >= b.size()", "Expected 4 eth links"],
  ]);
  const bold = readRuntimeLog(
    "- **Error:** uncaught: **`Timeout waiting for Ethernet core service.`** SIGABRT",
  );
  assertEquals(bold.map((one) => one.kind === "failed_check" && one.subject), ["board"]);
});
