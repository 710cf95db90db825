// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "../../lib/ir/attribute.ts";

/**
 * Attributes that remember which of them were asked for. No list says which ones an op has; one that nobody asks for
 * while the op is read and priced changes nothing, and is most likely misspelled.
 */
export class WatchedAttributes extends Map<string, Attribute> {
  readonly #asked: Set<string> = new Set();

  override get(name: string): Attribute | undefined {
    this.#asked.add(name);
    return super.get(name);
  }

  override has(name: string): boolean {
    this.#asked.add(name);
    return super.has(name);
  }

  /** Those that nobody has asked for so far, in their order. */
  unasked(): readonly string[] {
    return [...this.keys()].filter((name) => !this.#asked.has(name));
  }
}
