// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../../device/chip_description.ts";
import { rowCount } from "../../../layout/extents.ts";
import { CONV2D } from "../../../ops/attributes/window.ts";
import { windowOf } from "../../../ops/op_windows.ts";
import { isLinePerChannel } from "../../../ops/sliding_window.ts";
import type { Properties } from "../../../ttnn/op.ts";
import { tensorType } from "../../../ttnn/tensor_type.ts";
import type { TtnnTensorType } from "../../../ttnn/value.ts";
import { convolutionActivation, withoutConvolutionField } from "../../convolution_config.ts";
import { replacing, type RewritePattern } from "../../rewrite_pattern.ts";
import { proposedWith } from "../matching.ts";
import { WORTH_IT } from "./convolution_input.ts";
import { convolutionOperands } from "./convolution_source.ts";

/**
 * Adds the bias of a depthwise convolution along a line behind it, and applies its activation there: the kernel that
 * keeps one weight per channel and tap takes no bias, and with one the backend multiplies with dense weights of
 * `channels x channels` per tap (`ttnn:backend-0-81-1`). The convolution in front of a state space model is of this kind.
 */
export const biasBehindDepthwise: RewritePattern = replacing({
  name: "bias-behind-depthwise",
  upstream: "none",
  roots: ["ttnn.conv2d"],
  replace: (op, site, { type }) => {
    const read = convolutionOperands(op);
    if (read?.bias === undefined) return undefined;
    const { input, weight, bias, device } = read;
    const window = windowOf({ name: op.name, attributes: op.attributeMap() });
    if (
      window === undefined || !isLinePerChannel(window) || weight.type.layout.bufferType !== "system_memory"
    ) return undefined;
    const row = site.type(bias.type.shape, bias.type.dataType);
    const config = op.read(CONV2D).conv2d_config;
    const activation = convolutionActivation(config);
    const plain = activation === undefined ? undefined : withoutConvolutionField(config, "activation");
    const own: Properties = plain === undefined ? {} : { conv2d_config: plain };
    const added: Properties = activation === undefined
      ? {}
      : { activations: `[#ttnn.unary_with_param<op_type = ${activation}>]` };
    const isFaster = (given: TtnnTensorType): boolean => {
      const apart = site.context.inSequence([
        proposedWith(op, { operands: [given, weight.type, device.type], properties: own }),
        site.question("ttnn.add", [type, row], [type], added),
      ]);
      const operands = op.operands.map(({ type }) => type).with(0, given);
      const together = site.context.microseconds(proposedWith(op, { operands }));
      return apart !== undefined && apart.microseconds < WORTH_IT * (together ?? Infinity);
    };
    // No slices of many channels may fit into L1 where all of the line in shards does.
    if (!isFaster(input.type) && !isFaster(inBlocks(input.type, site.chip))) return undefined;
    const convolved = site.op(op.name, [input, weight, device], type, op.propertiesWith(own));
    return site.op("ttnn.add", [convolved, site.tiled(bias)], type, added);
  },
});

/** A tensor in block shards over the whole grid, or over as many rows and columns of it as there are tiles. */
function inBlocks({ shape, dataType }: TtnnTensorType, chip: ChipDescription): TtnnTensorType {
  const along = (extent: number, cores: number): number => {
    const tiles = Math.ceil(extent / 32);
    return Math.ceil(tiles / Math.ceil(tiles / cores));
  };
  const { rows, columns } = chip.workerGrid;
  return tensorType(chip, shape, dataType, {
    bufferType: "l1",
    memoryLayout: "block_sharded",
    grid: [along(rowCount(shape), rows), along(shape.at(-1) ?? 1, columns)],
  });
}
