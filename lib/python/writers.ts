// SPDX-License-Identifier: Apache-2.0
import { denseArray } from "./dense_array.ts";
import { type CallSite, isOnHost } from "./call_site.ts";
import { computeName, programName } from "./op_configs.ts";
import {
  pythonBool,
  pythonCall,
  pythonFloat,
  pythonList,
  pythonString,
  type PythonText,
  Unsayable,
} from "./python_text.ts";

/**
 * Writes the call of an op as an expression; several results are what it unpacks to.
 *
 * @throws {Unsayable} if ttnn's Python has no words for it
 */
export type CallWriter = (site: CallSite) => PythonText;

/** Writers by the op's name without its dialect. */
export type CallWriters = Readonly<Record<string, CallWriter>>;

/** A writer for each of the names: `ttnn.NAME` is what is called. */
export function callsOf(names: string, writer: (callee: string) => CallWriter): CallWriters {
  return Object.fromEntries(names.split(" ").map((name) => [name, writer(`ttnn.${name}`)]));
}

/** An argument; `undefined` leaves it out. */
export type CallArgument = PythonText | number | undefined;

/** What a word of a call stands for besides operands and properties. */
export type CallArguments = Readonly<Record<string, (site: CallSite) => CallArgument>>;

const ARGUMENTS: CallArguments = {
  memory: ({ memory }) => memory,
  dtype: ({ dtype }) => dtype,
  pages: ({ pages }) => pages,
  compute: (site) => computeName(site.constants, site.config()),
  program: (site) => programName(site.constants, site.config()),
  place: ({ result }) => isOnHost(result) ? undefined : "device",
  // The op repeats the shape of its result.
  shape: (site) => {
    site.attribute("shape");
    return pythonList(site.result.shape);
  },
};

/** Keywords of words that stand alone. */
const KEYWORDS: Readonly<Record<string, string>> = {
  memory: "memory_config",
  compute: "compute_kernel_config",
  program: "program_config",
};

/** How a property is printed, by the form behind its name; `undefined` where the op lacks it. */
const FORMS: Readonly<Record<string, (site: CallSite, key: string) => CallArgument>> = {
  int: (site, key) => site.integerOr(key, undefined),
  ints: (site, key) => printed(site.integersOr(key, undefined), pythonList),
  float: (site, key) => printed(site.numberOr(key, undefined), pythonFloat),
  text: (site, key) => printed(site.string(key), pythonString),
  bool: (site, key) => printed(site.flag(key, undefined), pythonBool),
  // Only where it is not ttnn's default.
  true: (site, key) => site.flag(key, false) ? "True" : undefined,
  false: (site, key) => site.flag(key, true) ? undefined : "False",
};

function printed<Value>(value: Value | undefined, print: (value: Value) => PythonText): CallArgument {
  return value === undefined ? undefined : print(value);
}

/**
 * A call in words: `ttnn.topk 0 k:int dim:int largest:bool?True memory`. After the function an argument is
 *
 * - `0`: an operand, `2?` one that may be absent; `operands`: all of them;
 * - `@0`: the operand of a group (`operandSegmentSizes`), which by keyword may be absent;
 * - `k:int`: a property in one of {@linkcode FORMS}, `k:int?` one that may be absent, `k:int?32` with what stands for it;
 * - a key of `further` or {@linkcode ARGUMENTS}, those of {@linkcode KEYWORDS} by keyword; any other word as it is.
 *
 * `bias=2?` passes an argument by keyword, `=k:int` by the property's own name, and `-size` reads a property that the
 * result's type repeats.
 */
export function call(words: string, further: CallArguments = {}): CallWriter {
  const [callee = "", ...rest] = words.split(" ");
  const known = { ...ARGUMENTS, ...further };
  const parsed = rest.map((word) => {
    const [, keyword, value = ""] = /^(?:(\w*)=)?(.*)$/.exec(word) ?? [];
    return { name: keyword === "" ? value.replace(/\W.*/, "") : keyword ?? KEYWORDS[value], value };
  });
  return (site) => {
    const positional: (PythonText | number)[] = [];
    const keywords: Record<string, CallArgument> = {};
    for (const { name, value } of parsed) {
      if (value === "operands") positional.push(...site.operands.map(({ text }) => text));
      else if (value.startsWith("-")) site.attribute(value.slice(1));
      else {
        const given = argument(site, value, known);
        if (name !== undefined) keywords[name] = given;
        else if (given !== undefined) positional.push(given);
        else if (value.startsWith("@")) throw new Unsayable(`it lacks operand ${value.slice(1)}`);
      }
    }
    return pythonCall(callee, positional, keywords);
  };
}

function argument(site: CallSite, word: string, known: CallArguments): CallArgument {
  const [, group, index, mayLack] = /^(@?)(\d+)(\??)$/.exec(word) ?? [];
  if (index !== undefined) {
    if (group === "@") return site.groups()[Number(index)];
    return mayLack === "?" ? site.optional(Number(index)) : site.operand(Number(index));
  }
  const [, key, form = "", otherwise] = /^(\w+):(\w+)(?:\?(.*))?$/.exec(word) ?? [];
  if (key === undefined) return known[word] === undefined ? word : known[word](site);
  const value = FORMS[form]?.(site, key);
  if (value === undefined && otherwise === undefined) {
    throw new Unsayable(`${key} is missing or of another kind`);
  }
  return value ?? (otherwise === "" ? undefined : otherwise);
}

/** The value that a tensor is filled with. */
export function fillValue(site: CallSite): PythonText | number {
  const value = site.number("fill_value");
  return site.attribute("fill_value")?.kind === "float" ? pythonFloat(value) : value;
}

/** The elements of a constant as an array of numpy. */
export function constantArray(site: CallSite): PythonText {
  const value = site.attribute("value");
  if (value === undefined || !("text" in value)) throw new Unsayable("a constant without its elements");
  return denseArray(value.text, site.result);
}
