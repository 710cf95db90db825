// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { isOnCpu } from "../dialect/host_dialects.ts";
import { meshShapeWith } from "../dialect/module_mesh.ts";
import {
  attributeOf,
  errorIn,
  functionsOf,
  type FunctionView,
  type ModuleText,
  type Operation,
  textOf,
} from "../ir/mod.ts";
import { type AttributeTexts, nameText } from "../dialect/printed_attributes.ts";
import { writeModule } from "../ttnn/write_module.ts";
import { calleeOf } from "./callee.ts";
import { lowerFunction, type ModuleContext } from "./lower_function.ts";
import { OP_TABLE } from "./op_table.ts";
import { dictionaryTexts } from "./ttir_op.ts";

/** Whether there is a rule that makes TTNN of an op. */
export function hasLowering(name: string): boolean {
  return OP_TABLE.has(name);
}

/** How a module is lowered. */
export interface LoweringOptions {
  /** Refuse ops that have no rule, instead of keeping them between tensors in DRAM. */
  readonly isStrict?: boolean;
  /** Chips along each axis of the mesh, for modules that do not say it; one chip when absent. */
  readonly meshShape?: readonly number[];
}

/**
 * Lowers the TTIR functions of a module to the text of a TTNN module of the newest generation: every tensor in tiles in
 * interleaved DRAM but for upstream's exceptions (inputs row-major, convolution weights on the host), operands are
 * converted in front of ops that need it, and every tensor is deallocated after its last use. Private functions are inlined.
 *
 * @example
 * ```ts
 * import { getDevice, parseModule } from "@tilewright/tilewright";
 * import { lowerModule, needsLowering } from "@tilewright/tilewright/ir";
 * import { chipDescription } from "@tilewright/tilewright/device";
 * import { assertEquals, assertStringIncludes } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const module = parseModule(ttir, "relu.mlir");
 * assertEquals(needsLowering(module), true);
 * assertStringIncludes(lowerModule(module, chipDescription(getDevice("n150"))), '"ttnn.relu"');
 * ```
 *
 * @param chip chip to write into `ttcore.system_desc` and `ttcore.device`
 * @returns module text; parse it like any other
 * @throws {DiagnosticError} at the first op that TTNN cannot express, or that has no rule if such ops are refused
 */
export function lowerModule(
  module: ModuleText,
  chip: ChipDescription,
  { isStrict = false, meshShape = [] }: LoweringOptions = {},
): string {
  const functions = functionsOf(module).filter(({ operation }) => !isOnCpu(operation));
  const symbols = symbolTables(functions);
  const calledFrom = (operation: Operation, name: string): FunctionView | undefined =>
    symbols.get(enclosingModule(operation))?.get(name);
  const called = new Set(module.operations.flatMap((operation) => {
    const callee = calleeOf(module, operation);
    const view = callee === undefined ? undefined : calledFrom(operation, callee);
    return view === undefined ? [] : [view];
  }));
  const roots = functions.filter((view) =>
    view.blocks.length > 0 && !(called.has(view) && isPrivate(module, view))
  );
  const [first] = roots;
  if (first === undefined) {
    throw errorIn(module, "lowering/no-function", 0, "no function has a body");
  }
  const outer = enclosingModule(first.operation);
  const attributes = moduleAttributes(module, outer);
  const context: ModuleContext = {
    module,
    chip,
    isStrict,
    copied: { ops: 0, inLoops: 0, loops: 0 },
    mesh: meshShapeWith(module, meshShape),
    calledFrom,
  };
  const names = distinctNames(roots);
  const lowered = roots.map((view, index) => lowerFunction(view, names[index] ?? view.name, context));
  return writeModule({
    symbol: symbolOf(module, outer),
    attributes,
    chip,
    mesh: context.mesh,
    functions: lowered,
    leadingAliases: locationAliases(module),
  });
}

/** Functions by name, one table per module: a file may hold several, each with a `@main` of its own. */
function symbolTables(
  functions: readonly FunctionView[],
): ReadonlyMap<Operation | undefined, ReadonlyMap<string, FunctionView>> {
  const tables = new Map<Operation | undefined, Map<string, FunctionView>>();
  for (const view of functions) {
    tables.getOrInsertComputed(enclosingModule(view.operation), () => new Map()).set(view.name, view);
  }
  return tables;
}

/** Names for one module: of functions that are called alike all but the first get a number, as MLIR numbers symbols. */
function distinctNames(functions: readonly FunctionView[]): readonly string[] {
  const taken = new Set(functions.map(({ name }) => name));
  const given = new Set<string>();
  return functions.map(({ name }) => {
    let own = name;
    for (let number = 0; given.has(own) || (own !== name && taken.has(own)); number++) {
      own = `${name}_${number}`;
    }
    given.add(own);
    return own;
  });
}

function isPrivate(module: ModuleText, view: FunctionView): boolean {
  const visibility = attributeOf(module, view.operation, "sym_visibility");
  return visibility?.kind === "string" && visibility.value === "private";
}

function enclosingModule(operation: Operation): Operation | undefined {
  for (let op = operation.parent; op !== undefined; op = op.parent) {
    if (op.name === "builtin.module") return op;
  }
  return undefined;
}

function symbolOf(module: ModuleText, outer: Operation | undefined): string {
  const symbol = outer === undefined ? undefined : attributeOf(module, outer, "sym_name");
  if (symbol?.kind !== "string") return "";
  return `@${nameText(symbol.value)}`;
}

/** Attributes of the module that held the functions; a system description is written anew. */
function moduleAttributes(module: ModuleText, outer: Operation | undefined): AttributeTexts {
  const texts = new Map(dictionaryTexts(module, outer?.attributes));
  texts.delete("ttcore.system_desc");
  return texts;
}

/** Aliases that stand for locations, which ops keep naming. */
function locationAliases(module: ModuleText): readonly string[] {
  return [...module.attributeAliases.values()]
    .filter(({ valueSpan }) => textOf(module, valueSpan).startsWith("loc("))
    .map(({ span }) => textOf(module, span));
}
