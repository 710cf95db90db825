// SPDX-License-Identifier: Apache-2.0
import type { OpImpl } from "../search/impls.ts";
import type { LayoutFacts } from "../search/layout_catalog.ts";
import type { OperandReading } from "./exploration.ts";
import type { LayoutScore } from "./layout_score.ts";

/** The score of an implementation on its operands' layouts; subclasses add the time of the path. */
export abstract class ImplScore implements LayoutScore {
  readonly isL1: boolean;
  readonly isSharded: boolean;
  readonly inputDramBytes: number;
  readonly requiresReshard: boolean;
  readonly coreCount: number;
  readonly outputL1Bytes: number;
  readonly shardedInputs: number;
  readonly cores: number;
  readonly pathMinCores: number;
  readonly pathReshards: number;

  /** @param facts about the first result */
  constructor(
    reading: OperandReading,
    impl: OpImpl,
    facts: LayoutFacts | undefined,
    path: Pick<LayoutScore, "pathMinCores" | "pathReshards">,
  ) {
    this.isL1 = facts?.isL1 ?? false;
    this.isSharded = facts?.isSharded ?? false;
    this.inputDramBytes = reading.inputDramBytes;
    this.requiresReshard = reading.reshards > 0;
    this.coreCount = facts?.gridVolume ?? 0;
    this.outputL1Bytes = impl.outputL1Bytes;
    this.shardedInputs = reading.shardedInputs;
    this.cores = impl.cores;
    this.pathMinCores = path.pathMinCores;
    this.pathReshards = path.pathReshards;
  }

  /** Predicted µs of the path, computed on demand: most rankings do not need it. */
  abstract get pathMicroseconds(): number;
}
