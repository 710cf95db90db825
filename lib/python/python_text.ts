// SPDX-License-Identifier: Apache-2.0

/** Python source: an expression or a statement. */
export type PythonText = string;

/** `True` or `False`. */
export function pythonBool(value: boolean): PythonText {
  return value ? "True" : "False";
}

/** A number with the fewest digits that identify its f32, the precision of all ops. Whole floats stay floats. */
export function pythonFloat(value: number): PythonText {
  if (Number.isNaN(value)) return 'float("nan")';
  if (!Number.isFinite(value)) return value > 0 ? 'float("inf")' : 'float("-inf")';
  if (Object.is(value, -0)) return "-0.0";
  const text = String(shortened(value));
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** The number of fewest digits with the same f32; itself where it is none of f32's range. */
function shortened(value: number): number {
  const single = Math.fround(value);
  if (!Number.isFinite(single) || single === 0) return value;
  for (let digits = 1; digits < 17; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === single) return short;
  }
  return value;
}

/** A string literal. */
export function pythonString(value: string): PythonText {
  // JSON's escapes are Python's.
  return JSON.stringify(value);
}

export function pythonList(items: readonly (PythonText | number)[]): PythonText {
  return `[${items.join(", ")}]`;
}

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

/** Columns up to which a statement stays in one line. */
export const WIDTH = 120;

/**
 * A statement as lines. A call that is too long for one has its arguments in lines of their own, as many in each as fit.
 *
 * @param comment what stands behind the first line; empty for none
 */
export function statementLines(text: PythonText, comment: string, indent: string): readonly string[] {
  const note = comment === "" ? "" : `  # ${comment}`;
  const open = text.indexOf("(");
  if (indent.length + text.length <= WIDTH || open < 0 || !text.endsWith(")")) {
    return [`${indent}${text}${note}`];
  }
  const items = topLevelItems(text.slice(open + 1, -1));
  if (items === undefined) return [`${indent}${text}${note}`];
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const longer = last === undefined ? undefined : `${last} ${item},`;
    if (longer !== undefined && longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`${indent}    ${item},`);
  }
  return [`${indent}${text.slice(0, open + 1)}${note}`, ...lines, `${indent})`];
}

/** The arguments of a call; `undefined` if the text is of several calls behind each other. */
function topLevelItems(text: string): readonly string[] | undefined {
  const items: string[] = [];
  let [depth, start] = [0, 0];
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[()[\]{},]/g)) {
    if ("([{".includes(token)) depth++;
    else if (")]}".includes(token)) depth--;
    else if (token === "," && depth === 0) {
      items.push(text.slice(start, index).trim());
      start = index + 1;
    }
    if (depth < 0) return undefined;
  }
  return [...items, text.slice(start).trim()];
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

/** An op, or a part of one, that ttnn's Python cannot say; the message names the part. */
export class Unsayable extends Error {
  override readonly name = "Unsayable";
}
