// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import type { Device } from "../../sim/device.ts";
import { DEVICE_NAMES, getDevice, loadDevice } from "../../sim/device_registry.ts";
import { NETWORK_FILES } from "../../sim/network.ts";
import { closest } from "../closest.ts";
import { EXIT, type ExitCode, type Invocation, UsageError } from "../command.ts";
import type { Host } from "../host.ts";
import { renderDevice, renderDeviceList } from "../render/device_table.ts";
import { createStyle } from "../render/style.ts";

/** Runs `devices`. */
export async function run({ host, positionals, options }: Invocation): Promise<ExitCode> {
  const style = createStyle(
    options.text("color") ?? "auto",
    host.environment("NO_COLOR") !== undefined,
    host.stdout,
  );
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
  const device = await findDevice(name, host);
  host.stdout.write(
    options.flag("json")
      ? `${
        JSON.stringify(
          {
            schema: "tilewright.device/1",
            name: device.name,
            architecture: device.architecture,
            summary: device.summary,
            constants: device.constants,
            network: NETWORK_FILES[device.architecture],
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
    workerGrid: { rows: device.grid.workerRows, columns: device.grid.workerColumns },
    aiclkMHz: device.clock.aiclk,
    l1Bytes: device.l1.size,
    dramBanks: device.dram.banks,
    dramPeakGBps: device.dram.peakBandwidth,
  };
}

async function findDevice(name: string, host: Host): Promise<Device> {
  if (DEVICE_NAMES.includes(name)) return getDevice(name);
  if (!name.endsWith(".json")) {
    const hint = closest(name, DEVICE_NAMES);
    throw new UsageError(
      `Unknown device '${name}'${hint === undefined ? "" : `; did you mean '${hint}'?`} Devices: ${
        DEVICE_NAMES.join(", ")
      }, or a path that ends in .json`,
    );
  }
  const text = await host.readText(name);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DiagnosticError([{
      code: "device/invalid",
      severity: "error",
      message: `Cannot read device ${name}: ${reason}`,
    }]);
  }
  return loadDevice(name, json);
}
