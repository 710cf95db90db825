// SPDX-License-Identifier: Apache-2.0

/** Names of the bundled devices, kept apart from the devices themselves so that `--help` loads none of them. */
export const BUNDLED_DEVICES: readonly string[] = [
  "n150",
  "n300",
  "n300-tensix-dispatch",
  "p100",
  "p150",
  "p150-one-column-harvested",
  "p150-harvested",
  "n150-2025-06",
];
