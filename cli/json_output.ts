// SPDX-License-Identifier: Apache-2.0
import config from "../deno.json" with { type: "json" };

/** What every `--json` document begins with. */
export interface Envelope {
  /** Name of the format; its version behind the slash grows when a key changes its meaning or goes away. */
  readonly schema: `tilewright.${string}/${number}`;
  /** The file that the document is about, all of them where it is about several; `null` where it is about none. */
  readonly input: string | readonly string[] | null;
  /** Name of the chip; `null` where the document is about none, or about several that it lists. */
  readonly device: string | null;
  /** What a reader wants first: verdict, totals, counts. */
  readonly summary: Readonly<Record<string, unknown>>;
}

/** The text of a `--json` document; equal documents give equal bytes. What is unknown is `null`. */
export function jsonOutput<Document extends Envelope>(
  { schema, input, device, summary, ...rest }: Document,
): string {
  const tool = { name: "tilewright", version: config.version };
  const document = { schema, tool, input, device, summary, ...rest };
  return `${JSON.stringify(document, (_key, part) => part === undefined ? null : part, 2)}\n`;
}
