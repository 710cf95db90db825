// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";

/** What a program runs on: equal chips, and the mesh that they form. */
export interface Machine {
  /** Every chip, with the links that it has to each neighbour (`ethernet.linksPerNeighbour`). */
  readonly device: Device;
  /** Chips along each axis of the mesh; `[]` for one chip without a mesh. */
  readonly meshShape: readonly number[];
}
