// SPDX-License-Identifier: Apache-2.0

/** Undoes the escapes of an MLIR string literal. */
export function unescapeString(body: string): string {
  if (!body.includes("\\")) return body;
  return body.replace(
    /\\(?:([0-9A-Fa-f]{2})|(.))/g,
    (_, hex: string | undefined, character: string | undefined) => {
      if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
      return character === "n" ? "\n" : character === "t" ? "\t" : character ?? "";
    },
  );
}

/**
 * A name as its literal spells it, with control characters still escaped: names are printed, and a terminal or a log would
 * obey them.
 */
export function unescapeName(body: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what stays escaped
  const control = /[\x00-\x1f\x7f-\x9f]/g;
  return unescapeString(body).replace(
    control,
    (character) => `\\${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

/** Escapes a string for an MLIR string literal, without the quotes. */
export function escapeString(value: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what has to be escaped
  return value.replace(/["\\\x00-\x1f\x7f]/g, (character) => {
    if (character === "\\") return "\\\\";
    return `\\${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}
