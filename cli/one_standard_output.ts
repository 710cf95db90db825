// SPDX-License-Identifier: Apache-2.0
import { UsageError } from "./command.ts";
import { isStandardOutput } from "./host.ts";

/**
 * Refuses two results on standard output: whoever reads them could not tell where one ends.
 *
 * @param outputs options by what they say, and the path that each writes to; `undefined` writes nothing
 * @throws {UsageError} that names the first two
 */
export function requireOneStandardOutput(outputs: readonly (readonly [string, string | undefined])[]): void {
  const [first, second] = outputs.filter(([, path]) => isStandardOutput(path));
  if (first === undefined || second === undefined) return;
  throw new UsageError(
    `Options ${first[0]} and ${second[0]} both write to standard output; give one of them a file`,
  );
}
