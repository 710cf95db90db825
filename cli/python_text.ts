// SPDX-License-Identifier: Apache-2.0
import config from "../deno.json" with { type: "json" };
import type { ModuleText } from "../lib/ir/mod.ts";
import type { Workbench } from "../pipeline/load.ts";
import { baseName } from "./progress.ts";

/** Docstring in the first line of a Python program. */
export function pythonTitle(file: string, device: string): string {
  return `${baseName(file)} for ${device}, written by Tilewright ${config.version} for ttnn 0.81.`;
}

/** A module as a Python program; its code is loaded on demand. */
export async function pythonText(
  file: string,
  module: ModuleText,
  workbench: Pick<Workbench, "chip" | "mesh" | "device">,
): Promise<string> {
  const { pythonProgramOf }: typeof import("../pipeline/python_program.ts") = await import(
    "../pipeline/python_program.ts" satisfies string
  );
  return pythonProgramOf(module, workbench, { title: pythonTitle(file, workbench.device.name) }).text;
}
