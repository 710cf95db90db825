// SPDX-License-Identifier: Apache-2.0
import type { CheckWords, Expertise } from "./check_subject.ts";
import { remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

const RING =
  "topology = ttnn.Topology.Ring where a link closes the ring, from the last device along the axis back to the first (a torus; rows of a Galaxy), and the mesh opened with FABRIC_1D_RING (in 2D FABRIC_2D_TORUS_X, _Y or _XY)";
const LINE =
  "elsewhere topology = ttnn.Topology.Linear with FABRIC_1D (or FABRIC_2D): a line needs links between neighbours only, and two devices are a line";
const ORDER =
  "devices in the order of their links: the mesh opened in a shape that the system has (ttnn.open_mesh_device with its MeshShape, without physical_device_ids of your own), and the axis along which neighbours are joined (cluster_axis)";
const UP =
  remedy`${asks.RESET}links that are up: tt-smi and tt-topology list them, tt-smi -r trains them anew`;

/** Words of an op that runs on rings only. */
const RING_ONLY =
  /\b(?:requires?|needs?|only|must be|expects?) (?:\w+ )?(?:topology )?ring\b(?! size)(?!.*\blinear)|\bwrap.?around|\btorus\b/i;

const PLAIN =
  "elsewhere the op's form for a line (ttnn.all_gather, ttnn.reduce_scatter with topology = Linear), and what was fused with it as an op of its own";

/** The number of links that a message says there are. */
const THERE = [
  /\[\d+, ?(\d+)\]/,
  /\bexceeds?\b[^\d.;]*(\d+)/i,
  /\b(?:only|available|discovered|most|max\w*|limit)\b[^\d.;]{0,40}(\d+)/i,
  /(\d+) (?:\w+ ){0,3}(?:(?:is|are) )?available/i,
];

function thereIn({ words }: CheckWords): string | undefined {
  return THERE.map((form) => form.exec(words)?.[1]).find((number) => number !== undefined);
}

/** The devices that a route of the fabric was asked between, in words. */
function endsIn({ words }: CheckWords): string {
  const [from, to] = [...words.matchAll(/\bD(?:evice )?(\d+)\b|\bchip (\d+)/g)].map(([, a, b]) => a ?? b);
  return from === undefined || to === undefined ? "these devices" : `devices ${from} and ${to}`;
}

interface KindOfLinks extends Pick<Expertise, "because" | "advice"> {
  readonly says: RegExp;
}

/** Advice on links of devices, and on topology, order and axis of the collectives that run over them; the first that matches is told. */
const KINDS_OF_LINKS: readonly KindOfLinks[] = [
  {
    says:
      /fabric\b.{0,60}(?:not (?:been )?(?:initiali[sz]ed|enabled|set|configured)|un-?initiali[sz]ed|disabled|is not)|(?:without|no|enable|requires?|needs?) (?:a )?fabric(?: config)?\b/i,
    because: "It is about the fabric, which carries collectives between devices: it was not started",
    advice: [
      "ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D) before the mesh is opened (FABRIC_1D_RING where a link closes a ring, FABRIC_2D for routes along both axes), and DISABLED after it is closed; in pytest device_params' fabric_config",
      remedy`for a compiled program: a runtime that opens the mesh with its fabric config${asks.NEWER}, or a newer tt-mlir, which does`,
    ],
  },
  {
    says: /payload|packet size|max_packet/i,
    because: "It is about what a packet of the fabric holds: whole pages (tiles, or rows) of the tensor",
    advice: [
      "a smaller page: bf16 for f32, tiles instead of long rows, or a dimension that is split in two by a reshape",
      "or larger packets: max_packet_payload_size_bytes in the FabricRouterConfig with which the fabric is opened",
    ],
  },
  {
    says: /mux|workers? per link|worker cores|\bccl cores/i,
    because: "It is about cores: each link has workers (and muxes) of its own on the grid",
    advice:
      remedy`${asks.FEWER_LINKS}fewer num_links or num_workers_per_link, a larger sub_core_grid or sub-device${asks.OR}, or operands that leave cores free`,
  },
  {
    says:
      /num_links(?!.*(?:more|greater) than 0)|\bonly \d+ (?:\w+ ){0,2}links?\b|\blinks?\b.{0,60}(?:available|exceed|too many|not enough|supported|at most)|(?:number of|more|too many|not enough|exceeds?|available|exactly \d) (?:\w+ ){0,3}links/i,
    because: (check) => {
      const there = thereIn(check);
      return `It is about links: num_links counts the Ethernet links between neighbours along the axis that the op takes at once${
        there === undefined ? "" : `, and there are ${there}`
      }`;
    },
    advice: (check) => [
      /exactly|must be (?!in\b|at most)|requires/i.test(check.words)
        ? "num_links as the op asks, on devices that many physical links (cables) join; else the op's plain form (ttnn.all_gather, reduce_scatter), which takes any number"
        : remedy`${asks.FEWER_LINKS}fewer num_links: ${
          thereIn(check) ?? "1"
        } (1 works wherever there is a cable)${asks.NEWER}, or none in the call: a newer ttnn counts the physical links by itself`,
      "the other axis of the mesh (cluster_axis), where more cables join neighbours; at the end of a line and on an axis of one device there is none",
      UP,
    ],
  },
  {
    says:
      /forwarding (?:direction|link)|no (?:fabric )?(?:route|path)\b|cannot (?:be )?route|not (?:directly )?connected|not (?:adjacent|neighbou?rs)|\badjacen|physical (?:connect|link)|no (?:ethernet )?(?:links?|connection)|\b(?:be|are|to|forward|backward) neighbou?rs?\b|line coordinate|not straight|straight (?:physical )?(?:cluster )?axis/i,
    because: (check) =>
      `It is about the order of devices: a collective passes from each device of the mesh to the next along its axis (in a ring also from the last to the first), and no link leads between ${
        endsIn(check)
      }`,
    advice: [ORDER, LINE, RING, UP],
  },
  {
    says:
      /cluster[_ ]axis\b.{0,60}(?:must|<|requir|to be set|not an? |invalid|out of|exceed|0 or 1|unsupported|not)|(?:requires?|needs?|takes|expects?|invalid|without|set|pass|provide|missing) (?:\w+ ){0,4}cluster[_ ]axis/i,
    because:
      "It is about the axis: cluster_axis says along which axis of the mesh the op runs. Of a mesh of R x C devices, 0 joins the R devices of each column, 1 the C devices of each row",
    advice: [
      "cluster_axis = 0 or 1, the one along which the tensor is divided (the mapper's dims); of a mesh of 1xN devices that is 1, of Nx1 it is 0",
      "without cluster_axis the op runs over all devices, which one line has to join: a mesh of 1xN (or reshaped to it), or FABRIC_2D in place of FABRIC_1D",
    ],
  },
  {
    says: /(?<!physical )\btopology\b(?! ?mapp)|\bring\b(?! size)|\bwrap.?around|\btorus\b/i,
    because: "It is about the topology: a ring needs a link that closes it (wrap-around), a line does not",
    advice: ({ words }) => RING_ONLY.test(words) ? [RING, PLAIN] : [LINE, RING],
  },
];

/** Rows on links, for checks of a mesh and of boards. */
export const LINKS: readonly Expertise[] = KINDS_OF_LINKS.map(({ says, ...row }) => ({
  ...row,
  subjects: ["mesh", "board", "arguments"],
  says: (check) => KINDS_OF_LINKS.find((kind) => kind.says.test(wordsOf(check)))?.says === says,
}));

function wordsOf({ condition = "", words }: CheckWords): string {
  return `${condition} ${words}`;
}
