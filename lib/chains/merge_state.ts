// SPDX-License-Identifier: Apache-2.0
import { l1Shards } from "../analysis/legal_op_layouts.ts";
import type { OpConfig } from "../analysis/op_config.ts";
import type { OpId, ValueId } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { l1Bytes } from "../memory/op_footprint.ts";
import type { ChainContext } from "./chain_context.ts";
import type { DecidedChains } from "./decide_chains.ts";
import { L1ChainConfig } from "./l1_chain_config.ts";

/** Bytes per core that the output of an op holds until its last reader; positions are inclusive. */
export interface L1Reservation {
  readonly op: OpId;
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
}

/** The L1 reservation timeline of DFSharding 2.0: which output holds how much at which place of the schedule. */
export class L1Reservations {
  readonly #reservations: Map<OpId, L1Reservation[]> = new Map();
  /** By position. */
  readonly #bytes: number[] = [];

  add(reservation: L1Reservation): void {
    const { op, start, end, bytes } = reservation;
    this.#reservations.set(op, [...this.#reservations.get(op) ?? [], reservation]);
    for (let position = start; position <= end; position++) {
      this.#bytes[position] = this.bytesAt(position) + bytes;
    }
  }

  /** All reservations; ops in the order of their first one. */
  get all(): readonly L1Reservation[] {
    return [...this.#reservations.values()].flat();
  }

  /** Bytes per core that are reserved at a position. */
  bytesAt(position: number): number {
    return this.#bytes[position] ?? 0;
  }

  /** Whether the output of an op is reserved at a position. */
  covers(op: OpId, position: number): boolean {
    return this.#reservations.get(op)?.some(({ start, end }) => start <= position && position <= end) ===
      true;
  }
}

/** Reductions that read sharded inputs incorrectly (tt-metal#34951). */
const REDUCTIONS: ReadonlySet<string> = new Set(["ttnn.mean", "ttnn.sum", "ttnn.min", "ttnn.max"]);

/** Layouts of outputs that stay in L1, by producer op. */
export type Residents = ReadonlyMap<OpId, LayoutId>;

/** The part of {@linkcode Residents} needed for look-ups. */
type ResidentLayouts = Pick<Residents, "get">;

const NO_RESIDENTS: Residents = new Map();

/**
 * Shared state of the steps of DFSharding 2.0: which outputs stay in L1 in which layout, what is reserved when,
 * and the validation of ranges of the schedule under that pressure.
 */
export class MergeState {
  readonly context: ChainContext;
  readonly decided: DecidedChains;
  readonly reservations: L1Reservations = new L1Reservations();
  readonly #residents: Map<OpId, LayoutId> = new Map();
  readonly #position: ReadonlyMap<OpId, number>;
  readonly #chains: L1ChainConfig[];
  readonly #chainOf: Map<OpId, L1ChainConfig> = new Map();

