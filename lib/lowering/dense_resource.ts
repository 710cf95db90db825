// SPDX-License-Identifier: Apache-2.0
import type { ModuleText } from "../ir/mod.ts";
import { perModule } from "../ir/per_module.ts";

/** Bytes before the data of a blob: its alignment. */
const ALIGNMENT_BYTES = 4;

/** Resources of the file by name, read on first use. */
const resourcesOf = perModule(() => new Map<string, string>());

/**
 * The numbers of `dense_resource<name>` as hex digits, from the `{-# dialect_resources: … #-}` at the end of the file;
 * `undefined` where it has no such blob.
 */
export function resourceHex(module: ModuleText, name: string): string | undefined {
  const resources = resourcesOf(module);
  if (resources.size === 0) {
    const start = module.text.lastIndexOf("{-#");
    const metadata = start === -1 ? "" : module.text.slice(start);
    for (const [, quoted, bare, hex = ""] of metadata.matchAll(ENTRY)) {
      resources.set(quoted ?? bare ?? "", hex.slice(2 * ALIGNMENT_BYTES));
    }
  }
  return resources.get(name);
}

const ENTRY = /(?:"((?:[^"\\]|\\.)*)"|([\w.$-]+))\s*:\s*"0x([0-9A-Fa-f]*)"/g;

/** The name in `dense_resource<name> : tensor<…>`; `undefined` for another attribute. */
export function resourceName(text: string): string | undefined {
  const match = /^dense_resource<\s*(?:"((?:[^"\\]|\\.)*)"|([\w.$-]+))\s*>/.exec(text.trim());
  return match?.[1] ?? match?.[2];
}
