// SPDX-License-Identifier: Apache-2.0
import { meshChips } from "../lib/device/mesh.ts";
import type { ModuleText } from "../lib/ir/mod.ts";
import { type PythonProgram, pythonProgram, type PythonProgramOptions } from "../lib/python/program.ts";
import type { Workbench } from "./load.ts";

/**
 * A module as a Python program for the device of a workbench.
 *
 * @throws {DiagnosticError} that names every op without a Python call in ttnn, unless stand-ins are allowed
 */
export function pythonProgramOf(
  module: ModuleText,
  { chip, mesh }: Pick<Workbench, "chip" | "mesh">,
  options: Pick<PythonProgramOptions, "title" | "standIns">,
): PythonProgram {
  const shape = mesh.map(({ chips }) => chips);
  return pythonProgram(module, {
    ...options,
    workerGrid: chip.workerGrid,
    mesh: meshChips(shape) > 1 ? shape : [],
  });
}
