// SPDX-License-Identifier: Apache-2.0
import { isBlockFloat } from "../lib/layout/data_type.ts";
import type { GraphFunction } from "../lib/graph/graph.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { VIEWS_THROUGH_ROWS } from "../lib/passes/patterns/formats/view_tree.ts";
import { rowMajorType } from "../lib/passes/patterns/matching.ts";
import type { TtnnTensorType } from "../lib/ttnn/value.ts";
import type { FunctionTimeline, StepTimeline } from "../sim/timeline/timeline.ts";
import type { DecidedGraph } from "./decided_graph.ts";
import { graphQuestions } from "./prepared_graph.ts";
import type { Saving } from "./saving.ts";

/**
 * Savings by results that leave in the pages in which they are made: conversions in front of `func.return` go, and views in
 * tiles in front of it run in rows, where that takes less time with the change to rows.
 */
export function pagesOfResults(
  { workbench: { device, chip } }: DecidedGraph,
  { steps }: FunctionTimeline,
  source: GraphFunction,
): readonly Saving[] {
  const made = new Set(
    source.values.flatMap(({ returned, uses, definition }) =>
      returned > 0 && uses.length === 0 && definition.kind === "result" ? [definition.op] : []
    ),
  );
  const { microseconds } = graphQuestions(device);
  return steps.flatMap((step): readonly Saving[] => {
    const { kind, op, deviceUs, gapUs, name, estimate: { relativeError } } = step;
    const [input, output] = [
      tensorAt(step.inputShapes, step.inputLayouts),
      tensorAt(step.outputShapes, step.outputLayouts),
    ];
    const own = kind === "op" ? source.ops.find(({ id }) => id === op && made.has(id)) : undefined;
    if (own === undefined || input === undefined || output === undefined) return [];
    const us = deviceUs + gapUs;
    if (name === "ttnn.to_layout") {
      const isOfPages = isInRows(input) !== isInRows(output) && input.dataType === output.dataType;
      return isOfPages ? [{ savedUs: us, relativeError }] : [];
    }
    if (!VIEWS_THROUGH_ROWS.includes(name) || isInRows(output) || isBlockFloat(output.dataType)) return [];
    const [from, to] = [rowMajorType(input, { chip }), rowMajorType(output, { chip })];
    const untilize = isInRows(input)
      ? 0
      : microseconds({ name: "ttnn.to_layout", operands: [input], results: [from], attributes: new Map() });
    const inRows = microseconds({ name, operands: [from], results: [to], attributes: own.attributes });
    const savedUs = us - (untilize ?? Infinity) - (inRows ?? Infinity);
    return savedUs > 0 ? [{ savedUs, relativeError }] : [];
  });
}

/** The first tensor of a step's operands or results. */
function tensorAt(
  [shape]: StepTimeline["inputShapes"],
  [layout]: readonly (TtnnLayout | undefined)[],
): TtnnTensorType | undefined {
  return shape === undefined || layout === undefined
    ? undefined
    : { kind: "tensor", shape, dataType: layout.dataType, layout };
}

function isInRows({ layout: { tile } }: TtnnTensorType): boolean {
  return tile === undefined;
}
