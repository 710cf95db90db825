// SPDX-License-Identifier: Apache-2.0
import { attributeOf } from "../ir/attribute_reader.ts";
import { sameText } from "../ir/canonical_text.ts";
import { functionOf, type FunctionView } from "../ir/functions.ts";
import { type ModuleText, type Operation, type Span, textOf } from "../ir/module_text.ts";
import { CALLS } from "../ops/calls.ts";
import type { Reporter } from "./reporter.ts";

/** Ops that define a symbol. A module's name is a symbol too, but modules may share it with their contents. */
const DEFINES_SYMBOL: ReadonlySet<string> = new Set([
  "func.func",
  "ttcore.device",
  "ttcore.global",
]);

/** Ops of these dialects never end a block. */
const NO_TERMINATOR = /^tt(?:nn|ir|core)?\./;

/** Functions by the op that is their symbol table (`undefined` for the top level), and by name. */
type SymbolTables = Map<Operation | undefined, Map<string, FunctionView>>;

/**
 * V3: the signature of a function matches its entry block, its `return`s, and every `call` and `load_cached` of
 * it; its blocks end with a terminator; symbols are unique, callees exist, and no function calls itself.
 */
export function verifySignatures(reporter: Reporter): void {
  const { module } = reporter;
  const tables: SymbolTables = new Map();
  const symbols = new Map<Operation | undefined, Set<string>>();
  for (const operation of module.operations) {
    verifyUnique(reporter, operation, symbols);
    verifyTerminator(reporter, operation);
    const view = functionOf(module, operation);
    if (view === undefined) continue;
    addFunction(tables, view);
    verifyBody(reporter, view);
  }
  const calls: Call[] = [];
  for (const operation of module.operations) {
    if (!CALLS.has(operation.name)) continue;
    const callee = verifyCall(reporter, operation, tables);
    const caller = enclosingFunction(operation);
    if (callee !== undefined && caller !== undefined) calls.push({ operation, caller, callee });
  }
  verifyCallsEnd(reporter, calls);
}

/** A call of one function of the module by another. */
interface Call {
  readonly operation: Operation;
  /** The `func.func` that contains the call. */
  readonly caller: Operation;
  readonly callee: FunctionView;
}

function enclosingFunction(operation: Operation): Operation | undefined {
  let holder = operation.parent;
  while (holder !== undefined && holder.name !== "func.func") holder = holder.parent;
  return holder;
}

/** A function that calls itself, directly or not, has no schedule: how often it runs is unknown. */
function verifyCallsEnd(reporter: Reporter, calls: readonly Call[]): void {
  const callsOf = Map.groupBy(calls, ({ caller }) => caller);
  const ended = new Set<Operation>();
  const open = new Set<Operation>();
  for (const start of callsOf.keys()) {
    if (ended.has(start)) continue;
    // Iterative, because call chains may exceed the stack depth.
    const path = [{ caller: start, left: [...callsOf.get(start) ?? []].reverse() }];
    open.add(start);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const call = at.left.pop();
      if (call === undefined) {
        open.delete(at.caller);
        ended.add(at.caller);
        path.pop();
        continue;
      }
      const { operation, callee } = call;
      if (open.has(callee.operation)) {
        reporter.error(
          "V3/recursion",
          operation.nameSpan,
          `function '@${callee.name}' calls itself, so how often it runs is unknown; write out each call`,
        );
      } else if (!ended.has(callee.operation)) {
        open.add(callee.operation);
        path.push({ caller: callee.operation, left: [...callsOf.get(callee.operation) ?? []].reverse() });
      }
    }
  }
}

function verifyUnique(
  reporter: Reporter,
  operation: Operation,
  symbols: Map<Operation | undefined, Set<string>>,
): void {
  if (!DEFINES_SYMBOL.has(operation.name)) return;
  const symbol = attributeOf(reporter.module, operation, "sym_name");
  if (symbol?.kind !== "string") return;
  const names = symbols.getOrInsertComputed(operation.parent, () => new Set());
  if (names.has(symbol.value)) {
    reporter.error(
      "V3/duplicate-symbol",
      operation.nameSpan,
      `symbol '@${symbol.value}' is defined twice in its module; rename one of them`,
    );
  }
  names.add(symbol.value);
}

