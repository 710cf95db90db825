// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../../graph/graph.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { OpRoles } from "../../search/op_roles.ts";
import { functionParts } from "./function_parts.ts";
import type { ExploredPart } from "../exploration/layout_space.ts";

/**
 * Longest life of a value that connects parts, as a share of all ops: a mask that every layer reads connects
 * none.
 */
const LONGEST_LIFE = 0.25;

/** Least share of a function's ops in repeated parts; with less, solving parts alone does not pay. */
const LEAST_REPEATED = 0.5;

/** Two or more parts of a function that are alike: the ops of each, in the input's order. */
export type AlikeParts = readonly (readonly OpId[])[];

/**
 * The parts of a function that layers repeat, grouped by kind, the most frequent kind first. Parts are alike if
 * the op model answers the same for their ops, and the ops read each other's results in the same way.
 *
 * Consecutive parts are connected by a single value. The op that produces it belongs to both: it is the last
 * one of the earlier part and the first one of the later part.
 *
 * @param explored layouts and tables of the function
 * @returns empty if less than {@linkcode LEAST_REPEATED} of the ops are in repeated parts
 */
export function alikeParts(
  evaluator: OpEvaluator,
  roles: OpRoles,
  explored: ExploredPart,
): readonly AlikeParts[] {
  const { ops } = evaluator.fn;
  const partOf = functionParts(evaluator, roles, LONGEST_LIFE * ops.length);
  const parts = Map.groupBy(ops, ({ id }) => partOf[id]);
  const structures = new Structures(evaluator, roles, explored);
  const byStructure = new Map<string, (readonly OpId[])[]>();
  for (const own of parts.values()) {
    if (!own.some(({ id }) => roles.decided[id] === true)) continue;
    const part = withMaker(evaluator, roles, own.map(({ id }) => id));
    if (part.length === 1) continue;
    const structure = structures.of(part);
    const alike = byStructure.get(structure);
    if (alike === undefined) byStructure.set(structure, [part]);
    else alike.push(part);
  }
  const repeated = [...byStructure.values()].filter(({ length }) => length > 1);
  const covered = repeated.reduce((sum, alike) => sum + alike.length * (alike[0]?.length ?? 0), 0);
  if (covered < LEAST_REPEATED * ops.length) return [];
  return repeated.toSorted((a, b) => b.length - a.length);
}

/**
 * The ops of a part, preceded by the last earlier op that produces something for them that is not derived from
 * constants.
 */
function withMaker(evaluator: OpEvaluator, roles: OpRoles, own: readonly OpId[]): readonly OpId[] {
  const [first = 0] = own;
  let maker: OpId | undefined;
  for (const value of own.flatMap((op) => evaluator.op(op).operands)) {
    const made = evaluator.producer(value);
    if (made === undefined || made >= first || roles.constantDerived[value] === true) continue;
    if (maker === undefined || made > maker) maker = made;
  }
  return maker === undefined ? own : [maker, ...own];
}

/** Describes the structure of parts such that alike parts have equal descriptions. */
class Structures {
  readonly #evaluator: OpEvaluator;
  readonly #roles: OpRoles;
  readonly #explored: ExploredPart;
  readonly #ids: Map<object, number> = new Map();

  constructor(evaluator: OpEvaluator, roles: OpRoles, explored: ExploredPart) {
    this.#evaluator = evaluator;
    this.#roles = roles;
    this.#explored = explored;
  }

  /** The description of a part: its ops, with operands and results numbered by first occurrence. */
  of(ops: readonly OpId[]): string {
    const places = new Map<ValueId, number>();
    const inside = new Set(ops);
    const placeOf = (value: ValueId): string => {
      const known = places.get(value);
      if (known !== undefined) return `${known}`;
      places.set(value, places.size);
      const { uses, returned } = this.#evaluator.value(value);
      const isReadElsewhere = uses.some(({ op }) => !inside.has(op));
      return `${places.size - 1}:${this.#kindOf(value)}:${returned}:${isReadElsewhere}`;
    };
    return ops.map((op) => {
      const { operands, results } = this.#evaluator.op(op);
      // Ops that read what the input declares have tables of their own, which would make every one of them unique.
      const table = this.#roles.readsElsewhere[op] === true ? this.#idOf(this.#explored.table(op)) : "";
      return `${this.#evaluator.structureId(op)}:${table}(${operands.map(placeOf).join()})${
        results.map(placeOf).join()
      }`;
    }).join("|");
  }

  #kindOf(value: ValueId): string {
    const { pinned, constantDerived } = this.#roles;
    const layouts = this.#idOf(this.#explored.layoutsOf(value));
    return `${this.#evaluator.declared[value]}:${layouts}:${pinned[value]}:${constantDerived[value]}`;
  }

  #idOf(object: object): number {
    let id = this.#ids.get(object);
    if (id === undefined) this.#ids.set(object, id = this.#ids.size);
    return id;
  }
}
