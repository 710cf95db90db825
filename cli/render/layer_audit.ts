// SPDX-License-Identifier: Apache-2.0
import type { LayerAudit, LayerClass, LayerReport } from "../../sim/audit/profiles/audit_layers.ts";
import { type FittedColumn, left, renderFittedTable, right } from "./fitted_table.ts";
import { formatChange, formatMicroseconds, formatPercent } from "./format.ts";
import type { Style } from "./style.ts";

/** Each profile in total, then its classes, and ops that are not predicted. */
export function renderLayerAudit(audit: LayerAudit, style: Style, width: number): string {
  const totals: readonly FittedColumn<LayerReport>[] = [
    left("Profile", ({ name }) => ({ text: name, paint: style.bold })),
    left("Device", ({ device }) => device),
    right("Ops", ({ ops }) => String(ops.length)),
    right("Measured", ({ measuredUs }) => ({ text: formatMicroseconds(measuredUs), unit: "µs" })),
    right("Predicted", ({ predictedUs }) => ({ text: formatMicroseconds(predictedUs), unit: "µs" })),
    right("Error", ({ measuredUs, predictedUs }) => formatChange(predictedUs / measuredUs - 1)),
    right("Ops' error", ({ opError }) => opError === null ? "-" : formatPercent(opError)),
    right("Covered", ({ coveredShare }) => formatPercent(coveredShare)),
    right("Gaps", ({ measuredGapUs }) => ({ text: formatMicroseconds(measuredGapUs), unit: "µs" }), {
      expendable: 2,
    }),
    right(
      "Predicted gaps",
      ({ predictedGapUs }) => ({ text: formatMicroseconds(predictedGapUs), unit: "µs" }),
      {
        expendable: 2,
      },
    ),
  ];
  const classes: readonly FittedColumn<LayerClass>[] = [
    left("Class", ({ name }) => name),
    right("Ops", ({ ops }) => String(ops)),
    right("Measured", ({ measuredUs }) => ({ text: formatMicroseconds(measuredUs), unit: "µs" })),
    right(
      "Predicted",
      ({ predictedUs, mape }) => mape === null ? "-" : { text: formatMicroseconds(predictedUs), unit: "µs" },
    ),
    right(
      "Error",
      ({ predictedUs, coveredUs }) => coveredUs === 0 ? "-" : formatChange(predictedUs / coveredUs - 1),
    ),
    right("Mean op error", ({ mape }) => mape === null ? "-" : formatPercent(mape)),
  ];
  const parts = [renderFittedTable(totals, audit.layers, style, width)];
  for (const layer of audit.layers) {
    parts.push(`${style.bold(layer.name)}\n${renderFittedTable(classes, layer.classes, style, width)}`);
    const untold = layer.ops.filter(({ predictedUs }) => predictedUs === null);
    if (untold.length > 0) {
      parts.push(
        untold.map(({ order, op, measuredUs }) =>
          `  op ${order}, ${op}: ${formatMicroseconds(measuredUs)} µs, not predicted`
        ).join("\n"),
      );
    }
  }
  for (const name of audit.unknown) parts.push(`${name}: no bundled device is like its chip`);
  return `${parts.join("\n\n")}\n`;
}
