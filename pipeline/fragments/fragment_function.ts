// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError } from "../../lib/diagnostics/diagnostic.ts";
import type { Operation, Span } from "../../lib/ir/mod.ts";
import { OperationParser } from "../../lib/ir/operation_parser.ts";
import { Scanner } from "../../lib/ir/scanner.ts";

/** A function before its body. */
export interface FunctionHead {
  readonly name: string;
  /** Up to its arguments. */
  readonly before: string;
  /** Between the parentheses. */
  readonly arguments: string;
  readonly argumentNames: readonly string[];
  /** Behind its results: attributes and the brace. */
  readonly behind: string;
}

/**
 * The head of a function, read from the line that begins its body.
 *
 * @returns `undefined` where it is cut, or leaves something out
 */
export function readHead(line: string, fileName: string): FunctionHead | undefined {
  const head = line.trimEnd();
  if (!head.endsWith("{")) return undefined;
  const scanner = new Scanner(`${head}\nreturn\n}`, fileName);
  const parser = new OperationParser(scanner);
  parser.scopes.push(true, true);
  let operation: Operation;
  try {
    operation = parser.parseOperation(undefined, undefined);
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
  const { signature, syntaxAttributes, regions } = operation;
  const name = syntaxAttributes.get("sym_name");
  if (signature === undefined || name?.kind !== "string") return undefined;
  scanner.position = signature.span.start;
  scanner.skipBalanced();
  return {
    name: name.value,
    before: head.slice(0, signature.span.start),
    arguments: head.slice(signature.span.start + 1, scanner.position - 1).replace(/^\.{3}$/, ""),
    argumentNames: regions[0]?.blocks[0]?.arguments.map(({ value }) => value.name) ?? [],
    behind: head.slice(signature.span.end),
  };
}

/** A value that comes from outside of what a text holds. */
interface OutsideValue {
  /** `""` if unknown. */
  readonly type: string;
  /** Computed at load, from constants. */
  readonly isConstant: boolean;
}

const DEVICE = "!ttnn.device";
const CONSTANT = " {ttcore.argument_type = #ttcore.argument_type<constant>}";

/** A function of which a text holds a part. */
export class FragmentFunction {
  readonly name: string;
  readonly firstLine: number;
  lastLine: number;
  /** Number of ops that were read. */
  ops = 0;
  /** `undefined` where the text does not hold it. */
  readonly #head: FunctionHead | undefined;
  /** Whether a `}` ends it. */
  #isClosed = false;
  /** Whether the text leaves out some of it. */
  #lacks = false;
  /** Names that the part defines. */
  readonly #defined: Set<string>;
  /** Values that are used but not defined, in the order of their first use. */
  readonly #outside: Map<string, OutsideValue> = new Map();
  /** Types of results that nothing has read yet. */
  readonly #unread: Map<string, string> = new Map();
  /** Types of results of calls that are left out. */
  readonly #loaded: Map<string, string> = new Map();
  /** Types that a `return` names. */
  #returned: string | undefined;

  constructor(name: string, head: FunctionHead | undefined, line: number) {
    this.name = head?.name ?? name;
    this.#head = head;
    this.firstLine = line;
    this.lastLine = line;
    this.#defined = new Set(head?.argumentNames);
  }

  /** Whether the text holds its head. */
  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  /** Whether the text holds its `return`. */
  get returns(): boolean {
    return this.#returned !== undefined;
  }

  /** Whether the text holds all of it. */
  get isWhole(): boolean {
    return this.hasHead && this.#isClosed && this.returns && !this.#lacks;
  }

  /** Whether the function is complete and uses a value that nothing defines. */
  get isFaulty(): boolean {
    return this.isWhole && this.#outside.size > 0;
  }

  /** Notes that the text leaves out some of it. */
  lack(): void {
    this.#lacks = true;
  }

  /** Names of the values that the part reads and does not define, without devices. */
  get outsideNames(): readonly string[] {
    return [...this.#outside].flatMap(([name, { type }]) => type === DEVICE ? [] : [name]);
  }

  /** Whether an op defines a name again, as the next function does. */
  redefines({ resultGroups }: Operation): boolean {
    return resultGroups.some(({ name }) => this.#defined.has(name));
  }

  /** Notes the `}` of the function, on a line. */
  close(line: number): void {
    this.#isClosed = true;
    this.lastLine = line;
  }

  /**
   * Adds an op that was read.
   *
   * @param text what its spans are of
   * @param line its last one
   */
  add(operation: Operation, text: string, line: number): void {
    this.lastLine = line;
    this.#readOperands(operation, text, new Set());
    if (operation.name === "func.return") {
      this.#returned = (operation.operandTypes ?? []).map((type) => slice(text, type)).join(", ");
      return;
    }
    this.ops++;
    for (const { name } of operation.resultGroups) this.#defined.add(name);
    for (const { name, type } of operation.results) {
      // A name may be cut off.
      if (type !== undefined && name !== "") this.#unread.set(name, slice(text, type));
    }
  }

  /** Leaves out a call of a function that the text does not contain: its results become arguments, computed at load. */
  leaveOut({ results }: Operation, text: string): void {
    for (const { name, type } of results) if (type !== undefined) this.#loaded.set(name, slice(text, type));
  }

  #readOperands(
    { operands, operandTypes, regions }: Operation,
    text: string,
    inner: ReadonlySet<string>,
  ): void {
    operands.forEach((operand, index) => {
      const written = text.slice(operand.span.start, operand.span.end).replaceAll(/\s/g, "") || operand.name;
      this.#unread.delete(written);
      if (this.#defined.has(operand.name) || inner.has(operand.name)) return;
      const type = operandTypes?.[index];
      this.#readOutside(written, type === undefined ? "" : slice(text, type));
    });
    for (const { arguments: entry, operations } of regions.flatMap(({ blocks }) => blocks)) {
      const names = operations.flatMap(({ resultGroups }) => resultGroups.map(({ name }) => name));
      const known = new Set([...inner, ...entry.map(({ value }) => value.name), ...names]);
      for (const operation of operations) this.#readOperands(operation, text, known);
    }
  }

  #readOutside(name: string, type: string): void {
    const loaded = this.#loaded.get(name);
    const before = this.#outside.get(name)?.type ?? "";
    if (before === "") this.#outside.set(name, { type: loaded ?? type, isConstant: loaded !== undefined });
  }

  /**
   * Text that makes the part a complete function. `before` replaces the head: values from outside are arguments of it,
   * devices are opened. `behind` follows the last op: a `return` of the results that nothing reads, and `}`.
   *
   * @returns `undefined` if the type of a value from outside is unknown
   */
  frame(): { readonly before: string; readonly behind: string } | undefined {
    const outside = [...this.#outside];
    if (outside.some(([, { type }]) => type === "")) return undefined;
    const added = outside.flatMap(([name, { type, isConstant }]) =>
      type === DEVICE ? [] : [`${argumentName(name)}: ${type}${isConstant ? CONSTANT : ""}`]
    );
    const devices = outside.filter(([, { type }]) => type === DEVICE).map(([name]) =>
      ` ${name} = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> ${DEVICE}`
    );
    const results = [...this.#unread].filter(([, type]) => type.startsWith("tensor<"));
    const types = this.#returned ?? results.map(([, type]) => type).join(", ");
    const names = results.map(([name]) => name).join(", ");
    const head = this.#head ?? { before: `func.func @${this.name}`, arguments: "", behind: " {" };
    const all = [head.arguments, ...added].filter((text) => text.trim() !== "").join(", ");
    return {
      before: `${head.before}(${all})${types === "" ? "" : ` -> (${types})`}${head.behind}${
        devices.join("")
      }`,
      behind: this.returns ? "}" : names === "" ? "return }" : `return ${names} : ${types} }`,
    };
  }
}

/** A name of an argument for a value: a result of several is `%3#1`. */
export function argumentName(name: string): string {
  return name.replace("#", "_of_");
}

/** A type on one line. */
function slice(text: string, { start, end }: Span): string {
  // A log may be wrapped within a shape: `tensor<8x` and `28xbf16` on the next line.
  return text.slice(start, end).replaceAll(/(?<=\dx)\s*\n\s*/g, "").replaceAll(/\s*\n\s*/g, " ");
}
