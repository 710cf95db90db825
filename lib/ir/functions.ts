// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "./attribute.ts";
import { attributeOf, dictionaryMap } from "./attribute_reader.ts";
import {
  type Block,
  entryOf,
  type ModuleText,
  type Operation,
  type Span,
  type Value,
} from "./module_text.ts";
import { perModule } from "./per_module.ts";
import { scannerAt } from "./scanner.ts";
import { skipResultTypes, skipTypeList } from "./type_scanner.ts";

/** Attributes of a function that its custom form spells by syntax; the generic form lists them with all others. */
export const SIGNATURE_ATTRIBUTES: ReadonlySet<string> = new Set([
  "arg_attrs",
  "function_type",
  "res_attrs",
  "sym_name",
  "sym_visibility",
]);

/** An argument of a function, whichever form the function is written in. */
export interface FunctionArgument {
  /** `undefined` for declarations, which have types only. */
  readonly value: Value | undefined;
  /** Span of the type; read it with `tensorTypeAt`. */
  readonly type: Span;
  /** Attributes of the argument, for example `ttcore.argument_type`; empty without any. */
  readonly attributes: AttributeMap;
}

/** A function, whichever form it is written in. */
export interface FunctionView {
  /** The `func.func`. */
  readonly operation: Operation;
  /** `sym_name`, without `@`; nested modules may repeat one. */
  readonly name: string;
  /** In the order of the signature. */
  readonly arguments: readonly FunctionArgument[];
  /** Span of each result type, in order. */
  readonly resultTypes: readonly Span[];
  /** Attributes of each result, in order; empty maps for results without any. */
  readonly resultAttributes: readonly AttributeMap[];
  /** Blocks of the body, entry first; empty for a declaration. */
  readonly blocks: readonly Block[];
  /** The last op of the last block when it is `func.return`. */
  readonly terminator: Operation | undefined;
}

/**
 * All `func.func` ops of a module, in source order, nested modules included.
 *
 * @example
 * ```ts
 * import { parseModule } from "@tilewright/tilewright";
 * import { functionsOf, textOf } from "@tilewright/tilewright/ir";
 * import { assertEquals } from "@std/assert";
 *
 * const module = parseModule("func.func @main(%x: tensor<4xbf16>) {\n  return\n}\n", "main.mlir");
 * const [main] = functionsOf(module);
 * assertEquals(main?.name, "main");
 * assertEquals(main?.arguments.map(({ type }) => textOf(module, type)), ["tensor<4xbf16>"]);
 * ```
 */
export function functionsOf(module: ModuleText): FunctionView[] {
  const views: FunctionView[] = [];
  for (const operation of module.operations) {
    const view = functionOf(module, operation);
    if (view !== undefined) views.push(view);
  }
  return views;
}

const viewsOf = perModule(() => new Map<Operation, FunctionView>());

/** The op as a function; `undefined` when it is none. Memoised: functions have thousands of arguments with attributes. */
export function functionOf(module: ModuleText, operation: Operation): FunctionView | undefined {
  if (operation.name !== "func.func") return undefined;
  const views = viewsOf(module);
  return views.getOrInsertComputed(operation, () => readFunction(module, operation));
}

function readFunction(module: ModuleText, operation: Operation): FunctionView {
  const name = attributeOf(module, operation, "sym_name");
  const blocks = operation.regions[0]?.blocks ?? [];
  const values = blocks[0]?.arguments.map((argument) => argument.value) ?? [];
  const last = blocks.at(-1)?.operations.at(-1);
  const common = {
    operation,
    name: name?.kind === "string" ? name.value : "",
    blocks,
    terminator: last?.name === "func.return" ? last : undefined,
  };
  const { signature } = operation;
  if (signature !== undefined) {
    return {
      ...common,
      arguments: signature.argumentTypes.map((type, index) => ({
        value: values[index],
        type,
        attributes: dictionaryMap(module, signature.argumentAttributes[index]),
      })),
      resultTypes: signature.results.map((result) => result.type),
      resultAttributes: signature.results.map(({ attributes }) => dictionaryMap(module, attributes)),
    };
  }
  return { ...common, ...genericSignature(module, operation, values) };
}

/** The signature of `"func.func"() <{function_type = (T) -> T, arg_attrs = [{…}], res_attrs = [{…}]}>`. */
function genericSignature(
  module: ModuleText,
  operation: Operation,
  values: readonly Value[],
): Pick<FunctionView, "arguments" | "resultTypes" | "resultAttributes"> {
  const span = entryOf(operation, "function_type")?.valueSpan;
  if (span === undefined) return { arguments: [], resultTypes: [], resultAttributes: [] };
  const scanner = scannerAt(module, span.start);
  const argumentTypes = skipTypeList(scanner);
  scanner.expect("->", "of a function type");
  const resultTypes = skipResultTypes(scanner);
  const argumentAttributes = dictionariesOf(module, operation, "arg_attrs");
  const resultAttributes = dictionariesOf(module, operation, "res_attrs");
  return {
    arguments: argumentTypes.map((type, index) => ({
      value: values[index],
      type,
      attributes: argumentAttributes[index] ?? new Map(),
    })),
    resultTypes,
    resultAttributes: resultTypes.map((_, index) => resultAttributes[index] ?? new Map()),
  };
}

/** The elements of an array of dictionaries; empty maps for those that are none. */
function dictionariesOf(module: ModuleText, operation: Operation, key: string): readonly AttributeMap[] {
  const array = attributeOf(module, operation, key);
  const elements = array?.kind === "array" ? array.elements : [];
  return elements.map((element) => element.kind === "dictionary" ? element.entries : new Map());
}
