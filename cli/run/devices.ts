// SPDX-License-Identifier: Apache-2.0
import config from "../../deno.json" with { type: "json" };
import type { Device } from "../../sim/devices/device.ts";
import { DEVICE_NAMES, getDevice } from "../../sim/devices/device_registry.ts";
import { ARCHITECTURE_FILES } from "../../sim/devices/architecture_files.ts";
import { findDevice } from "../choose_device.ts";
import { type ExitCode, type Invocation, UsageError } from "../command.ts";
import { printAnswer } from "../print_answer.ts";
import { renderDevice, renderDeviceList } from "../render/device_table.ts";

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const [first] = positionals;
  // A name alone shows that device.
  const isName = first !== undefined && positionals.length === 1 && DEVICE_NAMES.includes(first);
  const [verb, name] = isName ? ["show", first] : positionals;
  if (verb === undefined) {
    const all = DEVICE_NAMES.map(getDevice);
    return printAnswer(
      { host, options },
      () => ({
        schema: "tilewright.devices/1",
        input: null,
        device: null,
        summary: { devices: all.length },
        devices: all.map(summaryOf),
      }),
      (style) => renderDeviceList(all, style),
    );
  }
  if (verb !== "show" || name === undefined) {
    throw new UsageError(
      `Cannot run 'devices ${positionals.join(" ")}'; use 'devices' or 'devices show NAME'`,
    );
  }
  const device = await findDevice(host, name);
  return printAnswer({ host, options }, () => deviceFile(device), (style) => renderDevice(device, style));
}

/** A device file that `--device` takes, with the keys of every `--json` document. */
function deviceFile({ name, architecture, summary, mesh, harvested, constants }: Device): string {
  const file = {
    schema: "tilewright.device/1",
    tool: { name: "tilewright", version: config.version },
    input: null,
    device: name,
    name,
    architecture,
    summary,
    ...(mesh.length === 0 ? {} : { mesh }),
    ...(harvested.length === 0 ? {} : { harvested }),
    constants,
    network: ARCHITECTURE_FILES[architecture].network,
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function summaryOf(device: Device) {
  return {
    name: device.name,
    architecture: device.architecture,
    summary: device.summary,
    mesh: device.mesh,
    workerGrid: { rows: device.grid.workerRows, columns: device.grid.workerColumns },
    aiclkMHz: device.clock.aiclk,
    l1Bytes: device.l1.size,
    dramBanks: device.dram.banks,
    dramPeakGBps: device.dram.peakBandwidth,
  };
}
