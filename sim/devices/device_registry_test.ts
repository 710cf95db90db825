// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { ARCHITECTURE_FILES } from "./architecture_files.ts";
import { chipDescription, parseDeviceFile, withChipDescription } from "./device.ts";
import { DEVICE_NAMES, getDevice, loadDevice } from "./device_registry.ts";
import { DEVICE_SCHEMA } from "./device_schema.ts";

Deno.test("getDevice() gives every bundled device a complete set of constants with sources", () => {
  for (const name of DEVICE_NAMES) {
    const device = getDevice(name);
    assertEquals(device.name, name);
    for (const [section, units] of Object.entries(DEVICE_SCHEMA)) {
      for (const [constant, [unit]] of Object.entries<readonly string[]>(units)) {
        const found = device.constants[section]?.[constant];
        assert(found !== undefined && found.source.length > 0, `${name} ${section}.${constant}`);
        assertEquals(found.unit, unit);
      }
    }
  }
});

Deno.test("chipDescription() states the worker grids of the chips", () => {
  const grids: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
    "n150": [8, 8],
    "n300": [8, 8],
    "n300-tensix-dispatch": [7, 8],
    "p100": [10, 11],
    "p150-13x10": [10, 13],
    "p150-12x10": [10, 12],
    "p150": [10, 11],
    "quasar": [4, 8],
  };
  for (const [name, [rows, columns]] of Object.entries(grids)) {
    assertEquals(chipDescription(getDevice(name)).workerGrid, { rows, columns }, name);
  }
});

Deno.test("getDevice() names the devices when asked for an unknown one", () => {
  assertThrows(() => getDevice("n151"), DiagnosticError, `devices are ${DEVICE_NAMES.join(", ")}`);
});

Deno.test("loadDevice() lets a user change single constants of a bundled device", () => {
  const device = loadDevice("mine.json", {
    schema: "tilewright.device/1",
    name: "mine",
    architecture: "wormhole_b0",
    summary: "An n150 with a slower clock",
    extends: "n150",
    constants: { clock: { aiclk: { value: 800, unit: "MHz", source: "set by hand", kind: "stated" } } },
  });
  assertEquals(device.clock.aiclk, 800);
  assertEquals(device.dram.banks, getDevice("n150").dram.banks);
});

Deno.test("loadDevice() reports every fault of a file at once", () => {
  const error = assertThrows(() =>
    loadDevice("bad.json", {
      schema: "tilewright.device/1",
      name: "",
      architecture: "grayskull",
      summary: "s",
      constants: {
        clock: { aiclk: { value: -1, unit: "MHz", source: "s", kind: "stated" } },
        noc: { hop: { value: 1, unit: "us", source: "s", kind: "stated" }, hopp: {} },
        tensor: {},
      },
    }), DiagnosticError);
  assertEquals(error.diagnostics.length, 6);
  for (const part of ['"name"', "grayskull", "clock.aiclk.value", "noc.hop.unit", "noc.hopp", '"tensor"']) {
    assert(error.message.includes(part), `${part} in ${error.message}`);
  }
});

Deno.test("loadDevice() names the missing constants without a base device", () => {
  assertThrows(
    () =>
      loadDevice("bare.json", {
        schema: "tilewright.device/1",
        name: "bare",
        architecture: "blackhole",
        summary: "s",
        constants: {},
      }),
    DiagnosticError,
    "no value for grid.workerRows",
  );
});

Deno.test("withChipDescription() takes grid and memory from a system description and scales DRAM with the banks", () => {
  const p150 = getDevice("p150-13x10");
  const chip = { ...chipDescription(p150), dramBanks: 7, workerGrid: { rows: 10, columns: 11 } };
  const device = withChipDescription(p150, chip);
  assertEquals(chipDescription(device), chip);
  assertEquals(device.dram.peakBandwidth, p150.dram.peakBandwidth * 7 / 8);
  assertThrows(() => withChipDescription(getDevice("n150"), chip), DiagnosticError, "blackhole");
});

Deno.test("every constant of a device is read by pricing or checking", () => {
  // The cost classes of `lib/ops` name the published errors.
  const rooms = ["sim/devices", "sim/network", "sim/kernels", "sim/cost", "sim/timeline", "lib/ops"];
  const texts = rooms.flatMap((room) => {
    const folder = join(PROJECT_ROOT, room);
    return [...Deno.readDirSync(folder)].map(({ name }) => name)
      .filter((name) => name.endsWith(".ts") && !/_(test|schema)\.ts$/.test(name))
      .map((name) => Deno.readTextFileSync(join(folder, name)));
  }).join("\n");
  const unread = Object.entries(DEVICE_SCHEMA).flatMap(([section, units]) =>
    Object.keys(units).filter((name) => !new RegExp(`(?:[."]|[{,]\\s*)${name}\\b`).test(texts)).map((name) =>
      `${section}.${name}`
    )
  );
  assertEquals(unread, []);
});

Deno.test("loadDevice() accepts a chip of three lines, and names missing constants", () => {
  const own = loadDevice("chips/my_chip.json", {
    extends: "p150-13x10",
    constants: {
      clock: { aiclk: 1000 },
      grid: { workerColumns: { value: 10, source: "a plan", kind: "stated" } },
    },
  });
  assertEquals([own.name, own.architecture, own.clock.aiclk, own.grid.workerColumns], [
    "my_chip",
    "blackhole",
    1000,
    10,
  ]);
  assertEquals(own.constants["clock"]?.["aiclk"], {
    value: 1000,
    unit: "MHz",
    source: "chips/my_chip.json",
    kind: "guess",
  });
  assertEquals(own.dram.banks, getDevice("p150-13x10").dram.banks);
  assertThrows(() => loadDevice("my.json", {}), DiagnosticError, '{"extends": "p150"');
  const wrong = (constants: unknown) => () => loadDevice("my.json", { extends: "p150-13x10", constants });
  assertThrows(
    wrong({ grid: { workerRows: 0 } }),
    DiagnosticError,
    '"grid.workerRows.value" cannot be 0 cores',
  );
  assertThrows(wrong({ grid: { workerRows: 8.5 } }), DiagnosticError, "whole number of cores");
  assertThrows(wrong({ clock: { aiclok: 1 } }), DiagnosticError, '"clock.aiclok" is not known');
  assertThrows(
    () => loadDevice("my.json", { extends: "p151" }),
    DiagnosticError,
    '"extends" must name one of',
  );
});

Deno.test("constants inherited from another family are guesses, own ones are not", () => {
  const { constants, l1 } = getDevice("quasar");
  const { blackhole } = ARCHITECTURE_FILES;
  const own = new Set(["size", "unreservedBase", "alignment", "circularBuffers"]);
  for (const [name, { kind, value }] of Object.entries(constants.l1 ?? {})) {
    assertEquals(kind, own.has(name) ? "stated" : "guess", name);
    assert(Number.isFinite(value));
  }
  assertEquals(l1.size, 4 * 1024 * 1024);
  assertEquals(
    Object.values(constants.tensix ?? {}).filter(({ kind }) => kind !== "guess").map(({ source }) => source),
    ["tt-mlir:quasar, dst_physical_size_tiles"],
  );
  assertEquals(
    constants.clock?.aiclk,
    {
      ...parseDeviceFile("blackhole.json", blackhole.constants).constants.clock?.aiclk,
      source: "as blackhole's",
      kind: "guess",
    },
  );
});
