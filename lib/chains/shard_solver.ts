// SPDX-License-Identifier: Apache-2.0
import type { LayoutId } from "../layout/layout_table.ts";
import { CONFIG_BITS, ConfigBitset } from "./config_bitset.ts";
import { type ChainEdge, type Path, PathSet } from "./path_set.ts";
import { accumulatedCoreUsage, type PathSetGraph, updateSolver } from "./update_solver.ts";

/** One op of the chain, as the solver sees it. */
export interface SolverOp {
  /** Name for messages and traces, for example `%4`. */
  readonly name: string;
  /** Shards of the output per config; one entry per config. */
  readonly gridVolumes: readonly number[];
  /** Whether the config's output is block sharded; height and width sharding win ties against it. */
  readonly isBlockSharded?: (config: number) => boolean;
}

/** An operand that may need a conversion: of the first op (with its producer outside the chain) or of an edge. */
export interface ReconfigEdge {
  readonly consumer: number;
  readonly operand: number;
}

/** The possible conversions of one operand (tt-mlir `MemReconfigEntry`). */
export interface MemReconfigEntry extends ReconfigEdge {
  /** Per consumer config: the layouts that the operand may be converted to, in the order of the candidates. */
  readonly reshardLayouts: ReadonlyMap<number, readonly LayoutId[]>;
}

/** How the first op of the chain can read its operand from outside. */
export type FirstOpInput =
  /** The user asked for a conversion of the operand: every config stays. */
  | { readonly kind: "override" }
  /** These configs work with the operand as it is; possibly none. */
  | { readonly kind: "configs"; readonly configs: readonly number[] }
  /** The operand is always converted (convolutions). */
  | { readonly kind: "reshard" }
  /** `solveForOptimalFirstOpInput`: this operand is read in this layout, and only this config is kept. */
  | { readonly kind: "input"; readonly operand: number; readonly layout: LayoutId; readonly config: number };

/** The solver's queries; policies answer them with the op model, tests with tables. */
export interface ShardSolverOracle {
  firstOpInput(): FirstOpInput;
  /** Consumer configs that work if the edge's operand has the output layout of the producer config. */
  compatibleConfigs(edge: ChainEdge, producerConfig: number): readonly number[];
  /** Per consumer config that becomes possible: the layouts that the operand could be converted to. */
  reshardLayouts(edge: ReconfigEdge): ReadonlyMap<number, readonly LayoutId[]>;
}

/** The input of the solver. */
export interface ShardSolverProblem {
  readonly ops: readonly SolverOp[];
  /** In-chain operands, in order of consumer and then operand. */
  readonly edges: readonly ChainEdge[];
  /** In-chain operands where the user asked for a conversion. */
  readonly overrideEdges?: readonly ReconfigEdge[];
}

/** Phase of the solver, as named in the deep dive. */
export type SolverPhase =
  | { readonly kind: "constructor" }
  | { readonly kind: "preprocessFirstOp" }
  | { readonly kind: "insertReshard"; readonly edge: ReconfigEdge }
  | { readonly kind: "processOp"; readonly op: number }
  | { readonly kind: "updateSolver" }
  | { readonly kind: "set"; readonly op: number; readonly config: number }
  | { readonly kind: "finish" };

/** Where and why there is no solution. */
export interface SolverFailure {
  readonly edge: ReconfigEdge;
  readonly reason: "no_reshard" | "no_paths_left";
}

/** The result of a finished solver. */
export interface ShardSolverSolution {
  /** Config per op of the chain. */
  readonly selectedConfigs: readonly number[];
  readonly memReconfigs: readonly MemReconfigEntry[];
  /** Operand of the first op and the layout in which it is read, if that was solved for. */
  readonly firstOpInput: { readonly operand: number; readonly layout: LayoutId } | undefined;
}

/** Called after each phase with the solver in its state at that point. */
export type SolverObserver = (phase: SolverPhase, solver: ShardSolver) => void;

/**
 * Finds output configs for the ops of a chain that are compatible along every edge (tt-mlir `ShardSolver`):
 * bitsets of possible configs, path sets of compatible pairs, propagation to a fixed point, and conversions
 * where an edge has no pair at all. One pass over the chain, no backtracking.
 */
export class ShardSolver {
  readonly problem: ShardSolverProblem;
  readonly #oracle: ShardSolverOracle;
  readonly #observer: SolverObserver | undefined;
  readonly #bitsets: ConfigBitset[];
  readonly #touched: boolean[];
  readonly #graph: PathSetGraph & { readonly operands: PathSet[][]; readonly users: PathSet[][] };
  readonly #pathSets: PathSet[] = [];
  readonly #memReconfigs: Map<string, MemReconfigEntry> = new Map();
  readonly #overrides: ReadonlySet<string>;
  readonly #selected: (number | undefined)[];
  #firstOpInput: ShardSolverSolution["firstOpInput"];