function verifyTerminator(reporter: Reporter, operation: Operation): void {
  if (operation.name !== "func.return" || operation.block === undefined) return;
  if (operation.block.operations.at(-1) === operation) return;
  reporter.error(
    "V3/terminator",
    operation.nameSpan,
    "'return' must be the last operation of its block; remove what follows it",
  );
}

function addFunction(tables: SymbolTables, view: FunctionView): void {
  const owner = view.operation.parent;
  const table = tables.getOrInsertComputed(owner, () => new Map());
  if (!table.has(view.name)) table.set(view.name, view);
}

function verifyBody(reporter: Reporter, view: FunctionView): void {
  const { module } = reporter;
  const entry = view.blocks[0];
  if (entry === undefined) return;
  if (entry.arguments.length !== view.arguments.length) {
    reporter.error(
      "V3/entry-arguments",
      view.operation.nameSpan,
      `function '@${view.name}' has ${view.arguments.length} argument(s), but its entry block has ` +
        entry.arguments.length,
    );
  } else {
    entry.arguments.forEach(({ value }, index) => {
      const type = view.arguments[index]?.type;
      if (type === undefined || value.type === undefined || sameText(module, type, value.type)) return;
      reporter.error(
        "V3/entry-arguments",
        value.type,
        `argument ${index} of '@${view.name}' is ${textOf(module, type)} in the signature`,
      );
    });
  }
  for (const block of view.blocks) {
    const last = block.operations.at(-1);
    if (last === undefined || NO_TERMINATOR.test(last.name)) {
      reporter.error(
        "V3/terminator",
        last?.nameSpan ?? view.operation.nameSpan,
        `a block of '@${view.name}' ends without 'return' or a branch; add the 'return'`,
      );
    } else if (last.name === "func.return") {
      const compared = { operation: last, code: "V3/return", what: `'return' of '@${view.name}'` };
      compareTypes(reporter, compared, last.operandTypes, view.resultTypes);
    }
  }
}

/** Checks one call and returns its callee; `undefined` if that is not a function of the module. */
function verifyCall(reporter: Reporter, call: Operation, tables: SymbolTables): FunctionView | undefined {
  const { module } = reporter;
  const callee = attributeOf(module, call, "callee");
  if (callee?.kind !== "symbol") return undefined;
  const view = lookUp(call, callee.name, tables);
  if (view === undefined) {
    if (callee.name.includes("::")) return undefined;
    reporter.error(
      "V3/unknown-callee",
      call.nameSpan,
      `'${call.name}' calls '@${callee.name}', which the module does not define`,
    );
    return undefined;
  }
  const argumentTypes = view.arguments.map((argument) => argument.type);
  const what = `'${call.name}' of '@${view.name}'`;
  const operands = { operation: call, code: "V3/call-operands", what: `operands of ${what}` };
  const results = { operation: call, code: "V3/call-results", what: `results of ${what}` };
  compareTypes(reporter, operands, call.operandTypes, argumentTypes);
  compareTypes(reporter, results, call.resultTypes, view.resultTypes);
  return view;
}

function lookUp(call: Operation, name: string, tables: SymbolTables): FunctionView | undefined {
  for (let holder = call.parent;; holder = holder.parent) {
    const table = tables.get(holder);
    // The nearest op that contains functions is the symbol table; a function itself never is one.
    if (table !== undefined) return table.get(name);
    if (holder === undefined) return undefined;
  }
}

/** Types that a signature has to match, and the diagnostic code if they do not. */
interface ComparedTypes {
  readonly operation: Operation;
  readonly code: string;
  /** For the message. */
  readonly what: string;
}

function compareTypes(
  reporter: Reporter,
  { operation, code, what }: ComparedTypes,
  types: readonly Span[] | undefined,
  expected: readonly Span[],
): void {
  if (types === undefined) return;
  if (types.length !== expected.length) {
    reporter.error(
      code,
      operation.nameSpan,
      `${what}: ${types.length} value(s), but the signature has ${expected.length}`,
    );
    return;
  }
  types.forEach((type, index) => {
    const other = expected[index];
    if (other === undefined || sameText(reporter.module, type, other)) return;
    reporter.error(code, type, `${what}: value ${index} is ${difference(reporter.module, type, other)}`);
  });
}

function difference(module: ModuleText, type: Span, expected: Span): string {
  return `${textOf(module, type)}, but the signature says ${textOf(module, expected)}`;
}
