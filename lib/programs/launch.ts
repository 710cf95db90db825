// SPDX-License-Identifier: Apache-2.0
import { isBookkeeping } from "../ops/bookkeeping.ts";
import type { CostClass } from "../ops/cost_class.ts";
import { definitionOf, type OpFamily } from "../ops/op_book.ts";
import { collectivePrograms } from "./ccl/collective.ts";
import { prepareVolumeWeights, volumeConvolutionPrograms } from "./conv/convolution_3d.ts";
import { convolutionPrograms } from "./conv/convolution_launch.ts";
import { concatPrograms } from "./data_movement/concat.ts";
import { embeddingBackwardPrograms, embeddingPrograms } from "./data_movement/embedding.ts";
import { gatherPrograms, scatterPrograms } from "./data_movement/gather.ts";
import { padPrograms } from "./data_movement/pad.ts";
import { permutePrograms } from "./data_movement/permute_chain.ts";
import { assignPrograms, copyPrograms, hostTransferPrograms, relayout } from "./data_movement/relayout.ts";
import { repeatPrograms } from "./data_movement/repeat.ts";
import { repeatInterleavePrograms } from "./data_movement/repeat_interleave.ts";
import { reshapePrograms } from "./data_movement/reshape.ts";
import { slicePrograms } from "./data_movement/slice.ts";
import { sortPrograms } from "./data_movement/sort.ts";
import { eltwisePrograms } from "./eltwise/eltwise.ts";
import { typecastPrograms } from "./eltwise/eltwise_program.ts";
import { quantizationPrograms } from "./eltwise/quantization.ts";
import { matmulPrograms, sparseMatmulPrograms } from "./matmul/matmul.ts";
import {
  adamwPrograms,
  creationPrograms,
  meshPartitionPrograms,
  randomPrograms,
  samplingPrograms,
} from "./miscellaneous.ts";
import { batchNormPrograms } from "./normalization/batch_norm.ts";
import { ditPrograms } from "./normalization/dit.ts";
import { normPrograms } from "./normalization/normalization.ts";
import { softmaxPrograms } from "./normalization/softmax.ts";
import { type LaunchContext, type OpLaunch, unary } from "./op_launch.ts";
import { poolPrograms } from "./pool/pool.ts";
import { upsamplePrograms } from "./pool/upsample.ts";
import { NO_PROGRAMS, type OpPrograms, unknownPrograms } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { argmaxPrograms } from "./reduction/argmax.ts";
import { cumulativePrograms } from "./reduction/cumulative.ts";
import { productPrograms } from "./reduction/product.ts";
import { reductionPrograms } from "./reduction/reduction_plan.ts";
import { topkPrograms } from "./reduction/topk.ts";
import { trainingPrograms } from "./training.ts";
import { attentionDecodePrograms, attentionPrefillPrograms } from "./transformer/attention.ts";
import { cachePrograms } from "./transformer/cache_update.ts";
import { headsPrograms } from "./transformer/heads.ts";
import { rotaryPrograms } from "./transformer/rotary.ts";

/** Derives the device programs of the ops of one class. Pure. */
type Launcher = (op: OpLaunch, context: LaunchContext) => OpPrograms;

const nothing: Launcher = () => NO_PROGRAMS;
const layoutChange = unary<LaunchContext>(({ input, output }, { chip, room }) =>
  relayout(input, output, chip, room)
);

const LAUNCHERS: Readonly<Record<CostClass, Launcher>> = {
  matmul: matmulPrograms,
  sparse_matmul: sparseMatmulPrograms,
  conv2d: convolutionPrograms,
  conv3d: volumeConvolutionPrograms,
  pool: unary(poolPrograms),
  upsample: unary(upsamplePrograms),
  eltwise_unary: eltwisePrograms,
  eltwise_binary: eltwisePrograms,
  eltwise_ternary: eltwisePrograms,
  reduction: unary(reductionPrograms),
  softmax: unary(softmaxPrograms),
  norm: unary(normPrograms),
  sdpa: attentionPrefillPrograms,
  sdpa_decode: attentionDecodePrograms,
  rotary: unary(rotaryPrograms),
  cache_update: cachePrograms,
  embedding: embeddingPrograms,
  permute: unary(permutePrograms),
  reshape: unary(reshapePrograms),
  concat: unary(concatPrograms),
  slice: unary(slicePrograms),
  pad: unary(padPrograms),
  repeat: unary(repeatPrograms),
  gather: (op, context) => gatherPrograms(op, context),
  sort: (op, context) => sortPrograms(op, context),
  heads: headsPrograms,
  typecast: unary(typecastPrograms),
  to_layout: layoutChange,
  reshard: layoutChange,
  host_transfer: (op, context) =>
    op.name === "ttnn.prepare_conv3d_weights" ? prepareVolumeWeights(op, context) : hostTransferPrograms(op),
  creation: creationPrograms,
  ccl: unary(collectivePrograms),
  training: trainingPrograms,
  dit: ditPrograms,
  view: nothing,
  free: nothing,
  opaque: nothing,
};

/** Families whose programs differ from those of their cost class. */
const BY_FAMILY: Readonly<Partial<Record<OpFamily, Launcher>>> = {
  quantize: quantizationPrograms,
  dequantize: quantizationPrograms,
  requantize: quantizationPrograms,
  assign: unary(assignPrograms),
  copy: copyPrograms,
  adamw: adamwPrograms,
  batch_norm_inference: unary(batchNormPrograms),
  batch_norm_training: unary(batchNormPrograms),
  prod: unary(productPrograms),
  argmax: unary(argmaxPrograms),
  cumulative: unary(cumulativePrograms),
  topk: unary((op, context) => topkPrograms(op, context)),
  mesh_partition: unary(meshPartitionPrograms),
  rand: randomPrograms,
  sampling: samplingPrograms,
  repeat_interleave: unary(repeatInterleavePrograms),
  embedding_bw: embeddingBackwardPrograms,
  scatter: scatterPrograms,
};

/**
 * The device programs that the backend launches for an op. The only place that decides them: legality,
 * circular buffers, cores and time all derive from its answer.
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

/** Whether a tensor has an extent of 0, so that none of its pages is read or written. */
function isEmpty(tensor: ProgramTensor | undefined): boolean {
  return tensor?.shape.includes(0) === true || tensor?.shardShape.includes(0) === true;
}
