// SPDX-License-Identifier: Apache-2.0
import {
  affineAdd,
  affineBinary,
  affineConstant,
  affineDim,
  type AffineExpression,
  affineMul,
  type AffineOperator,
  affineSymbol,
} from "./affine_expression.ts";
import type { AffineMap } from "./affine_map.ts";
import { LayoutError } from "../layout_error.ts";

const TOKEN = /\s*(->|[A-Za-z_][A-Za-z0-9_$.]*|\d+|[-+*()[\],<>]|$)/y;

/** Most nesting of expressions; no compiler writes deeper ones. */
const MAXIMUM_DEPTH = 64;

/**
 * Parses an affine map in MLIR's syntax, `(d0, d1)[s0] -> (d0 floordiv 8, d1 + s0)`, with or without `affine_map<…>`
 * around it. Names of dims and symbols are free.
 *
 * @throws {LayoutError} `affine/syntax` with the place in the text, `affine/undefined` for a division by a constant
 * that is not positive
 */
export function parseAffineMap(text: string): AffineMap {
  return new AffineParser(text).map();
}

class AffineParser {
  readonly #text: string;
  readonly #names: Map<string, AffineExpression> = new Map();
  #offset = 0;
  #token = "";
  #tokenOffset = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#advance();
  }

  map(): AffineMap {
    const wrapped = this.#token === "affine_map";
    if (wrapped) {
      this.#advance();
      this.#expect("<");
    }
    const dimCount = this.#declare("(", ")", affineDim);
    const symbolCount = this.#token === "[" ? this.#declare("[", "]", affineSymbol) : 0;
    this.#expect("->");
    const results = this.#list("(", ")", () => this.#sum());
    if (wrapped) this.#expect(">");
    if (this.#token !== "") this.#fail("expected the end of the map");
    return { dimCount, symbolCount, results };
  }

  #declare(open: string, close: string, make: (index: number) => AffineExpression): number {
    let count = 0;
    this.#list(open, close, () => {
      const name = this.#token;
      if (!/^[A-Za-z_]/.test(name)) this.#fail("expected a name");
      if (this.#names.has(name)) this.#fail(`the name ${name} is declared twice`);
      this.#names.set(name, make(count++));
      this.#advance();
    });
    return count;
  }

  #list<Item>(open: string, close: string, item: () => Item): Item[] {
    this.#expect(open);
    const items: Item[] = [];
    while (this.#token !== close) {
      if (items.length > 0) this.#expect(",");
      items.push(item());
    }
    this.#advance();
    return items;
  }

  #sum(): AffineExpression {
    let left = this.#product();
    while (this.#token === "+" || this.#token === "-") {
      const subtract = this.#token === "-";
      this.#advance();
      const right = this.#product();
      left = affineAdd(left, subtract ? affineMul(right, affineConstant(-1)) : right);
    }
    return left;
  }

  #product(): AffineExpression {
    let left = this.#operand();
    for (let operator = this.#operator(); operator !== undefined; operator = this.#operator()) {
      this.#advance();
      left = affineBinary(operator, left, this.#operand());
    }
    return left;
  }

  #operator(): AffineOperator | undefined {
    switch (this.#token) {
      case "*":
        return "mul";
      case "floordiv":
      case "ceildiv":
      case "mod":
        return this.#token;
      default:
        return undefined;
    }
  }

  #operand(): AffineExpression {
    const token = this.#token;
    if (token === "-" || token === "(") {
      if (++this.#depth > MAXIMUM_DEPTH) this.#fail(`expressions nest deeper than ${MAXIMUM_DEPTH}`);
      this.#advance();
      const inner = token === "-" ? affineMul(this.#operand(), affineConstant(-1)) : this.#sum();
      if (token === "(") this.#expect(")");
      this.#depth--;
      return inner;
    }
    if (/^\d/.test(token)) {
      this.#advance();
      return affineConstant(Number(token));
    }
    const named = this.#names.get(token);
    if (named === undefined) {
      this.#fail(/^[A-Za-z_]/.test(token) ? `unknown name ${token}` : "expected an expression");
    }
    this.#advance();
    return named;
  }

  #expect(token: string): void {
    if (this.#token !== token) this.#fail(`expected '${token}'`);
    this.#advance();
  }

  #advance(): void {
    TOKEN.lastIndex = this.#offset;
    const match = TOKEN.exec(this.#text);
    if (match === null) {
      this.#tokenOffset = this.#offset;
      this.#fail("unexpected character");
    }
    this.#token = match[1] ?? "";
    this.#offset = TOKEN.lastIndex;
    this.#tokenOffset = this.#offset - this.#token.length;
  }

  #fail(reason: string): never {
    throw new LayoutError(
      "affine/syntax",
      `Cannot parse the affine map '${this.#text}': ${reason} at position ${this.#tokenOffset + 1}`,
    );
  }
}
