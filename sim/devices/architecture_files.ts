// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../../lib/device/chip_description.ts";
import blackhole from "./architecture/blackhole.json" with { type: "json" };
import quasar from "./architecture/quasar.json" with { type: "json" };
import wormhole from "./architecture/wormhole_b0.json" with { type: "json" };
import blackholeNetwork from "./network/blackhole.json" with { type: "json" };
import quasarNetwork from "./network/quasar.json" with { type: "json" };
import wormholeNetwork from "./network/wormhole_b0.json" with { type: "json" };

/** A fact about the network, with its source and kind (see `ConstantKind`). */
export interface NetworkConstant<Value> {
  readonly value: Value;
  readonly source: string;
  readonly kind: string;
}

/** A network file: `tilewright.network/1`. Nodes are `[x, y]` in NoC0 coordinates, for both networks. */
export interface NetworkFile {
  readonly schema: string;
  readonly architecture: string;
  /** Extents of the torus in nodes. */
  readonly columns: NetworkConstant<number>;
  readonly rows: NetworkConstant<number>;
  /** Columns and rows of the torus that hold Tensix tiles; logical workers take the first ones in order. */
  readonly tensixColumns: NetworkConstant<readonly number[]>;
  readonly tensixRows: NetworkConstant<readonly number[]>;
  /** Tile through which workers reach each DRAM bank, in bank order. */
  readonly dramTiles: NetworkConstant<readonly (readonly number[])[]>;
  /** Logical worker core `[x, y]` that system descriptions name as next to each DRAM bank, in bank order. */
  readonly dramBankWorkers: NetworkConstant<readonly (readonly number[])[]>;
  /** Share of a bank's theoretical bandwidth that it sustains. */
  readonly dramBankShare: NetworkConstant<number>;
  /** Cycles of a core's read of its own L1 through the network. */
  readonly localReadLatency: NetworkConstant<number>;
  /** Cycles for which an unlinked multicast reserves its path. */
  readonly multicastReserve: NetworkConstant<number>;
}

/**
 * Bundled data of each chip family: constants that its devices share, as parsed JSON, and its network. A family that
 * `extends` another has only what is known of its own; the rest is the other's, as guesses.
 */
export const ARCHITECTURE_FILES: Readonly<
  Record<Architecture, { readonly constants: unknown; readonly network: NetworkFile }>
> = {
  wormhole_b0: { constants: wormhole, network: wormholeNetwork },
  blackhole: { constants: blackhole, network: blackholeNetwork },
  quasar: { constants: quasar, network: quasarNetwork },
};
