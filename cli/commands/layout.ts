// SPDX-License-Identifier: Apache-2.0
import type { Command } from "../command.ts";
import { JSON_OUTPUT } from "./shared_options.ts";

/** `layout`: the place of each element of one tensor. */
export const layout: Command = {
  name: "layout",
  summary: "Show how one tensor is laid out over cores and memory",
  positionals: "TENSOR",
  arity: [1, 1],
  options: [
    { name: "grid", kind: "string", value: "RxC", description: "Grid of shards; default: one shard" },
    {
      name: "sharding",
      kind: "choice",
      value: "NAME",
      choices: ["interleaved", "height", "width", "block", "nd"],
      description: "Show a TTNN layout of this kind instead of a metal_layout",
    },
    {
      name: "memory",
      kind: "choice",
      value: "NAME",
      choices: ["l1", "dram", "system", "mmio"],
      description: "Memory space; default: l1, or dram for --sharding interleaved",
    },
    {
      name: "tile",
      kind: "string",
      value: "RxC",
      description: "Tile shape, or none; default: none for a metal_layout, 32x32 for TTNN",
    },
    { name: "dtype", kind: "string", value: "NAME", description: "Format in memory; default: the tensor's" },
    {
      name: "collapse",
      kind: "string",
      value: "START:END",
      repeatable: true,
      description: "Dims to collapse into one, end excluded, negative from the end; default 0:-1",
    },
    {
      name: "align",
      kind: "string",
      value: "N,N,…",
      description: "Round extents up to these multiples before strides are computed, one per dim",
    },
    {
      name: "linear",
      kind: "string",
      value: "MAP",
      description: "Affine map instead of --collapse and --align",
    },
    {
      name: "oob",
      kind: "choice",
      value: "NAME",
      choices: ["undef", "zero", "one", "inf", "neginf"],
      description: "What fills the padding",
    },
    {
      name: "orientation",
      kind: "choice",
      value: "NAME",
      choices: ["row_major", "col_major"],
      description: "Order of TTNN shards over the cores",
    },
    { name: "device", kind: "string", value: "NAME", default: "n150", description: "Chip with the cores" },
    {
      name: "devices",
      kind: "number",
      value: "N",
      from: 1,
      default: 1,
      description: "Devices that the outer grid dimensions divide the tensor among",
    },
    { name: "at", kind: "string", value: "I,J,…", description: "Also say where this element lives" },
    {
      name: "reshard-to",
      kind: "string",
      value: "LAYOUT",
      description: "Also sum up the transfers to this layout, for example l1/height/8x1 or dram/interleaved",
    },
    { name: "svg", kind: "string", value: "FILE", description: "Draw the grid into FILE as well" },
    {
      name: "html",
      kind: "string",
      value: "FILE",
      description: "Write a page that shows element, core and address under the mouse",
    },
    JSON_OUTPUT,
  ],
  examples: [
    {
      command: "layout 'tensor<2x3x64x128xf32>' --grid 2x4 --at 1,1,6,100",
      description: "The compiler's metal_layout on 2x4 cores, and where one element is",
    },
    {
      command: "layout 'tensor<53x63xbf16>' --grid 3x2 --tile 32x32 --svg shards.svg",
      description: "How much of every shard is padding, drawn",
    },
    {
      command: "layout 'tensor<4096x4096xbf16>' --sharding block --grid 8x8 --reshard-to l1/height/64x1",
      description: "What a reshard moves between cores",
    },
  ],
  notes: [
    "TENSOR is a type such as tensor<32x64xbf16>, with or without a layout: " +
    "tensor<32x64xbf16, #ttnn.ttnn_layout<…>> and tensor<32x64xbf16, #ttcore.metal_layout<…>> are shown as they are.",
  ],
};
