// SPDX-License-Identifier: Apache-2.0
import { commonSubexpressions } from "./common_subexpressions.ts";
import { computeConfig } from "./compute_config.ts";
import { constEval } from "./const_eval.ts";
import { constEvalInputsToSystemMemory } from "./const_eval_inputs_to_system_memory.ts";
import { freeInputs } from "./free_inputs.ts";
import { freeResults } from "./free_results.ts";
import type { GraphPass } from "./graph_pass.ts";
import { addConvolutions } from "./patterns/upstream/add_convolutions.ts";
import { castInToLayout } from "./patterns/upstream/cast_in_to_layout.ts";
import {
  foldKnownPosition,
  foldKnownRows,
  foldKnownSelection,
  foldNeutralConstant,
  foldNeutralRelu,
  foldNumbers,
  foldReductionOfOnes,
  foldSelectionOfOne,
  fuseMean,
  lookUpAsOneMatrix,
  mirrorLess,
  spellOutReciprocals,
} from "./patterns/formulas/canonical_formulas.ts";
import { biasBeforeSum, factorPerRowFirst, joinSmallOperands } from "./patterns/formulas/reassociate.ts";
import { combineRepeats, repeatInProducer, repeatWideRows, sinkRepeats } from "./patterns/formats/repeats.ts";
import { mergePixels } from "./patterns/views/merge_pixels.ts";
import { biasBehindDepthwise } from "./patterns/convolutions/bias_behind_depthwise.ts";
import { convolveGroupsApart } from "./patterns/convolutions/convolve_groups_apart.ts";
import { convolutionAlongLine } from "./patterns/convolutions/convolution_along_line.ts";
import { spellOutTensorSpec } from "./patterns/formats/spell_out_tensor_spec.ts";
import { gatherInRows, inOnePageLayout } from "./patterns/formats/in_one_page_layout.ts";
import { convertReturned } from "./patterns/formats/convert_returned.ts";
import { elementsInFewestTiles } from "./patterns/formats/elements_in_fewest_tiles.ts";
import { joinSlicesInRows } from "./patterns/formats/join_slices_in_rows.ts";
import { flattenPooled } from "./patterns/formats/flatten_pooled.ts";
import { foldInverseViews } from "./patterns/views/fold_inverse_views.ts";
import {
  foldAdd,
  foldBatchNorm,
  foldMultiply,
  fuseConvolutionActivation,
} from "./patterns/convolutions/fold_into_convolution.ts";
import {
  foldRoundingTypecasts,
  foldTypecasts,
  narrowBetweenTypecasts,
} from "./patterns/formats/fold_typecasts.ts";
import { foldPadIntoConvolution, foldPadIntoPool, foldPadOfLine } from "./patterns/convolutions/pads.ts";
import { takeBackPreparation } from "./patterns/convolutions/take_back_preparation.ts";
import {
  foldWindowsIntoChannels,
  rowMajorConvolutionInput,
  tiledConvolutionInput,
} from "./patterns/convolutions/convolution_input.ts";
import { fuseActivation, fuseUnary, takeBackUnary } from "./patterns/formulas/fused_activations.ts";
import {
  fuseAttention,
  fuseAttentionAsUpstream,
  fuseAttentionInItsType,
} from "./patterns/attention/fuse_attention.ts";
import {
  fuseConcatenateHeads,
  fuseSplitHeads,
  splitConcatenateHeads,
  splitSinglePositions,
} from "./patterns/attention/prefill_heads.ts";
import { fuseConcatenateHeadsDecode, fuseCreateHeadsDecode } from "./patterns/attention/decode_heads.ts";
import { fuseFunction } from "./patterns/formulas/fuse_function.ts";
import { fuseLinear } from "./patterns/formulas/fuse_linear.ts";
import { cumsumInBlocks } from "./patterns/formulas/cumsum_in_blocks.ts";
import { argmaxAcrossTiles } from "./patterns/formulas/argmax_across_tiles.ts";
import { reduceAcrossCores } from "./patterns/formulas/reduce_across_cores.ts";
import { interleaveRows } from "./patterns/formulas/interleave_rows.ts";
import { lookUpShortRows } from "./patterns/formulas/look_up_short_rows.ts";
import { topkInParts } from "./patterns/formulas/topk_in_parts.ts";
import { selectScatteredRows } from "./patterns/formulas/select_scattered_rows.ts";
import { fuseRmsNorm, fuseRmsNormOfRow } from "./patterns/formulas/fuse_rms_norm.ts";
import { fuseSoftmax, spellOutSoftmax } from "./patterns/formulas/softmax.ts";
import { fuseLayerNorm, fuseLayerNormParameters } from "./patterns/formulas/fuse_layer_norm.ts";
import { fuseRotaryEmbedding } from "./patterns/attention/fuse_rotary_embedding.ts";
import { fuseUpsample } from "./patterns/formulas/fuse_upsample.ts";
import {
  joinMasks,
  padAttentionHeads,
  transposeBehindSplit,
  transposeInSplit,
} from "./patterns/attention/attention_operands.ts";
import { joinMatmuls, joinMatmulsAsUpstream } from "./patterns/matmuls/join_matmuls.ts";
import { keepReducedDimensions } from "./patterns/formulas/keep_reduced_dimensions.ts";
import { leadingOneInProduct, matmulInBatches } from "./patterns/matmuls/matmul_in_batches.ts";
import { narrowReduction, narrowRows } from "./patterns/formulas/narrow_kernels.ts";
import { normalizeGroups } from "./patterns/formulas/normalize_groups.ts";
import { orderColumns } from "./patterns/attention/order_columns.ts";
import { padHeadsAtLoad } from "./patterns/attention/pad_heads_at_load.ts";
import { pairsAsRows, pairsInProduct } from "./patterns/attention/pairs_in_product.ts";
import { columnsApart } from "./patterns/views/columns_apart.ts";
import { permuteFewerTiles } from "./patterns/views/permute_fewer_tiles.ts";
import { raisePermuteOverEdges } from "./patterns/views/raise_permute_over_edges.ts";
import { raiseRowSlices, raiseSlices, slicePartOfConcat } from "./patterns/views/raise_slices.ts";
import {
  raiseCommonReshape,
  raisePermuteToConstant,
  raiseReshapeAboveConcat,
} from "./patterns/upstream/raise_views.ts";
import { sinkViews, sinkViewsAsUpstream } from "./patterns/views/sink_views.ts";
import { stackBeside } from "./patterns/views/stack_beside.ts";
import { spellOutSteps } from "./patterns/views/slices_with_steps.ts";
import { sinkViewsThroughConcat, sinkViewsThroughSlice } from "./patterns/views/sink_views_through_parts.ts";
import { reduceBelowPermute, reduceMergedDimensions } from "./patterns/views/reduce_views.ts";
import { sinkViewsThroughCollective } from "./patterns/views/views_around_collectives.ts";
import {
  foldLayoutRoundTrip,
  viewsThroughRows,
  viewTreesThroughRows,
} from "./patterns/formats/views_through_rows.ts";
import { splitRotaryEmbedding } from "./patterns/attention/split_rotary_embedding.ts";
import { spellOutAttention } from "./patterns/upstream/spell_out_attention.ts";
import { explicateRanks, permuteFactors, permuteSlices } from "./patterns/upstream/spelled_as_upstream.ts";
import { takeBackJoin } from "./patterns/matmuls/take_back_join.ts";
import {
  transposedFactors,
  transposedProducts,
  transposeParameters,
} from "./patterns/matmuls/transposed_factors.ts";
import { chooseRowForms } from "./row_forms/choose_row_forms.ts";
import { prepareConvolutionWeights } from "./prepare_convolution_weights.ts";
import type { PassSwitch } from "./pass_options.ts";
import { type PatternPass, patternPass, type RewritePattern } from "./rewrite_pattern.ts";
import { takeBackDecisions } from "./take_back_decisions.ts";
import { weightDtype } from "./weight_dtype.ts";

