// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../lib/layout/make_layout.ts";
import { TILE } from "./check_subject.ts";

/** Bytes per element of formats whose elements have whole bytes, and of tiles of block formats. */
const FORMATS: readonly (readonly [format: string, bytes: number])[] = [
  ["bf16", 2],
  ["f32", 4],
  ["bfp_bf8", 1088 / 1024],
  ["bfp_bf4", 576 / 1024],
];

/** Vocabularies of public language models, from their configurations, largest first: extents that name a tensor. */
const VOCABULARIES: readonly number[] = [
  262208,
  256206,
  256000,
  250880,
  250002,
  248320,
  202048,
  201088,
  200064,
  152064,
  151936,
  151552,
  129280,
  128256,
  65024,
  51866,
  51865,
  50272,
  50265,
  50257,
  32128,
  32064,
  32000,
  30522,
];

/** Least width of such models, of which the others are multiples, and the greatest. */
const [NARROWEST, WIDEST] = [256, 8_192];

/** Shapes as programs, Python and messages print them. */
const SHAPES = /\b(?:tensor|memref)<((?:\d+x)+)|[[(](\d+(?:, ?\d+)+),?[\])]/g;

/** A text from so many characters before a number of bytes on to as many behind it; its beginning, if it has not the number. */
export function around(bytes: number, text: string, characters: number): string {
  const at = Math.max(0, text.indexOf(String(bytes)));
  return text.slice(Math.max(0, at - characters), at + characters);
}

/** Characters around a message in which its tensor's shape is looked for. */
const SEARCHED = 100_000;

/**
 * What a tensor of so many bytes is: a shape that a text names near it and that has them, else its elements.
 *
 * @param mayBeWeight whether it may be a model's largest weight, whose size is known
 */
export function bytesInWords(bytes: number, text: string, mayBeWeight = true): string {
  const shapes = [...around(bytes, text, SEARCHED).matchAll(SHAPES)].map(([, typed, listed]) =>
    (typed ?? listed ?? "").split(/x|, ?/).filter((extent) => extent !== "").map(Number)
  ).filter((shape) => shape.length > 1);
  for (const shape of shapes) {
    const padded = shape.map((extent, at) => at < shape.length - 2 ? extent : roundUp(extent, TILE));
    for (const [format, size] of FORMATS) {
      const times = padded.some((extent, at) => extent !== shape[at])
        ? `, padded to whole tiles: ${(product(padded) / product(shape)).toFixed(1)} x what it holds`
        : "";
      if (product(padded) * size === bytes) return `It is ${shape.join("x")} of ${format}${times}`;
      if (product(shape) * size === bytes) return `It is ${shape.join("x")} of ${format}`;
    }
  }
  const told = FORMATS.slice(0, 2).map(([format, size]) => `${count(bytes / size)} of ${format}`);
  const [named] = FORMATS.flatMap(([format, size]) =>
    VOCABULARIES.flatMap((rows) => {
      const width = bytes / size / rows;
      return mayBeWeight && width % NARROWEST === 0 && width > 0 && width <= WIDEST
        ? [`; ${rows}x${width} of ${format} has as many: the embedding or the head of a language model`]
        : [];
    })
  );
  return `Its ${count(bytes)} bytes are elements: ${told.join(" or ")}${named ?? ""}`;
}

function product(extents: readonly number[]): number {
  return extents.reduce((all, extent) => all * extent, 1);
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
