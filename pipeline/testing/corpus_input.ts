// SPDX-License-Identifier: Apache-2.0
import { type ModuleText, parseModule } from "../../lib/ir/mod.ts";
import { lowerModule, needsLowering } from "../../lib/lowering/mod.ts";
import { chipDescription, type Device } from "../../sim/devices/device.ts";
import { targetOfModule } from "../target.ts";

/** A module to decide, and the device that it names; TTIR is lowered. */
export function readCorpusInput(
  text: string,
  name: string,
): { readonly module: ModuleText; readonly device: Device } {
  const module = parseModule(text, name);
  const { device } = targetOfModule(module);
  if (!needsLowering(module)) return { module, device };
  return { module: parseModule(lowerModule(module, chipDescription(device)), name), device };
}
