// SPDX-License-Identifier: Apache-2.0
import { convolutionBlocks, isDepthwiseLine, resultConfig } from "./convolution_blocks.ts";
import { isRefused } from "./refused.ts";
import { type ConvolutionRequest, preparedFor } from "./convolution_plan.ts";

/**
 * Extent `[rows, columns]` of a 2D convolution's weights as the ops that prepare them return it, without padding: a dense
 * matrix of the window and the input's channels times the output's channels, groups filled up with zeros. The kernel of
 * depthwise convolutions along a line takes every weight repeated over an activation block (`ttnn:backend-0-81-1`).
 *
 * @returns `undefined` if the convolution cannot be spread over cores
 */
export function preparedWeightsExtent(
  request: ConvolutionRequest,
): readonly [rows: number, columns: number] | undefined {
  const { kernelHeight, kernelWidth, inChannels, outChannels } = request.window;
  if (!isDepthwiseLine(request)) return [kernelHeight * kernelWidth * inChannels, outChannels];
  const prepared = preparedFor(request);
  if (isRefused(prepared)) return undefined;
  const { input, channels } = prepared;
  const { blockHeight } = convolutionBlocks(request, input, resultConfig(request, input), channels);
  return [kernelWidth * blockHeight * 32, outChannels];
}
