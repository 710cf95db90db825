// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { chipDescription } from "../../sim/device.ts";
import { getDevice } from "../../sim/device_registry.ts";

/** The chip that the zoo's modules are written for: one Wormhole of an n150. */
export const ZOO_CHIP: ChipDescription = chipDescription(getDevice("n150"));
