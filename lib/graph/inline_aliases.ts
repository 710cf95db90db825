// SPDX-License-Identifier: Apache-2.0
import { aliasTextOf } from "../dialect/ttnn_layout.ts";
import type { Attribute, AttributeMap, ModuleText } from "../ir/mod.ts";

/** `#name` but not `#dialect.mnemonic` nor `#dialect<…>`. */
const ALIAS = /#[A-Za-z_]\w*(?![\w.<])/g;

/**
 * The attributes with every alias inside a dialect attribute replaced by its text, so that they can be read
 * without their module. Returns the same map if there is none.
 */
export function inlineAliases(module: ModuleText, attributes: AttributeMap): AttributeMap {
  const textOf = aliasTextOf(module);
  /** @param open aliases being replaced at present; an alias that occurs in its own text is left as it is */
  const inlined = (body: string, open: readonly string[]): string =>
    body.replaceAll(ALIAS, (name) => {
      const text = open.includes(name) ? name : textOf(name);
      return text === name ? name : inlined(text, [...open, name]);
    });
  const changed = new Map<string, Attribute>();
  for (const [key, attribute] of attributes) {
    if (attribute.kind !== "dialect" || !attribute.body.includes("#")) continue;
    const body = inlined(attribute.body, []);
    if (body !== attribute.body) changed.set(key, { ...attribute, body });
  }
  return changed.size === 0 ? attributes : new Map([...attributes, ...changed]);
}
