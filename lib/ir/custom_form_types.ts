// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import type { ModuleText, Operation, Span } from "./module_text.ts";
import { type Scanner, scannerAt } from "./scanner.ts";
import { skipResultTypes, skipType, skipTypeList } from "./type_scanner.ts";

/**
 * Types of the results of an op in a custom form that the grammar does not know, such as `stablehlo.cosine %0 : T`: behind
 * its last colon stands `(T, …) -> T`, or the type of its only result, last where several types stand there.
 *
 * @returns `undefined` where the op does not end so
 */
export function customFormTypes(module: ModuleText, operation: Operation): readonly Span[] | undefined {
  const { nameSpan, span, location, results } = operation;
  const end = location?.start ?? span.end;
  const scanner = scannerAt(module, nameSpan.end);
  try {
    const start = behindLastColon(scanner, end);
    if (start === undefined) return undefined;
    scanner.position = start;
    const types = typesAt(scanner, end);
    return types?.length === results.length ? types : undefined;
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

function behindLastColon(scanner: Scanner, end: number): number | undefined {
  let found: number | undefined;
  while (scanner.position < end) {
    const character = scanner.text.charAt(scanner.position);
    if ("([{<".includes(character)) scanner.skipBalanced();
    else if (character === '"') scanner.skipString();
    else {
      scanner.position++;
      if (character === ":") found = scanner.position;
    }
  }
  return found;
}

function typesAt(scanner: Scanner, end: number): readonly Span[] | undefined {
  scanner.skipTrivia();
  if (scanner.peek() === "(") {
    skipTypeList(scanner);
    return scanner.accept("->") ? skipResultTypes(scanner) : undefined;
  }
  let last: Span;
  do last = skipType(scanner); while (scanner.accept(","));
  scanner.skipTrivia();
  return scanner.position >= end ? [last] : undefined;
}
