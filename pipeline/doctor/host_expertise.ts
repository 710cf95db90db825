// SPDX-License-Identifier: Apache-2.0
import { type Expertise, paddingIn } from "./check_subject.ts";
import { LINKS } from "./link_expertise.ts";
import { remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

/** Advice on compilers, meshes, hangs, crashes, queues and programs. */
export const HOST_EXPERTISE: readonly Expertise[] = [
  {
    subjects: ["model_code", "python_error"],
    says: (check) => paddingIn(check) !== undefined,
    because: (check) =>
      `Tensors of different extents are compared or joined, and ${
        paddingIn(check)
      }: one of them may still have the padding of ttnn`,
    advice:
      "cut the result to its logical shape, or report an op that returns its padded shape as the logical one",
    instead: false,
  },
  {
    subjects: ["mesh"],
    says: /same (?:tensor )?spec|divisib|evenly\b|uneven/i,
    because: ({ words, numbers }) => {
      const [extent, devices] = /\bsize\b/i.test(words) ? numbers.slice(-2) : [];
      return `Every device gets a part of the same shape: the dimension that is divided has to be a multiple of the devices along that axis of the mesh${
        extent === undefined || devices === undefined || extent % devices === 0
          ? ""
          : `, and ${extent} is none of ${devices}`
      }`;
    },
    advice:
      remedy`${asks.PAD}pad that dimension to a multiple of the devices (and cut the result), divide another dimension${asks.OR}, or replicate the tensor`,
  },
  {
    subjects: ["mesh"],
    says:
      /mesh is too (?:big|large)|system ?mesh|exceeds? the (?:system|physical)|only \d+ devices? (?:is|are)|requested device/i,
    because: ({ words }) => {
      const [asked, there] = [...words.matchAll(/\[(\d+(?:, ?\d+)*)\]/g)].map(([, list = ""]) =>
        list.replaceAll(/, ?/g, "x")
      );
      return `The mesh that is opened has more devices than the system, or another shape${
        asked === undefined || there === undefined ? "" : `: ${asked} is asked for, and ${there} is there`
      }`;
    },
    advice: [
      "a mesh shape that the system has (ttnn.get_num_devices; a model's MESH_DEVICE, a server's device, tensor_parallel), or a board with as many chips",
      remedy`${asks.RESET}chips that are there and not seen: tt-smi lists them, TT_VISIBLE_DEVICES may hide some, tt-smi -r brings their links up`,
    ],
  },
  ...LINKS,
];
