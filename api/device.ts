// SPDX-License-Identifier: Apache-2.0

/**
 * Devices: chips and machines as data, those that are bundled and those of one's own.
 *
 * @module
 */

export * from "../lib/device/chip_description.ts";
export * from "../lib/device/mesh.ts";

export { DEVICE_NAMES, getDevice, loadDevice } from "../sim/devices/device_registry.ts";
export type {
  ConstantFile,
  ConstantKind,
  ConstantUnits,
  ConstantValues,
  DeviceConstant,
  DeviceConstants,
  Sections,
} from "../sim/devices/constants.ts";
export * from "../sim/devices/device.ts";
export { DEVICE_SCHEMA } from "../sim/devices/device_schema.ts";
export type { HarvestedChips, MachineAxis } from "../sim/devices/mesh_file.ts";
