// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../../sim/devices/device.ts";
import { workers } from "../../sim/kernels/kernel.ts";
import { ARCHITECTURE_FILES } from "../../sim/devices/architecture_files.ts";
import { networkOf } from "../../sim/network/network.ts";
import { type FittedCell, type FittedColumn, renderFittedTable } from "./fitted_table.ts";
import { formatBytes } from "./format.ts";
import type { Style } from "./style.ts";

const LIST_COLUMNS: readonly FittedColumn[] = [
  { title: "Device", align: "left", expendable: 0 },
  { title: "Architecture", align: "left", expendable: 2 },
  { title: "Workers", align: "right", expendable: 0 },
  { title: "Grid", align: "right", expendable: 0 },
  { title: "AICLK", align: "right", expendable: 3 },
  { title: "L1", align: "right", expendable: 4 },
  { title: "DRAM", align: "right", expendable: 1 },
  { title: "Summary", align: "left", expendable: 5, shrinkTo: 20 },
];

/** The bundled devices, one per row. Grids are rows x columns, as in layouts. */
export function renderDeviceList(devices: readonly Device[], style: Style, width: number): string {
  const body = devices.map((device): FittedCell[] => [
    { text: device.name, paint: style.bold },
    { text: device.architecture },
    { text: String(workers(device)) },
    { text: `${device.grid.workerRows}x${device.grid.workerColumns}` },
    { text: String(device.clock.aiclk), unit: "MHz" },
    { text: formatBytes(device.l1.size) },
    { text: String(device.dram.peakBandwidth), unit: "GB/s" },
    { text: device.summary, paint: style.dim },
  ]);
  return `${renderFittedTable(LIST_COLUMNS, { body, footer: [] }, style, width)}\n`;
}

const CONSTANT_COLUMNS: readonly FittedColumn[] = [
  { title: "Constant", align: "left", expendable: 0 },
  { title: "Value", align: "right", expendable: 0 },
  { title: "Unit", align: "left", expendable: 1 },
  { title: "Kind", align: "left", expendable: 0 },
  { title: "Source", align: "left", expendable: 0, shrinkTo: 24 },
];

/** One device with every constant: value, unit, how it is known and from where; guesses stand out. */
export function renderDevice(device: Device, style: Style, width: number): string {
  const body: FittedCell[][] = [];
  for (const [section, constants] of Object.entries(device.constants)) {
    for (const [name, constant] of Object.entries(constants)) {
      body.push(
        constantCells(
          `${section}.${name}`,
          String(constant.value),
          constant.unit,
          constant.kind,
          constant.source,
          style,
        ),
      );
    }
  }
  for (const [name, constant] of Object.entries(ARCHITECTURE_FILES[device.architecture].network)) {
    if (typeof constant !== "object") continue;
    const { value, kind, source } = constant;
    const text = Array.isArray(value) ? `${value.length} entries` : String(value);
    body.push(constantCells(`network.${name}`, text, "", kind, source, style));
  }
  const table = renderFittedTable(CONSTANT_COLUMNS, { body, footer: [] }, style, width);
  const placed = networkOf(device) === undefined
    ? "\nIts cores have no known place on the torus: simulate uses the analytic network level.\n"
    : "";
  return `${style.bold(device.name)} ${
    style.dim(`(${device.architecture})`)
  }  ${device.summary}\n\n${table}\n${placed}`;
}

function constantCells(
  name: string,
  value: string,
  unit: string,
  kind: string,
  source: string,
  style: Style,
): FittedCell[] {
  return [
    { text: name },
    { text: value },
    { text: unit, paint: style.dim },
    { text: kind, ...(kind === "guess" ? { paint: style.yellow } : {}) },
    { text: source, paint: style.dim },
  ];
}
