// SPDX-License-Identifier: Apache-2.0
import { DATA_TYPES, type DataType } from "../lib/layout/data_type.ts";
import { BUFFER_TYPES, TENSOR_MEMORY_LAYOUTS } from "../lib/layout/ttnn_layout.ts";
import { nameOfLocation } from "../lib/overrides/location_name.ts";
import type { OutputLayoutOverride } from "../lib/overrides/overrides.ts";
import { definitionOf } from "../lib/ops/op_book.ts";
import type { OpRow } from "./op_rows.ts";

/** What a plan decided, as overrides by location name. */
export interface Pins {
  /** Of every name whose ops were all decided alike. */
  readonly overrides: ReadonlyMap<string, OutputLayoutOverride>;
  /** Names whose ops were decided differently, so that no override can say it. */
  readonly ambiguous: readonly string[];
  /** Ops without a name location. */
  readonly unnamed: number;
}

/** The layouts of a plan's results as `--override-output-layout` takes them. */
export function pinsOf(rows: readonly OpRow[]): Pins {
  const overrides = new Map<string, OutputLayoutOverride>();
  const ambiguous = new Set<string>();
  let unnamed = 0;
  for (const { name: op, location, after: [layout = ""], dataType } of rows) {
    if (layout === "" || definitionOf(op).memoryOp) continue;
    const name = nameOfLocation(location);
    if (name === undefined) {
      unnamed++;
      continue;
    }
    const override = readLayout(layout, dataType);
    const known = overrides.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(override)) ambiguous.add(name);
    overrides.set(name, override);
  }
  for (const name of ambiguous) overrides.delete(name);
  return { overrides, ambiguous: [...ambiguous], unnamed };
}

/** `l1/block_sharded/8x8` and an element format as the fields of an override; what is not said stays free. */
function readLayout(text: string, dataType: string): OutputLayoutOverride {
  const words = text.split("/");
  const bufferType = BUFFER_TYPES.find((known) => known === words[0]);
  const memoryLayout = TENSOR_MEMORY_LAYOUTS.find((known) => known === words[1]);
  const [, rows, columns] = /^(\d+)x(\d+)$/.exec(words[2] ?? "") ?? [];
  const format = DATA_TYPES.find((known): known is DataType => known === dataType);
  return {
    ...(rows === undefined || columns === undefined ? {} : { grid: [Number(rows), Number(columns)] }),
    ...(bufferType === undefined ? {} : { bufferType }),
    ...(memoryLayout === undefined ? {} : { memoryLayout }),
    pageLayout: words.includes("row_major") ? "row_major" : "tile",
    ...(format === undefined ? {} : { dataType: format }),
  };
}
