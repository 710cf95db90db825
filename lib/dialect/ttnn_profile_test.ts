// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { corpusFiles, corpusName, corpusTest, someOf } from "../../testing/corpus.ts";
import { parseModule, parseModules } from "../ir/mod.ts";
import { repeatedKeys, resultProperties } from "./memory_op_properties.ts";
import { readMeshShape } from "./module_mesh.ts";
import { commonChip, readDevice, readSystemChips } from "./system_desc.ts";
import { detectProfile, getProfile, HEAD_PROFILE, TTNN_PROFILES, type TtnnProfile } from "./ttnn_profile.ts";

const T = "tensor<64x64xbf16, #a>";
const ALIAS = "#a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, " +
  "memref<2x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>\n";

function profileOf(ops: string, layout = "", device = ""): TtnnProfile {
  return detectProfile(parseModule(
    `${ALIAS}${layout}${device}func.func @f(%x: ${T}) {\n${ops}\n  return\n}`,
    "p.mlir",
  ));
}

function sharded(grid: string, tail = ""): string {
  return `#s = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <${grid}>, ` +
    `memref<1x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <height_sharded>${tail}>\n`;
}

const MAKE = `%s = "ttnn.empty"() : () -> tensor<64x64xbf16, #s>`;

Deno.test("detectProfile() takes the newest profile where the file shows nothing", () => {
  assertEquals(profileOf(""), HEAD_PROFILE);
  assertEquals(getProfile("head"), HEAD_PROFILE);
  assertEquals(TTNN_PROFILES.at(-1), HEAD_PROFILE);
  assertThrows(() => getProfile("next"), DiagnosticError, "profiles are g1, g2");
});

Deno.test("detectProfile() bounds the age by keys, layouts and device", () => {
  const toLayout = `%0 = "ttnn.to_layout"(%x) <{layout = #ttnn.layout<tile>}> : (${T}) -> ${T}`;
  assertEquals(profileOf(toLayout).name, "layout");
  const add = `%1 = "ttnn.add"(%x, %x) <{dtype = #ttcore.supportedDataTypes<bf16>}> : (${T}, ${T}) -> ${T}`;
  assertEquals(profileOf(`${toLayout}\n${add}`).name, "dtype");
  const memoryConfig = `%2 = "ttnn.to_memory_config"(%x) ` +
    `<{memory_config = #ttnn.memory_config<#ttnn.buffer_type<dram>, <interleaved>>}> : (${T}) -> ${T}`;
  assertEquals(profileOf(memoryConfig), {
    name: "memory-config",
    layoutGeneration: "G4",
    dialect: "ttcore",
    paddedMaps: true,
    memoryConfigProperty: true,
    dtypeProperty: true,
    layoutProperty: true,
    unitConstEval: false,
    sliceConfigProperty: true,
  });
  const cores = ", core_ranges = <[#ttnn.core_range<(0,0), (1,0)>]>";
  assertEquals(profileOf(MAKE, sharded("2x1", cores)).layoutGeneration, "G4");
  const g2 = profileOf(MAKE, sharded("2x1, (d0, d1) -> (0, d0 floordiv 8, d0 mod 8)"));
  assertEquals([g2.name, g2.layoutGeneration, g2.memoryConfigProperty], ["g2", "G2", true]);
  const maps =
    "virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)";
  assertEquals(profileOf(MAKE, sharded(`2x1, ${maps}`)).layoutGeneration, "G3");
  const device = (grid: string, more = "") =>
    `ttcore.device @d = <workerGrid = #ttcore.grid<${grid}>${more}>\n`;
  assertEquals(profileOf("", "", device("8x8, (d0, d1) -> (0, d0, d1)")).name, "g2");
  assertEquals(profileOf("", "", device(`8x8, ${maps}`)).name, "g3");
  assertEquals(profileOf("", "", device(`8x8, ${maps}`, ", dramGrid = #ttcore.grid<1x12>")).name, "head");
});

Deno.test("detectProfile() takes the spelling of const-eval functions from the first one", () => {
  const spelledBy = (attribute: string) =>
    profileOf("", "", `func.func private @c() attributes {${attribute}} { return }\n`).unitConstEval;
  assertEquals(spelledBy("const_eval"), true);
  assertEquals(spelledBy('tt.function_type = "const_eval"'), false);
  assertEquals(spelledBy('tt.function_type = "forward_device"'), false);
});

