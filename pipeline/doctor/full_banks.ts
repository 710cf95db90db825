// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { type DataType, isPlainFloat } from "../../lib/layout/data_type.ts";
import { dramRegion } from "../../lib/memory/dram_timeline.ts";
import { functionNamed, type GraphValue } from "../../lib/graph/graph.ts";
import type { MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import { allocatedBytesPerBank } from "../../lib/opmodel/tensor.ts";
import type { Workbench } from "../load.ts";
import type { Suspect } from "./suspects.ts";

/** Ops of a program at which the banks of DRAM are full: what its arguments take, and what makes them smaller. */
export function fullBanks(workbench: Workbench, { misfits }: MemoryVerdict): readonly Suspect[] {
  return misfits.filter(({ memory }) => memory === "dram").map(
    ({ memory: _memory, kind: _kind, shortBytes, ...located }) => {
      const { chip, binding: { graph } } = workbench;
      const { base, top } = dramRegion(chip);
      const { values } = functionNamed(graph, located.function);
      const given = values.filter(({ definition, layout }) =>
        definition.kind === "argument" && layout?.bufferType === "dram"
      );
      const weights = given.filter(({ definition }) =>
        definition.kind === "argument" && ["parameter", "constant"].includes(definition.argumentType)
      );
      const all = perBank(given, chip);
      const ofWeights = perBank(weights, chip);
      const inBlocks = perBank(weights, chip, "bfp_bf8");
      const chips = Math.ceil(all / (top - base));
      return {
        ...located,
        foundBy: "room",
        facts: [
          `${given.length} arguments take ${mebibytes(all)} of each bank, of which a bank has ${
            mebibytes(top - base)
          }; ${mebibytes(shortBytes)} are missing here`,
        ],
        advice: [
          ...weights.length === 0
            ? ["say which arguments are parameters (--argument-types), whose format can be chosen then"]
            : [
              `parameters in bfp_bf8 (--experimental-weight-dtype bfp_bf8) take ${
                mebibytes(inBlocks)
              } instead of ${mebibytes(ofWeights)}`,
            ],
          ...chips > 1 ? [`split over at least ${chips} chips, each of them holds a part`] : [],
          "fewer layers, a shorter cache or a smaller batch in one program",
        ],
      };
    },
  );
}

/** Bytes per bank of some tensors, in a format instead of their own if one is given. */
function perBank(values: readonly GraphValue[], chip: ChipDescription, dataType?: DataType): number {
  return values.reduce((sum, { tensor, layout }) => {
    if (tensor === undefined || layout === undefined) return sum;
    const { shape } = tensor;
    const isNarrowed = dataType !== undefined && isPlainFloat(layout.dataType) && layout.tile !== undefined;
    const narrowed = isNarrowed ? { ...layout, dataType } : layout;
    return sum + allocatedBytesPerBank({ shape, layout: narrowed }, chip);
  }, 0);
}

function mebibytes(count: number): string {
  return `${(count / 2 ** 20).toFixed(1)} MiB`;
}
