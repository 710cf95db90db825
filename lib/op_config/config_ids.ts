// SPDX-License-Identifier: Apache-2.0
import { configKey } from "./config_key.ts";
import type { OpSpecificAttributes } from "./op_config.ts";

/** Small integers for configs: equal for configs that state the same, 0 for none. */
export class ConfigIds {
  readonly #byObject: WeakMap<OpSpecificAttributes, number> = new WeakMap();
  readonly #byKey: Map<string, number> = new Map();

  of(config: OpSpecificAttributes | undefined): number {
    if (config === undefined) return 0;
    const cached = this.#byObject.get(config);
    if (cached !== undefined) return cached;
    const key = configKey(config);
    const id = this.#byKey.get(key) ?? this.#byKey.size + 1;
    this.#byKey.set(key, id);
    this.#byObject.set(config, id);
    return id;
  }
}
