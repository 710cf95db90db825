// SPDX-License-Identifier: Apache-2.0
import type { Attribute } from "../../lib/ir/attribute.ts";

/**
 * Attributes that record which of them were read. No list says which ones an op has; an attribute that
 * reading and pricing the op never read has no effect, and is most likely misspelled.
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

  /** Attributes that were never read, in order. */
  unasked(): readonly string[] {
    return [...this.keys()].filter((name) => !this.#asked.has(name));
  }
}
