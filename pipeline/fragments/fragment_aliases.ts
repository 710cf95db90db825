// SPDX-License-Identifier: Apache-2.0
import { dataTypeOfElement } from "../../lib/dialect/data_type.ts";
import { ttnnLayoutText } from "../../lib/dialect/ttnn_layout_text.ts";
import type { AliasUse } from "../../lib/ir/scanner.ts";
import { makeInterleaved } from "../../lib/layout/make_layout.ts";
import { DEFAULT_TILE } from "../../lib/layout/ttnn_layout.ts";

/** A text with definitions of its aliases. */
interface DefinedAliases {
  readonly text: string;
  /** Aliases of which a definition is assumed, with their sigil. */
  readonly assumed: readonly string[];
}

/** Aliases that upstream's printer defines alike in every file; constraints of operands until December 2024. */
const ALWAYS: ReadonlyMap<string, string> = new Map([
  ...["dram", "l1", "system_memory"].map((space) => [space, `#ttnn.buffer_type<${space}>`] as const),
  ...["l1_", "dram_"].map((space) => [space, `#tt.memory_space<${space.slice(0, -1)}>`] as const),
  ["system", "#tt.memory_space<system>"],
  [
    "device",
    "#tt.device<workerGrid = #tt.grid<8x8>, l1Map = (d0, d1) -> (0, d0, d1), dramMap = (d0, d1) -> (0, d0, d1), meshShape = , chipIds = [0]>",
  ],
  ...["any_device", "any_device_tile", "l1_block_sharded"].map((constraint) =>
    [constraint, `#tt.operand_constraint<${constraint}>`] as const
  ),
]);

/** No layout depends on it: tensors interleaved in DRAM have no place on the grid. */
const ANY_GRID = { rows: 8, columns: 8 } as const;

/**
 * Defines the aliases that a text uses and does not define: memory spaces as upstream always does, locations as unknown,
 * and layouts of tensors as interleaved in DRAM, in tiles, or in rows where the op that makes the tensor says so.
 */
export function definedAliases(text: string, uses: Iterable<AliasUse>): DefinedAliases {
  const defined = new Set([...text.matchAll(/^[ \t]*([#!][\w$]+)[ \t]*=/gm)].map(([, name = ""]) => name));
  const used = new Set([...text.matchAll(/[#!][A-Za-z_][\w$]*/g)].map(([name]) => name));
  const definitions: string[] = [];
  const assumed: string[] = [];
  for (const { sigil, name } of uses) {
    const alias = sigil + name;
    if (sigil !== "#" || defined.has(alias) || !used.has(alias)) continue;
    const always = ALWAYS.get(name);
    const layout = always === undefined ? assumedLayout(text, alias) : undefined;
    if (layout !== undefined) assumed.push(alias);
    const value = always ?? layout ?? (/^loc\d*$/.test(name) ? "loc(unknown)" : undefined);
    if (value !== undefined) definitions.push(`${alias} = ${value}\n`);
  }
  // Behind the text, where lines keep their numbers.
  return { text: `${text}\n${definitions.join("")}`, assumed };
}

/** The layout assumed for an alias, by the tensor types that contain it; `undefined` if it is no layout. */
function assumedLayout(text: string, alias: string): string | undefined {
  const tensor = new RegExp(`tensor<((?:\\d+x)*)([^<>,]*(?:<[^<>]*>)?), ${alias}>`).exec(text);
  const dataType = dataTypeOfElement(tensor?.[2] ?? "");
  if (tensor === null || dataType === undefined) return undefined;
  const shape = (tensor[1] ?? "").split("x").filter((extent) => extent !== "").map(Number);
  const inRows = new RegExp(`#ttnn\\.layout<row_major>.*-> \\(?tensor<[^#\\n]*${alias}>`).test(text);
  const layout = makeInterleaved(
    "dram",
    { shape, dataType, tile: inRows ? undefined : DEFAULT_TILE },
    ANY_GRID,
  );
  return ttnnLayoutText(layout, shape, { generation: "G4", workerGrid: ANY_GRID });
}
