// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { parseModule } from "../../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../lib/policy/options.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { corpusFiles, corpusTest } from "../../testing/corpus.ts";
import { createWorkbench } from "../load.ts";
import { diagnose } from "./diagnosis.ts";
import { explainFailure } from "./explain_failure.ts";
import { simulatedSites, siteOfFailure, siteOfOp } from "./locate.ts";
import { patientsOf } from "./patient.ts";
import { type BankFull, readRuntimeLog } from "./runtime_log.ts";

const L1 = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, " +
  "memref<8x32x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <interleaved>>";
const TENSOR = `tensor<2048x8192xbf16, ${L1}>`;
const DRAM = `tensor<2048x8192xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, ` +
  "memref<64x256x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>";

/** Three results of 512 KiB per core at once: one more than fits. */
const CROWDED = `func.func @main(%x: ${DRAM}) -> ${DRAM} {
  %0 = "ttnn.relu"(%x) : (${DRAM}) -> ${TENSOR}
  %1 = "ttnn.exp"(%0) : (${TENSOR}) -> ${TENSOR}
  %2 = "ttnn.sigmoid"(%1) : (${TENSOR}) -> ${TENSOR}
  %3 = "ttnn.add"(%1, %2) : (${TENSOR}, ${TENSOR}) -> ${DRAM}
  %4 = "ttnn.add"(%3, %0) : (${DRAM}, ${TENSOR}) -> ${DRAM}
  return %4 : ${DRAM}
}
`;

const N150 = getDevice("n150");

Deno.test("diagnose() finds the tensors waiting in L1 and prices remedies that fit", () => {
  const workbench = createWorkbench(parseModule(CROWDED, "crowded.mlir"), N150);
  const [site] = simulatedSites(patientsOf(workbench, DEFAULT_POLICY_OPTIONS));
  assert(site !== undefined);
  const diagnosis = diagnose(site);
  assertEquals([diagnosis.name, diagnosis.simulated?.kind], ["ttnn.sigmoid", "no_space"]);
  assertEquals(diagnosis.live.map(({ tensor, role }) => [tensor, role]), [["%0", "waiting"], [
    "%1",
    "operand",
  ]]);
  const [first] = diagnosis.remedies;
  assert(first !== undefined && first.fixes);
  assert(
    diagnosis.remedies.some((remedy) => remedy.kind === "spill" && remedy.tensor === "%0" && remedy.fixes),
  );
  const helping = diagnosis.remedies.filter((remedy) => remedy.fixes);
  assertEquals(
    helping.map(({ deltaUs = Infinity }) => deltaUs),
    helping.map(({ deltaUs = Infinity }) => deltaUs).sort((a, b) => a - b),
  );
});

Deno.test("diagnose() has no remedy that frees nothing of an op that fits", () => {
  const roomy = CROWDED.replaceAll(TENSOR, DRAM).replaceAll("2048x8192", "256x256").replaceAll(
    "64x256x!",
    "8x8x!",
  );
  const patients = patientsOf(
    createWorkbench(parseModule(roomy, "roomy.mlir"), N150),
    DEFAULT_POLICY_OPTIONS,
  );
  for (const op of [0, 1, 2, 3]) {
    const site = siteOfOp(patients, op, undefined);
    assert(site !== undefined && site.simulated === undefined);
    assert(diagnose(site).remedies.every(({ freedBytes }) => freedBytes > 0), `op ${op}`);
  }
});

Deno.test("diagnose() finds the grid on which a result fits that is too large for its cores", () => {
  const dram = "tensor<16384x1024xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
    "memref<512x32x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>";
  // 4 MiB on each of eight cores.
  const few = "tensor<16384x1024xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x1>, " +
    "memref<64x32x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <height_sharded>, " +
    "core_ranges = <[#ttnn.core_range<(0,0), (7,0)>]>>>";
  const source = `func.func @main(%x: ${dram}) -> ${dram} {
  %0 = "ttnn.relu"(%x) : (${dram}) -> ${few}
  %1 = "ttnn.exp"(%0) : (${few}) -> ${dram}
  return %1 : ${dram}
}
`;
  const workbench = createWorkbench(parseModule(source, "few.mlir"), N150);
  const [site] = simulatedSites(patientsOf(workbench, DEFAULT_POLICY_OPTIONS));
  assert(site !== undefined);
  const diagnosis = diagnose(site);
  assertEquals([diagnosis.name, diagnosis.simulated?.kind], ["ttnn.relu", "no_space"]);
  const { askedBytes = 0, availableBytes = 0, shortBytes = 0 } = diagnosis.simulated ?? {};
  assertEquals([askedBytes, availableBytes + shortBytes], [4 * 2 ** 20, 4 * 2 ** 20]);
  assert(availableBytes > 0 && availableBytes <= diagnosis.region.top - diagnosis.region.base);
  const grid = diagnosis.remedies.find(({ kind }) => kind === "grid");
  assert(
    grid !== undefined && grid.fixes,
    JSON.stringify(diagnosis.remedies.map(({ description }) => description)),
  );
  assertEquals([grid.tensor, grid.failuresLeft], ["%0", 0]);
  // The config stays what it is, so that nothing is said of it.
  assert(/^result as [^,]+$/.test(grid.description), grid.description);
});

