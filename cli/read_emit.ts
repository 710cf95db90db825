// SPDX-License-Identifier: Apache-2.0
import { didYouMean } from "./closest.ts";
import { UsageError } from "./command.ts";
import type { EmitKinds } from "./commands/shared_options.ts";
import { isStandardOutput } from "./host.ts";

/** One additional output: its kind and its file. */
export interface Emit<Kind extends string> {
  readonly kind: Kind;
  readonly path: string;
}

/**
 * Reads one `--emit KIND=FILE`.
 *
 * @throws {UsageError} if the kind is none of `kinds` or no file is named
 */
export function readEmit<Kind extends string>(text: string, kinds: EmitKinds<Kind>): Emit<Kind> {
  const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name);
  const names = Object.keys(kinds);
  const [kind = "", ...rest] = text.split("=");
  const path = rest.join("=");
  if (!isKind(kind)) {
    throw new UsageError(`Cannot emit '${kind}'${didYouMean(kind, names, `Kinds: ${names.join(", ")}`)}`);
  }
  if (path === "") throw new UsageError(`Cannot emit ${kind}: name a file, --emit ${kind}=FILE`);
  return { kind, path };
}

/**
 * Refuses two results on standard output, whose border no reader could find.
 *
 * @param outputs options by description, with the path that each writes to; `undefined` writes nothing
 * @throws {UsageError} that names the first two
 */
export function requireOneStandardOutput(outputs: readonly (readonly [string, string | undefined])[]): void {
  const [first, second] = outputs.filter(([, path]) => isStandardOutput(path));
  if (first === undefined || second === undefined) return;
  throw new UsageError(
    `Options ${first[0]} and ${second[0]} both write to standard output; give one of them a file`,
  );
}
