// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { RowModel } from "../audit/row_model.ts";
import { parseDeviceFile, withConstants } from "../devices/device.ts";
import { DEVICE_FILE_JSON, getDevice } from "../devices/device_registry.ts";
import { dispatchMicroseconds } from "../microbenchmarks/dispatch.ts";
import { type CalibrationTask, fitTask, priorDevices } from "./calibrate.ts";
import { calibrate, calibratedFiles, classErrors } from "./calibrated_files.ts";
import { crossValidate, foldOf } from "./cross_validation.ts";

const TASK: CalibrationTask = {
  name: "dispatch",
  architecture: "blackhole",
  groups: { made_up: 1000 },
  constants: [
    { section: "dispatch", name: "base", min: 0.1, max: 10 },
    { section: "dispatch", name: "configure", min: 0.05, max: 5 },
  ],
};

/** Rows that a device with other constants would have measured. */
function madeUpRows(base: number, configure: number): RowModel[] {
  const truth = withConstants(getDevice("p150"), { dispatch: { base, configure } }, "test", "guess");
  return Array.from({ length: 60 }, (_, index): RowModel => {
    const program = {
      processors: 1 + index % 5,
      kernelBytes: 256 * (1 + index % 7),
      configures: index % 2 === 0,
      uniqueArguments: 0,
      allCores: true,
      launchGroups: 1,
      kernelGroups: 1,
      kernelCycles: 0,
      ethernet: false,
    };
    return {
      status: "modelled",
      group: "made_up",
      accuracyClass: "eltwise",
      device: "p150",
      workerGrid: undefined,
      configuration: `row ${index}`,
      table: `table ${index % 6}`,
      measured: dispatchMicroseconds(program, truth),
      unit: "us",
      predict: (device) => dispatchMicroseconds(program, device),
      work: undefined,
    };
  });
}

Deno.test("fitTask() recovers the constants behind made-up measurements", () => {
  const values = fitTask(TASK, madeUpRows(2.5, 1.4), getDevice, 1);
  assertAlmostEquals(values.dispatch?.base ?? 0, 2.5, 0.1);
  assertAlmostEquals(values.dispatch?.configure ?? 0, 1.4, 0.2);
});

Deno.test("crossValidate() predicts every row once, without its own fold or table", () => {
  const rows = madeUpRows(2.5, 1.4);
  for (const holdOut of ["configuration", "table"] as const) {
    const options = { holdOut, folds: 3, seed: 7 };
    const errors = crossValidate([TASK], rows, getDevice, options);
    assertEquals(errors.size, rows.length);
    for (const error of errors.values()) assert(Math.abs(error) < 0.05);
  }
  const byTable = new Map<string, number>();
  for (const row of rows) {
    const fold = foldOf(row, { holdOut: "table", folds: 3, seed: 7 });
    assertEquals(byTable.get(row.table) ?? fold, fold);
    byTable.set(row.table, fold);
  }
});

Deno.test("calibrate() starts from the sources' values, whatever was fitted before", () => {
  const rows = madeUpRows(2.5, 1.4);
  const shifted = (name: string) => {
    const device = getDevice(name);
    return withConstants(device, { dispatch: { base: 9 } }, "test", "guess");
  };
  // Both lookups carry the same priors, so that both fits are the same.
  assertEquals(
    calibrate([TASK], rows, shifted, 1).fits.map(({ values }) => values),
    calibrate([TASK], rows, getDevice, 1).fits.map(({ values }) => values),
  );
});

Deno.test("priorDevices() puts every fitted constant back to what its source said", () => {
  const prior = priorDevices(getDevice)("n150");
  for (const [section, constants] of Object.entries(getDevice("n150").constants)) {
    for (const [name, constant] of Object.entries(constants)) {
      assertEquals(
        prior.constants[section]?.[name]?.value,
        constant.prior ?? constant.value,
        `${section}.${name}`,
      );
    }
  }
});

Deno.test("calibratedFiles() writes a value into the file that states it and keeps where it started", () => {
  const entries = [...DEVICE_FILE_JSON].map(([path, json]) => ({ path, file: parseDeviceFile(path, json) }));
  const rows = madeUpRows(2.5, 1.4);
  const calibration = calibrate([TASK], rows, getDevice, 1);
  const errors = classErrors(
    rows,
    crossValidate([TASK], rows, getDevice, { holdOut: "table", folds: 3, seed: 1 }),
    getDevice,
  );
  const files = calibratedFiles(entries, calibration, errors);
  const of = (path: string) => files.find((entry) => entry.path === path)?.file.constants;
  const base = of("architecture/blackhole.json")?.dispatch?.base;
  assertEquals(base?.value, calibration.fits[0]?.values.dispatch?.base);
  assertEquals(base?.kind, "fitted");
  const before = getDevice("p150").constants.dispatch?.base;
  assertEquals(base?.prior, before?.prior ?? before?.value);
  assertEquals(of("architecture/blackhole.json")?.accuracy?.eltwise?.kind, "measured");
  // Other architectures and files that do not state the constant stay as they were.
  const wormhole = entries.find((entry) => entry.path === "architecture/wormhole_b0.json")?.file.constants;
  assertEquals(of("architecture/wormhole_b0.json"), wormhole);
  assertEquals(of("p150.json")?.dispatch, undefined);
});
