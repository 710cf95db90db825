// SPDX-License-Identifier: Apache-2.0
import { type MemoryConfig, memoryConfigOf } from "../dialect/memory_config.ts";
import { type CoreRange, coreRangeVolume } from "../layout/core_range.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { Names, pythonList, type PythonText, pythonTuple, Unsayable } from "./python_text.ts";

/** A constant of the program, defined once and used by its name. */
interface ProgramConstant {
  readonly name: string;
  readonly kind: ConstantRole;
  readonly text: PythonText;
}

/** Kinds of constants, in the order in which a program defines them. */
const KINDS = ["cores", "memory", "compute", "program", "window"] as const;

/** One of them. */
export type ConstantRole = (typeof KINDS)[number];

/** The constants of a program: equal ones have one name. */
export class Constants {
  readonly #byText: Map<PythonText, ProgramConstant> = new Map();
  readonly #names: Names;

  /** @param taken names that the program uses otherwise */
  constructor(taken: Iterable<string>) {
    this.#names = new Names(taken);
  }

  /** The name of a constant. @param wanted its name, unless another one has it */
  name(kind: ConstantRole, wanted: string, text: PythonText): string {
    const cached = this.#byText.get(text);
    if (cached !== undefined) return cached.name;
    const constant = { name: this.#names.take(wanted), kind, text };
    this.#byText.set(text, constant);
    return constant.name;
  }

  /** Kinds of all constants, by name. */
  get kinds(): ReadonlyMap<string, ConstantRole> {
    return new Map([...this.#byText.values()].map(({ name, kind }) => [name, kind]));
  }

  /** An assignment per constant, by kind, and of a kind in the order in which they were named. */
  assignments(): readonly PythonText[] {
    const all = [...this.#byText.values()];
    return KINDS.flatMap((wanted) => all.filter(({ kind }) => kind === wanted)).map(({ name, text }) =>
      `${name} = ${text}`
    );
  }

  /**
   * The name of the memory config of a layout, without shards if the layout leaves them to the backend.
   *
   * @returns `undefined` for host memory, which has none
   * @throws {Unsayable} for memory that ttnn's Python has no name for
   */
  memoryOf(layout: TtnnLayout): string | undefined {
    const config = memoryConfigOf(layout);
    return layout.ignorePhysicalLayout
      ? this.memory({ ...config, shardSpec: undefined })
      : this.memory(config);
  }

  /**
   * The name of a memory config.
   *
   * @returns `undefined` for host memory, which has none
   * @throws {Unsayable} for memory that ttnn's Python has no name for
   */
  memory({ bufferType, memoryLayout, shardSpec }: MemoryConfig): string | undefined {
    if (bufferType === "system_memory") return undefined;
    if (bufferType !== "dram" && bufferType !== "l1") throw new Unsayable(`a tensor in ${bufferType}`);
    const place = bufferType.toUpperCase();
    if (memoryLayout === undefined || memoryLayout === "interleaved") {
      return this.name("memory", place, `ttnn.${place}_MEMORY_CONFIG`);
    }
    if (memoryLayout === "nd_sharded") throw new Unsayable("a tensor in nd shards");
    const layout = `ttnn.TensorMemoryLayout.${memoryLayout.toUpperCase()}`;
    const kind = memoryLayout.replace("_sharded", "").toUpperCase();
    if (shardSpec === undefined) {
      return this.name(
        "memory",
        `${place}_${kind}`,
        `ttnn.MemoryConfig(${layout}, ttnn.BufferType.${place})`,
      );
    }
    const { coreRanges, shape, orientation } = shardSpec;
    const buffer = bufferType === "l1" ? "" : ", buffer=ttnn.BufferType.DRAM";
    const order = orientation === "row_major" ? "" : ", orientation=ttnn.ShardOrientation.COL_MAJOR";
    return this.name(
      "memory",
      `${bufferType === "l1" ? "" : "DRAM_"}${kind}_${coresWord(coreRanges)}_${shape.join("x")}`,
      `sharded(${layout}, ${this.#ranges(coreRanges)}, ${pythonList(shape)}${buffer}${order})`,
    );
  }

  /** The name of a set of cores. */
  cores(ranges: readonly CoreRange[]): string {
    return this.name("cores", `CORES_${coresWord(ranges)}`, `cores(${this.#ranges(ranges)})`);
  }

  #ranges(ranges: readonly CoreRange[]): PythonText {
    return pythonList(
      ranges.map(({ start, end }) => pythonTuple([start.x, start.y, end.x, end.y])),
    );
  }
}

/** `8x7` (columns x rows) for a rectangle from the first core on, else the number of cores. */
function coresWord(ranges: readonly CoreRange[]): string {
  const [only, ...others] = ranges;
  if (only !== undefined && others.length === 0 && only.start.x === 0 && only.start.y === 0) {
    return `${only.end.x + 1}x${only.end.y + 1}`;
  }
  return `${ranges.reduce((sum, range) => sum + coreRangeVolume(range), 0)}`;
}
