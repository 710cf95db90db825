// SPDX-License-Identifier: Apache-2.0

/** Text of a Python expression. */
export type PythonText = string;

/** `True` or `False`. */
export function pythonBool(value: boolean): PythonText {
  return value ? "True" : "False";
}

/** A number; floats stay floats, also whole ones. */
export function pythonFloat(value: number): PythonText {
  if (Number.isNaN(value)) return 'float("nan")';
  if (!Number.isFinite(value)) return value > 0 ? 'float("inf")' : 'float("-inf")';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** A string literal. */
export function pythonString(value: string): PythonText {
  // JSON's escapes are Python's.
  return JSON.stringify(value);
}

/** A list of expressions. */
export function pythonList(items: readonly (PythonText | number)[]): PythonText {
  return `[${items.join(", ")}]`;
}

/** A tuple of expressions. */
export function pythonTuple(items: readonly (PythonText | number)[]): PythonText {
  return items.length === 1 ? `(${items[0]},)` : `(${items.join(", ")})`;
}

/** Arguments by keyword; those that are `undefined` are left out. */
export type Keywords = Readonly<Record<string, PythonText | number | undefined>>;

/** A call: arguments by position, then by keyword. */
export function pythonCall(
  callee: PythonText,
  positional: readonly (PythonText | number)[],
  keywords: Keywords = {},
): PythonText {
  const named = Object.entries(keywords).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`]
  );
  return `${callee}(${[...positional, ...named].join(", ")})`;
}

/** Words that no variable may be called: Python's own, and names that every program uses. */
const TAKEN: ReadonlySet<string> = new Set(
  ("False None True and as assert async await break class continue def del elif else except finally for from " +
    "global if import in is lambda match nonlocal not or pass raise return try while with yield list dict int " +
    "float str print len range ttnn numpy device weights").split(" "),
);

/** Text as an identifier: `linear_relu_stack_0_weight` of `linear_relu_stack.0.weight`. */
export function pythonIdentifier(text: string): PythonText {
  const word = text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "").toLowerCase();
  if (word === "") return "value";
  return /^[0-9]/.test(word) || TAKEN.has(word) ? `v_${word}` : word;
}

/** Gives out identifiers, each once. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** The wanted name, with a number behind it where it is taken. */
  take(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number++) name = `${wanted}_${number}`;
    this.#taken.add(name);
    return name;
  }
}
