// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { DATA_TYPES } from "../layout/data_type.ts";
import { volume } from "../layout/extents.ts";
import { SUPPORTED_TILES } from "../layout/tile_shape.ts";
import { type AttributeTexts, printedDictionary } from "../dialect/printed_attributes.ts";
import { HEAD_PROFILE } from "../dialect/ttnn_profile.ts";
import type { TtnnFunction } from "./function.ts";
import { Spelling } from "./spelling.ts";
import { newFunctionLines } from "./write.ts";

/** Data types that the descriptor lists: all but booleans. */
const SUPPORTED_DATA_TYPES = DATA_TYPES.filter((name) => name !== "i1");
const TILE_SIZES = SUPPORTED_TILES.map(({ height, width }) => `${height}x${width}`);

/**
 * The body of `#ttcore.system_desc<…>` for one chip or a mesh of equal chips.
 *
 * @param chips number of chips; they form a ring
 */
export function systemDescriptionText(chip: ChipDescription, chips: number = 1): string {
  const banks = `[${chip.dramBankWorkers.map((core) => `(${core.join(", ")})`).join(", ")}]`;
  const fields = [
    `arch = <${chip.architecture}>`,
    `grid = ${chip.workerGrid.rows}x${chip.workerGrid.columns}`,
    "coord_translation_offsets = 18x18",
    `l1_size = ${chip.l1Size}`,
    `num_dram_channels = ${chip.dramBanks}`,
    `dram_channel_size = ${chip.dramBankSize}`,
    `noc_l1_address_align_bytes = ${chip.l1Alignment}`,
    `pcie_address_align_bytes = ${chip.pcieAlignment}`,
    `noc_dram_address_align_bytes = ${chip.dramAlignment}`,
    `l1_unreserved_base = ${chip.l1UnreservedBase}`,
    `erisc_l1_unreserved_base = ${chip.ethernetL1UnreservedBase}`,
    `dram_unreserved_base = ${chip.dramUnreservedBase}`,
    `dram_unreserved_end = ${chip.dramUnreservedEnd}`,
    `supported_data_types = [${SUPPORTED_DATA_TYPES.map((name) => `<${name}>`).join(", ")}]`,
    `supported_tile_sizes = [ ${TILE_SIZES.join(",  ")}]`,
    `dst_physical_size_tiles = ${chip.dstTiles}`,
    `num_cbs = ${chip.circularBuffers}`,
    "num_compute_threads = 1",
    "num_datamovement_threads = 2",
    `dram_grid = 1x${chip.dramBanks}`,
    `dram_bank_to_logical_worker_noc0 = ${banks}`,
    `dram_bank_to_logical_worker_noc1 = ${banks}`,
  ];
  const indices = Array.from({ length: chips }, (_, index) => index);
  const parts = [
    '[{role = host, target_triple = "x86_64-pc-linux-gnu"}]',
    `[${indices.map(() => `{${fields.join(", ")}}`).join(", ")}]`,
    `[${indices.join(", ")}]`,
    `[${indices.map(() => "1 : i32").join(", ")}]`,
    "[ 0x0x0x0]",
  ];
  if (chips > 1) {
    parts.push(
      `[${indices.map((index) => `<[${index}, 0, 0], [${(index + 1) % chips}, 0, 0]>`).join(", ")}]`,
    );
  }
  return parts.join(", ");
}

/**
 * The body of `ttcore.device @default_device = <…>`.
 *
 * @param mesh extents of the device mesh; empty for a single chip outside of a mesh
 */
export function deviceText(chip: ChipDescription, mesh: readonly number[] = []): string {
  const { rows, columns } = chip.workerGrid;
  const banks = chip.dramBanks;
  // Address of element (d0, d1) of a DRAM buffer: shard index times shard size plus the offset in the shard, dealt in
  // pages of s4 bytes round robin over the banks (tt-mlir `createDramMap`).
  const address = "((d0 * s1) * (s2 * (s3 * s6)) + d1 * (s2 * (s3 * s6)) + d2)";
  const chips = volume(mesh);
  return [
    `workerGrid = #ttcore.grid<${rows}x${columns}, virt_to_physical_map = (d0, d1) -> (0, d0, d1), ` +
    `physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>`,
    `dramGrid = #ttcore.grid<1x${banks}>`,
    "l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0)",
    `dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, (${address} floordiv s4) mod ${banks}, ` +
    `((${address} floordiv s4) floordiv ${banks}) * s4 + ${address} mod s4 + s5)`,
    `meshShape = ${mesh.join("x")}`,
    `chipIds = [${Array.from({ length: chips }, (_, index) => index).join(", ")}]`,
  ].join(", ");
}

/** A module of TTNN functions to print. */
interface TtnnModule {
  /** Symbol as printed, `@ResNet`; empty for none. */
  readonly symbol: string;
  /** Attributes of the outer module, repeated on the inner one. */
  readonly attributes: AttributeTexts;
  readonly chip: ChipDescription;
  /** Device mesh; empty for one chip outside of a mesh. */
  readonly mesh: readonly number[];
  readonly functions: readonly TtnnFunction[];
  /** Alias definitions to print unchanged before the module (locations). */
  readonly leadingAliases?: readonly string[];
}

/**
 * Prints a module as upstream prints the newest generation: aliases sorted by name and numbered in order of first use,
 * `ttcore.device_module` around a `builtin.module` with the system description, the device, and the functions with a
 * `ttnn.deallocate` after every last use.
 */
export function writeModule(module: TtnnModule): string {
  const spelling = new Spelling(module.chip, HEAD_PROFILE);
  const functions = module.functions.flatMap((func) => newFunctionLines(func, spelling));
  const outer = module.attributes.size === 0 ? "" : ` attributes ${printedDictionary(module.attributes)}`;
  const symbol = module.symbol === "" ? "" : ` ${module.symbol}`;
  const inner = new Map([...module.attributes, ["ttcore.system_desc", "#system_desc"]]);
  const chips = Math.max(1, volume(module.mesh));
  const { buffers, layouts } = spelling.aliases.definitions;
  const system = `#system_desc = #ttcore.system_desc<${systemDescriptionText(module.chip, chips)}>`;
  return [
    ...(module.leadingAliases ?? []).map((line) => `${line}\n`),
    ...[...[...buffers, system].sort(), ...layouts].map((line) => `${line}\n`),
    `module${symbol}${outer} {\n`,
    "  ttcore.device_module {\n",
    `    builtin.module${symbol} attributes ${printedDictionary(inner)} {\n`,
    `      ttcore.device @default_device = <${deviceText(module.chip, module.mesh)}>\n`,
    ...functions.map((line) => `      ${line}\n`),
    "    }\n",
    "  }\n",
    "}\n",
  ].join("");
}
