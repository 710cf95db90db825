// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { JSON_OUTPUT } from "./shared_options.ts";

/** `devices`: the chips of the simulator, with the source of every constant. */
export const devices: Command = {
  name: "devices",
  load: () => import("../run/devices.ts" satisfies string),
  summary: "List the bundled chips, or show one with the source of every constant",
  positionals: "[show NAME|FILE]",
  options: [JSON_OUTPUT],
  examples: [
    "devices — Names, worker grids, clocks and DRAM of the bundled chips",
    "devices show n150 — Every constant with its unit, kind and source",
    "devices show p150 --json — The same as data",
  ],
  notes: [
    "Kinds of constants: stated in a vendor document, measured, fitted by calibrate, or a guess.",
    'A JSON file of your own may extend a bundled chip and change single constants; give its path instead of a name. {"extends": "p150", "constants": {"clock": {"aiclk": 1000}}} is a whole file; \'devices show p150 --json > my.json\' writes one with every constant to start from (docs/schema/tilewright.device-1.json).',
  ],
};
