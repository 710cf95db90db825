// SPDX-License-Identifier: Apache-2.0
import {
  applyPatches,
  errorIn,
  functionsOf,
  type FunctionView,
  type ModuleText,
  type Patch,
  signaturePatches,
} from "../ir/mod.ts";
import { ARGUMENT_TYPES, type ArgumentType } from "../dialect/argument_type.ts";

/** Types that `argument-types` may name; `default` means that an argument has no type. */
const GIVEN: readonly ArgumentType[] = ARGUMENT_TYPES.filter((type) => type !== "default");

/** Types of all arguments, by function. */
export type ArgumentTypes = ReadonlyMap<string, readonly ArgumentType[]>;

/**
 * Reads `main=input,parameter;other=constant`, as upstream's `argument-types` is written (tt-mlir:options).
 *
 * @throws {RangeError} for any other text, and for a function that is named twice
 */
export function readArgumentTypes(text: string): ArgumentTypes {
  const given = new Map<string, readonly ArgumentType[]>();
  for (const entry of text.split(";")) {
    const [name = "", list = "", ...more] = entry.split("=");
    const types = list.replace(/,$/, "").split(",").map((word) => GIVEN.find((type) => type === word));
    if (name === "" || more.length > 0 || types.includes(undefined)) {
      throw new RangeError(`'${entry}' is no FUNCTION=TYPE,… of ${GIVEN.join(", ")}`);
    }
    if (given.has(name)) throw new RangeError(`'${name}' gets its types twice`);
    given.set(name, types.filter((type) => type !== undefined));
  }
  return given;
}

/**
 * Overrides the argument types of functions (tt-mlir: `TTPopulateArgumentTypes`): an argument without a type counts as
 * an input, so that work on weights alone is done in every inference.
 *
 * @returns the text with `ttcore.argument_type` on every argument of the functions named (`tt.argument_type` where the
 * argument has that)
 * @throws {DiagnosticError} if a named function is missing or has another number of arguments
 */
export function populateArgumentTypes(module: ModuleText, types: ArgumentTypes): string {
  const views = functionsOf(module);
  const patches = [...types].flatMap(([name, given]) => {
    const named = views.filter((view) => view.name === name && view.blocks.length > 0);
    if (named.length === 0) {
      const known = views.filter(({ blocks }) => blocks.length > 0).map((view) => view.name);
      throw errorIn(
        module,
        "argument-types/function",
        0,
        `no function is called '${name}'; there is ${known.slice(0, 5).join(", ")}`,
      );
    }
    return named.flatMap((view) => patchesOf(module, view, given));
  });
  return applyPatches(module.text, patches);
}

function patchesOf(
  module: ModuleText,
  view: FunctionView,
  given: readonly ArgumentType[],
): readonly Patch[] {
  const { arguments: args, name, operation } = view;
  if (args.length !== given.length) {
    throw errorIn(
      module,
      "argument-types/count",
      operation.span.start,
      `function '${name}' needs one type per argument: ${args.length}, not ${given.length}`,
    );
  }
  const argumentAttributes = new Map(given.map((type, index) => {
    const dialect = args[index]?.attributes.has("tt.argument_type") === true ? "tt" : "ttcore";
    return [index, new Map([[`${dialect}.argument_type`, `#${dialect}.argument_type<${type}>`]])];
  }));
  return signaturePatches(module, view, { argumentAttributes });
}
