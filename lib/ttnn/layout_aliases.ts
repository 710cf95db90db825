// SPDX-License-Identifier: Apache-2.0
import { type ModuleText, type Patch, textOf } from "../ir/mod.ts";
import type { BufferType } from "../layout/ttnn_layout.ts";

/**
 * Attribute aliases for layouts and buffer types of a new module, or for those that a rewrite introduces. Aliases of the
 * input are reused if they have the same text. New ones are numbered after the highest existing one; layouts are defined
 * behind the input's block of `#ttnn_layout` aliases, buffer types, which they may refer to, in front of it, so that no
 * other byte moves (tt-mlir:ir-generations).
 */
export class LayoutAliases {
  readonly #module: ModuleText | undefined;
  readonly #aliasByText: Map<string, string> = new Map();
  readonly #definitions: string[] = [];
  readonly #bufferDefinitions: string[] = [];
  readonly #bufferAlias: Map<BufferType, string> = new Map();
  #next = 0;

  /** @param module the input; absent for a new module */
  constructor(module?: ModuleText) {
    this.#module = module;
    if (module === undefined) return;
    for (const alias of module.attributeAliases.values()) {
      const text = textOf(module, alias.valueSpan);
      if (!this.#aliasByText.has(text)) this.#aliasByText.set(text, `#${alias.name}`);
      const numbered = /^ttnn_layout(\d*)$/.exec(alias.name);
      if (numbered !== null) this.#next = Math.max(this.#next, Number(numbered[1] ?? "0") + 1);
    }
  }

  /** Spelling of a buffer type inside a memref: the input's alias for it, a new alias, or the attribute itself. */
  bufferType(bufferType: BufferType): string {
    const cached = this.#bufferAlias.get(bufferType);
    if (cached !== undefined) return cached;
    const text = `#ttnn.buffer_type<${bufferType}>`;
    let alias = this.#aliasByText.get(text);
    if (alias === undefined) {
      if (this.#module?.attributeAliases.has(bufferType) === true) alias = text;
      else {
        alias = `#${bufferType}`;
        this.#bufferDefinitions.push(`${alias} = ${text}`);
      }
    }
    this.#bufferAlias.set(bufferType, alias);
    return alias;
  }

  /** Alias of a layout attribute, for example `#ttnn_layout12`. */
  layout(text: string): string {
    const cached = this.#aliasByText.get(text);
    if (cached !== undefined) return cached;
    const alias = `#ttnn_layout${this.#next === 0 ? "" : this.#next}`;
    this.#next++;
    this.#definitions.push(`${alias} = ${text}`);
    this.#aliasByText.set(text, alias);
    return alias;
  }

  /** Definitions of the new aliases: of buffer types, and of layouts, each in order of first use. */
  get definitions(): { readonly buffers: readonly string[]; readonly layouts: readonly string[] } {
    return { buffers: this.#bufferDefinitions, layouts: this.#definitions };
  }

  /** The patches that define the new aliases in the input; empty if none is new. */
  patches(): readonly Patch[] {
    const definitions = [...this.#bufferDefinitions, ...this.#definitions];
    if (definitions.length === 0 || this.#module === undefined) return [];
    const body = this.#module.topLevel[0]?.span.start ?? this.#module.text.length;
    const before = [...this.#module.attributeAliases.values()].filter((alias) => alias.span.end <= body);
    const lastLayout = before.filter((alias) => alias.name.startsWith("ttnn_layout")).at(-1);
    const firstLayout = before.find((alias) => alias.name.startsWith("ttnn_layout"));
    if (lastLayout === undefined || firstLayout === undefined) {
      return [{ start: body, end: body, text: definitions.join("\n") + "\n" }];
    }
    const patches: Patch[] = [];
    // A layout may only refer to buffer types that are defined before it.
    if (this.#bufferDefinitions.length > 0) {
      const at = firstLayout.span.start;
      patches.push({ start: at, end: at, text: this.#bufferDefinitions.join("\n") + "\n" });
    }
    if (this.#definitions.length > 0) {
      const at = lastLayout.span.end;
      patches.push({ start: at, end: at, text: "\n" + this.#definitions.join("\n") });
    }
    return patches;
  }
}
