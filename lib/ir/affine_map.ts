// SPDX-License-Identifier: Apache-2.0

/** An affine expression over dimensions and symbols. */
export type AffineExpression =
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: "dimension"; readonly index: number }
  | { readonly kind: "symbol"; readonly index: number }
  | {
    readonly kind: "add" | "multiply" | "floordiv" | "ceildiv" | "mod";
    readonly left: AffineExpression;
    readonly right: AffineExpression;
  };

/** An affine map `(d0, d1)[s0] -> (expression, …)`. */
export interface AffineMap {
  readonly dimensions: number;
  readonly symbols: number;
  readonly results: readonly AffineExpression[];
}

const TOKEN = /\s*(->|[A-Za-z_][\w$.]*|\d+|[-+*()[\],])/y;

/** Expressions nest this deep at most. */
const MAXIMUM_DEPTH = 64;

/**
 * Parses the text of an affine map, with or without `affine_map<…>` around it.
 *
 * @returns `undefined` when the text is no affine map
 */
export function parseAffineMap(text: string): AffineMap | undefined {
  const wrapped = /^\s*affine_map\s*<([^]*)>\s*$/.exec(text)?.[1];
  const tokens = tokenize(wrapped ?? text);
  return tokens === undefined ? undefined : new AffineParser(tokens).parseMap();
}

function tokenize(text: string): string[] | undefined {
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const found = TOKEN.exec(text)?.[1];
    if (found === undefined) return undefined;
    tokens.push(found);
  }
  return tokens;
}

class AffineParser {
  readonly #tokens: readonly string[];
  #position = 0;
  #depth = 0;
  readonly #dimensions: Map<string, number> = new Map();
  readonly #symbols: Map<string, number> = new Map();

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  parseMap(): AffineMap | undefined {
    if (!this.#parseNames("(", ")", this.#dimensions)) return undefined;
    if (this.#peek() === "[" && !this.#parseNames("[", "]", this.#symbols)) return undefined;
    if (!this.#accept("->") || !this.#accept("(")) return undefined;
    const results: AffineExpression[] = [];
    if (!this.#accept(")")) {
      do {
        const expression = this.#parseSum();
        if (expression === undefined) return undefined;
        results.push(expression);
      } while (this.#accept(","));
      if (!this.#accept(")")) return undefined;
    }
    if (this.#position !== this.#tokens.length) return undefined;
    return { dimensions: this.#dimensions.size, symbols: this.#symbols.size, results };
  }

  #peek(): string | undefined {
    return this.#tokens[this.#position];
  }

  #accept(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#position++;
    return true;
  }

  #parseNames(open: string, close: string, names: Map<string, number>): boolean {
    if (!this.#accept(open)) return false;
    if (this.#accept(close)) return true;
    do {
      const name = this.#peek();
      if (name === undefined || !/^[A-Za-z_]/.test(name) || names.has(name)) return false;
      names.set(name, names.size);
      this.#position++;
    } while (this.#accept(","));
    return this.#accept(close);
  }

  #parseSum(): AffineExpression | undefined {
    let left = this.#parseProduct();
    while (left !== undefined && (this.#peek() === "+" || this.#peek() === "-")) {
      const negative = this.#peek() === "-";
      this.#position++;
      const right = this.#parseProduct();
      if (right === undefined) return undefined;
      left = { kind: "add", left, right: negative ? negate(right) : right };
    }
    return left;
  }

  #parseProduct(): AffineExpression | undefined {
    let left = this.#parsePrimary();
    while (left !== undefined) {
      const operator = this.#peek();
      const kind = operator === "*" ? "multiply" : operator;
      if (kind !== "multiply" && kind !== "floordiv" && kind !== "ceildiv" && kind !== "mod") return left;
      this.#position++;
      const right = this.#parsePrimary();
      if (right === undefined) return undefined;
      left = { kind, left, right };
    }
    return left;
  }

  #parsePrimary(): AffineExpression | undefined {
    const token = this.#peek();
    if (token === undefined || this.#depth > MAXIMUM_DEPTH) return undefined;
    this.#position++;
    if (token === "(") {
      this.#depth++;
      const inner = this.#parseSum();
      this.#depth--;
      return inner !== undefined && this.#accept(")") ? inner : undefined;
    }
    if (token === "-") {
      this.#depth++;
      const inner = this.#parsePrimary();
      this.#depth--;
      return inner === undefined ? undefined : negate(inner);
    }
    if (/^\d/.test(token)) return { kind: "constant", value: Number(token) };
    const dimension = this.#dimensions.get(token);
    if (dimension !== undefined) return { kind: "dimension", index: dimension };
    const symbol = this.#symbols.get(token);
    return symbol === undefined ? undefined : { kind: "symbol", index: symbol };
  }
}

function negate(expression: AffineExpression): AffineExpression {
  if (expression.kind === "constant") return { kind: "constant", value: -expression.value };
  return { kind: "multiply", left: expression, right: { kind: "constant", value: -1 } };
}

/**
 * The results of a map at a point.
 *
 * @throws {RangeError} when the point has the wrong rank or a division by zero occurs
 */
export function evaluateAffineMap(
  map: AffineMap,
  point: readonly number[],
  symbols: readonly number[] = [],
): number[] {
  if (point.length !== map.dimensions || symbols.length !== map.symbols) {
    throw new RangeError(
      `Cannot evaluate an affine map of ${map.dimensions} dimensions and ${map.symbols} symbols at ` +
        `${point.length} and ${symbols.length} values`,
    );
  }
  return map.results.map((result) => evaluate(result, point, symbols));
}

function evaluate(
  expression: AffineExpression,
  point: readonly number[],
  symbols: readonly number[],
): number {
  switch (expression.kind) {
    case "constant":
      return expression.value;
    case "dimension":
      return point[expression.index] ?? 0;
    case "symbol":
      return symbols[expression.index] ?? 0;
  }
  const left = evaluate(expression.left, point, symbols);
  const right = evaluate(expression.right, point, symbols);
  if (expression.kind === "add") return left + right;
  if (expression.kind === "multiply") return left * right;
  if (right === 0) throw new RangeError(`Cannot evaluate an affine map: ${expression.kind} by zero`);
  if (expression.kind === "floordiv") return Math.floor(left / right);
  if (expression.kind === "ceildiv") return Math.ceil(left / right);
  return ((left % right) + right) % right;
}
