// SPDX-License-Identifier: Apache-2.0

/** Whether a convolution reads rows or tiles is decided with where it reads them. */

import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { parseModule } from "../lib/ir/mod.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import { DEFAULT_PASS_OPTIONS } from "../lib/passes/pass_options.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy, policies } from "../lib/policy/policies.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { createWorkbench } from "./load.ts";
import { optimizeModule } from "./optimize.ts";
import { gapOfPlan, type PlanGap } from "./plan_gap.ts";
import { prepareGraph } from "./load_module.ts";

const N150 = getDevice("n150");

/** The first convolution of a network, of images of three channels, and the activation behind it. */
interface Stem {
  readonly filters: number;
  readonly kernel: number;
  readonly stride: number;
  readonly padding: number;
  readonly isChannelFirst: boolean;
}

const RESNET: Stem = { filters: 64, kernel: 7, stride: 2, padding: 3, isChannelFirst: true };

function stem({ filters, kernel, stride, padding, isChannelFirst }: Stem): string {
  const out = Math.floor((224 + 2 * padding - kernel) / stride) + 1;
  const of = (channels: number, size: number): string =>
    `tensor<${(isChannelFirst ? [1, channels, size, size] : [1, size, size, channels]).join("x")}xbf16>`;
  const [images, weight, result] = [
    of(3, 224),
    `tensor<${filters}x3x${kernel}x${kernel}xbf16>`,
    of(filters, out),
  ];
  const [channel, height, width] = isChannelFirst ? [1, 2, 3] : [3, 1, 2];
  return `module {
  func.func @main(%x: ${images} {ttcore.argument_type = #ttcore.argument_type<input>}, %w: ${weight} {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> ${result} {
    %0 = "ttir.conv2d"(%x, %w) <{batch_dim = 0 : i64, channel_dim = ${channel} : i64, height_dim = ${height} : i64, width_dim = ${width} : i64, dilation = array<i32: 1, 1>, groups = 1 : i32, padding = array<i32: ${padding}, ${padding}>, stride = array<i32: ${stride}, ${stride}>}> : (${images}, ${weight}) -> ${result}
    %1 = "ttir.relu"(%0) : (${result}) -> ${result}
    return %1 : ${result}
  }
}
`;
}

interface Decided {
  /** As it is written. */
  readonly text: string;
  /** What the convolution reads. */
  readonly input: TtnnLayout;
  /** Predicted µs of an inference, and those of the written text. */
  readonly us: number;
  readonly writtenUs: number;
  readonly certificate: PlanGap["certificate"];
}

function decide(text: string, policy = "auto"): Decided {
  const { module } = prepareGraph(parseModule(text, "stem.mlir"), N150, DEFAULT_PASS_OPTIONS);
  const workbench = createWorkbench(module, N150);
  const optimized = optimizeModule(workbench, getPolicy(policy), DEFAULT_POLICY_OPTIONS);
  assertEquals(optimized.memory.verdict.status, "fits");
  const timeline = simulateGraph(workbench.binding.graph, optimized.plan, workbench);
  const written = createWorkbench(parseModule(optimized.text, "written.mlir"), N150);
  const { graph } = written.binding;
  const input =
    graph.functions.flatMap(({ ops, values }) =>
      ops.filter(({ name }) => name === "ttnn.conv2d").map(({ operands: [read = -1] }) =>
        values[read]?.layout
      )
    )[0];
  assert(input !== undefined);
  return {
    text: optimized.text,
    input,
    us: timeline.inference.totalUs,
    writtenUs: simulateGraph(graph, undefined, written).inference.totalUs,
    certificate: gapOfPlan(optimized.plan, timeline).certificate,
  };
}

Deno.test("the first convolution of a ResNet is written as it was priced, and leaves nothing to decide", () => {
  const { text, us, writtenUs, certificate } = decide(stem(RESNET));
  assertEquals(certificate, "exact");
  assertAlmostEquals(writtenUs, us, 1e-6);
  assertAlmostEquals(decide(text).us, us, 1e-6);
  for (const { name } of policies) assert(us <= decide(stem(RESNET), name).us + 1e-6, name);
});
