// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { RowModel } from "../audit/row_model.ts";
import { getMeasuredDevice, withMeasuredConstants } from "../microbenchmarks/measured_device.ts";
import { dispatchMicroseconds } from "../microbenchmarks/dispatch.ts";
import { calibrate, type CalibrationTask, fitTask, priorDevices } from "./calibrate.ts";
import { bundledFiles, calibratedFiles, classErrors, ratioErrors } from "./calibrated_files.ts";
import { crossValidate, foldOf } from "./cross_validation.ts";

const TASK: CalibrationTask = {
  name: "dispatch",
  architecture: "blackhole",
  groups: { made_up: 1000 },
  constants: [
    { section: "dispatcher", name: "base", min: 0.1, max: 10 },
    { section: "dispatcher", name: "configure", min: 0.05, max: 5 },
  ],
};

/** Rows that a device with other constants would have measured. */
function madeUpRows(base: number, configure: number): RowModel[] {
  const truth = withMeasuredConstants(
    getMeasuredDevice("p150-13x10"),
    { dispatcher: { base, configure } },
    "test",
    "guess",
  );
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
      costClass: "eltwise_unary",
      device: "p150-13x10",
      configuration: `row ${index}`,
      table: `table ${index % 6}`,
      measured: dispatchMicroseconds(program, truth),
      unit: "us",
      predict: (device) => dispatchMicroseconds(program, device),
    };
  });
}

Deno.test("fitTask() recovers the constants behind made-up measurements", () => {
  const values = fitTask(TASK, madeUpRows(2.5, 1.4), getMeasuredDevice, 1);
  assertAlmostEquals(values.dispatcher?.base ?? 0, 2.5, 0.1);
  assertAlmostEquals(values.dispatcher?.configure ?? 0, 1.4, 0.2);
});

Deno.test("crossValidate() predicts every row once, without its own fold or table", () => {
  const rows = madeUpRows(2.5, 1.4);
  for (const holdOut of ["configuration", "table"] as const) {
    const options = { holdOut, folds: 3, seed: 7 };
    const errors = crossValidate([TASK], rows, getMeasuredDevice, options);
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

Deno.test("calibrate() starts from the sources' values, regardless of earlier fits", () => {
  const rows = madeUpRows(2.5, 1.4);
  const shifted = (name: string) => {
    const device = getMeasuredDevice(name);
    return withMeasuredConstants(device, { dispatcher: { base: 9 } }, "test", "guess");
  };
  // Both lookups carry the same priors, so that both fits are the same.
  assertEquals(
    calibrate([TASK], rows, shifted, 1).fits.map(({ values }) => values),
    calibrate([TASK], rows, getMeasuredDevice, 1).fits.map(({ values }) => values),
  );
});

Deno.test("priorDevices() resets every fitted constant to its source's value", () => {
  const prior = priorDevices(getMeasuredDevice)("n150");
  for (const [section, constants] of Object.entries(getMeasuredDevice("n150").constants)) {
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
  const entries = bundledFiles();
  const rows = madeUpRows(2.5, 1.4);
  const calibration = calibrate([TASK], rows, getMeasuredDevice, 1);
  const errors = classErrors(
    rows,
    crossValidate([TASK], rows, getMeasuredDevice, { holdOut: "table", folds: 3, seed: 1 }),
    getMeasuredDevice,
  );
  const files = calibratedFiles(entries, calibration, { accuracy: errors, ratioAccuracy: {}, graphs: {} });
  const of = (path: string) => files.find((entry) => entry.path === path)?.file.constants;
  const base = of("microbenchmarks/constants/blackhole.json")?.dispatcher?.base;
  assertEquals(base?.value, calibration.fits[0]?.values.dispatcher?.base);
  assertEquals(base?.kind, "fitted");
  const before = getMeasuredDevice("p150-13x10").constants.dispatcher?.base;
  assertEquals(base?.prior, before?.prior ?? before?.value);
  assertEquals(of("devices/architecture/blackhole.json")?.accuracy?.eltwise?.kind, "measured");
  // Rows without pairs leave no ratio that older pairs had.
  const ratio = of("devices/architecture/blackhole.json")?.ratioAccuracy?.eltwise;
  assertEquals(ratio?.kind, "guess");
  assertAlmostEquals(ratio?.value ?? 0, Math.SQRT2 * (errors.blackhole?.eltwise ?? 0), 1e-3);
  // Other architectures and files that do not state the constant stay as they were.
  const wormhole = entries.find((entry) => entry.path === "architecture/wormhole_b0.json")?.file.constants;
  assertEquals(of("architecture/wormhole_b0.json"), wormhole);
  assertEquals(of("p150.json")?.dispatch, undefined);
});

Deno.test("the error of a ratio is that of pairs whose order is in doubt", () => {
  const rowOf = (cores: number, shape: number, measured: number): RowModel => ({
    status: "modelled",
    group: "made_up",
    costClass: "eltwise_unary",
    device: "n150",
    configuration: `${cores} ${shape}`,
    table: "test",
    measured,
    unit: "us",
    parameters: { cores: String(cores), shape: String(shape) },
    predict: () => 0,
  });
  // Predicted: four pairs 5 % apart, measured 3 % apart; four pairs ten times apart, measured as if twice that.
  const pairs = [1, 2, 3, 4].flatMap((shape) =>
    [
      [rowOf(1, shape, 103), 105],
      [rowOf(2, shape, 100), 100],
      [rowOf(1, shape + 10, 2000), 1000],
      [rowOf(2, shape + 10, 100), 100],
    ] as const
  );
  const heldOut = new Map(pairs.map(([row, predicted]) => [row, predicted / row.measured - 1]));
  const errors = ratioErrors([...heldOut.keys()], heldOut, getMeasuredDevice);
  assertAlmostEquals(errors.wormhole_b0?.eltwise ?? 0, 1.183 * Math.log(1.05 / 1.03), 1e-3);
});
