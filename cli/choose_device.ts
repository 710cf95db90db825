// SPDX-License-Identifier: Apache-2.0
import { errorText } from "../lib/diagnostics/diagnostic.ts";
import type { ModuleText } from "../lib/ir/mod.ts";
import { targetOfFile, targetOfModule } from "../pipeline/target.ts";
import type { Device } from "../sim/devices/device.ts";
import { DEVICE_NAMES, getDevice } from "../sim/devices/device_registry.ts";
import { didYouMean } from "./closest.ts";
import { type Options, UsageError } from "./command.ts";
import type { Host } from "./host.ts";

/**
 * The device of `--device`, of `--system-desc-path`, or of the input itself, in this order. Remarks on
 * unusual choices go to standard error.
 *
 * @param meshShape mesh of an input that states none
 * @throws {UsageError} if both options are given, or the device is unknown
 * @throws {DiagnosticError} if a file describes none
 */
export async function chooseDevice(
  host: Host,
  options: Options,
  module: ModuleText,
  meshShape: readonly number[] = [],
): Promise<Device> {
  const name = options.text("device");
  const path = options.text("system-desc-path");
  if (name !== undefined && path !== undefined) {
    throw new UsageError("Options --device and --system-desc-path both name a device; give one of them");
  }
  if (name !== undefined) return await findDevice(host, name);
  const origin = options.origin("system-desc-path");
  const file = path === undefined ? undefined : await deviceOfFile(host, path).catch((error) => {
    // Pasted options name files of the machine that they ran on.
    if (!origin.startsWith("--ttir-to-ttnn")) throw error;
    host.stderr.once(
      `warning: ${origin}: ${errorText(error)}; the chip is that of the input, or of --device\n`,
    );
  });
  if (file !== undefined) return file;
  return remarked(host, targetOfModule(module, meshShape));
}

/** The device of the options, or a board with the architecture of a capture. */
export async function chooseCaptured(host: Host, options: Options, architecture: string): Promise<Device> {
  // Not every command that reads a program declares them.
  const [given] = options.effective.flatMap(({ spec: { name }, value }) =>
    (name === "device" || name === "system-desc-path") && typeof value === "string" ? [value] : []
  );
  return await findDevice(host, given ?? (/blackhole/i.test(architecture) ? "p150" : "n150"));
}

/**
 * A bundled device by name, or one described by a file: a device JSON, MLIR with a `ttcore.system_desc`, or
 * the JSON of a system descriptor.
 *
 * @throws {UsageError} if there is no such device; it lists the names
 * @throws {DiagnosticError} if the file cannot be read or describes none
 */
export async function findDevice(host: Host, name: string): Promise<Device> {
  if (DEVICE_NAMES.includes(name)) {
    const device = getDevice(name);
    // Explains why an n300 takes as long as an n150.
    if (device.summary.startsWith("One chip of")) {
      host.stderr.once(`remark: predicted for one chip of ${name}: ${device.summary}\n`);
    }
    return device;
  }
  if (/[./\\]/.test(name)) return await deviceOfFile(host, name);
  if (name.split(",").length > 1) {
    throw new UsageError(
      `Option --device takes one device here, not '${name}'; 'optimize' and 'price' compare several`,
    );
  }
  throw new UsageError(
    `Unknown device '${name}'${
      didYouMean(name, DEVICE_NAMES, `Devices: ${DEVICE_NAMES.join(", ")}, or the path of a device JSON`)
    }`,
  );
}

async function deviceOfFile(host: Host, path: string): Promise<Device> {
  if (path.endsWith(".ttsys")) {
    throw new UsageError(
      `Cannot read ${path}: it is binary; give the JSON that 'ttrt read --section system_desc' prints of it`,
    );
  }
  return remarked(host, targetOfFile(await host.readText(path), path));
}

function remarked(host: Host, { device, remark }: ReturnType<typeof targetOfModule>): Device {
  if (remark !== undefined) host.stderr.once(`remark: ${remark}\n`);
  return device;
}
