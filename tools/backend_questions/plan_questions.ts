// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_L1_CAP, usableL1Bytes } from "../../lib/device/chip_description.ts";
import { ttnnLayoutText } from "../../lib/dialect/ttnn_layout_text.ts";
import { isDecided } from "../../lib/graph/function_role.ts";
import { type GraphFunction, type GraphOp, valueAt, type ValueId } from "../../lib/graph/graph.ts";
import { attributeText, parseModule } from "../../lib/ir/mod.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../lib/policy/options.ts";
import { getPolicy } from "../../lib/policy/policies.ts";
import { loadModule } from "../../pipeline/load_module.ts";
import { createWorkbench } from "../../pipeline/load.ts";
import type { ConstraintsRequest, WireValue } from "../../pipeline/op_model_pipe/request.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";

/** Families that run nothing or that one mock device cannot be asked: bookkeeping, creation, collectives. */
const NOT_ASKED: ReadonlySet<string> = new Set(["fixed", "opaque", "creation", "empty", "rand"]);

/**
 * Every distinct question about an op of a written plan: operands and result as the text has them.
 *
 * @param text a TTNN module
 * @param policy what decides
 */
export function planQuestions(
  fileName: string,
  text: string,
  policy: string,
  deviceName: string,
): readonly ConstraintsRequest[] {
  const device = getDevice(deviceName);
  const loaded = loadModule(text, { device, fileName });
  const written = optimizeModule(loaded, getPolicy(policy), DEFAULT_POLICY_OPTIONS).text;
  const { binding } = createWorkbench(parseModule(written, fileName), device);
  const questions = binding.graph.functions.filter(isDecided).flatMap((fn) =>
    fn.ops.map((op) => questionAbout(fn, op, deviceName)).filter((question) => question !== undefined)
  );
  return [...new Map(questions.map((question) => [JSON.stringify(question), question])).values()];
}

function questionAbout(fn: GraphFunction, op: GraphOp, deviceName: string): ConstraintsRequest | undefined {
  const { family } = definitionOf(op.name);
  if (NOT_ASKED.has(family)) return undefined;
  const chip = chipDescription(getDevice(deviceName));
  const wire = (id: ValueId): WireValue | undefined => {
    const { tensor, layout } = valueAt(fn, id);
    if (tensor === undefined) return { type: "!ttnn.device" };
    if (layout === undefined) return undefined;
    const { workerGrid } = chip;
    const text = ttnnLayoutText(layout, tensor.shape, { generation: "G4", dialect: "ttcore", workerGrid });
    return { shape: tensor.shape, elementType: layout.dataType, layout: { text } };
  };
  const operands = op.operands.map(wire).filter((value) => value !== undefined);
  const results = op.results.map(wire).filter((value) => value !== undefined);
  if (operands.length !== op.operands.length || results.length !== op.results.length) return undefined;
  const [first] = results;
  return {
    kind: "constraints",
    op: op.name,
    attrs: Object.fromEntries(
      [...op.attributes].map(([name, attribute]) => [name, attributeText(attribute)]),
    ),
    operands,
    results,
    outputLayout: first !== undefined && "shape" in first ? first.layout : null,
    // All of the config stands in the attributes.
    opConfig: { kind: "none" },
    additionalL1: 0,
    usableL1: usableL1Bytes(chip, DEFAULT_L1_CAP, 0),
    liveRecords: null,
  };
}
