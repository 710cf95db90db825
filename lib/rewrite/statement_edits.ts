// SPDX-License-Identifier: Apache-2.0
import { type ModuleText, type Operation, type Patch, type Span, textOf } from "../ir/mod.ts";
import { endOfStatement, indentationOf, removedStatement, textWithin } from "../ir/statement.ts";

/** A line to insert, followed by lines that stay directly behind it, whatever else is inserted later. */
export type InsertedLines = string[];

/** Lines to insert, by op of the input. */
type Insertions = Map<Operation, InsertedLines[]>;

/** Edits of the statements of one function, collected as patches; bytes between them stay as they are. */
export class StatementEdits {
  readonly #module: ModuleText;
  readonly #patches: Patch[] = [];
  /** Lines before the first byte of an op. */
  readonly #before: Insertions = new Map();
  /** Lines after the last byte of an op. */
  readonly #after: Insertions = new Map();

  constructor(module: ModuleText) {
    this.#module = module;
  }

  /**
   * Replaces the text of a part of an op.
   *
   * @throws {RangeError} without a span: the form of the op does not show where the part is
   */
  replace(span: Span | undefined, text: string): void {
    if (span === undefined) {
      throw new RangeError("Cannot rewrite an op whose form does not tell its operands or types");
    }
    if (textOf(this.#module, span) !== text) this.#patches.push({ start: span.start, end: span.end, text });
  }

  add(patches: readonly Patch[]): void {
    this.#patches.push(...patches);
  }

  /** Text of an op with its edits so far and additional ones, for a copy of it. */
  textOf({ span }: Operation, others: readonly Patch[]): string {
    const isInside = ({ start, end }: Patch) => start >= span.start && end <= span.end;
    const patches = [...this.#patches.filter(isInside), ...others]
      .sort((a, b) => a.start - b.start || a.end - b.end);
    return textWithin(this.#module, span, patches);
  }

  /** Inserts a line before an op, after earlier insertions there; the caller may add lines that follow it. */
  insertBefore(operation: Operation, line: string): InsertedLines {
    return append(this.#before, operation, line);
  }

  /** Inserts a line after an op, after earlier insertions there. */
  insertAfter(operation: Operation, line: string): void {
    append(this.#after, operation, line);
  }

  /** Removes an op, with its line if nothing else is on it. */
  remove(operation: Operation): void {
    this.#patches.push(removedStatement(this.#module, operation));
  }

  /** All edits, with every statement in its place. */
  patches(): readonly Patch[] {
    const patches = [...this.#patches];
    for (const [operation, lines] of this.#before) {
      const indentation = indentationOf(this.#module, operation);
      const text = lines.flat().map((line) => `${line}\n${indentation}`).join("");
      patches.push({ start: operation.span.start, end: operation.span.start, text });
    }
    for (const [operation, lines] of this.#after) {
      const indentation = indentationOf(this.#module, operation);
      const text = lines.flat().map((line) => `\n${indentation}${line}`).join("");
      const at = endOfStatement(this.#module, operation);
      patches.push({ start: at, end: at, text });
    }
    return patches;
  }

  /**
   * All edits, with whole statements moved; text between two statements (comments) moves with the second one.
   *
   * @param first of the statements in the input's order; text before it stays
   * @param inOrder the statements before `last` in their new order
   * @param last statement, which stays the last
   */
  reordered(first: Operation, inOrder: readonly Operation[], last: Operation): readonly Patch[] {
    const patches = this.patches();
    const start = first.span.start;
    const end = last.span.start;
    const inside = patches.filter((patch) => patch.start >= start && patch.end <= end)
      .sort((a, b) => a.start - b.start || a.end - b.end);
    const outside = patches.filter((patch) => patch.start < start || patch.end > end);
    const removals = inside.filter((patch) => patch.start < patch.end);
    const between = new Map([[first, `\n${indentationOf(this.#module, first)}`]]);
    let behind: number | undefined;
    for (const operation of [...inOrder, last].toSorted((a, b) => a.span.start - b.span.start)) {
      const span = { start: behind ?? start, end: operation.span.start };
      if (behind !== undefined) between.set(operation, textWithin(this.#module, span, removals));
      behind = endOfStatement(this.#module, operation);
    }
    const statements = inOrder.map((operation) => {
      const span = { start: operation.span.start, end: endOfStatement(this.#module, operation) };
      return `${between.get(operation) ?? ""}${textWithin(this.#module, span, inside)}`;
    });
    const beforeLast = inside.filter((patch) => patch.start === end && patch.end === end)
      .map((patch) => patch.text);
    const text = statements.join("").trimStart() + (between.get(last) ?? "") + beforeLast.join("");
    return [...outside, { start, end, text }];
  }
}

function append(insertions: Insertions, operation: Operation, line: string): InsertedLines {
  const inserted = [line];
  insertions.getOrInsertComputed(operation, () => []).push(inserted);
  return inserted;
}
