// SPDX-License-Identifier: Apache-2.0
import { meshText } from "../../lib/device/mesh.ts";
import type { Device } from "../../sim/devices/device.ts";
import { workers } from "../../sim/kernels/kernel.ts";
import { ARCHITECTURE_FILES } from "../../sim/devices/architecture_files.ts";
import { networkOf } from "../../sim/network/network.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatBytes } from "./format.ts";
import type { Style } from "./style.ts";

/** The bundled devices, one per row. Grids are rows x columns, as in layouts. */
export function renderDeviceList(devices: readonly Device[], style: Style): string {
  const columns: readonly FittedColumn<Device>[] = [
    left("Device", ({ name }) => ({ text: name, paint: style.bold })),
    left("Architecture", ({ architecture }) => architecture, { expendable: 2 }),
    right("Workers", (device) => String(workers(device))),
    right("Grid", ({ grid }) => `${grid.workerRows}x${grid.workerColumns}`),
    left("Mesh", ({ mesh }) => mesh.length === 0 ? "–" : meshText(mesh.map(({ chips }) => chips))),
    right("AICLK", ({ clock }) => ({ text: String(clock.aiclk), unit: "MHz" }), { expendable: 3 }),
    right("L1", ({ l1 }) => formatBytes(l1.size), { expendable: 4 }),
    right("DRAM", ({ dram }) => ({ text: String(dram.peakBandwidth), unit: "GB/s" }), { expendable: 1 }),
    left("Summary", ({ summary }) => ({ text: summary, paint: style.dim }), { expendable: 5, shrinkTo: 20 }),
  ];
  return `${renderFittedTable(columns, devices, style)}\n`;
}

/** A constant as the table of one device lists it. */
interface ConstantRow {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly kind: string;
  readonly source: string;
}

/** One device with every constant: value, unit, method and source; guesses are highlighted. */
export function renderDevice(device: Device, style: Style): string {
  const rows = Object.entries(device.constants).flatMap(([section, constants]) =>
    Object.entries(constants).map(([name, { value, unit, kind, source }]): ConstantRow => ({
      name: `${section}.${name}`,
      value: String(value),
      unit,
      kind,
      source,
    }))
  );
  for (const [name, constant] of Object.entries(ARCHITECTURE_FILES[device.architecture].network)) {
    if (typeof constant !== "object") continue;
    const { value, kind, source } = constant;
    const text = Array.isArray(value) ? `${value.length} entries` : String(value);
    rows.push({ name: `network.${name}`, value: text, unit: "", kind, source });
  }
  for (const [index, { chips, links, topology, kind, source }] of device.mesh.entries()) {
    const value = `${chips} ${chips === 1 ? "chip" : "chips"}, ${topology}`;
    rows.push({
      name: `mesh.${index}`,
      value,
      unit: `${links} ${links === 1 ? "link" : "links"}`,
      kind,
      source,
    });
  }
  for (const { chips, workerRows, workerColumns, kind, source } of device.harvested) {
    rows.push({
      name: `harvested.${chips.join(",")}`,
      value: `${workerRows}x${workerColumns}`,
      unit: "cores",
      kind,
      source,
    });
  }
  const columns: readonly FittedColumn<ConstantRow>[] = [
    left("Constant", ({ name }) => name),
    right("Value", ({ value }) => value),
    left("Unit", ({ unit }) => ({ text: unit, paint: style.dim }), { expendable: 1 }),
    left("Kind", ({ kind }) => kind === "guess" ? { text: kind, paint: style.yellow } : kind),
    left("Source", ({ source }) => ({ text: source, paint: style.dim }), { shrinkTo: 24 }),
  ];
  const table = renderFittedTable(columns, rows, style);
  const placed = networkOf(device) === undefined
    ? "\nIts cores have no known place on the torus: simulate uses the analytic network level.\n"
    : "";
  return `${style.bold(device.name)} ${
    style.dim(`(${device.architecture})`)
  }  ${device.summary}\n\n${table}\n${placed}`;
}
