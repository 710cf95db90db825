// SPDX-License-Identifier: Apache-2.0
import { UsageError } from "./command.ts";

/**
 * Reads `--threshold`: `2%` or `0.02`, as a share.
 *
 * @throws {UsageError} for anything else
 */
export function readThreshold(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim());
  if (match === null) {
    throw new UsageError(`Option --threshold needs a share such as 2% or 0.02, not '${text}'`);
  }
  return Number(match[1]) / (match[2] === "%" ? 100 : 1);
}