  /** @throws {RangeError} if an op has no config, or an edge does not run forward along the chain */
  constructor(problem: ShardSolverProblem, oracle: ShardSolverOracle, observer?: SolverObserver) {
    for (const op of problem.ops) {
      if (op.gridVolumes.length === 0) throw new RangeError(`Cannot solve for ${op.name}: it has no configs`);
    }
    for (const { producer, consumer } of problem.edges) {
      if (producer < 0 || producer >= consumer || consumer >= problem.ops.length) {
        throw new RangeError(`Cannot solve for the edge ${producer} → ${consumer}: not a forward edge`);
      }
    }
    this.problem = problem;
    this.#oracle = oracle;
    this.#observer = observer;
    this.#bitsets = problem.ops.map(() => ConfigBitset.all());
    this.#touched = problem.ops.map(() => false);
    this.#graph = { operands: problem.ops.map(() => []), users: problem.ops.map(() => []) };
    this.#overrides = new Set((problem.overrideEdges ?? []).map(edgeKey));
    this.#selected = problem.ops.map(() => undefined);
    this.#notify({ kind: "constructor" });
  }

  /** Whether the op has a bitset yet; until then, all its configs count as possible. */
  hasBitset(op: number): boolean {
    return this.#touched[op] ?? false;
  }

  /** Configs of an op that are still possible, ascending. */
  liveConfigs(op: number): number[] {
    return this.#bitset(op).indices(this.#configCount(op));
  }

  /** The op's bitset as a binary literal, one digit per config. */
  bitsetText(op: number): string {
    return this.#bitset(op).toBinary(this.#configCount(op));
  }

  /** Path sets in the order in which they were made. */
  get pathSets(): readonly PathSet[] {
    return this.#pathSets;
  }

