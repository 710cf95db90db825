// SPDX-License-Identifier: Apache-2.0
import { chipDramBandwidth } from "../microbenchmarks/dram_streams.ts";
import type { MeasuredDevice } from "../microbenchmarks/measured_device.ts";
import { type MeasuredRow, numberOf, textOf } from "./measured_row.ts";
import { type AuditRow, excluding } from "./row_model.ts";

/** Peak DRAM bandwidth of Wormhole at the two memory clocks that were measured. */
const PEAK_BY_CLOCK: readonly (readonly [string, number])[] = [["14GT/s", 336], ["12GT/s", 288]];

/** Rows of DRAM bandwidth. */
export function dramBandwidthRow(row: MeasuredRow): AuditRow {
  const group = "dram_bw";
  const device = row.device.includes("BH") || row.device.startsWith("p1") ? "p150-13x10" : "n150";
  const excluded = excluding(group, device);
  const measured = numberOf(row.measured, "GBps");
  if (measured === undefined) return excluded("GB/s are missing");
  const predict = bandwidthOf(row);
  if (predict === undefined) return excluded(`the case ${row.op} is not modelled`);
  return {
    status: "modelled",
    group,
    device,
    configuration: [
      device,
      row.device,
      row.op,
      row.grid,
      JSON.stringify(row.shapes),
      JSON.stringify(row.config),
    ].join(" "),
    table: `${row.op} ${row.grid}`,
    measured,
    unit: "GB/s",
    predict,
  };
}

function bandwidthOf(row: MeasuredRow): ((device: MeasuredDevice) => number) | undefined {
  const peak = PEAK_BY_CLOCK.find(([clock]) => row.device.includes(clock))?.[1];
  const scale = (device: MeasuredDevice) => (peak ?? device.dram.peakBandwidth) / device.dram.peakBandwidth;
  if (row.op === "dram_read:spec") return (device) => device.dram.peakBandwidth * scale(device);
  if (row.op === "dram_read:u-benchmark") return (device) => placedRead(device) * scale(device);
  if (row.op === "dram_read" || row.op === "dram_write") {
    const cores = numberOf(row.shapes, "cores") ?? 1;
    const channels = numberOf(row.shapes, "channels") ?? 1;
    const noc = textOf(row.config, "noc").includes("1") ? 1 : 0;
    return (device) =>
      chipDramBandwidth({
        kind: row.op === "dram_write" ? "write" : "read",
        cores,
        channels,
        placed: row.grid.includes("carefully"),
        noc,
        dynamicChannels: textOf(row.config, "vc").startsWith("Dynamic"),
      }, device);
  }
  // Weights streamed by matmuls from DRAM shards.
  if (row.op.startsWith("dram_")) {
    return (device) => device.dram.peakBandwidth * device.dram.shardedReadShare * scale(device);
  }
  return undefined;
}

function placedRead(device: MeasuredDevice): number {
  return chipDramBandwidth(
    {
      kind: "read",
      cores: device.dram.banks,
      channels: device.dram.banks,
      placed: true,
      noc: 0,
      dynamicChannels: false,
    },
    device,
  );
}
