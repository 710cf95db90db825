// SPDX-License-Identifier: Apache-2.0
import type { ModuleText } from "../lib/ir/mod.ts";
import { targetOfFile, targetOfModule } from "../pipeline/target.ts";
import type { Device } from "../sim/device.ts";
import { getDevice } from "../sim/device_registry.ts";
import { type Options, UsageError } from "./command.ts";
import type { Host } from "./host.ts";

/**
 * The device of `--device`, of `--system-desc-path`, or of the input itself, in this order. Odd choices are remarked on
 * standard error.
 *
 * @throws {UsageError} when both options are given
 * @throws {DiagnosticError} when the device is unknown or the file describes none
 */
export async function chooseDevice(host: Host, options: Options, module: ModuleText): Promise<Device> {
  const name = options.text("device");
  const path = options.text("system-desc-path");
  if (name !== undefined && path !== undefined) {
    throw new UsageError("Options --device and --system-desc-path both name a device; give one of them");
  }
  if (name !== undefined) return getDevice(name);
  const target = path === undefined ? targetOfModule(module) : targetOfFile(await host.readText(path), path);
  if (target.remark !== undefined) host.stderr.write(`remark: ${target.remark}\n`);
  return target.device;
}
