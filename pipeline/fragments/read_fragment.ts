// SPDX-License-Identifier: Apache-2.0
import { plainLog, unescaped, withoutLoggedLines } from "../../lib/ir/log_lines.ts";
import { definedAliases } from "./fragment_aliases.ts";
import { argumentName, FragmentFunction, readHead } from "./fragment_function.ts";
import { fragmentRemark, linesText } from "./fragment_remark.ts";
import { PastedText } from "./pasted_text.ts";

/** A part of a program. */
export interface Fragment {
  /** The lines that were read, without additions. */
  readonly text: string;
  /** Which lines it is made of. */
  readonly title: string;
  /** The part as a whole module, in which every line that was read keeps its number. */
  readonly module: () => CompletedFragment | undefined;
}

/** A part of a program, completed. */
export interface CompletedFragment {
  readonly text: string;
  /** Additions and omissions in words. */
  readonly remark: string;
}

/**
 * Reads parts of programs as people paste them: ops without the function around them, or a text that a terminal cut at
 * its top or its bottom. Ops whose operands the text does not define get a function around them with these operands as
 * arguments, and what is open is closed. Only the first and the last line of a program may be cut: a fault in the middle
 * is a fault. Ops that define names again are another part. Time is linear in the text.
 *
 * @returns nothing where the text holds no op, or a program that is whole or has a fault elsewhere
 */
export function readFragments(text: string, fileName: string): readonly Fragment[] {
  let best: readonly Fragment[] = [];
  for (const candidate of new Set([text, ...withoutLoggedLines(text), plainLog(text), unescaped(text)])) {
    const source = new PastedText(candidate.replaceAll("\r\n", "\n"), fileName);
    const fragments: Fragment[] = [];
    for (let line = 0; line < source.lines.length;) {
      const reader = new FragmentReader(source, line, candidate !== text);
      const fragment = reader.read();
      if (fragment !== undefined) fragments.push(fragment);
      line = reader.end;
    }
    if (lengthOf(fragments) > lengthOf(best)) best = fragments;
  }
  return best;
}

/** Characters of what was read. */
function lengthOf(fragments: readonly Fragment[]): number {
  return fragments.reduce((sum, { text }) => sum + text.length, 0);
}

