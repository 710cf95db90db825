// SPDX-License-Identifier: Apache-2.0
import { idAt, type ValueId } from "../../graph/graph.ts";
import type { OpEvaluator } from "../../search/op_evaluator.ts";
import type { OpRoles } from "../../search/op_roles.ts";
import { type Placing, unplaced } from "../addresses/address_search.ts";
import { alikeParts } from "./alike_parts.ts";
import { NO_CAPS, withCap } from "../l1/l1_branching.ts";
import type { ExploredPart } from "../exploration/layout_space.ts";
import { PartFunction } from "./part_function.ts";
import { partWindows } from "./part_windows.ts";
import type { Sharing } from "../factors/sharing.ts";

/** Most solutions that are examined for a single part: as long as none fits, and after the first one that does. */
const PART_SOLUTIONS = { untilFits: 160, afterwards: 8 } as const;

/**
 * Largest window of parts, as a share of all ops: solving a window until nothing improves takes fifty rounds,
 * which must not take longer than one round of the whole function.
 */
const WINDOW_SHARE = 0.01;

/** A program of a part that fits L1. */
interface PartPlacement {
  readonly placed: { readonly placing: Placing } | undefined;
}

/** Solves the layouts of a part as a function of its own. */
export interface PartOptimizer {
  /** How readers share copies at the highest bound so far. */
  readonly sharings: ReadonlyMap<ValueId, Sharing>;
  /**
   * One item per solution: a program if it fits L1 by address and is faster than all before it, otherwise
   * `undefined`.
   */
  placements(from: Placing): Generator<PartPlacement | undefined, void, void>;
}

/** Parts that are alike, with the first of them solved alone. */
interface SolvedPart {
  readonly alike: readonly PartFunction[];
  readonly first: PartFunction;
  readonly optimizer: PartOptimizer;
}

/**
 * The parts of a function that layers repeat, with one of each kind solved alone. All parts of its kind then
 * start from its best sharing of copies and from the changes that make it fit L1. For a function of thirty
 * layers, this takes a thirtieth of the work.
 */
export class OptimizedParts {
  readonly #evaluator: OpEvaluator;
  readonly #solved: readonly SolvedPart[];
  /** How readers share copies in parts that are between others, if that was solved. */
  readonly #inWindows: Map<ValueId, Sharing> = new Map();

  /**
   * @param explored layouts and tables of the whole function
   * @param solve called once for every kind of part
   * @param isSpent asked before every kind of part: whether to stop
   */
  constructor(
    evaluator: OpEvaluator,
    roles: OpRoles,
    explored: ExploredPart,
    solve: (part: PartFunction) => PartOptimizer,
    isSpent: () => boolean,
  ) {
    this.#evaluator = evaluator;
    const kinds = alikeParts(evaluator, roles, explored);
    const parts = kinds.map((kind) => kind.map((ops) => new PartFunction(evaluator, roles, ops)));
    const most = WINDOW_SHARE * evaluator.fn.ops.length;
    for (const { ops, inner } of partWindows(kinds, most)) {
      if (isSpent()) break;
      const window = new PartFunction(evaluator, roles, ops);
      const { sharings } = solve(window);
      const found = new Map([...sharings].map(([own, sharing]) => [window.valueOf(own), sharing]));
      for (const { kind, place } of inner) this.#shareAlike(parts[kind] ?? [], place, found);
    }
    this.#solved = parts.flatMap((alike): SolvedPart[] => {
      if (isSpent()) return [];
      const [first] = alike;
      return first === undefined ? [] : [{ alike, first, optimizer: solve(first) }];
    });
  }

  /** Lets alike parts share copies as one of them does between its neighbours. */
  #shareAlike(alike: readonly PartFunction[], place: number, found: ReadonlyMap<ValueId, Sharing>): void {
    const inside = alike[place];
    for (const { id } of inside?.fn.values ?? []) {
      const sharing = inside?.hasAllReaders(id) ? found.get(inside.valueOf(id)) : undefined;
      if (sharing === undefined) continue;
      for (const part of alike) this.#inWindows.set(part.valueOf(id), sharing);
    }
  }

  /** Whether no part was solved. */
  get isEmpty(): boolean {
    return this.#solved.length === 0;
  }

  /** How readers share copies in the parts, for values whose readers are all in one part. */
  get sharings(): ReadonlyMap<ValueId, Sharing> {
    const all = new Map<ValueId, Sharing>();
    for (const { alike, first, optimizer } of this.#solved) {
      for (const [own, sharing] of optimizer.sharings) {
        if (!first.hasAllReaders(own)) continue;
        for (const part of alike) all.set(part.valueOf(own), sharing);
      }
    }
    for (const [value, sharing] of this.#inWindows) all.set(value, sharing);
    return all;
  }

  /**
   * The restrictions of the whole function if each part uses those of the best program found for its kind; one
   * item per solution.
   */
  *placing(): Generator<undefined, Placing, void> {
    let placing = unplaced(this.#evaluator.fn.ops.map(({ id }) => id));
    for (const { alike, first, optimizer } of this.#solved) {
      const found = yield* bestOf(optimizer.placements(this.#startOf(first)));
      if (found === undefined) continue;
      for (const part of alike) placing = PartFunction.within(placing, found, part);
    }
    return placing;
  }

  /**
   * Where the search for room in a part starts: a value that the whole function returns in DRAM does not wait
   * for that in L1, because the results of many layers would fill it.
   */
  #startOf(part: PartFunction): Placing {
    const { declared } = this.#evaluator;
    let caps = NO_CAPS;
    for (const { id, uses, definition } of part.fn.values) {
      const value = part.valueOf(id);
      const layout = declared[value];
      if (definition.kind === "argument" || layout === undefined) continue;
      if (this.#evaluator.value(value).returned === 0 || this.#evaluator.facts(layout).isL1) continue;
      caps = withCap(caps, { kind: "value", value: id, reader: uses.length, bytes: 0 }, 0);
    }
    return { ...unplaced(part.fn.ops.map((_, index) => idAt(index))), caps };
  }
}

/** The restrictions of the best program, after as many solutions as {@linkcode PART_SOLUTIONS} allows. */
function* bestOf(
  placements: Generator<PartPlacement | undefined, void, void>,
): Generator<undefined, Placing | undefined, void> {
  let best: Placing | undefined;
  let left: number = PART_SOLUTIONS.untilFits;
  for (const found of placements) {
    if (found !== undefined) {
      best = found.placed?.placing;
      left = Math.min(left, PART_SOLUTIONS.afterwards);
    }
    if (left-- <= 0) break;
    yield undefined;
  }
  return best;
}
