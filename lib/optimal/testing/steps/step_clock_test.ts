// SPDX-License-Identifier: Apache-2.0
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import { createClock } from "../../../../sim/timeline/device_clock.ts";
import type { TimedProgram } from "../../../cost/dispatcher.ts";
import { type ClockState, StepClock } from "./step_clock.ts";

const DISPATCH = { ...getDevice("n150").dispatch, programSend: 3, launchSlots: 2, tracedGap: 0.5 };

const CLOCK = new StepClock({
  dispatchMicroseconds: DISPATCH.programSend,
  readyPrograms: DISPATCH.launchSlots,
  gapMicroseconds: DISPATCH.tracedGap,
  leadMicroseconds: 3.5,
});

/**
 * Programs with their launch, most of them shorter than dispatching them takes; a few run on the host, a few
 * take no time.
 */
const programs: fc.Arbitrary<TimedProgram> = fc.record({
  microseconds: fc.oneof(
    { arbitrary: fc.constantFrom(0.5, 1, 1.5, 2), weight: 6 },
    { arbitrary: fc.constantFrom(4, 8, 12), weight: 3 },
    { arbitrary: fc.constant(0), weight: 1 },
  ),
  bound: fc.oneof(
    { arbitrary: fc.constant("DRAM" as const), weight: 9 },
    { arbitrary: fc.constant("HOST" as const), weight: 1 },
  ),
  terms: fc.record({ launch: fc.constantFrom(0.25, 0.5, 0.75) }),
}).map(({ microseconds, bound, terms }) => ({
  microseconds,
  bound,
  terms: { launch: Math.min(microseconds, terms.launch) },
}));

function after(all: readonly TimedProgram[], state: ClockState = CLOCK.start): ClockState {
  return all.reduce((at, program) => CLOCK.after(at, program), state);
}

Deno.test("the search's clock equals the simulator's at the end of a plan", () => {
  fc.assert(fc.property(fc.array(programs, { maxLength: 20 }), (all) => {
    const simulated = createClock(true, { ...getDevice("n150"), dispatch: DISPATCH });
    let endUs = 0;
    for (const program of all) {
      const { startUs, deviceUs } = simulated(program);
      endUs = startUs + deviceUs;
    }
    assertAlmostEquals(after(all).microseconds, endUs, 1e-9);
  }));
});

Deno.test("a state that is no later than another one stays so under every continuation", () => {
  const some = fc.array(programs, { maxLength: 6 });
  let compared = 0;
  fc.assert(
    fc.property(some, some, fc.array(programs, { maxLength: 8 }), (first, second, rest) => {
      const [one, other] = [after(first), after(second)];
      if (!CLOCK.isNoLater(one, other)) return;
      compared++;
      const [ends, otherEnds] = [after(rest, one), after(rest, other)];
      assert(
        ends.microseconds <= otherEnds.microseconds + 1e-9,
        `${ends.microseconds} µs and ${otherEnds.microseconds} µs`,
      );
    }),
    { numRuns: 2000 },
  );
  assert(compared > 500, `${compared} pairs could be compared`);
});

Deno.test("an earlier end does not dominate if the other state's dispatcher is ahead", () => {
  const program = (microseconds: number): TimedProgram => ({
    microseconds,
    bound: "DRAM",
    terms: { launch: 0.5 },
  });
  const ofShort = after([program(1), program(1), program(1)]);
  const ofLong = after([program(4.5)]);
  assert(ofShort.microseconds < ofLong.microseconds);
  assertEquals(CLOCK.isNoLater(ofShort, ofLong), false);
  const rest = [program(1), program(1)];
  assert(after(rest, ofShort).microseconds > after(rest, ofLong).microseconds);
});

Deno.test("future programs start no earlier than the clock's dispatch times", () => {
  const dispatched = programs.filter(({ microseconds, bound }) => microseconds > 0 && bound !== "HOST");
  fc.assert(
    fc.property(fc.array(programs, { maxLength: 6 }), fc.array(dispatched, { maxLength: 8 }), (all, rest) => {
      const state = after(all);
      const startsUs = after(rest, state).starts.slice(state.starts.length);
      startsUs.forEach((startUs, index) => {
        const dispatchedUs = CLOCK.dispatchedUs(state, index + 1);
        assert(
          startUs >= dispatchedUs - 1e-9,
          `program ${index} starts at ${startUs} µs, sent at ${dispatchedUs} µs`,
        );
      });
    }),
  );
});
