// SPDX-License-Identifier: Apache-2.0
import { configKey } from "./config_key.ts";
import type { OpSpecificAttributes } from "./op_config.ts";

/** Small integers for configs: equal for configs that state the same, 0 for none. */
export class ConfigIds {
  readonly #byKey: Map<string, number> = new Map();

  of(config: OpSpecificAttributes | undefined): number {
    return config === undefined ? 0 : this.#byKey.getOrInsert(configKey(config), this.#byKey.size + 1);
  }
}