/** A pass per pattern, under its name. */
function alone(option: PassSwitch | undefined, ...patterns: readonly RewritePattern[]): PatternPass[] {
  return patterns.map((pattern) => patternPass(pattern.name, option, [pattern]));
}

/** Folds views and typecasts of any origin. */
const CLEANUP: readonly RewritePattern[] = [
  sinkViews,
  sinkViewsAsUpstream,
  sinkViewsThroughSlice,
  sinkViewsThroughConcat,
  sinkViewsThroughCollective,
  reduceBelowPermute,
  reduceMergedDimensions,
  mergePixels,
  raisePermuteToConstant,
  raiseCommonReshape,
  raiseReshapeAboveConcat,
  raiseRowSlices,
  convertReturned,
  combineRepeats,
  sinkRepeats,
  foldInverseViews,
  foldTypecasts,
  castInToLayout,
  foldRoundingTypecasts,
  narrowBetweenTypecasts,
];

/** Fuses decomposed formulas into single ops; also runs before slices move into the formula. */
const FORMULAS: readonly RewritePattern[] = [
  fuseFunction,
  fuseUpsample,
  normalizeGroups,
  fuseLayerNorm,
  fuseLayerNormParameters,
];

/** Folds ops into convolutions. */
const INTO_CONVOLUTIONS: readonly RewritePattern[] = [
  convolutionAlongLine,
  tiledConvolutionInput,
  foldPadIntoConvolution,
  foldPadOfLine,
  foldBatchNorm,
  foldMultiply,
  foldAdd,
  addConvolutions,
  fuseConvolutionActivation,
];

