// SPDX-License-Identifier: Apache-2.0
import type { ModuleText } from "./module_text.ts";

/** A value per module: made on first use, collected with the module. */
export function perModule<Kept>(make: (module: ModuleText) => Kept): (module: ModuleText) => Kept {
  const keptBy = new WeakMap<ModuleText, Kept>();
  return (module) => {
    return keptBy.getOrInsertComputed(module, make);
  };
}
