// SPDX-License-Identifier: Apache-2.0
import { isBookkeeping } from "../ops/bookkeeping.ts";

import { definitionOf, type OpFamily } from "../ops/op_book.ts";
import type { ChipDescription } from "../device/chip_description.ts";
import type { CostClass } from "../ops/cost_class.ts";
import { attentionDecodePrograms, attentionPrefillPrograms } from "./attention.ts";
import { argmaxPrograms } from "./argmax.ts";
import { batchNormPrograms } from "./batch_norm.ts";
import { cachePrograms } from "./cache_update.ts";
import { collectivePrograms } from "./collective.ts";
import { convolutionPrograms } from "./convolution_launch.ts";
import { volumeConvolutionPrograms } from "./convolution_3d.ts";
import { creationPrograms, randomPrograms } from "./creation.ts";
import { concatPrograms } from "./concat.ts";
import { ditPrograms } from "./dit.ts";
import { eltwisePrograms } from "./eltwise.ts";
import { headsPrograms } from "./heads.ts";
import { matmulPrograms } from "./matmul.ts";
import { adamwPrograms, meshPartitionPrograms, samplingPrograms } from "./miscellaneous.ts";
import { padPrograms } from "./pad.ts";
import { expertsPrograms, opaquePrograms } from "./page_copy.ts";
import { permutePrograms } from "./permute_chain.ts";
import { poolPrograms } from "./pool.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import type { LaunchContext, OpLaunch } from "./op_launch.ts";
import { NO_PROGRAMS, type OpPrograms, unknownPrograms } from "./program.ts";
import { normPrograms } from "./normalization.ts";
import { productPrograms } from "./product.ts";
import { cumulativePrograms } from "./cumulative.ts";
import { embeddingBackwardPrograms, embeddingPrograms } from "./embedding.ts";
import { gatherPrograms, scatterPrograms } from "./gather.ts";
import { quantizationPrograms } from "./quantization.ts";
import { reductionPrograms } from "./reduction.ts";
import { softmaxPrograms } from "./softmax.ts";
import { sortPrograms } from "./sort.ts";
import { hostTransferPrograms, layoutChangePrograms } from "./relayout.ts";
import { repeatInterleavePrograms, repeatPrograms } from "./repeat.ts";
import { reshapePrograms } from "./reshape.ts";
import { rotaryPrograms } from "./rotary.ts";
import { sparseMatmulPrograms } from "./sparse_matmul.ts";
import { slicePrograms } from "./slice.ts";
import { topkPrograms } from "./topk.ts";
import { trainingPrograms } from "./training.ts";
import { typecastPrograms } from "./typecast.ts";
import { upsamplePrograms } from "./upsample.ts";

/** Derives the device programs of the ops of one class. Pure. */
type Launcher = (op: OpLaunch, context: LaunchContext) => OpPrograms;

/** Launchers that need only the chip. */
function onChip(launcher: (op: OpLaunch, chip: ChipDescription) => OpPrograms): Launcher {
  return (op, { chip }) => launcher(op, chip);
}

const eltwise: Launcher = (op, { chip, programRules }) => eltwisePrograms(op, chip, programRules);
const nothing: Launcher = () => NO_PROGRAMS;

const LAUNCHERS: Readonly<Record<CostClass, Launcher>> = {
  matmul: matmulPrograms,
  sparse_matmul: sparseMatmulPrograms,
  conv2d: convolutionPrograms,
  conv3d: onChip(volumeConvolutionPrograms),
  pool: poolPrograms,
  upsample: onChip(upsamplePrograms),
  eltwise_unary: eltwise,
  eltwise_binary: eltwise,
  eltwise_ternary: eltwise,
  reduction: reductionPrograms,
  softmax: softmaxPrograms,
  norm: normPrograms,
  sdpa: attentionPrefillPrograms,
  sdpa_decode: attentionDecodePrograms,
  rotary: onChip(rotaryPrograms),
  cache_update: onChip(cachePrograms),
  embedding: onChip(embeddingPrograms),
  permute: onChip(permutePrograms),
  reshape: onChip(reshapePrograms),
  concat: onChip(concatPrograms),
  slice: onChip(slicePrograms),
  pad: onChip(padPrograms),
  repeat: (op, { chip, programRules }) => repeatPrograms(op, chip, programRules),
  gather: onChip(gatherPrograms),
  sort: onChip(sortPrograms),
  heads: onChip(headsPrograms),
  typecast: onChip(typecastPrograms),
  to_layout: onChip(layoutChangePrograms),
  reshard: onChip(layoutChangePrograms),
  host_transfer: hostTransferPrograms,
  creation: onChip(creationPrograms),
  ccl: collectivePrograms,
  training: onChip(trainingPrograms),
  dit: ditPrograms,
  experts: onChip(expertsPrograms),
  view: nothing,
  free: nothing,
  opaque: onChip(opaquePrograms),
};

/** Families whose programs differ from those of their cost class. */
const BY_FAMILY: Readonly<Partial<Record<OpFamily, Launcher>>> = {
  quantize: quantizationPrograms,
  dequantize: quantizationPrograms,
  requantize: quantizationPrograms,
  adamw: onChip(adamwPrograms),
  batch_norm_inference: onChip(batchNormPrograms),
  batch_norm_training: onChip(batchNormPrograms),
  prod: onChip(productPrograms),
  argmax: (op, { chip, programRules }) => argmaxPrograms(op, chip, programRules),
  cumulative: onChip(cumulativePrograms),
  topk: (op, { chip, programRules }) => topkPrograms(op, chip, programRules),
  mesh_partition: onChip(meshPartitionPrograms),
  rand: onChip(randomPrograms),
  sampling: onChip(samplingPrograms),
  repeat_interleave: onChip(repeatInterleavePrograms),
  embedding_bw: onChip(embeddingBackwardPrograms),
  scatter: onChip(scatterPrograms),
};

/**
 * The device programs that the backend launches for an op. This is the only place that decides them: legality, circular
 * buffers, cores and time are all derived from its answer.
 */
export function launchPrograms(costClass: CostClass, op: OpLaunch, context: LaunchContext): OpPrograms {
  if (isBookkeeping(op) || costClass === "free") return NO_PROGRAMS;
  if (!op.name.startsWith("ttnn.")) {
    return unknownPrograms(op.name, "its device program is not known");
  }
  if (op.outputs.length > 0 && op.outputs.every(isEmpty)) return NO_PROGRAMS;
  if ([...op.inputs, ...op.outputs].some(isEmpty)) {
    return unknownPrograms(op.name, "how it runs on tensors without elements is not known");
  }
  return (BY_FAMILY[definitionOf(op.name).family] ?? LAUNCHERS[costClass])(op, context);
}

/** Whether a tensor has an extent of 0: no page of it is read or written. */
function isEmpty(tensor: ProgramTensor | undefined): boolean {
  return tensor?.shape.includes(0) === true;
}
