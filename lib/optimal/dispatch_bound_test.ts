// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals } from "@std/assert";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { createClock } from "../../sim/timeline/device_clock.ts";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import { l1Region } from "../memory/l1_timeline.ts";
import { DEFAULT_POLICY_OPTIONS } from "../policy/options.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { OpEvaluator } from "../search/op_evaluator.ts";
import { opRoles } from "../search/op_roles.ts";
import { dispatchBound } from "./dispatch_bound.ts";
import { LayoutSpace } from "./layout_space.ts";

/** A function whose ops are so many squares, in order, each reading the ones that it names; `-1` is the argument. */
function boundOf(side: number, reads: readonly (readonly number[])[]) {
  const tensor = { shape: [side, side], dataType: "bf16" } as const;
  const builder = new GraphBuilder();
  const x = builder.argument(tensor);
  const made = [x];
  for (const operands of reads) {
    const [first = x, second] = operands.map((read) => made[read + 1] ?? x);
    made.push(
      second === undefined
        ? builder.op("ttnn.relu", [first], tensor)
        : builder.op("ttnn.add", [first, second], tensor),
    );
  }
  builder.return(made.at(-1) ?? x);
  const { opModel, cost } = realModels();
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const roles = opRoles(evaluator);
  const l1Bytes = l1Region(opModel.chip, 0.95, 0).budget;
  const space = new LayoutSpace(evaluator, roles, { combinations: 20_000, l1Bytes, freedom: "hinted" });
  const least = evaluator.fn.ops.map(({ id }) => space.table(id).least);
  return { bound: dispatchBound(space, roles), least };
}

/** So many ops, each reading the one before. */
function chain(length: number): readonly (readonly number[])[] {
  return Array.from({ length }, (_, op) => [op - 1]);
}

/** µs of some kernels one after another, by the clock of the simulator. */
function clocked(kernels: readonly number[]): number {
  const device = getDevice("n150");
  const clock = createClock(true, device);
  let end = 0;
  for (const microseconds of kernels) {
    const { startUs, deviceUs } = clock({
      microseconds,
      bound: "SLOW",
      terms: { launch: device.dispatch.tracedGap },
    });
    end = startUs + deviceUs;
  }
  return end;
}

Deno.test("short kernels one after another take what the dispatcher needs, and the bound says so", () => {
  const { programSend, tracedGap } = getDevice("n150").dispatch;
  const { bound, least } = boundOf(32, chain(40));
  assert(Math.max(...least) < programSend);
  // All but the launch of the first program.
  assertAlmostEquals(bound, clocked(least) - tracedGap, 1e-6);
});

Deno.test("no order of ops takes less than the bound by dispatch", () => {
  const { bound, least } = boundOf(32, [...chain(40), [38], [39, 40], [41]]);
  const sum = least.reduce((total, us) => total + us, 0);
  const [first = 0, second = 0] = least.slice(39, 41);
  const [before, behind] = [least.slice(0, 39), least.slice(41)];
  for (const order of [[...before, first, second, ...behind], [...before, second, first, ...behind]]) {
    assert(bound <= clocked(order) * (1 + 1e-9), `${bound} µs is more than ${clocked(order)}`);
  }
  assert(bound > sum);
  // Long kernels give the dispatcher the time that it needs.
  const long = boundOf(2048, [[-1], [0], [1]]);
  assert(long.bound <= long.least.reduce((total, us) => total + us, 0));
});
