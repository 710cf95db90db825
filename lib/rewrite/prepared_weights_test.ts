// SPDX-License-Identifier: Apache-2.0

/** The properties of ops that prepare weights, after a plan moved the input of their convolution. */

import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { getPolicy } from "../policy/policies.ts";
import { loadModule } from "../../pipeline/load_module.ts";
import { optimizeModule } from "../../pipeline/optimize.ts";
import type { FunctionPlan, OpDecision } from "../plan/plan.ts";
import { identityPlan } from "../plan/steps.ts";
import { readGraph } from "../graph/read_graph.ts";
import { chipDescription } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { type GraphOp, opAt, valueAt } from "../graph/graph.ts";
import { originOf } from "../graph/origin.ts";
import { parseModule, printGeneric, textOf } from "../ir/mod.ts";
import { NO_OVERRIDES } from "../overrides/overrides.ts";
import { verifyModule } from "../verify/verify_module.ts";
import type { Workbench } from "../../pipeline/load.ts";
import { simulateGraph } from "../../sim/timeline/simulate.ts";
import { rewriteModule } from "./rewrite_module.ts";

/** A convolution as a front end writes it, with its weight as a parameter or as an input of each inference. */
function convolution(role: "parameter" | "input"): string {
  const image = "tensor<1x32x32x64xbf16>";
  const weight = "tensor<64x64x3x3xbf16>";
  const argument = `{ttcore.argument_type = #ttcore.argument_type<${role}>}`;
  return `func.func @main(%x: ${image}, %w: ${weight} ${argument}) -> ${image} {
  %0 = "ttir.relu"(%x) : (${image}) -> ${image}
  %1 = "ttir.conv2d"(%0, %w) <{stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32}> : (${image}, ${weight}) -> ${image}
  return %1 : ${image}
}`;
}

/** `input_memory_config` of the ops that prepare weights, as printed. */
function toldInputs(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.includes('"ttnn.prepare_conv2d_weights"'))
    .map((line) =>
      /input_memory_config = (#ttnn\.memory_config<.*?>), input_tensor_layout/.exec(line)?.[1] ?? ""
    );
}

