// SPDX-License-Identifier: Apache-2.0
import config from "../../deno.json" with { type: "json" };
import type { Device } from "../../sim/devices/device.ts";
import { DEVICE_NAMES, getDevice } from "../../sim/devices/device_registry.ts";
import { ARCHITECTURE_FILES } from "../../sim/devices/architecture_files.ts";
import { findDevice } from "../choose_device.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../command.ts";
import { renderDevice, renderDeviceList } from "../render/device_table.ts";
import { styleOf } from "../render/style.ts";
import { jsonOutput } from "../json_output.ts";

export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const style = styleOf(host, options);
  const [verb, name] = positionals;
  if (verb === undefined) {
    const all = DEVICE_NAMES.map(getDevice);
    host.stdout.write(
      options.flag("json")
        ? jsonOutput({
          schema: "tilewright.devices/1",
          input: null,
          device: null,
          summary: { devices: all.length },
          devices: all.map(summaryOf),
        })
        : renderDeviceList(all, style),
    );
    return EXIT.ok;
  }
  if (verb !== "show" || name === undefined) {
    throw new UsageError(
      `Cannot run 'devices ${positionals.join(" ")}'; use 'devices' or 'devices show NAME'`,
    );
  }
  const device = await findDevice(host, name);
  host.stdout.write(
    options.flag("json")
      ? `${
        JSON.stringify(
          {
            // A device file that --device takes, with the keys of every --json document.
            schema: "tilewright.device/1",
            tool: { name: "tilewright", version: config.version },
            input: null,
            device: device.name,
            name: device.name,
            architecture: device.architecture,
            summary: device.summary,
            ...(device.mesh.length === 0 ? {} : { mesh: device.mesh }),
            ...(device.harvested.length === 0 ? {} : { harvested: device.harvested }),
            constants: device.constants,
            network: ARCHITECTURE_FILES[device.architecture].network,
          },
          null,
          2,
        )
      }\n`
      : renderDevice(device, style),
  );
  return EXIT.ok;
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
