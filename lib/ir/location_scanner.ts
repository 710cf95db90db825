// SPDX-License-Identifier: Apache-2.0
import type { Span } from "./module_text.ts";
import type { Scanner } from "./scanner.ts";

/** Passes a trailing `loc(…)` and returns its span; `undefined` if none stands here, which leaves the position alone. */
export function skipLocation(scanner: Scanner): Span | undefined {
  const before = scanner.position;
  if (!scanner.atKeyword("loc") || scanner.text.charAt(scanner.position + 3) !== "(") {
    scanner.position = before;
    return undefined;
  }
  const start = scanner.position;
  scanner.position += 3;
  scanner.skipBalanced();
  return scanner.spanFrom(start);
}
