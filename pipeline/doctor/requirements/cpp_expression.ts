// SPDX-License-Identifier: Apache-2.0

/** One part of a path such as `a.shard_spec().value().shape[1]`: a name, its arguments, its index. */
export interface CppStep {
  readonly name: string;
  readonly called?: readonly CppExpression[];
  readonly index?: CppExpression;
}

/** A condition of C++, as far as checks of ttnn have them. */
export type CppExpression =
  | { readonly kind: "path"; readonly steps: readonly CppStep[] }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "not"; readonly of: CppExpression }
  | {
    readonly kind: "binary";
    readonly operator: string;
    readonly left: CppExpression;
    readonly right: CppExpression;
  };

/** Operators by how strongly they bind, loosest first; `and` and `or` are read as `&&` and `||`. */
const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["==", "!="],
  ["<", ">", "<=", ">="],
  ["&"],
  ["+", "-"],
  ["*", "/", "%"],
];

const TOKEN =
  /\s*(?:(?:::)?([A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*)|(\d+(?:\.\d+)?)[a-zA-Z]*|"([^"]*)"|(\|\||&&|[=!<>]=|->|[-+*/%<>!&.()[\]{},]))/y;

/** Template arguments of a call: `get<uint32_t>(`. */
const TEMPLATE = /(?<=\w)<[\w:, *&]*>(?=\()/g;

/** Marks a text that is no such condition. */
const UNREADABLE = Symbol("unreadable");

type CppToken = { readonly kind: "name" | "number" | "text" | "mark" | "end"; readonly text: string };

/**
 * Reads a condition.
 *
 * @returns `undefined` for what is none: words, lambdas, ternaries, a text that was cut
 */
export function readCpp(text: string): CppExpression | undefined {
  const tokens = tokensOf(text.replaceAll(TEMPLATE, ""));
  if (tokens === undefined) return undefined;
  const reader = new CppReader(tokens);
  try {
    return reader.whole();
  } catch (thrown) {
    if (thrown === UNREADABLE) return undefined;
    throw thrown;
  }
}

function tokensOf(text: string): readonly CppToken[] | undefined {
  const tokens: CppToken[] = [];
  const end = text.trimEnd().length;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < end;) {
    const match = TOKEN.exec(text);
    if (match === null) return undefined;
    const [, name, number, quoted, mark] = match;
    const word = { and: "&&", or: "||", not: "!" }[name ?? ""];
    if (word !== undefined) tokens.push({ kind: "mark", text: word });
    else if (name !== undefined) tokens.push({ kind: "name", text: name.replaceAll(/\s/g, "") });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (quoted !== undefined) tokens.push({ kind: "text", text: quoted });
    else tokens.push({ kind: "mark", text: mark ?? "" });
  }
  return tokens;
}

/** Reads one expression by precedence; throws {@linkcode UNREADABLE}. */
class CppReader {
  readonly #tokens: readonly CppToken[];
  #at = 0;

  constructor(tokens: readonly CppToken[]) {
    this.#tokens = tokens;
  }

  whole(): CppExpression {
    const read = this.#level(0);
    if (this.#at < this.#tokens.length) throw UNREADABLE;
    return read;
  }

  #peek(): CppToken {
    return this.#tokens[this.#at] ?? { kind: "end", text: "" };
  }

  #next(): CppToken {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  /** Takes the mark if it comes next. */
  #takes(mark: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== "mark" || text !== mark) return false;
    this.#at++;
    return true;
  }

  #needs(mark: string): void {
    if (!this.#takes(mark)) throw UNREADABLE;
  }

  #level(level: number): CppExpression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#prefixed();
    let left = this.#level(level + 1);
    for (;;) {
      const { kind, text } = this.#peek();
      if (kind !== "mark" || !operators.includes(text)) return left;
      this.#at++;
      left = { kind: "binary", operator: text, left, right: this.#level(level + 1) };
    }
  }

  #prefixed(): CppExpression {
    if (this.#takes("!")) return { kind: "not", of: this.#prefixed() };
    // `*x` and `&x` mean x.
    if (this.#takes("*") || this.#takes("&")) return this.#prefixed();
    if (this.#takes("-")) {
      const of = this.#prefixed();
      return of.kind === "number"
        ? { kind: "number", value: -of.value }
        : { kind: "binary", operator: "-", left: { kind: "number", value: 0 }, right: of };
    }
    return this.#suffixed(this.#primary());
  }

  #primary(): CppExpression {
    const token = this.#next();
    if (token.kind === "number") return { kind: "number", value: Number(token.text) };
    if (token.kind === "text") return { kind: "text", value: token.text };
    if (token.kind === "name") return { kind: "path", steps: [{ name: token.text }] };
    if (token.kind === "mark" && token.text === "{") {
      return { kind: "path", steps: [{ name: "", called: this.#list("}") }] };
    }
    if (token.kind !== "mark" || token.text !== "(") throw UNREADABLE;
    const inner = this.#level(0);
    this.#needs(")");
    return inner;
  }

  /** Suffixes of a name or a bracket: members, calls, indices. */
  #suffixed(root: CppExpression): CppExpression {
    if (root.kind !== "path") return root;
    const steps: CppStep[] = [...root.steps];
    for (;;) {
      const last = steps.at(-1);
      if (last === undefined) throw UNREADABLE;
      if (this.#takes(".") || this.#takes("->")) {
        const { kind, text } = this.#next();
        if (kind !== "name") throw UNREADABLE;
        steps.push({ name: text });
      } else if (this.#takes("(")) {
        steps[steps.length - 1] = { ...last, called: this.#list(")") };
      } else if (this.#takes("{")) {
        steps[steps.length - 1] = { ...last, called: this.#list("}") };
      } else if (this.#takes("[")) {
        const index = this.#level(0);
        this.#needs("]");
        steps.push({ name: "[]", index });
      } else {
        return castOf(steps) ?? { kind: "path", steps };
      }
    }
  }

  #list(close: string): readonly CppExpression[] {
    const list: CppExpression[] = [];
    if (this.#takes(close)) return list;
    do list.push(this.#level(0)); while (this.#takes(","));
    this.#needs(close);
    return list;
  }
}

/** The operand x of `static_cast<T>(x)` or `uint32_t(x)`. */
function castOf(steps: readonly CppStep[]): CppExpression | undefined {
  const [only, second] = steps;
  const [inner, other] = only?.called ?? [];
  return second === undefined && other === undefined &&
      /^(?:static_cast|(?:std::)?u?int(?:32|64)?(?:_t)?|(?:std::)?size_t)$/.test(only?.name ?? "")
    ? inner
    : undefined;
}

/** The expression as it is spelled, names without their namespaces. */
export function spelled(expression: CppExpression): string {
  switch (expression.kind) {
    case "number":
      return String(expression.value);
    case "text":
      return `"${expression.value}"`;
    case "not":
      return `!${spelled(expression.of)}`;
    case "binary":
      return `${operandSpelled(expression.left)} ${expression.operator} ${operandSpelled(expression.right)}`;
    case "path":
      return expression.steps.map(({ name, called, index }, position) =>
        index !== undefined
          ? `[${spelled(index)}]`
          : `${position === 0 ? "" : "."}${name.replace(/^.*::/, "")}${
            called === undefined ? "" : `(${called.map(spelled).join(", ")})`
          }`
      ).join("");
  }
}

function operandSpelled(expression: CppExpression): string {
  return expression.kind === "binary" ? `(${spelled(expression)})` : spelled(expression);
}