  constructor(context: ChainContext, decided: DecidedChains) {
    this.context = context;
    this.decided = decided;
    this.#position = new Map(decided.schedule.map((op, index) => [op, index]));
    this.#chains = [...decided.chains];
    for (const chain of this.#chains) for (const op of chain.ops) this.#chainOf.set(op, chain);
  }

  /** Chains in order; reshapes that were made resident come last. */
  get chains(): readonly L1ChainConfig[] {
    return this.#chains;
  }

  /** Outputs that stay in L1. */
  get residents(): Residents {
    return this.#residents;
  }

  /** Adds a completed chain of one op, whose output stays in L1. */
  addResidentOp(op: OpId, config: OpConfig): void {
    const chain = new L1ChainConfig(this.#chains.length);
    chain.addOp(op);
    chain.build();
    chain.resolve();
    chain.complete([config], []);
    this.#chains.push(chain);
    this.#chainOf.set(op, chain);
  }

  /** The chain of an op, whatever its state; `undefined` for ops in no chain. */
  chainOf(op: OpId | undefined): L1ChainConfig | undefined {
    return op === undefined ? undefined : this.#chainOf.get(op);
  }

  /** The completed chain whose last op produces a value; `undefined` if there is none. */
  chainEndingWith(value: ValueId | undefined): L1ChainConfig | undefined {
    const producer = value === undefined ? undefined : this.context.producer(value);
    const chain = this.chainOf(producer);
    return chain?.state === "Completed" && chain.lastOp === producer ? chain : undefined;
  }

  /** Position in the schedule; `undefined` for ops that are not scheduled. */
  position(op: OpId): number | undefined {
    return this.#position.get(op);
  }

  /**
   * Position of a scheduled op.
   *
   * @throws {RangeError} if the op is not scheduled
   */
  placeOf(op: OpId): number {
    const place = this.#position.get(op);
    if (place === undefined) {
      throw new RangeError(`Cannot find op ${op} in the schedule: it is not scheduled`);
    }
    return place;
  }

  /**
   * The config that an op runs with: that of its chain, otherwise as in the input. `undefined` without a result layout;
   * upstream does not look at ops of failed chains either.
   */
  configOf(op: OpId): OpConfig | undefined {
    const chain = this.chainOf(op);
    if (chain?.state === "Completed") return chain.configOf(op);
    if (chain !== undefined && !this.context.conventions.seesWaitingOutputs) return undefined;
    const outputLayout = this.context.declaredOutput(op);
    return outputLayout === undefined ? undefined : { outputLayout, attributes: undefined };
  }

  /** Bytes per core of a layout in L1. */
  bytes(layout: LayoutId): number {
    return l1Bytes(this.context.layouts, layout);
  }

  /** Keeps the output of a chain in L1 in its layout until a position. */
  keep(chain: L1ChainConfig, layout: LayoutId, end: number, reserve: boolean): void {
    const op = chain.lastOp;
    if (op === undefined) return;
    this.#residents.set(op, layout);
    if (reserve) this.reservations.add({ op, start: this.placeOf(op), end, bytes: this.bytes(layout) });
  }

  /**
   * Operand layouts of a chain op: the converted layout for converted operands, the producer's config inside
   * the chain, the kept layout for resident outputs, the input's layout for all others.
   */
  chainInputs(op: OpId, residents: ResidentLayouts): (LayoutId | undefined)[] {
    const chain = this.chainOf(op);
    return this.context.op(op).operands.map((value, operand) => {
      const reconfig = chain?.reconfigOf(op, operand);
      if (reconfig !== undefined) return reconfig;
      const producer = this.context.producer(value);
      if (producer === undefined) return this.context.declared[value];
      const isInside = chain !== undefined && this.chainOf(producer) === chain;
      if (isInside) return chain.configOf(producer)?.outputLayout;
      return this.#residentLayout(value, residents) ?? this.context.declared[value];
    });
  }

  /**
   * Why an op does not run with a config under pressure; `undefined` if it does.
   *
   * @param held outputs that `extraL1Bytes` already counts
   */
  refusal(
    op: OpId,
    inputs: LayoutIds,
    config: OpConfig,
    extraL1Bytes: number,
    held: Residents,
  ): string | undefined {
    const own = this.context.conventions.countsOperandBytes ? this.#ownInputBytes(op, inputs, held) : 0;
    const outputs = this.context.outputsOf(op, inputs, config, extraL1Bytes + own);
    return typeof outputs === "string" ? `${this.context.describeOp(op)}: ${outputs}` : undefined;
  }

  /** Why an op does not run at its place of the schedule, beside what is reserved there and what is held. */
  placeRefusal(op: OpId, inputs: LayoutIds, config: OpConfig, held: Residents): string | undefined {
    const heldBytes = held.values().reduce((sum, layout) => sum + this.bytes(layout), 0);
    return this.refusal(op, inputs, config, this.reservations.bytesAt(this.placeOf(op)) + heldBytes, held);
  }

  /**
   * Whether every op scheduled in a range still runs while the outputs in `held` stay in L1 (tt-mlir
   * `validateScheduleRangeWithReservation`).
   *
   * @param start first position, `end` last
   * @returns the reason if not, naming the op
   */
  rangeRefusal(start: number, end: number, held: Residents): string | undefined {
    for (
      let position = Math.max(0, start);
      position <= Math.min(end, this.decided.schedule.length - 1);
      position++
    ) {
      const op = this.decided.schedule[position];
      if (op === undefined) continue;
      if (this.context.op(op).name === "ttnn.to_layout") {
        const readsHeld = this.context.op(op).operands.some((value) =>
          this.#residentLayout(value, held) !== undefined
        );
        if (readsHeld && this.context.conventions.seesWaitingOutputs) {
          return `${this.context.describeOp(op)}: it changes pages only, not memory`;
        }
        continue;
      }
      const refusal = this.#opRefusal(op, held);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #opRefusal(op: OpId, held: Residents): string | undefined {
    const { context } = this;
    const { seesWaitingOutputs } = context.conventions;
    const config = this.configOf(op);
    if (config === undefined) return undefined;
    const residents = seesWaitingOutputs ? this.#residentsWith(held) : held;
    if (this.chainOf(op)?.state === "Completed") {
      const inputs = this.chainInputs(op, seesWaitingOutputs ? residents : NO_RESIDENTS);
      return this.placeRefusal(op, inputs, config, held);
    }
    const { name, operands } = context.op(op);
    const kept = operands.map((value) => this.#residentLayout(value, residents));
    const readsSharded = kept.some((layout) =>
      layout !== undefined && l1Shards(context.layouts.get(layout)) !== undefined
    );
    if (REDUCTIONS.has(name) && readsSharded) {
      return `${context.describeOp(op)}: reductions misread sharded inputs`;
    }
    const inputs = operands.map((value, operand) => kept[operand] ?? context.declared[value]);
    return this.placeRefusal(op, inputs, config, held);
  }

  /** The outputs that stay in L1, with some more added. */
  #residentsWith(held: Residents): ResidentLayouts {
    return { get: (op) => held.get(op) ?? this.#residents.get(op) };
  }

  #residentLayout(value: ValueId, residents: ResidentLayouts): LayoutId | undefined {
    const producer = this.context.producer(value);
    if (producer === undefined || this.context.result(producer) !== value) return undefined;
    return residents.get(producer);
  }

  /** Bytes of the op's L1 inputs that neither a reservation nor a held output counts. */
  #ownInputBytes(op: OpId, inputs: LayoutIds, held: Residents): number {
    const position = this.placeOf(op);
    let bytes = 0;
    const counted = new Set<ValueId>();
    this.context.op(op).operands.forEach((value, operand) => {
      const layout = inputs[operand];
      if (layout === undefined || counted.has(value)) return;
      counted.add(value);
      const producer = this.context.producer(value);
      const isCounted = producer !== undefined &&
        layout === (held.get(producer) ?? this.#residents.get(producer)) &&
        (held.has(producer) || this.reservations.covers(producer, position));
      if (!isCounted) bytes += this.bytes(layout);
    });
    return bytes;
  }
}
