// SPDX-License-Identifier: Apache-2.0
import { markdownTable, percent } from "../markdown_section.ts";
import type { LayerAudit } from "./audit_layers.ts";

/** Heading of the section of `accuracy.md`. */
export const LAYERS_HEADING = "## Whole profiles";

/** The section of `accuracy.md` on profiled layers and models, as lines. */
export function layerSection({ layers }: LayerAudit): readonly string[] {
  return [
    LAYERS_HEADING,
    "",
    "Profiles priced op by op from their own layouts and configs (`audit layers`): device kernel times in µs, without gaps. " +
    "Only a few constants are taken from them, each named in its source: the cost of 4- and 8-bit weights in interleaved DRAM, " +
    "of halos and of attention on Wormhole, and of the padding that a tilize writes. *Ops' error*: mean absolute error of the " +
    "ops, weighted by their times.",
    "",
    ...markdownTable(
      "profile | device | ops: | measured: | predicted: | error: | ops' error: | covered:",
      layers.map(({ name, device, ops, measuredUs, predictedUs, opError, coveredShare }) => [
        name,
        device,
        ops.length,
        measuredUs.toFixed(0),
        predictedUs.toFixed(0),
        ...[predictedUs / measuredUs - 1, opError, coveredShare].map(percent),
      ]),
    ),
    "",
  ];
}
