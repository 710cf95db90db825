// SPDX-License-Identifier: Apache-2.0
import type { LayoutIds } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { ConfigIds } from "../op_config/config_ids.ts";
import type { Choice, OutputChoice } from "./impls.ts";

/** Identifies the operand layouts, result layouts and config with which one op runs. */
export type RunKey = number | string;

/** Limits within which three layouts and a config fit into the 53 bits of a number. */
const LAYOUTS = 1 << 15;
const CONFIGS = 1 << 8;

/** A choice that is looked up repeatedly. */
interface CachedChoice {
  readonly key: RunKey;
  readonly id: number;
}

/**
 * Keys for the implementations in which ops run. Programs look up the cost and footprint of an op thousands
 * of times for every change. Up to two operands and a result are one number, which takes a fifth of the time
 * that a text takes.
 */
export class RunKeys {
  readonly #configs = new ConfigIds();
  readonly #choices: WeakMap<Choice, CachedChoice> = new WeakMap();
  readonly #ids: Map<RunKey, number> = new Map();

  /**
   * Equal for equal operand layouts, result layouts and configs, among ops with the same number of operands and
   * results.
   */
  of(inputs: LayoutIds, { outputs, config }: OutputChoice): RunKey {
    const configId = this.configId(config);
    if (inputs.length <= 2 && outputs.length === 1) {
      const first = ordinal(inputs[0]);
      const second = ordinal(inputs[1]);
      const made = ordinal(outputs[0]);
      if (first < LAYOUTS && second < LAYOUTS && made < LAYOUTS && configId < CONFIGS) {
        return ((first * LAYOUTS + second) * LAYOUTS + made) * CONFIGS + configId;
      }
    }
    return `${inputs.join()}>${outputs.join()}>${configId}`;
  }

  /** As {@linkcode RunKeys.of}, for a choice that is looked up repeatedly. */
  ofChoice(choice: Choice): RunKey {
    return this.#cached(choice).key;
  }

  /** A small integer, equal for choices with equal keys. */
  idOf(choice: Choice): number {
    return this.#cached(choice).id;
  }

  #cached(choice: Choice): CachedChoice {
    let cached = this.#choices.get(choice);
    if (cached === undefined) {
      const key = this.of(choice.inputs, choice);
      const id = this.#ids.get(key) ?? this.#ids.size;
      this.#ids.set(key, id);
      this.#choices.set(choice, cached = { key, id });
    }
    return cached;
  }

  /** A small integer, equal for equal configs; 0 for none. */
  configId(config: OpSpecificAttributes | undefined): number {
    return this.#configs.of(config);
  }
}

/** A layout id as a number, with 0 for "none". */
export function ordinal(id: number | undefined): number {
  return id === undefined ? 0 : id + 1;
}
