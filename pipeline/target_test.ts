// SPDX-License-Identifier: Apache-2.0

/** Chips of a system that are not alike, and text that names another chip than the one that it is decided for. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { getDevice, loadDevice } from "../sim/devices/device_registry.ts";
import { describedOtherwise } from "./prepared_module.ts";
import { targetOfFile, targetOfModule } from "./target.ts";

function chip(grid: string, architecture = "wormhole_b0"): string {
  return `{arch = <${architecture}>, grid = ${grid}, l1_size = 1499136, num_dram_channels = 12, ` +
    "dram_channel_size = 1073741824, l1_unreserved_base = 103712, dram_unreserved_end = 1073119552}";
}

function systemDesc(chips: readonly string[], indices: readonly number[]): string {
  return `#ttcore.system_desc<[{role = host}], [${chips.join(", ")}], [${
    indices.join(", ")
  }], [1 : i32], [0x0x0x0]>`;
}

function moduleOf(description: string, mesh = "1x2") {
  return parseModule(
    `#system_desc = ${description}
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = ${mesh}>]>, ttcore.system_desc = #system_desc} {
}
`,
    "system.mlir",
  );
}

function gridOf({ device }: { readonly device: ReturnType<typeof getDevice> }): readonly number[] {
  return [device.grid.workerRows, device.grid.workerColumns];
}

Deno.test("programs of a mesh use the cores that all of its chips have", () => {
  const description = systemDesc([chip("8x8"), chip("7x8"), chip("8x6")], [0, 1]);
  for (const target of [targetOfModule(moduleOf(description)), targetOfFile(description, "system.mlir")]) {
    assertEquals(gridOf(target), [7, 8]);
    assertMatch(target.remark ?? "", /8x8 and 7x8 cores; programs use 7x8/);
  }
  // Chips of a description that no chip of the system has do not count.
  assertEquals(gridOf(targetOfModule(moduleOf(systemDesc([chip("8x8"), chip("7x8")], [0, 0])))), [8, 8]);
  assertEquals(gridOf(targetOfModule(moduleOf(systemDesc([chip("8x8"), chip("7x6")], [0, 1])))), [7, 6]);
});

/** A chip of ttrt's JSON, with the same figures as {@linkcode chip}. */
function jsonChip(rows: number, columns: number, arch = "Wormhole_b0") {
  return {
    arch,
    grid_size: { y: rows, x: columns },
    l1_size: 1499136,
    num_dram_channels: 12,
    dram_channel_size: 1073741824,
    l1_unreserved_base: 103712,
    dram_unreserved_end: 1073119552,
    supported_data_types: ["Float32", "BFloat16"],
  };
}

Deno.test("a system descriptor in JSON is the chip that its text is", () => {
  const json = (chips: readonly unknown[], indices: readonly number[]) => ({
    product_identifier: "n300",
    system_desc: { cpu_descs: [{ role: "Host" }], chip_descs: chips, chip_desc_indices: indices },
  });
  const read = (value: unknown) => targetOfFile(JSON.stringify(value), "system_desc.json");
  const one = read(json([jsonChip(8, 8), jsonChip(7, 8)], [0, 1]));
  assertEquals(one, targetOfFile(systemDesc([chip("8x8"), chip("7x8")], [0, 1]), "system.mlir"));
  assertEquals(gridOf(one), [7, 8]);
  // Without what stands around it, and of an architecture spelled as flatbuffers do.
  assertEquals(read(json([jsonChip(10, 11, "Blackhole")], []).system_desc).device.architecture, "blackhole");
  const { grid_size: _, ...gridless } = jsonChip(8, 8);
  assertThrows(() => read(json([gridless], [0])), DiagnosticError, "at system_desc.chip_descs.0.grid_size");
  assertThrows(
    () => read(json([jsonChip(8, 8, "Grendel")], [0])),
    DiagnosticError,
    "not a known architecture",
  );
  assertThrows(() => read(json([jsonChip(8000, 8)], [0])), DiagnosticError, "8000x8 cores");
  assertThrows(() => read(json([], [0])), DiagnosticError, "chip_descs");
});

Deno.test("without a description a mesh is put on the smallest machine of the default's chips", () => {
  const bare = parseModule("module {\n}\n", "bare.mlir");
  const names = [[1, 2], [1, 4], [2, 4], [1, 8], [8, 4]].map((mesh) =>
    targetOfModule(bare, mesh).device.name
  );
  assertEquals(names, ["n300", "t3000", "t3000", "t3000", "wormhole-galaxy"]);
  assertEquals(targetOfModule(bare).device.name, "n150");
});

Deno.test("a system of fewer chips than the mesh is remarked", () => {
  assertEquals(targetOfModule(moduleOf(systemDesc([chip("8x8")], [0, 0]))).remark, undefined);
  assertMatch(
    targetOfModule(moduleOf(systemDesc([chip("8x8")], [0]))).remark ?? "",
    /1 of the 2 chips .* 1x2/,
  );
});

