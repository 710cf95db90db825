// SPDX-License-Identifier: Apache-2.0
import type { Operand, Value } from "./module_text.ts";
import type { Scanner } from "./scanner.ts";

/** Makes the fields of a node writable while the parser builds it. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

interface ScopedDefinition {
  /** The values that the name stands for; more than one for `%name:2`. */
  readonly values: readonly Value[];
  readonly offset: number;
}

interface PendingUse {
  readonly operand: Mutable<Operand>;
  /** The use stands inside an opaque op, which may define the name in a way that we do not see. */
  readonly lenient: boolean;
}

interface Scope {
  readonly definitions: Map<string, ScopedDefinition>;
  /** Uses of names that are not defined yet. */
  readonly pending: PendingUse[];
  /** Names of enclosing regions are not visible inside. */
  readonly isolated: boolean;
  /** Inside an opaque op: names may be defined in ways that we do not see, so nothing is an error. */
  readonly lenient: boolean;
}

/** Resolves value names to values while the text is parsed, region by region, forward references included. */
export class ValueScopes {
  readonly #scanner: Scanner;
  readonly #scopes: Scope[] = [];

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  /** Number of open scopes. */
  get depth(): number {
    return this.#scopes.length;
  }

  /** Whether errors of the current scope are tolerated. */
  get lenient(): boolean {
    return this.#scopes.at(-1)?.lenient ?? false;
  }

  /** Opens the scope of a region. A region inside a lenient one is lenient as well. */
  push(isolated: boolean, lenient: boolean): void {
    this.#scopes.push({
      definitions: new Map(),
      pending: [],
      isolated,
      lenient: lenient || this.lenient,
    });
  }

  /** Closes the scope of a region; uses that stay unresolved move outwards or are errors. */
  pop(): void {
    const scope = this.#scopes.pop();
    if (scope === undefined) return;
    const outer = this.#scopes.at(-1);
    for (const use of scope.pending) {
      const definition = scope.definitions.get(use.operand.name);
      if (definition !== undefined) this.#bind(use.operand, definition, use.lenient);
      else if (outer !== undefined && !scope.isolated) outer.pending.push(use);
      else if (!use.lenient) throw this.#undefined(use.operand);
    }
  }

  /** Drops scopes without looking at them, after a failed attempt to parse an opaque region. */
  discard(depth: number): void {
    this.#scopes.length = Math.min(this.#scopes.length, depth);
  }

  /** Defines a name for its values. */
  define(name: string, values: readonly Value[], offset: number): void {
    const scope = this.#scopes.at(-1);
    if (scope === undefined) return;
    const cached = this.#lookup(name);
    if (cached !== undefined && !scope.lenient) {
      throw this.#scanner.error(
        "parse/duplicate-value",
        offset,
        `redefinition of SSA value '${name}', first defined ${
          this.#scanner.lineDistance(cached.offset, offset)
        }; give one of the two another name`,
      );
    }
    scope.definitions.set(name, { values, offset });
  }

  /** Resolves a use now, or at the end of the region that defines it. */
  use(operand: Mutable<Operand>): void {
    const scope = this.#scopes.at(-1);
    if (scope === undefined) throw this.#undefined(operand);
    const definition = this.#lookup(operand.name);
    if (definition === undefined) scope.pending.push({ operand, lenient: scope.lenient });
    else this.#bind(operand, definition, scope.lenient);
  }

  /** Resolves a use of an opaque op with regions when its definition is visible; never an error. */
  useIfVisible(operand: Mutable<Operand>): void {
    const definition = this.#lookup(operand.name);
    if (definition !== undefined) this.#bind(operand, definition, true);
  }

  #lookup(name: string): ScopedDefinition | undefined {
    for (let level = this.#scopes.length - 1; level >= 0; level--) {
      const scope = this.#scopes[level];
      if (scope === undefined) return undefined;
      const definition = scope.definitions.get(name);
      if (definition !== undefined) return definition;
      if (scope.isolated) return undefined;
    }
    return undefined;
  }

  #bind(operand: Mutable<Operand>, definition: ScopedDefinition, lenient: boolean): void {
    operand.value = definition.values[operand.resultIndex];
    if (operand.value === undefined && !lenient) {
      throw this.#scanner.error(
        "parse/result-number",
        operand.span.start,
        `reference to result ${operand.resultIndex} of '${operand.name}', which has ${definition.values.length}`,
      );
    }
  }

  #undefined(operand: Operand) {
    return this.#scanner.error(
      "parse/undefined-value",
      operand.span.start,
      `use of undeclared SSA value name '${operand.name}'; define it before this use or correct the name`,
    );
  }
}
