// SPDX-License-Identifier: Apache-2.0
import type { ModuleText } from "./module_text.ts";

/** What is kept beside a module: made at the first question, gone with the module. */
export function perModule<Kept>(make: (module: ModuleText) => Kept): (module: ModuleText) => Kept {
  const keptBy = new WeakMap<ModuleText, Kept>();
  return (module) => {
    return keptBy.getOrInsertComputed(module, make);
  };
}
