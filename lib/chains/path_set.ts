// SPDX-License-Identifier: Apache-2.0
import { ConfigBitset } from "./config_bitset.ts";

/** A compatible pair of a producer config and a consumer config. */
export interface Path {
  readonly producerId: number;
  readonly consumerId: number;
}

/** An operand of a chain op that another op of the chain produces. Ops are given by index in the chain. */
export interface ChainEdge {
  readonly producer: number;
  readonly consumer: number;
  readonly operand: number;
}

/** The compatible config pairs of one edge (tt-mlir `ShardSolver::PathSet`). */
export class PathSet {
  readonly edge: ChainEdge;
  /** Pairs packed as `producer << 16 | consumer`; only the first `#count` are alive. */
  readonly #packed: Uint32Array;
  #count: number;

  constructor(edge: ChainEdge, paths: readonly Path[]) {
    this.edge = edge;
    this.#packed = Uint32Array.from(paths, ({ producerId, consumerId }) => (producerId << 16) | consumerId);
    this.#count = paths.length;
  }

  /** Whether no pair is left. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The remaining pairs. Removal moves the last pair into the gap, so the order is not preserved. */
  get paths(): readonly Path[] {
    return Array.from(this.#packed.subarray(0, this.#count), (packed) => ({
      producerId: packed >>> 16,
      consumerId: packed & 0xffff,
    }));
  }

  /** Visits every remaining pair without building a list. */
  forEach(visit: (producerId: number, consumerId: number) => void): void {
    for (let index = 0; index < this.#count; index++) {
      const packed = this.#packed[index] ?? 0;
      visit(packed >>> 16, packed & 0xffff);
    }
  }

  /**
   * Removes pairs with a config that is no longer possible, then clears every config without a remaining pair
   * from both bitsets.
   *
   * @param bitsets bitset per op of the chain
   * @returns whether a bitset changed
   */
  update(bitsets: readonly ConfigBitset[]): boolean {
    const producer = bitsets[this.edge.producer];
    const consumer = bitsets[this.edge.consumer];
    if (producer === undefined || consumer === undefined) {
      throw new RangeError(
        `Cannot update the paths ${this.edge.producer} → ${this.edge.consumer}: no bitset`,
      );
    }
    const validProducer = new ConfigBitset();
    const validConsumer = new ConfigBitset();
    for (let index = 0; index < this.#count; index++) {
      const packed = this.#packed[index] ?? 0;
      const producerId = packed >>> 16;
      const consumerId = packed & 0xffff;
      if (consumer.has(consumerId) && producer.has(producerId)) {
        validProducer.set(producerId);
        validConsumer.set(consumerId);
      } else {
        this.#count--;
        this.#packed[index] = this.#packed[this.#count] ?? 0;
        index--;
      }
    }
    const unchanged = producer.isSubsetOf(validProducer) && consumer.isSubsetOf(validConsumer);
    if (!unchanged) {
      producer.and(validProducer);
      consumer.and(validConsumer);
    }
    return !unchanged;
  }
}
