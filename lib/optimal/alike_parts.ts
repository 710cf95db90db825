// SPDX-License-Identifier: Apache-2.0
import type { OpId, ValueId } from "../graph/graph.ts";
import type { OpEvaluator } from "../search/op_evaluator.ts";
import type { OpRoles } from "../search/op_roles.ts";
import { functionParts } from "./function_parts.ts";
import type { ExploredPart } from "./layout_space.ts";

/** Share of a function's ops over which a value may live to tie its parts together. */
const LONGEST_LIFE = 0.25;

/** Share of a function's ops that parts which are like others must have for them to be worth looking at alone. */
const LEAST_REPEATED = 0.5;

/** Parts of a function that are alike, two at the least: by part its ops, rising. */
export type AlikeParts = readonly (readonly OpId[])[];

/**
 * The parts of a function that layers repeat, those that are alike together, the most frequent first: their ops get the same
 * answers, and read and make the same for each other. The op that makes the single value at a part's beginning is in it, and
 * in the one before.
 *
 * @param explored of the function
 * @returns empty where most ops are in parts that are like no other
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

/** The ops of a part, and the last op before them that makes something for them which is derived from inputs. */
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

/** Tells parts that are alike from others. */
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

  /** Equal for parts that are alike. */
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
      // What stays as the input has it has a table of its own.
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
