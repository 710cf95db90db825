// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import * as v from "valibot";
import { parseTtnnLayout } from "../../lib/dialect/ttnn_layout.ts";
import { readGraph } from "../../lib/graph/read_graph.ts";
import { opSignatures } from "../../lib/graph/signature.ts";
import { parseModule } from "../../lib/ir/mod.ts";
import { type LayoutId, LayoutTable } from "../../lib/layout/layout_table.ts";
import { reshardSignature } from "../../lib/memory/op_footprint.ts";
import { parseOpConfig } from "../../lib/op_config/parse.ts";
import { createOpModel } from "../../lib/opmodel/create_op_model.ts";
import type { OpSignature } from "../../lib/ops/op_signature.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { corpusTest, sharedText } from "../../testing/corpus.ts";
import { OpModelPipe } from "./pipe.ts";
import { type ConstraintsRequest, REQUEST } from "./request.ts";

const CHIP = chipDescription(getDevice("n150"));

/** The op as the library reads it from text: a function around the op's generic form, which takes its operands. */
function signatureOfText(text: string): OpSignature {
  const open = text.indexOf('"(') + 1;
  const close = text.indexOf(")", open);
  const names = text.slice(open + 1, close).split(",").map((name) => name.trim()).filter((name) =>
    name !== ""
  );
  const types = typesOf(text.slice(close));
  assertEquals(types.length, names.length, text);
  const distinct = [...new Set(names)];
  const local = (name: string): string => `%arg${distinct.indexOf(name)}`;
  const args = distinct.map((name) => `${local(name)}: ${types[names.indexOf(name)]}`).join(", ");
  const op = text.slice(0, open) + `(${names.map(local).join(", ")}` + text.slice(close);
  const wrapped = `func.func @f(${args}) {\n  ${op}\n  return\n}\n`;
  const { graph } = readGraph(parseModule(wrapped, "op"), CHIP.workerGrid);
  const [signature] = graph.functions.flatMap((fn) => opSignatures(fn));
  assert(signature !== undefined);
  return signature;
}

/** Types of the operands: the first list of types, up to the arrow outside of all brackets. */
function typesOf(text: string): string[] {
  const start = text.search(/: \((?=tensor|!|\))/) + 3;
  const types: string[] = [];
  let depth = 0;
  let from = start;
  for (let index = start;; index++) {
    const character = text[index] ?? ")";
    if ("<([{".includes(character)) depth++;
    const isArrow = character === ">" && text[index - 1] === "-";
    const ends = depth === 0 && ",)".includes(character);
    if (ends && index > from) types.push(text.slice(from, index).trim());
    if (ends && character === ")") return types;
    if (ends) from = index + 1;
    else if (")>]}".includes(character) && !isArrow) depth--;
  }
}

corpusTest("all recorded questions are answered as the library answers", () => {
  const layouts = new LayoutTable();
  const opModel = createOpModel({ chip: CHIP, layouts });
  const pipe = new OpModelPipe(getDevice("n150"));
  const intern = (layout: { readonly text: string } | null): LayoutId | undefined => {
    const parsed = layout === null ? undefined : parseTtnnLayout(layout.text);
    return parsed === undefined ? undefined : layouts.intern(parsed.layout);
  };
  const lines = sharedText("data", "op-model-pipe-requests.jsonl").trimEnd().split("\n");
  assertEquals(lines.length, 627);
  let accepted = 0;
  let refused = 0;
  for (const line of lines) {
    const reply = JSON.parse(pipe.answerLine(line));
    const json = JSON.parse(line);
    assertEquals(reply.id, json.id);
    const request = v.parse(REQUEST, json);
    if (request.kind !== "constraints") {
      assertEquals(reply.ok, true, line);
      continue;
    }
    const op = json.direct === true ? directSignature(request) : signatureOfText(json.text);
    const inputs = request.operands.map((value) => "layout" in value ? intern(value.layout) : undefined);
    const { matmulProgramConfig, computeKernelConfig, conv2dConfig, deviceComputeKernelConfig } =
      request.opConfig;
    const config = configOf(op.name, {
      matmul_program_config: matmulProgramConfig,
      conv2d_config: conv2dConfig,
      compute_config: computeKernelConfig ?? deviceComputeKernelConfig,
    });
    const hint = intern(request.outputLayout);
    const answer = opModel.queryOpConstraints(op, inputs, hint, config, request.additionalL1);
    if (answer.status === "invalid") {
      refused++;
      assertEquals(reply.ok, false, line);
      assertEquals(reply.status === "oom", answer.failure === "out_of_memory", line);
      assert(reply.reason.includes(answer.rule), `${reply.reason} is not ${answer.rule}: ${line}`);
      continue;
    }
    accepted++;
    assertEquals(reply.ok, true, `${reply.reason}: ${line}`);
    assertEquals(
      [reply.cbPeak, reply.tensorPeak, reply.totalPeak, reply.outputL1],
      [answer.cbPeakBytes, answer.tensorL1PeakBytes, answer.l1PeakBytes, answer.outputL1Bytes],
      line,
    );
    assertEquals(reply.outputLayouts.length, answer.outputLayouts.length);
    answer.outputLayouts.forEach((made, result) => {
      const wire = reply.outputLayouts[result];
      if (made === undefined) return assertEquals(wire, null);
      const layout = layouts.get(made);
      if (wire !== null) {
        assertEquals([wire.bufferType, wire.memLayout, wire.grid], [
          layout.bufferType,
          layout.memoryLayout,
          layout.gridShape,
        ]);
        return;
      }
      const declared = request.results[result];
      const asked = (result === 0 ? hint : undefined) ??
        (declared !== undefined && "layout" in declared ? intern(declared.layout) : undefined);
      assert(asked !== undefined);
      assertEquals(layout, { ...layouts.get(asked), ignorePhysicalLayout: false });
    });
  }
  assertEquals(accepted + refused, 562);
  assert(accepted > 400 && refused > 40, `${accepted} accepted, ${refused} refused`);
});

function directSignature(request: ConstraintsRequest): OpSignature {
  const [operand] = request.operands;
  assert(operand !== undefined && "shape" in operand && operand.layout !== null);
  const dataType = parseTtnnLayout(operand.layout.text)?.layout.dataType;
  assert(dataType !== undefined);
  return reshardSignature({ shape: operand.shape, dataType });
}

function configOf(name: string, texts: Readonly<Record<string, string | null | undefined>>) {
  const entries = Object.entries(texts).flatMap(([key, text]) => text == null ? [] : [`${key} = ${text}`]);
  if (entries.length === 0) return undefined;
  const module = parseModule(`"test.op"() <{${entries.join(", ")}}> : () -> ()\n`, "config");
  const wrapped = `func.func @f() {\n  ${module.text}  return\n}\n`;
  const { graph } = readGraph(parseModule(wrapped, "config"), CHIP.workerGrid);
  const [op] = graph.functions.flatMap((fn) => fn.ops);
  assert(op !== undefined);
  return parseOpConfig(name, op.attributes);
}