/** An op in the generic form behind something else. */
const OP_IN_LINE =
  /(?:%[\w$.-]+(?::\d+)?(?:, *%[\w$.-]+(?::\d+)?)* *= *)?"(?:ttnn|ttir|ttcore|stablehlo)\.\w+"\(/;

/** A line that begins an op. */
const OP =
  /^[ \t]*(?:%[\w$.-]+(?::\d+)?(?:, *%[\w$.-]+(?::\d+)?)* *= *"?[a-z]\w*\.|"[a-z]\w*\.[\w.]+"\(|(?:ttcore|ttir|ttnn|memref)\.\w+ ?[(%@])/;

const RETURN = /^[ \t]*(?:func\.)?return\b/;
const FUNCTION = /^[ \t]*func\.func\b/;

/** Regions around functions. */
const WRAPPER = /^[ \t]*(?:(?:builtin\.)?module\b|(?:tt|ttcore)\.(?:device|cpu)_module\b).*\{[ \t]*$/;

const MODULE_DEVICE = /^[ \t]*(?:tt|ttcore)\.device @/;
const CLOSES = /^[ \t]*\}(?:[ \t]*loc\(.*\))?[ \t]*$/;

/** Lines without meaning. */
const EMPTY = /^[ \t]*(?:\/\/.*|`{3}\w*|\^bb\d.*)?[ \t]*$/;

/** A line that marks omitted lines. */
const LEFT_OUT = /^[ \t]*(?:\/\/ *)?(?:\.{3}|…|\[\.{3}\]|<snip>)/;

/** The rest of a line, which cannot begin one. */
const REST = /^[ \t]*[)>\]}<,:]/;

/** The end of an op, as of its types, or of the head of a function. */
const END = /(?:\w>\)?|\{)[ \t]*(?:loc\(.*\)[ \t]*)?$/;

/** Ops that run another function, by its symbol. */
const CALLS: ReadonlySet<string> = new Set(["ttcore.load_cached", "func.call"]);

/** Reads the next part of a text. */
class FragmentReader {
  /** The line behind what was read. */
  end: number;
  readonly #from: number;
  readonly #source: PastedText;
  /** Text that was read, by line. */
  readonly #kept: Map<number, string> = new Map();
  readonly #functions: FragmentFunction[] = [];
  /** Lines of the program that cannot be read. */
  readonly #cut: number[] = [];
  /** First and last line that was read. */
  #first = Infinity;
  #last = -1;
  #open: FragmentFunction | undefined;
  /** Dialect of the first op that is of TTIR or TTNN. */
  #dialect: string | undefined;
  /** Number of functions that are made. */
  #made = 0;
  /** Number of ops of the compiler's dialects that were read, and of functions in full. */
  #ours = 0;
  /** Names of the functions that were read. */
  readonly #names: Set<string> = new Set();
  /** Whether something was taken off the lines, or lines that are no program were passed over. */
  #isAmongText: boolean;
  /** Regions around functions that are open. */
  #wrappers = 0;
  /** Whether something is as in no whole module. */
  #isPart = false;

  constructor(source: PastedText, from: number, isAmongText: boolean) {
    this.#source = source;
    this.#isAmongText = isAmongText;
    this.#from = from;
    this.end = source.lines.length;
  }

  read(): Fragment | undefined {
    for (let line = this.#from; line < this.end;) line = this.#readLine(line);
    this.#end();
    const isFaulty = this.#cut.some((line) => line > this.#first && line < this.#last) ||
      this.#functions.some(({ isFaulty }) => isFaulty);
    const isAlone = this.#from === 0 && !this.#isAmongText;
    const isWhole = isAlone && !this.#isPart && this.#wrappers === 0 && !this.#source.lacksAliases;
    if (this.#ours === 0 || isFaulty || isWhole) return undefined;
    return {
      text: [...this.#kept.values()].join("\n"),
      title: linesText(this.#first, this.#last),
      module: () => this.#completed(),
    };
  }

  #completed(): CompletedFragment | undefined {
    const lines = this.#source.lines.map((_, line) => this.#kept.get(line) ?? "");
    for (const [line, text] of this.#source.aliases) {
      text.split("\n").forEach((each, index) => lines[line + index] = each);
    }
    for (const fn of this.#functions) {
      const frame = fn.frame();
      if (frame === undefined) return undefined;
      renameArguments(fn, lines);
      lines[fn.firstLine] = `${frame.before} ${fn.hasHead ? "" : lines[fn.firstLine]}`;
      // The next line is free, or begins a function itself.
      const behind = fn.lastLine + 1;
      lines[behind] = frame.behind + (lines[behind] ?? "");
    }
    lines.push("}".repeat(this.#wrappers));
    const { text, assumed } = definedAliases(lines.join("\n"), this.#source.aliasUses);
    return { text, remark: fragmentRemark(this.#functions, this.#cut, assumed) };
  }

  /** Reads what begins on a line, and returns the next line. */
  #readLine(line: number): number {
    const text = this.#source.lines[line] ?? "";
    if (FUNCTION.test(text)) return this.#readFunction(line);
    if (WRAPPER.test(text)) {
      this.#end();
      this.#wrappers++;
      return this.#keep(line, text);
    }
    if (MODULE_DEVICE.test(text) && this.#wrappers > 0) return this.#keep(line, text);
    const column = RETURN.test(text) || OP.test(text) ? text.search(/\S/) : text.search(OP_IN_LINE);
    if (column >= 0) return this.#readOp(line, column);
    if (CLOSES.test(text)) return this.#readClosing(line);
    if (LEFT_OUT.test(text)) {
      this.#isPart = true;
      this.#open?.lack();
    } else if (!EMPTY.test(text) && !this.#source.aliases.has(line)) {
      if (this.#isRest(text, line + 1)) this.#cut.push(line);
      else this.#isAmongText = true;
    }
    return line + 1;
  }

  /**
   * Whether a line that begins nothing is of the program: functions hold only ops, and a cut one begins with a rest, or ends
   * with the types of an op, directly above the next one.
   */
  #isRest(text: string, next: number): boolean {
    return this.#open?.hasHead === true || this.#first === Infinity &&
        (REST.test(text) || END.test(text) && OP.test(this.#source.lines[next] ?? ""));
  }

  /** Reads a function, or only its head. */
  #readFunction(line: number): number {
    this.#end();
    const name = /@([\w$.-]+)/.exec(this.#source.lines[line] ?? "")?.[1] ?? "";
    // A function of the same name once more is one of another part.
    if (this.#names.has(name)) return this.end = line;
    this.#names.add(name);
    const read = this.#source.operationAt(line, 0);
    if (read !== undefined) {
      this.#ours++;
      return this.#keep(line, this.#source.between(line, 0, read.end));
    }
    const { lines } = this.#source;
    // Printers and people write an argument per line.
    const last = lines.findIndex((each, index) => index >= line && (/\{[ \t]*$/.test(each) || OP.test(each)));
    const text = lines.slice(line, Math.max(line, last) + 1).join(" ");
    const head = readHead(text, this.#source.fileName);
    if (head !== undefined) {
      this.#begin(new FragmentFunction(head.name, head, line));
      this.#keep(line, "");
      return Math.max(line, last) + 1;
    }
    // A signature whose arguments are `...` is an omission, not a cut line.
    if (/\.{3}|…/.test(text)) this.#isPart = true;
    else this.#cut.push(line);
    return line + 1;
  }

  #readClosing(line: number): number {
    if (this.#open !== undefined) {
      this.#open.close(line);
      this.#end();
      return line + 1;
    }
    if (this.#wrappers === 0) {
      this.#isPart = true;
      return line + 1;
    }
    this.#wrappers--;
    return this.#keep(line, "}");
  }

  #readOp(line: number, column: number): number {
    const read = this.#source.operationAt(line, column);
    if (read === undefined) {
      this.#cut.push(line);
      return line + 1;
    }
    const { operation, end } = read;
    // The same names once more are those of another part, and so is the program that a compiler makes of the one above.
    const dialect = /^tt(?:ir|nn)(?=\.)/.exec(operation.name)?.[0];
    const isLowered = dialect !== undefined && this.#dialect !== undefined && dialect !== this.#dialect;
    if (this.#open?.hasHead === false && (isLowered || this.#open.redefines(operation))) {
      this.#end();
      return this.end = line;
    }
    if (/^(?:ttnn|ttir|ttcore|stablehlo)\./.test(operation.name)) this.#ours++;
    this.#dialect ??= dialect;
    const { text } = this.#source;
    const fn = this.#open ?? this.#begin(new FragmentFunction(this.#freeName(), undefined, line));
    const written = this.#source.between(line, column, end);
    const callee = CALLS.has(operation.name)
      ? /@([\w$.-]+)/.exec(text.slice(operation.nameSpan.end, end))?.[1]
      : undefined;
    if (callee !== undefined && !this.#source.functionNames.has(callee)) {
      this.#isPart = true;
      fn.lack();
      fn.leaveOut(operation, text);
      return line + written.split("\n").length;
    }
    const next = this.#keep(line, written);
    fn.add(operation, text, next - 1);
    if (operation.name === "func.return" && !fn.hasHead) this.#end();
    return next;
  }

  #freeName(): string {
    for (;;) {
      const name = ++this.#made === 1 ? "main" : `main_${this.#made}`;
      if (!this.#source.functionNames.has(name)) return name;
    }
  }

  #begin(fn: FragmentFunction): FragmentFunction {
    this.#functions.push(fn);
    return this.#open = fn;
  }

  /** Ends the open function. */
  #end(): void {
    if (this.#open?.isWhole === false) this.#isPart = true;
    this.#open = undefined;
  }

  /** Keeps a text that begins on a line, and returns the line behind it. */
  #keep(line: number, text: string): number {
    const lines = text.split("\n");
    lines.forEach((each, index) => this.#kept.set(line + index, each));
    this.#first = Math.min(this.#first, line);
    this.#last = Math.max(this.#last, line + lines.length - 1);
    return this.#last + 1;
  }
}

/** Results of several that come from outside are no names of arguments. */
function renameArguments({ outsideNames, firstLine, lastLine }: FragmentFunction, lines: string[]): void {
  const several = outsideNames.filter((name) => name.includes("#"));
  for (let line = firstLine; several.length > 0 && line <= lastLine; line++) {
    lines[line] = (lines[line] ?? "").replaceAll(
      /%[\w$.-]+#\d+/g,
      (name) => several.includes(name) ? argumentName(name) : name,
    );
  }
}