/**
 * All graph passes in upstream's order (tt-mlir:pass-order), each with the pipeline option that switches it
 * off.
 */
export const GRAPH_PASSES: readonly (GraphPass | PatternPass)[] = [
  // First, so that all patterns see the graph that an optimizer started from.
  takeBackDecisions,
  // The order matters: later patterns match results of earlier ones.
  ...alone(
    "enable-fusing-pass",
    spellOutTensorSpec,
    takeBackPreparation,
    takeBackJoin,
    takeBackUnary,
    foldNumbers,
    foldKnownSelection,
    foldKnownPosition,
    foldKnownRows,
    lookUpAsOneMatrix,
    foldNeutralConstant,
    foldSelectionOfOne,
    fuseFunction,
    fuseMean,
    foldNeutralRelu,
    narrowReduction,
    spellOutReciprocals,
    factorPerRowFirst,
    fuseSoftmax,
    fuseRmsNorm,
    fuseRmsNormOfRow,
    biasBeforeSum,
    fuseLinear,
    // A softmax over one element also contains such reductions.
    foldReductionOfOnes,
  ),
  // Before views move towards results.
  freeResults,
  commonSubexpressions,
  patternPass("canonicalize", undefined, [
    mirrorLess,
    keepReducedDimensions,
    transposedFactors,
    transposedProducts,
    raiseSlices,
    slicePartOfConcat,
    stackBeside,
    raisePermuteOverEdges,
    spellOutSteps,
    leadingOneInProduct,
    pairsInProduct,
  ]),
  // Indices are spelled in their shortest form.
  ...alone(
    undefined,
    interleaveRows,
    selectScatteredRows,
    cumsumInBlocks,
    lookUpShortRows,
    topkInParts,
    argmaxAcrossTiles,
    columnsApart,
    // Of pairs that do not stay apart in a product.
    pairsAsRows,
  ),
  patternPass("convolution-fusing", "enable-fusing-pass", INTO_CONVOLUTIONS),
  // Matches the input's form, before views move through it.
  ...alone("enable-fusing-pass", transposeBehindSplit),
  patternPass("attention-fusing", "enable-fusing-pass", [
    joinMasks,
    fuseAttention,
    fuseAttentionAsUpstream,
    fuseAttentionInItsType,
  ]),
  ...alone("enable-fusing-pass", transposeInSplit),
  patternPass("attention-decomposition", undefined, [spellOutAttention, foldInverseViews]),
  patternPass("formula-fusing", "enable-fusing-pass", FORMULAS),
  patternPass("erase-inverse-ops", "enable-erase-inverse-ops-pass", CLEANUP),
  // After views between products and heads have met, and before products are joined.
  // Upstream joins matmuls before an activation is fused into one of them.
  ...alone("enable-fusing-pass", padHeadsAtLoad, joinMatmulsAsUpstream),
  patternPass("fusing", "enable-fusing-pass", [
    ...INTO_CONVOLUTIONS,
    foldPadIntoPool,
    ...FORMULAS,
    narrowRows,
    orderColumns,
    transposeParameters,
    matmulInBatches,
    joinMatmuls,
    fuseActivation,
    ...CLEANUP,
  ]),
  // Upstream's fusions on TTNN, subject to the op model.
  patternPass("ttnn-fusing", "enable-fusing-pass", [
    joinMasks,
    fuseAttention,
    fuseAttentionAsUpstream,
    padAttentionHeads,
    fuseSplitHeads,
    splitSinglePositions,
    fuseRotaryEmbedding,
    splitRotaryEmbedding,
    fuseConcatenateHeads,
    splitConcatenateHeads,
    fuseActivation,
    ...CLEANUP,
  ]),
  // Forms as upstream leaves them.
  patternPass("spelled-as-upstream", undefined, [explicateRanks, permuteFactors, permuteSlices]),
  // After patterns that match interleaved DRAM heads: these results are sharded.
  patternPass("decode-heads", "enable-fusing-pass", [fuseCreateHeadsDecode, fuseConcatenateHeadsDecode]),
  // After patterns that match factors and addends one by one: convolutions, norms, matmuls with biases.
  patternPass("small-operands", "enable-fusing-pass", [joinSmallOperands, repeatInProducer]),
  // After patterns that match rows in the input's grouping.
  chooseRowForms,
  // It may bring heads into the form that these patterns match, once its reshapes are folded and duplicates
  // merged.
  patternPass("reshapes-of-rows", "enable-erase-inverse-ops-pass", [foldInverseViews]),
  commonSubexpressions,
  patternPass("decode-heads-of-rows", "enable-fusing-pass", [
    fuseCreateHeadsDecode,
    fuseConcatenateHeadsDecode,
  ]),
  patternPass("views-of-rows", "enable-erase-inverse-ops-pass", [sinkViews, foldInverseViews]),
  // After patterns that match heads with a unit dimension.
  patternPass("permute-fewer-tiles", "enable-erase-inverse-ops-pass", [
    permuteFewerTiles,
    // Once permutes of batches are spelled in few tiles, the reshape back from rows may be all that is left between.
    matmulInBatches,
    foldInverseViews,
  ]),
  // The remaining views, if row-major is faster than tiled.
  patternPass("rows", undefined, [
    joinSlicesInRows,
    elementsInFewestTiles,
    viewsThroughRows,
    foldLayoutRoundTrip,
  ]),
  // Afterwards, because single views through row-major cover most cases of whole trees.
  patternPass("rows-together", undefined, [viewTreesThroughRows, foldLayoutRoundTrip]),
  commonSubexpressions,
  freeInputs,
  // Again, for conversions that other patterns leave.
  freeResults,
  // After all patterns that match a softmax or its formula, or a formula with a mask, and those that move permutes,
  // views and repeats, which would undo them.
  ...alone(undefined, spellOutSoftmax, reduceAcrossCores, repeatWideRows),
  commonSubexpressions,
  // After all patterns that fold an addend or an activation into a convolution.
  ...alone(undefined, biasBehindDepthwise, convolveGroupsApart),
  // After all patterns that match an activation, or an op next to one, alone.
  ...alone("enable-fusing-pass", fuseUnary),
  // For ops with operands that no policy could shard, before configs and convolutions are fixed.
  patternPass("in-one-page-layout", undefined, [inOnePageLayout, gatherInRows]),
  // After all patterns that match a pool or fold reshapes.
  ...alone(undefined, flattenPooled),
  computeConfig,
  weightDtype,
  // After the convolution's compute config is set, and before weights are prepared for its input. The
  // required row-major tensor may exist already.
  patternPass("convolution-input", undefined, [
    foldWindowsIntoChannels,
    rowMajorConvolutionInput,
    viewsThroughRows,
    foldLayoutRoundTrip,
  ]),
  prepareConvolutionWeights,
  // Convolutions that use one weight identically share its preparation.
  commonSubexpressions,
  constEval,
  constEvalInputsToSystemMemory,
];

/** What can be left out by name ({@linkcode PassOptions.leftOut}): patterns, and passes without patterns. */
export const GRAPH_PASS_NAMES: readonly string[] = [
  ...new Set(
    GRAPH_PASSES.flatMap((pass) => ("patterns" in pass ? pass.patterns : [pass]).map(({ name }) => name)),
  ),
];
