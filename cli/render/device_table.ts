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
type ConstantRow = Readonly<Record<"name" | "value" | "unit" | "kind" | "source", string>>;

/** One device with every constant: value, unit, method and source; guesses are highlighted. */
export function renderDevice(device: Device, style: Style): string {
  const rows: ConstantRow[] = [];
  const add = (
    name: string,
    value: string,
    unit: string,
    { kind, source }: Pick<ConstantRow, "kind" | "source">,
  ) => void rows.push({ name, value, unit, kind, source });
  for (const [section, constants] of Object.entries(device.constants)) {
    for (const [name, constant] of Object.entries(constants)) {
      add(`${section}.${name}`, String(constant.value), constant.unit, constant);
    }
  }
  for (const [name, constant] of Object.entries(ARCHITECTURE_FILES[device.architecture].network)) {
    if (typeof constant !== "object") continue;
    const { value } = constant;
    add(`network.${name}`, Array.isArray(value) ? `${value.length} entries` : String(value), "", constant);
  }
  for (const [index, axis] of device.mesh.entries()) {
    const { chips, links, topology } = axis;
    const value = `${chips} ${chips === 1 ? "chip" : "chips"}, ${topology}`;
    add(`mesh.${index}`, value, `${links} ${links === 1 ? "link" : "links"}`, axis);
  }
  for (const part of device.harvested) {
    add(`harvested.${part.chips.join(",")}`, `${part.workerRows}x${part.workerColumns}`, "cores", part);
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