Deno.test("diagnose() finds the config with which an op fits whose own buffers exceed L1", () => {
  const dram = (rows: number, columns: number): string =>
    `tensor<${rows}x${columns}xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, ` +
    `memref<${rows / 32}x${
      columns / 32
    }x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>`;
  const [a, b, c] = [dram(1024, 8192), dram(8192, 8192), dram(1024, 8192)];
  const product = `func.func @main(%a: ${a}, %b: ${b}) -> ${c} {
  %0 = "ttnn.matmul"(%a, %b) <{matmul_program_config = #ttnn.matmul_multi_core_reuse_multi_cast_program_config<compute_with_storage_grid_size = #ttnn.core_coord<8, 8>, in0_block_w = 8, out_subblock_h = 1, out_subblock_w = 8, out_block_h = 4, out_block_w = 32, per_core_m = 4, per_core_n = 32, transpose_mcast = false, fuse_batch = true>}> : (${a}, ${b}) -> ${c}
  return %0 : ${c}
}
`;
  const options = { ...DEFAULT_POLICY_OPTIONS, tensorL1UsageCap: 0.7 };
  const workbench = createWorkbench(parseModule(product, "product.mlir"), N150, options);
  const [site] = simulatedSites(patientsOf(workbench, options));
  assert(site !== undefined);
  const diagnosis = diagnose(site);
  assertEquals([diagnosis.name, diagnosis.simulated?.kind], ["ttnn.matmul", "too_large"]);
  const remedy = diagnosis.remedies.find(({ kind, fixes }) => kind === "config" && fixes);
  // Only what is different is said.
  assertEquals(remedy?.description, "another config: out_block_w = 16");
  assertEquals(remedy?.failuresLeft, 0);
});

/** Address of the lowest tensor and end of the circular buffers in the six reports of tt-xla:l1-clashes. */
const REPORTS = [
  [104448, 107936],
  [117600, 124704],
  [665600, 890144],
  [1236992, 1250432],
  [447488, 471808],
  [253952, 646208],
] as const;

Deno.test("explainFailure() understands the six clash reports from their lines alone", () => {
  const chip = chipDescription(N150);
  for (const [address, end] of REPORTS) {
    const [failure] = readRuntimeLog(
      `Statically allocated circular buffers in program 1 clash with L1 buffers on core range [0-0 - 7-7]. ` +
        `L1 buffer allocated at ${address} and static circular buffer region ends at ${end}`,
    );
    assert(failure !== undefined);
    const { neededBytes, circularBufferBytes, tensorBytes, advice } = explainFailure(failure, chip);
    assertEquals(neededBytes, end - address);
    assertEquals(circularBufferBytes, end - chip.l1UnreservedBase);
    assertEquals(tensorBytes, chip.l1Size - address);
    // The larger side is what the first advice is about.
    const isBuffers = end - chip.l1UnreservedBase > chip.l1Size - address;
    if (Math.max(circularBufferBytes ?? 0, tensorBytes ?? 0) * 2 >= chip.l1Size - chip.l1UnreservedBase) {
      assertEquals(advice[0]?.startsWith("the buffers are the larger part"), isBuffers);
    }
  }
});

Deno.test("explainFailure() of buffers larger than L1 reports their size, and no tensors", () => {
  const chip = chipDescription(N150);
  const [failure] = readRuntimeLog(
    "Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=0)] grow to 1749248 B which is beyond " +
      "max L1 size of 1499136 B",
  );
  assert(failure !== undefined);
  const { circularBufferBytes, tensorBytes, meaning } = explainFailure(failure, chip);
  assertEquals([circularBufferBytes, tensorBytes], [1_749_248 - chip.l1UnreservedBase, undefined]);
  assertStringIncludes(meaning.join(), "whatever else is in L1");
});

Deno.test("of a chip that no device describes, what is known is told, and no figure of another", () => {
  const full =
    "Out of Memory: Not enough space to allocate 272640 B L1_SMALL buffer across 12 banks, where each bank needs to store 22720 B";
  const isUnknown = (text: string) =>
    readRuntimeLog(text).map((failure) => {
      const { isOfUnknownChip, meaning } = explainFailure(failure, chipDescription(N150), text);
      assertEquals(meaning.join().includes("1 MiB of L1"), isOfUnknownChip);
      return isOfUnknownChip;
    });
  assertEquals(isUnknown(`${full}\nUbuntu, GSE150`), [true]);
  assertEquals(isUnknown(`${full} on grayskull`), [true]);
  assertEquals(isUnknown(`${full}\nskip_for_grayskull() at 0xe150`), [false]);
  assertEquals(isUnknown(`${full} on n150, not on Grayskull`), [false]);
  // More banks than Wormhole's of a version that does not print their size.
  const l1 =
    "Not enough space to allocate 98304000 B L1 buffer across 100 banks, where each bank needs to store 983040 B";
  assertEquals(isUnknown(l1), [true]);
  assertEquals(isUnknown(`${l1}, but bank size is only 1331936 B`), [false]);
});

