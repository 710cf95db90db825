// SPDX-License-Identifier: Apache-2.0

/** Math fidelity of the matrix engine, as `ttnn.device_compute_kernel_config` spells it. */
export type MathFidelity = "lofi" | "hifi2" | "hifi3" | "hifi4";

/** tt-metal's name of every fidelity. */
export const FIDELITY_NAMES: Readonly<Record<MathFidelity, string>> = {
  lofi: "LoFi",
  hifi2: "HiFi2",
  hifi3: "HiFi3",
  hifi4: "HiFi4",
};

/** Every fidelity, fewest phases of a product first. */
export const FIDELITIES: readonly [MathFidelity, ...MathFidelity[]] = ["lofi", "hifi2", "hifi3", "hifi4"];

/** The fidelity of a name, ours or tt-metal's; `undefined` for other words. */
export function fidelityNamed(name: string): MathFidelity | undefined {
  return FIDELITIES.find((fidelity) => fidelity === name.toLowerCase());
}
