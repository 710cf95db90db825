// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { idOf } from "../../../testing/ids.ts";
import { present } from "../../../testing/present.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { bestCandidates, forwardPass, type PathCandidate } from "./beam.ts";
import { dearerBy } from "./beam_histories.ts";
import { EMPTY_HISTORY } from "./history.ts";
import { realStudy } from "../testing/real_study.ts";

const SQUARE: TensorShape = { shape: [1024, 1024], dataType: "bf16" };

Deno.test("a better candidate with the same result replaces the kept one", () => {
  const { evaluator, roles, l1Budget } = realStudy((builder) => {
    builder.return(builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE));
  });
  const limits = { score: "bottleneck", beamWidth: 4 } as const;
  const [beam] = forwardPass(evaluator, roles, {
    ...limits,
    maxInputCandidatesPerOperand: 64,
    maxCombinations: 256,
    l1Budget,
  });
  const { impl, inputs } = present(beam?.[0]);
  const onCores = (cores: number): PathCandidate => ({
    reading: {
      combination: [],
      inputs,
      slots: [0],
      isReshard: [false],
      slotsId: 0,
      reshardMicroseconds: 0,
      reshards: 0,
      inputDramBytes: 0,
      inputL1Bytes: 0,
      shardedInputs: 0,
    },
    past: { history: EMPTY_HISTORY, pathMinCores: Infinity, isPatched: false },
    impl: { ...impl, cores },
    returnMicroseconds: 0,
  });
  for (const order of [[8, 64, 16], [64, 8, 16], [16, 8, 64]]) {
    const kept = bestCandidates(evaluator, idOf(0), order.map(onCores), limits);
    assertEquals(kept.map(({ candidate }) => candidate.impl.cores), [64], `found on ${order} cores`);
  }
});

Deno.test("dearerBy() is finite also if copies are impossible", () => {
  assertEquals(dearerBy(5, 3), 2);
  assertEquals(dearerBy(Infinity, 3), Infinity);
  assertEquals([dearerBy(Infinity, Infinity), dearerBy(3, Infinity)], [0, 0]);
});
