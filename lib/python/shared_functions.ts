// SPDX-License-Identifier: Apache-2.0
import type { ConstantRole } from "./constants.ts";
import type { PreparedCall, PythonFunction } from "./python_function.ts";
import { Names, type PythonText } from "./python_text.ts";
import { opWord } from "./variable_names.ts";

/** A constant of a function, with the word of the parameter that would replace it. */
interface Blank {
  readonly word: string;
  readonly constant: string;
}

/** Functions that are one, and what each of them passes to it. */
interface Shared {
  readonly function: PythonFunction;
  /** The constants that stand for its parameters, by the name of each. */
  readonly constants: ReadonlyMap<string, readonly string[]>;
}

/**
 * Const-eval functions that say the same but for the constants that they name are one, with a parameter for each constant
 * that differs: those of all convolutions, on each weight.
 *
 * @param constants names of constants with what they stand for
 * @param taken names that no function may take
 */
export function sharingEquivalent(
  functions: readonly PythonFunction[],
  constants: ReadonlyMap<string, ConstantRole>,
  taken: ReadonlySet<string>,
): readonly PythonFunction[] {
  const groups = Map.groupBy(
    functions.filter(({ kind }) => kind === "const_eval"),
    (fn) => skeletonOf(fn, constants),
  );
  const names = new Names([...taken, ...constants.keys()]);
  const shared = [...groups.values()].map((group) => shareGroup(group, constants, names));
  const byName = new Map(
    shared.flatMap((one) => [...one.constants.keys()].map((name) => [name, one] as const)),
  );
  const written = new Set(shared.map((one) => one.function));
  return functions.flatMap((fn) => {
    const one = byName.get(fn.name);
    if (one === undefined) return [{ ...fn, prepared: fn.prepared.map((call) => redirected(call, byName)) }];
    // It stands where the first of them stood.
    return written.delete(one.function) ? [one.function] : [];
  });
}

function redirected(call: PreparedCall, byName: ReadonlyMap<string, Shared>): PreparedCall {
  const one = byName.get(call.callee);
  if (one === undefined) return call;
  const constants = one.constants.get(call.callee) ?? [];
  return { ...call, callee: one.function.name, operands: [...call.operands, ...constants] };
}

/** Words of a text but for attributes. */
const WORD = /(?<![.\w])[A-Za-z_]\w*/g;

/** The text of a function with a blank for every constant. */
function skeletonOf(
  { arguments: args, statements, results }: PythonFunction,
  constants: ReadonlyMap<string, ConstantRole>,
): string {
  const blank = (text: PythonText): string => text.replace(WORD, (word) => constants.has(word) ? "?" : word);
  return JSON.stringify([args.map(({ name }) => name), statements.map(({ text }) => blank(text)), results]);
}

/** Constants of a function in the order in which they stand. */
function blanksOf(
  { statements }: PythonFunction,
  constants: ReadonlyMap<string, ConstantRole>,
): readonly Blank[] {
  return statements.flatMap(({ text }) =>
    [...text.matchAll(WORD)].flatMap(({ 0: constant, index }) => {
      const kind = constants.get(constant);
      if (kind === undefined) return [];
      return [{ word: /(\w+)=$/.exec(text.slice(0, index))?.[1] ?? kind, constant }];
    })
  );
}

function shareGroup(
  group: readonly PythonFunction[],
  kinds: ReadonlyMap<string, ConstantRole>,
  names: Names,
): Shared {
  const [first] = group;
  if (first === undefined) throw new RangeError("a group of no function");
  const rows = group.map((fn) => blanksOf(fn, kinds));
  const words = new Names([
    ...first.arguments.map(({ name }) => name),
    ...first.statements.flatMap(({ results }) => results.map(({ text }) => text)),
  ]);
  // Blanks that are filled alike everywhere are one parameter; those with one filling are none.
  const parameters = new Map<string, { readonly name: string; readonly fillings: readonly string[] }>();
  const parameterAt = (rows[0] ?? []).map(({ word }, at) => {
    const fillings = rows.map((row) => row[at]?.constant ?? "");
    if (new Set(fillings).size === 1) return undefined;
    return parameters.getOrInsertComputed(
      fillings.join(" "),
      () => ({ name: words.take(word), fillings }),
    ).name;
  });
  const constants = new Map(
    group.map(({ name }, row) => [
      name,
      [...parameters.values()].flatMap(({ fillings }) => fillings[row] ?? []),
    ]),
  );
  if (group.length === 1) return { function: first, constants };
  let next = 0;
  const filled = (text: PythonText): PythonText =>
    text.replace(WORD, (word) => kinds.has(word) ? parameterAt[next++] ?? word : word);
  const operations = first.statements.flatMap(({ operation }) => operation ?? []);
  const last = operations.at(-1);
  return {
    function: {
      ...first,
      name: last === undefined ? first.name : names.take(opWord(last)),
      parameters: [...parameters.values()].map(({ name }) => name),
      statements: first.statements.map((statement, at) => ({
        ...statement,
        text: filled(statement.text),
        comment: group.every(({ statements }) => statements[at]?.comment === statement.comment)
          ? statement.comment
          : "",
      })),
    },
    constants,
  };
}