Deno.test("a machine file may say which chips are harvested; a chip that it lacks is an error", () => {
  const file = (chips: readonly number[], workerRows: number) => ({
    extends: "t3000",
    harvested: [{ chips, workerRows, workerColumns: 8, source: "our rack", kind: "measured" }],
  });
  const rack = loadDevice("rack.json", file([3], 7));
  assertEquals(gridOf({ device: rack }), [7, 8]);
  assertEquals(rack.constants.grid?.workerRows?.source, "our rack");
  // More cores than the others is no harvesting.
  assertEquals(gridOf({ device: loadDevice("rack.json", file([3], 9)) }), [8, 8]);
  let message = "";
  try {
    loadDevice("rack.json", file([8], 7));
  } catch (error) {
    message = String(error);
  }
  assertMatch(message, /chip 8, but the machine has 8/);
});

Deno.test("text that describes another chip is found with its place", () => {
  const module = moduleOf(systemDesc([chip("8x8")], [0, 0]));
  assertEquals(describedOtherwise(module, getDevice("n300")), undefined);
  assertEquals(describedOtherwise(module, getDevice("t3000")), undefined);
  assertEquals(describedOtherwise(module, getDevice("n300-tensix-dispatch"))?.code, undefined);
  const other = describedOtherwise(module, getDevice("p150x2"));
  assert(other !== undefined);
  assertEquals([other.code, other.location?.line], ["device/described", 1]);
  const fewer = describedOtherwise(
    moduleOf(systemDesc([chip("8x8"), chip("7x8")], [0, 1])),
    getDevice("n300"),
  );
  assertMatch(fewer?.message ?? "", /wormhole_b0 with 7x8/);
  const unknown = moduleOf(systemDesc([chip("8x8", "grendel")], [0]), "1x1");
  assertMatch(describedOtherwise(unknown, getDevice("n150"))?.message ?? "", /system_desc is of grendel;/);
  assertEquals(describedOtherwise(parseModule("module {\n}\n", "bare.mlir"), getDevice("p150")), undefined);
  const declared = parseModule(
    "module {\n  ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8>, meshShape = , chipIds = [0]>\n}\n",
    "declared.mlir",
  );
  assertEquals(describedOtherwise(declared, getDevice("n150")), undefined);
  const larger = describedOtherwise(declared, getDevice("p150"));
  assertMatch(larger?.message ?? "", /its device has 8x8 cores;/);
  assertEquals(larger?.location?.line, 2);
});

Deno.test("a description of no chip is refused with its place, not decided for another chip", () => {
  const one = chip("8x8");
  const faults: Readonly<Record<string, string>> = {
    "architecture 'grendel'": one.replace("wormhole_b0", "grendel"),
    "chip 0 says no arch": one.replace("arch = <wormhole_b0>, ", ""),
    "chip 0 says no grid": one.replace("grid = 8x8, ", ""),
    "chip 0 says no l1_size": one.replace("l1_size = 1499136", "l1_size = -5"),
    "chip 0 says no l1_unreserved_base": one.replace("l1_unreserved_base = 103712, ", ""),
    "of 100 bytes of L1 per core": one.replace("l1_size = 1499136", "l1_size = 100"),
    "tensors cannot lie": one.replace("dram_unreserved_end = 1073119552", "dram_unreserved_end = 5"),
    "0 DRAM banks": one.replace("num_dram_channels = 12", "num_dram_channels = 0"),
    "0x8 cores": chip("0x8"),
    "its list of chips is empty": "",
  };
  for (const [fault, text] of Object.entries(faults)) {
    const description = systemDesc([text], [0]);
    const error = assertThrows(() => targetOfModule(moduleOf(description, "1x1")), DiagnosticError, fault);
    assertEquals(error.diagnostics[0]?.location?.line, 1, fault);
  }
  const other = assertThrows(() => targetOfModule(moduleOf("17 : i32")), DiagnosticError);
  assertMatch(other.message, /it is not a #ttcore.system_desc/);
  const small = chip("8x8").replace("l1_size = 1499136", "l1_size = 100");
  assertThrows(() => targetOfFile(systemDesc([small], [0]), "s.mlir"), DiagnosticError, "of 100 bytes of L1");
});

Deno.test("a device file of a chip without memory is refused", () => {
  const load = (constants: unknown) => () => loadDevice("own.json", { extends: "n150", constants });
  assertThrows(load({ l1: { size: 10 } }), DiagnosticError, "of 10 bytes of L1 per core");
  assertThrows(load({ dram: { unreservedEnd: 5 } }), DiagnosticError, "tensors cannot lie");
});

Deno.test("L1 begins where the modelled backend's does: descriptions of other revisions promise no more", () => {
  const baseOf = (described: number) => {
    const text = chip("8x8").replace("l1_unreserved_base = 103712", `l1_unreserved_base = ${described}`);
    return targetOfFile(systemDesc([text], [0]), "system.mlir").device.l1.unreservedBase;
  };
  // An older board, the board of October 2026, the same with L1_SMALL counted in, a later backend.
  assertEquals([103_712, 105_824, 105_824 + 65_536, 120_000].map(baseOf), [
    105_824,
    105_824,
    105_824,
    120_000,
  ]);
});
