// SPDX-License-Identifier: Apache-2.0
import { skipDictionary } from "./attribute_scanner.ts";
import type { Operation } from "./module_text.ts";
import type { OperationParser } from "./operation_parser.ts";
import type { Scanner } from "./scanner.ts";
import type { Mutable } from "./value_scopes.ts";

/**
 * Parses what follows the name of an op into the op. Returns `false`, without having resolved any use, when the text is
 * a variant that we do not understand; the op is then carried as opaque.
 */
export type FormParser = (parser: OperationParser, operation: Mutable<Operation>) => boolean;

/** Passes an attribute dictionary when one stands here. */
export function optionalDictionary(scanner: Scanner, operation: Mutable<Operation>): void {
  scanner.skipTrivia();
  if (scanner.peek() === "{") operation.attributes = skipDictionary(scanner);
}

/** Passes `@name` and returns it. */
export function expectSymbol(scanner: Scanner, operation: Operation): string {
  scanner.skipTrivia();
  if (scanner.peek() !== "@") throw scanner.expected(`a symbol '@name' for '${operation.name}'`);
  return scanner.symbol();
}
