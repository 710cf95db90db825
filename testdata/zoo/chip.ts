// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";

/** The chip that the zoo's modules are written for: one Wormhole of an n150. */
export const ZOO_CHIP: ChipDescription = chipDescription(getDevice("n150"));
