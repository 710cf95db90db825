// SPDX-License-Identifier: Apache-2.0
import config from "../deno.json" with { type: "json" };
import { BACKEND_REVISION } from "../lib/opmodel/backend_revision.ts";

/** The first fields of every `--json` document. */
export interface Envelope {
  /** Name of the format; the version after the slash increases when a key changes its meaning or is removed. */
  readonly schema: `tilewright.${string}/${number}`;
  /** The file that the document is about, a list for several; `null` for none. */
  readonly input: string | readonly string[] | null;
  /** Name of the chip; `null` for a document about none, or about several that it lists. */
  readonly device: string | null;
  /** The most important figures: verdict, totals, counts. */
  readonly summary: Readonly<Record<string, unknown>>;
}

/**
 * Unknown values are `null` on purpose. `JSON.stringify` would also turn NaN and infinities into `null` and
 * hide a bug, so they throw.
 */
function finitePart(key: string, part: unknown): unknown {
  if (typeof part === "number" && !Number.isFinite(part)) {
    throw new RangeError(`Cannot write ${key}: ${part} is not a number of JSON`);
  }
  return part === undefined ? null : part;
}

/** The text of a `--json` document; equal documents give equal bytes. Unknown values are `null`. */
export function jsonOutput<Document extends Envelope>(
  { schema, input, device, summary, ...rest }: Document,
): string {
  const tool = { name: "tilewright", version: config.version, opModel: BACKEND_REVISION };
  const document = { schema, tool, input, device, summary, ...rest };
  return `${JSON.stringify(document, finitePart, 2)}\n`;
}
