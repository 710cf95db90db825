// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { ttnnLayoutText } from "../../lib/dialect/ttnn_layout_text.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { LayoutError } from "../../lib/layout/layout_error.ts";
import { type LayoutRequest, makeLayout, physicalUnits } from "../../lib/layout/make_layout.ts";
import { DEFAULT_TILE, type TensorMemoryLayout, type TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import type { WireTensor } from "../../pipeline/op_model_pipe/request.ts";
import type { Random } from "./random.ts";

/** Memories that questions put a tensor in: interleaved in DRAM or L1, or sharded in L1. */
export type QuestionMemory = "dram" | "l1" | "height_sharded" | "width_sharded" | "block_sharded";

/** Places, each repeated as often as passes ask for it compared with the others. */
const USUAL_PLACES: readonly QuestionMemory[] = [
  "dram",
  "dram",
  "l1",
  "height_sharded",
  "height_sharded",
  "width_sharded",
  "block_sharded",
  "block_sharded",
];

/** What a tensor of a question may be. */
export interface TensorChoice {
  readonly shape: readonly number[];
  /** Default `bf16`. */
  readonly dataType?: DataType;
  /** Default true. */
  readonly tiled?: boolean;
  /** Places to choose from; default {@linkcode USUAL_PLACES}. */
  readonly places?: readonly QuestionMemory[];
}

/** A tensor of a question, with its layout at hand. */
export interface AskedTensor {
  readonly wire: WireTensor;
  readonly layout: TtnnLayout;
  readonly shape: readonly number[];
}

/** Makes tensors with random layouts for one chip. */
export class TensorMaker {
  readonly chip: ChipDescription;
  readonly #random: Random;

  constructor(chip: ChipDescription, random: Random) {
    this.chip = chip;
    this.#random = random;
  }

  /** A tensor in a random place. */
  any(choice: TensorChoice): AskedTensor {
    return this.at(this.#random.pick(choice.places ?? USUAL_PLACES), choice);
  }

  /** A tensor in a place, with a random grid of shards. */
  at(place: QuestionMemory, choice: TensorChoice): AskedTensor {
    if (place !== "dram" && place !== "l1") return this.sharded(place, this.#grid(place, choice), choice);
    return this.#tensor(choice, { bufferType: place, memoryLayout: "interleaved" });
  }

  /** A tensor with the memory and grid of another one; interleaved in L1 if its shape cannot have them. */
  like({ layout }: AskedTensor, shape: readonly number[], dataType: DataType = layout.dataType): AskedTensor {
    const { bufferType, memoryLayout, gridShape: grid } = layout;
    const choice = { shape, dataType, tiled: layout.tile !== undefined };
    try {
      return this.#tensor(choice, { bufferType, memoryLayout, grid });
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      return this.at("l1", choice);
    }
  }

  /** As {@linkcode TensorMaker.at} on a grid that the caller has chosen. */
  sharded(place: TensorMemoryLayout, grid: readonly number[], choice: TensorChoice): AskedTensor {
    return this.#tensor(choice, { bufferType: "l1", memoryLayout: place, grid });
  }

  /** A tensor of tiles, width-sharded over so many banks of DRAM. */
  dramSharded(banks: number, choice: TensorChoice): AskedTensor {
    return this.#tensor(choice, { bufferType: "dram", memoryLayout: "width_sharded", grid: [1, banks] });
  }

  /** A tensor in host memory, in rows. */
  onHost(shape: readonly number[]): AskedTensor {
    return this.#tensor({ shape, tiled: false }, { bufferType: "system_memory", memoryLayout: undefined });
  }

  /** The tensor with a layout whose grid and shard the backend is to choose. */
  inexact({ shape, layout }: AskedTensor): AskedTensor {
    return this.#asked(shape, { ...layout, ignorePhysicalLayout: true });
  }

  /**
   * An output hint for a result: none (2 in 10), the layout of an operand (3 in 10), or a random one (5 in 10). Of
   * those with cores, the backend is to choose grid and shard of 1 in 10.
   */
  hint(like: AskedTensor, choice: TensorChoice): AskedTensor | undefined {
    const which = this.#random.next();
    if (which < 0.2) return undefined;
    const tensor = which < 0.5 ? this.like(like, choice.shape, choice.dataType) : this.any(choice);
    return this.#random.chance(0.1) && tensor.layout.coreRanges.length > 0 ? this.inexact(tensor) : tensor;
  }

  /** Shards that passes offer: mostly as many as divide the tensor evenly. */
  #grid(place: TensorMemoryLayout, { shape, tiled }: TensorChoice): readonly number[] {
    const [rows, columns] = physicalUnits(shape, tiled === false ? undefined : DEFAULT_TILE);
    const { workerGrid } = this.chip;
    const workers = workerGrid.rows * workerGrid.columns;
    switch (place) {
      case "height_sharded":
        return [this.#split(rows, workers), 1];
      case "width_sharded":
        return [1, this.#split(columns, workers)];
      default:
        return [this.#split(rows, workerGrid.rows), this.#split(columns, workerGrid.columns)];
    }
  }

  #split(units: number, most: number): number {
    const limit = Math.min(units, most);
    if (this.#random.chance(0.25)) return 1 + this.#random.below(limit);
    const even = Array.from({ length: limit }, (_, index) => index + 1).filter((parts) =>
      units % parts === 0
    );
    // The more cores the better: passes rank such grids first.
    return this.#random.chance(0.5) ? even.at(-1) ?? 1 : this.#random.pick(even);
  }

  #tensor(choice: TensorChoice, place: Omit<LayoutRequest, "shape" | "dataType" | "tile">): AskedTensor {
    const { shape, dataType = "bf16", tiled = true } = choice;
    const { workerGrid, dramBanks } = this.chip;
    const request = { ...place, shape, dataType, tile: tiled ? DEFAULT_TILE : null };
    return this.#asked(shape, makeLayout(request, workerGrid, dramBanks));
  }

  #asked(shape: readonly number[], layout: TtnnLayout): AskedTensor {
    const { workerGrid } = this.chip;
    const text = ttnnLayoutText(layout, shape, { generation: "G4", dialect: "ttcore", workerGrid });
    return { wire: { shape, elementType: layout.dataType, layout: { text } }, layout, shape };
  }
}