Deno.test("what follows from a message's own rule and numbers stands in front of what helped elsewhere", () => {
  const [failure] = readRuntimeLog(
    "TT_FATAL @ /x/ttnn/cpp/ttnn/operations/sliding_window/op_slicing/op_slicing.cpp:266: found_valid_config\ninfo:\n" +
      "DRAM Auto slice could not find valid slice configuration. Tried up to 8 slices for width-slicing on output dimension 240. Available L1: 1331936 bytes. Operation: Conv2D",
  );
  assert(failure !== undefined);
  const { advice, reports = [] } = explainFailure(failure, chipDescription(N150));
  assertNotEquals(reports, []);
  assertStringIncludes(advice[0] ?? "", "up to 240");
  assert(advice.findIndex((one) => one.includes("(tenstorrent/")) > 1);
});

corpusTest("siteOfFailure() finds the op of a message made from its own addresses", () => {
  const file = corpusFiles("dumps/ttnn").find((path) => path.includes("clipvision_opt2"));
  assert(file !== undefined);
  const workbench = createWorkbench(parseModule(Deno.readTextFileSync(file), file), N150);
  const patients = patientsOf(workbench, DEFAULT_POLICY_OPTIONS);
  let tried = 0;
  for (const patient of patients) {
    for (const [position, step] of patient.program.steps().entries()) {
      const usage = patient.timeline.usage[position];
      const holdsBoth = usage !== undefined && usage.placements.length > 0 &&
        usage.staticEnd > patient.region.base;
      if (step.kind !== "op" || !holdsBoth || position % 97 !== 0) continue;
      const failure = {
        kind: "circular_buffer_clash",
        program: 1,
        cores: [],
        tensorAddress: usage.lowestTensor,
        circularBufferEnd: usage.staticEnd,
        overlapBytes: usage.staticEnd - usage.lowestTensor,
      } as const;
      const site = siteOfFailure(patients, failure);
      assertEquals(site?.confidence, "exact");
      assertEquals(site?.usage.lowestTensor, usage.lowestTensor);
      assertEquals(site?.usage.staticEnd, usage.staticEnd);
      tried++;
    }
  }
  assert(tried > 0);
});

/** A full bank as the allocator tells it: 512 KiB per bank, with so many bytes allocated before. */
function bankFull(allocated: number | undefined, missingBytes: number): BankFull {
  return {
    kind: "bank_full",
    memory: "L1",
    bytes: 64 * 524_288,
    banks: 64,
    bytesPerBank: 524_288,
    saysBytesPerBank: true,
    bankSize: undefined,
    allocated,
    free: undefined,
    largestFree: undefined,
    missingBytes,
    fragmented: false,
  };
}

Deno.test("siteOfFailure() distinguishes ops with equal tensors by earlier allocations", () => {
  const patients = patientsOf(
    createWorkbench(parseModule(CROWDED, "crowded.mlir"), N150),
    DEFAULT_POLICY_OPTIONS,
  );
  for (const [op, waiting] of [0, 524_288, 1_048_576].entries()) {
    const site = siteOfFailure(patients, bankFull(waiting, 1));
    assertEquals([site?.op, site?.confidence, site?.distanceBytes], [op, "exact", 0]);
  }
  // A few KiB of the firmware's own are the same place; without the figure the op that does not fit is meant.
  assertEquals(siteOfFailure(patients, bankFull(1_048_576 - 4096, 1))?.confidence, "close");
  const failing = siteOfFailure(patients, bankFull(undefined, 1));
  assertEquals(Number(failing?.op), 2);
  // What the simulation misses there is more than what the device complains of.
  assert(failing?.simulated !== undefined);
  assertEquals(failing.neededBytes, failing.simulated.shortBytes);
  assert(failing.neededBytes > 1);
});

Deno.test("a remedy for a clash that only the device reports frees the missing bytes", () => {
  const fitting = CROWDED.replace(/%4 = .*\n\s*return %4/, "return %3");
  const patients = patientsOf(
    createWorkbench(parseModule(fitting, "fitting.mlir"), N150),
    DEFAULT_POLICY_OPTIONS,
  );
  assertEquals(simulatedSites(patients), []);
  const fixes = (missing: number): readonly boolean[] => {
    const site = siteOfFailure(patients, bankFull(524_288, missing));
    assert(site !== undefined && site.simulated === undefined);
    return diagnose(site).remedies.map((remedy) => remedy.fixes && remedy.freedBytes < missing);
  };
  for (const missing of [1, 400_000, 5_000_000]) {
    assert(fixes(missing).every((isWrong) => !isWrong), `with ${missing} bytes missing`);
  }
  const helps = (missing: number): boolean => {
    const site = siteOfFailure(patients, bankFull(524_288, missing));
    return site !== undefined && diagnose(site).remedies.some((remedy) => remedy.fixes);
  };
  assertEquals([helps(400_000), helps(5_000_000)], [true, false]);
});
