// SPDX-License-Identifier: Apache-2.0
import { type Diagnostic, errorAt } from "../lib/diagnostics/diagnostic.ts";
import {
  commonChip,
  describedArchitectures,
  readDevice,
  readSystemChips,
} from "../lib/dialect/system_desc.ts";
import type { ModuleText } from "../lib/ir/mod.ts";
import type { Device } from "../sim/devices/device.ts";

/**
 * Where a module describes another chip than the device that it is decided for: of another architecture, or with fewer
 * cores, so that what is decided would not run on the chip that the text names.
 *
 * @returns `undefined` if the decided text is valid for the chip that it describes, or describes none
 */
export function describedOtherwise(module: ModuleText, device: Device): Diagnostic | undefined {
  const other = describedArchitectures(module).find((name) => name !== device.architecture);
  const chip = commonChip(readSystemChips(module));
  const described = readDevice(module)?.workerGrid ?? chip?.workerGrid;
  const { workerRows, workerColumns } = device.grid;
  const isLarger = described !== undefined &&
    (workerRows > described.rows || workerColumns > described.columns);
  const architecture = other ?? chip?.architecture;
  if (architecture === undefined || other === undefined && !isLarger) return undefined;
  const grid = described === undefined ? "" : ` with ${described.rows}x${described.columns}`;
  return errorAt(
    "device/described",
    module.fileName,
    module.fileText,
    module.offset + Math.max(0, module.text.search(/#?(?:ttcore|tt)\.system_desc/)),
    `Cannot write ${module.fileName} for ${device.name} (${device.architecture}, ${workerRows}x${workerColumns} cores): ` +
      `its system_desc is of ${architecture}${grid}; compile it for that chip, ` +
      "or leave out --output to see what would change",
  );
}