for (const role of ["parameter", "input"] as const) {
  Deno.test(`a prepared weight follows its convolution into L1: ${role}`, () => {
    const workbench = loadModule(convolution(role), { device: "n150" });
    const before = toldInputs(workbench.module.text);
    const { text } = optimizeModule(workbench, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
    const after = toldInputs(text);
    assertEquals([before.length, after.length], [1, 1]);
    assert(before.every((told) => told.includes("<dram>")), before.join());
    assert(after.every((told) => told.includes("<l1>")), after.join());
    // Writing it again changes nothing.
    assertEquals(writtenAgain(text), text);
  });

  for (const form of ["custom", "generic"] as const) {
    Deno.test(`convolutions that share a weight and are decided differently have it prepared each: ${role}, ${form} form`, () => {
      const lowered = loadModule(siamese(role), { device: "n150" });
      const workbench = form === "custom"
        ? lowered
        : loadModule(printGeneric(lowered.module), { device: "n150" });
      const decided = optimizeModule(workbench, getPolicy("dram"), {
        ...DEFAULT_POLICY_OPTIONS,
        overrides: { ...NO_OVERRIDES, conv2dConfigs: new Map([["conv_1", { actBlockHOverride: 64 }]]) },
      });
      const written = loadModule(decided.text, { device: "n150" });
      const convolutions = named(written, "ttnn.conv2d");
      const blocks = ["64", undefined, "64"];
      assertEquals(convolutions.map((text) => /act_block_h_override = (\d+)/.exec(text)?.[1]), blocks);
      // The preparations that each of them reads, of its weights and its bias, have its config, and two
      // convolutions share theirs.
      assertEquals(preparedFor(written), convolutions.map((text) => [configOf(text), configOf(text)]));
      assertEquals(named(written, "ttnn.prepare_conv2d_weights").length, 2);
      assertEquals(errorsOf(written), []);
      assertEquals(writtenAgain(decided.text), decided.text);
      // Every preparation has a price.
      const simulated = simulateGraph(written.binding.graph, undefined, written);
      assertAlmostEquals(decided.timeline.inference.totalUs, simulated.inference.totalUs, 1e-6);
      assertAlmostEquals(decided.timeline.once.totalUs, simulated.once.totalUs, 1e-6);
    });
  }
}

Deno.test("a weight is prepared once where only some of its convolutions free what they read", () => {
  const image = "tensor<1x32x32x64xbf16>";
  const text = siamese("input").replace(
    "  return %0,",
    `  %t = "ttir.add"(%0, %r) : (${image}, ${image}) -> ${image}\n  return %t,`,
  );
  const workbench = loadModule(text, { device: "n150" });
  const decided = optimizeModule(workbench, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
  const written = loadModule(decided.text, { device: "n150" });
  const frees = named(written, "ttnn.conv2d").map((text) =>
    configOf(text).includes("deallocate_activation = true")
  );
  assertEquals(new Set(frees), new Set([true, false]));
  assertEquals(named(written, "ttnn.prepare_conv2d_weights").length, 1);
});

Deno.test("a file whose convolutions share a weight beside different inputs keeps its bytes", () => {
  const { binding, chip } = loadModule(siamese("input"), { device: "n150" });
  const functions = binding.graph.functions.map((fn): FunctionPlan => {
    const plan = identityPlan(fn);
    const activation = fn.ops.find(({ name }) => name === "ttnn.conv2d")?.operands[0];
    const decisions = plan.decisions.map((decision): OpDecision => {
      const [result] = opAt(fn, decision.op).results;
      const layout = result === activation && result !== undefined ? valueAt(fn, result).layout : undefined;
      return layout === undefined
        ? decision
        : { ...decision, outputLayouts: [{ ...layout, bufferType: "l1" }] };
    });
    return { ...plan, decisions };
  });
  const plan = { schema: "tilewright.plan/1", policy: "none", device: "n150", functions } as const;
  const apart = rewriteModule(binding, plan, chip);
  assertEquals(apart.match(/%prepared_\d+ = /g)?.length, 2);
  const [, weight = "", bias = ""] = /"ttnn.conv2d"\(%\w+, (%pass_\d+), (%pass_\d+)/.exec(apart) ?? [];
  const shared = apart.replace(
    /(?<="ttnn.conv2d"\(%\w+), %prepared_\d, %prepared_\d/g,
    `, ${weight}, ${bias}`,
  );
  assert(!/"ttnn.conv2d"\([^)]*%prepared/.test(shared));
  assertEquals(writtenAgain(shared), shared);
});

Deno.test("what is prepared once more is handed over at every load of its function, under names of their own", () => {
  const { text } = loadModule(siamese("parameter"), { device: "n150" }).module;
  const [load = "", name = "", weight = ""] =
    /^.*(%\w+) = ttcore\.load_cached\(@main_const_eval_0, \[(%\w+)\].*\n/m.exec(text) ?? [];
  const [, before = "", second = "", rest = ""] =
    /^([^]*"ttnn\.conv2d"[^]*\n)(.*"ttnn\.conv2d".*\n)([^]*"ttnn\.conv2d"[^]*)$/
      .exec(text) ?? [];
  const loadedTwice = before.replace(new RegExp(`^.*deallocate"\\(${weight}\\).*\n`, "m"), "") +
    load.replace(name, "%again") + second.replace(`${name},`, "%again,") + rest;
  // Graph passes would prepare it anew for each convolution.
  const asGiven = { device: "n150", passes: "none" } as const;
  const workbench = loadModule(loadedTwice, asGiven);
  assertEquals(errorsOf(workbench), []);
  const decided = optimizeModule(workbench, getPolicy("dram"), {
    ...DEFAULT_POLICY_OPTIONS,
    overrides: { ...NO_OVERRIDES, conv2dConfigs: new Map([["conv_1", { actBlockHOverride: 64 }]]) },
  });
  const written = loadModule(decided.text, asGiven);
  assertEquals(errorsOf(written), []);
  assertEquals(
    preparedFor(written),
    named(written, "ttnn.conv2d").map((text) => [configOf(text), configOf(text)]),
  );
  const loads = named(written, "ttcore.load_cached").filter((text) => text.includes("@main_const_eval_0"));
  const names = loads.map((text) => /^%\w+, (%prepared_\d+) = /.exec(text)?.[1]);
  assertEquals([names.length, new Set(names).size, names.includes(undefined)], [2, 2, false]);
});

/** Three convolutions of one weight and bias. */
function siamese(role: "parameter" | "input"): string {
  const image = "tensor<1x32x32x64xbf16>";
  const weight = "tensor<64x64x3x3xbf16>";
  const bias = "tensor<1x1x1x64xbf16>";
  const argument = `{ttcore.argument_type = #ttcore.argument_type<${role}>}`;
  const convolution = (result: string, input: string, name: string) =>
    `  ${result} = "ttir.conv2d"(${input}, %w, %b) <{stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, ` +
    `groups = 1 : i32}> : (${image}, ${weight}, ${bias}) -> ${image} loc("${name}")\n`;
  return `func.func @main(%x: ${image}, %y: ${image}, %w: ${weight} ${argument}, %b: ${bias} ${argument}) -> ` +
    `(${image}, ${image}, ${image}) {\n  %r = "ttir.relu"(%x) : (${image}) -> ${image}\n` +
    `  %s = "ttir.exp"(%x) : (${image}) -> ${image}\n` +
    convolution("%0", "%r", "conv_1") + convolution("%1", "%y", "conv_2") +
    convolution("%2", "%s", "conv_1") +
    `  return %0, %1, %2 : ${image}, ${image}, ${image}\n}\n`;
}

/** Texts of the ops with a name. */
function named({ module }: Workbench, name: string): readonly string[] {
  return module.operations.filter((op) => op.name === name).map(({ span }) => textOf(module, span));
}

function configOf(text: string): string {
  return /conv2d_config = (#ttnn\.conv2d_config<[^>]*>)/.exec(text)?.[1] ?? "";
}

/** Per convolution: the configs that its weights and its bias were prepared for. */
function preparedFor({ binding: { graph, functions }, module }: Workbench): readonly (readonly string[])[] {
  const byName = new Map(graph.functions.map((fn) => [fn.name, fn]));
  const textOfOp = (op: GraphOp) =>
    functions.flatMap(({ fn, ops }) => {
      const operation = fn.ops[op.id] === op ? ops[op.id] : undefined;
      return operation === undefined ? [] : [textOf(module, operation.span)];
    }).join("");
  return graph.functions.flatMap((fn) =>
    fn.ops.filter(({ name }) => name === "ttnn.conv2d").map(({ operands }) =>
      operands.slice(1, 3).map((value) => {
        const origin = originOf(byName, fn, value);
        return origin === undefined ? "" : configOf(textOfOp(origin.op));
      })
    )
  );
}

function errorsOf({ module }: Workbench): readonly string[] {
  return verifyModule(module).filter(({ severity }) => severity === "error").map(({ message }) => message);
}

/** A written file, written again unchanged. */
function writtenAgain(text: string): string {
  const chip = chipDescription(getDevice("n150"));
  const binding = readGraph(parseModule(text, "written.mlir"), chip.workerGrid);
  const functions = binding.graph.functions.map(identityPlan);
  const plan = { schema: "tilewright.plan/1", policy: "none", device: "n150", functions } as const;
  return rewriteModule(binding, plan, chip);
}