  /** Conversions in the order in which they were inserted. */
  get memReconfigs(): readonly MemReconfigEntry[] {
    return [...this.#memReconfigs.values()];
  }

  /** The config picked for an op; `undefined` until one is picked. */
  selectedConfig(op: number): number | undefined {
    return this.#selected[op];
  }

  /**
   * Builds the path sets along the chain and propagates to the fixed point.
   *
   * @returns why the chain has no solution; `undefined` if it has one
   */
  resolve(): SolverFailure | undefined {
    const failure = this.#preprocessFirstOp();
    this.#notify({ kind: "preprocessFirstOp" });
    if (failure !== undefined) return failure;
    const edgesOf = Map.groupBy(this.problem.edges, (edge) => edge.consumer);
    for (let op = 0; op < this.problem.ops.length; op++) {
      const shrunken: number[] = [];
      this.#touched[op] = true;
      for (const edge of edgesOf.get(op) ?? []) {
        const edgeFailure = this.#processEdge(edge, shrunken);
        if (edgeFailure !== undefined) return edgeFailure;
      }
      for (let root = shrunken.pop(); root !== undefined; root = shrunken.pop()) {
        const dead = updateSolver(this.#graph, this.#bitsets, root, true);
        if (dead !== undefined) return { edge: dead, reason: "no_paths_left" };
      }
      this.#notify({ kind: "processOp", op });
    }
    for (let op = 0; op < this.problem.ops.length; op++) {
      const dead = updateSolver(this.#graph, this.#bitsets, op, false);
      if (dead !== undefined) return { edge: dead, reason: "no_paths_left" };
    }
    this.#notify({ kind: "updateSolver" });
    return undefined;
  }

  /** Accumulated core usage per op and config: the shards of the config plus the best usage of later ops. */
  coreUsage(): readonly Float64Array[] {
    return accumulatedCoreUsage(this.problem.ops.map((op) => op.gridVolumes), this.#graph);
  }

  /**
   * Fixes the config of an op and propagates.
   *
   * @throws {RangeError} if the op is already set, the config is no longer possible, or no solution is left
   */
  set(op: number, config: number): void {
    const name = this.problem.ops[op]?.name ?? `op ${op}`;
    if (this.#selected[op] !== undefined) throw new RangeError(`Cannot set ${name} twice`);
    const bits = this.#bitset(op);
    if (config >= this.#configCount(op) || !bits.has(config)) {
      throw new RangeError(`Cannot set ${name} to config ${config}: the config is not possible`);
    }
    this.#selected[op] = config;
    this.#touched[op] = true;
    bits.clear();
    bits.set(config);
    const dead = updateSolver(this.#graph, this.#bitsets, op, true);
    if (dead !== undefined) {
      throw new RangeError(
        `Cannot set ${name} to config ${config}: operand ${dead.operand} has no path left`,
      );
    }
    this.#notify({ kind: "set", op, config });
  }

  /**
   * The solution, once every op is set.
   *
   * @throws {RangeError} if an op is not set
   */
  finish(): ShardSolverSolution {
    const selectedConfigs = this.#selected.map((config, op) => {
      if (config === undefined) {
        throw new RangeError(`Cannot finish: ${this.problem.ops[op]?.name ?? op} has no config`);
      }
      return config;
    });
    this.#notify({ kind: "finish" });
    return {
      selectedConfigs,
      memReconfigs: this.memReconfigs,
      firstOpInput: this.#firstOpInput,
    };
  }

  #notify(phase: SolverPhase): void {
    this.#observer?.(phase, this);
  }

  #bitset(op: number): ConfigBitset {
    const bits = this.#bitsets[op];
    if (bits === undefined) throw new RangeError(`Cannot look up op ${op}: it is not in the chain`);
    return bits;
  }

  /** Configs beyond the last bit are ignored. */
  #configCount(op: number): number {
    return Math.min(this.problem.ops[op]?.gridVolumes.length ?? 0, CONFIG_BITS);
  }

  #preprocessFirstOp(): SolverFailure | undefined {
    const input = this.#oracle.firstOpInput();
    if (input.kind === "override") return undefined;
    this.#touched[0] = true;
    const bits = this.#bitset(0);
    bits.clear();
    if (input.kind === "input") {
      bits.set(input.config);
      this.#firstOpInput = { operand: input.operand, layout: input.layout };
      return undefined;
    }
    if (input.kind === "configs") {
      for (const config of input.configs) if (config < this.#configCount(0)) bits.set(config);
      if (input.configs.length > 0) return undefined;
    }
    return this.#insertReshard({ consumer: 0, operand: 0 });
  }

  /** Builds the path set of an edge; the producer is queued if its bitset shrinks. */
  #processEdge(edge: ChainEdge, shrunken: number[]): SolverFailure | undefined {
    const producerBits = this.#bitset(edge.producer);
    const consumerBits = this.#bitset(edge.consumer);
    this.#touched[edge.producer] = true;
    const liveProducers = this.liveConfigs(edge.producer);
    const paths: Path[] = [];
    const edgeProducers = new ConfigBitset();
    const edgeConsumers = new ConfigBitset();
    const addPath = (producerId: number, consumerId: number): void => {
      paths.push({ producerId, consumerId });
      edgeProducers.set(producerId);
      edgeConsumers.set(consumerId);
    };
    const isOverride = this.#overrides.has(edgeKey(edge));
    if (!isOverride) {
      for (const producerId of liveProducers) {
        for (const consumerId of this.#oracle.compatibleConfigs(edge, producerId)) {
          if (consumerId < this.#configCount(edge.consumer)) addPath(producerId, consumerId);
        }
      }
    }
    if (!producerBits.intersects(edgeProducers) || !consumerBits.intersects(edgeConsumers)) {
      const failure = this.#insertReshard(edge);
      if (failure !== undefined) return failure;
      const entry = this.#memReconfigs.get(edgeKey(edge));
      for (const producerId of liveProducers) {
        for (const consumerId of entry?.reshardLayouts.keys() ?? []) addPath(producerId, consumerId);
      }
    }
    if (!producerBits.isSubsetOf(edgeProducers)) shrunken.push(edge.producer);
    producerBits.and(edgeProducers);
    consumerBits.and(edgeConsumers);
    const pathSet = new PathSet(edge, paths);
    this.#pathSets.push(pathSet);
    this.#graph.operands[edge.consumer]?.push(pathSet);
    this.#graph.users[edge.producer]?.push(pathSet);
    return undefined;
  }

  /** Rebuilds the consumer's bitset from the configs that conversions of the operand make possible. */
  #insertReshard(edge: ReconfigEdge): SolverFailure | undefined {
    const layouts = this.#oracle.reshardLayouts(edge);
    const bits = this.#bitset(edge.consumer);
    bits.clear();
    const possible = [...layouts].filter(([config]) => config < this.#configCount(edge.consumer));
    if (possible.length === 0) return { edge, reason: "no_reshard" };
    for (const [config] of possible) bits.set(config);
    const { consumer, operand } = edge;
    this.#memReconfigs.set(edgeKey(edge), { consumer, operand, reshardLayouts: new Map(possible) });
    this.#notify({ kind: "insertReshard", edge });
    return undefined;
  }
}

function edgeKey(edge: ReconfigEdge): string {
  return `${edge.consumer}:${edge.operand}`;
}