Deno.test("detectProfile() lets what the file shows directly win over its age", () => {
  const bare = `%0 = "ttnn.to_memory_config"(%x) : (${T}) -> ${T}`;
  const profile = profileOf(`${MAKE}\n${bare}`, sharded("2x1, (d0, d1) -> (0, d0 floordiv 8, d0 mod 8)"));
  assertEquals([profile.layoutGeneration, profile.memoryConfigProperty, profile.layoutProperty], [
    "G2",
    false,
    true,
  ]);
});

Deno.test("detectProfile() knows the two rules of the oldest layouts", () => {
  const old = (rows: number) =>
    detectProfile(parseModule(
      `#o = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * ${rows} + d1, d2), <1x1>, ` +
        `memref<2x2x!tt.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>\n` +
        `"ttnn.empty"() : () -> tensor<2x12x64xbf16, #o>`,
      "old.mlir",
    ));
  assertEquals([old(32).layoutGeneration, old(32).dialect, old(32).paddedMaps], ["G1", "tt", true]);
  assertEquals([old(12).layoutGeneration, old(12).dialect, old(12).paddedMaps], ["G1", "tt", false]);
});

Deno.test("resultProperties() spells what the profile has ops repeat", () => {
  const layout = {
    bufferType: "l1",
    memoryLayout: "height_sharded",
    dataType: "bf16",
    tile: { height: 32, width: 32 },
    gridShape: [2, 1],
    shardShape: [1, 2],
    coreRanges: [{ start: { x: 0, y: 0 }, end: { x: 1, y: 0 } }],
    shardOrientation: "row_major",
    ignorePhysicalLayout: false,
  } as const;
  const repeated = (op: string, profile = getProfile("g2")) =>
    resultProperties(new Set(repeatedKeys(op, profile)), layout, (name) => `#${name}`);
  assertEquals(repeated("ttnn.to_memory_config"), [{
    key: "memory_config",
    value: "#ttnn.memory_config<#l1, <height_sharded>, " +
      "#ttnn.shard_spec<<[#ttnn.core_range<(0,0), (1,0)>]>, <32x64>, <row_major>>>",
  }]);
  assertEquals(repeated("ttnn.to_layout"), [{
    key: "layout",
    value: "#ttnn.layout<tile>",
  }]);
  assertEquals(repeated("ttnn.typecast"), [
    { key: "dtype", value: "#ttcore.supportedDataTypes<bf16>" },
  ]);
  assertEquals(repeated("ttnn.to_memory_config", HEAD_PROFILE), []);
});

corpusTest("the system description and the device of every dump and lowered file are understood", () => {
  for (const path of [...corpusFiles("dumps"), ...corpusFiles("lowered/models")]) {
    for (const module of parseModules(Deno.readTextFileSync(path), corpusName(path))) {
      const name = corpusName(path);
      const chips = readSystemChips(module);
      if (/\bsystem_desc = #/.test(module.text)) assertEquals(chips === undefined, false, name);
      const device = readDevice(module);
      if (/\.device @/.test(module.text)) assertEquals(device === undefined, false, name);
      if (chips !== undefined && device !== undefined) {
        assertEquals(commonChip(chips)?.workerGrid, device.workerGrid, name);
        assertEquals(Math.max(1, device.chipIds.length) <= chips.length, true, name);
        const chipsOfMesh = readMeshShape(module).reduce((volume, extent) => volume * extent, 1);
        assertEquals(chipsOfMesh, Math.max(1, device.chipIds.length), name);
      }
    }
  }
});

Deno.test("chips are the first list of a system description that names no hosts", () => {
  const chip = "{arch = <wormhole_b0>, grid = 8x8, l1_size = 1499136, l1_unreserved_base = 1024, " +
    "physical_cores = {worker = [ 0x0,  0x1] dram = [ 8x0,  9x0]}}";
  const chips = (lists: string) =>
    readSystemChips(
      parseModule(`module attributes {tt.system_desc = #tt.system_desc<${lists}>} {\n}`, "s.mlir"),
    );
  const alone = chips(`[${chip}], [0], [3 : i32], [ 0x0x0x0]`);
  assertEquals(alone?.length, 1);
  assertEquals(
    chips(`[{role = host, target_triple = "x86_64"}], [${chip}], [0], [3 : i32], [ 0x0x0x0]`),
    alone,
  );
});

corpusTest("what upstream lowers today has the newest profile", () => {
  for (const path of corpusFiles("lowered").filter((_, index) => index % 5 === 0)) {
    for (const module of someOf(parseModules(Deno.readTextFileSync(path), corpusName(path)))) {
      assertEquals(detectProfile(module), HEAD_PROFILE, corpusName(path));
    }
  }
});
