// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../../sim/devices/device.ts";
import { DEVICE_NAMES, getDevice } from "../../sim/devices/device_registry.ts";
import { ARCHITECTURE_FILES } from "../../sim/devices/architecture_files.ts";
import { findDevice } from "../choose_device.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../command.ts";
import { renderDevice, renderDeviceList } from "../render/device_table.ts";
import { styleOf } from "../render/style.ts";

/** Runs `devices`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const style = styleOf(host, options);
  const [verb, name] = positionals;
  if (verb === undefined) {
    const all = DEVICE_NAMES.map(getDevice);
    host.stdout.write(
      options.flag("json")
        ? `${JSON.stringify({ schema: "tilewright.devices/1", devices: all.map(summaryOf) }, null, 2)}\n`
        : renderDeviceList(all, style, host.stdout.columns),
    );
    return EXIT.ok;
  }
  if (verb !== "show" || name === undefined) {
    throw new UsageError(
      `Cannot run 'devices ${positionals.join(" ")}'; say 'devices' or 'devices show NAME'`,
    );
  }
  const device = await findDevice(host, name);
  host.stdout.write(
    options.flag("json")
      ? `${
        JSON.stringify(
          {
            schema: "tilewright.device/1",
            name: device.name,
            architecture: device.architecture,
            summary: device.summary,
            ...(device.mesh.length === 0 ? {} : { mesh: device.mesh }),
            constants: device.constants,
            network: ARCHITECTURE_FILES[device.architecture].network,
          },
          null,
          2,
        )
      }\n`
      : renderDevice(device, style, host.stdout.columns),
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
