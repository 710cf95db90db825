// SPDX-License-Identifier: Apache-2.0
import { type Command, options } from "../command.ts";
import { JSON_OUTPUT } from "./shared_options.ts";

/** `layout`: the place of each element of one tensor. */
export const layout: Command = {
  name: "layout",
  load: () => import("../run/layout.ts" satisfies string),
  summary: "Show how one tensor is laid out over cores and memory",
  positionals: "TENSOR",
  options: options(
    "grid RxC — Grid of shards; default: one shard",
    "sharding NAME (one of interleaved|height|width|block|nd) — Show a TTNN layout of this kind instead of a metal_layout",
    "memory NAME (one of l1|dram|system|mmio) — Memory space; default: l1, or dram for --sharding interleaved",
    "tile RxC — Tile shape, or none; default: none for a metal_layout, 32x32 for TTNN",
    "dtype NAME — Format in memory; default: the tensor's",
    "collapse START:END (repeatable) — Dims to collapse into one, end excluded, negative from the end; default 0:-1",
    "align N,N,… — Round extents up to these multiples before strides are computed, one per dim",
    "linear MAP — Affine map instead of --collapse and --align",
    "oob NAME (one of undef|zero|one|inf|neginf) — What fills the padding",
    "orientation NAME (one of row_major|col_major) — Order of TTNN shards over the cores",
    "device NAME (default n150) — Chip with the cores",
    "devices N (from 1, default 1) — Devices that the outer grid dimensions divide the tensor among",
    "at I,J,… — Also say where this element lives",
    "reshard-to LAYOUT — Also sum up the transfers to this layout, for example l1/height/8x1 or dram/interleaved",
    "svg FILE — Draw the grid into FILE as well",
    "html FILE — Write a page that shows element, core and address under the mouse",
    JSON_OUTPUT,
  ),
  examples: [
    "layout 'tensor<2x3x64x128xf32>' --grid 2x4 --at 1,1,6,100 — The compiler's metal_layout on 2x4 cores, and where one element is",
    "layout 'tensor<53x63xbf16>' --grid 3x2 --tile 32x32 --svg shards.svg — How much of every shard is padding, drawn",
    "layout 'tensor<4096x4096xbf16>' --sharding block --grid 8x8 --reshard-to l1/height/64x1 — What a reshard moves between cores",
  ],
  notes: [
    "TENSOR is a type such as tensor<32x64xbf16>, with or without a layout: tensor<32x64xbf16, #ttnn.ttnn_layout<…>> and tensor<32x64xbf16, #ttcore.metal_layout<…>> are shown as they are.",
  ],
};
