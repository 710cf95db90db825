// SPDX-License-Identifier: Apache-2.0
// Load of the network during one step.

import { bytes, microseconds, svgElement } from "./dom.js";

/** Bytes over the fullest link of some nodes. */
const fullest = (nodes) => Math.max(0, ...nodes.flatMap((node) => [node.alongX, node.alongY]));

/** Links of one network: from each node a bar along x and one along y in the network's direction, coloured by load. */
function drawNoc(load, noc) {
  const cell = 10;
  const svg = svgElement("svg", {
    viewBox: `-4 -4 ${load.columns * cell + 8} ${load.rows * cell + 8}`,
    role: "img",
    "aria-label": `NoC${noc}: bytes per link`,
  });
  const workers = new Set(load.workers.map(([x, y]) => `${x},${y}`));
  for (let y = 0; y < load.rows; y++) {
    for (let x = 0; x < load.columns; x++) {
      const kind = workers.has(`${x},${y}`) ? "node worker" : "node";
      svg.append(svgElement("rect", { class: kind, x: x * cell + 2, y: y * cell + 2, width: 5, height: 5 }));
    }
  }
  const away = noc === 0 ? 7 : -3;
  const most = fullest(load.nodes);
  const own = load.nodes.filter((candidate) => candidate.noc === noc);
  for (const node of own) {
    for (
      const [amount, box, axis] of [
        [node.alongX, { x: node.x * cell + away, y: node.y * cell + 4, width: 5, height: 1.6 }, "x"],
        [node.alongY, { x: node.x * cell + 4, y: node.y * cell + away, width: 1.6, height: 5 }, "y"],
      ]
    ) {
      if (amount <= 0) continue;
      const share = amount / most;
      const direction = `${noc === 0 ? "+" : "-"}${axis}`;
      svg.append(svgElement(
        "rect",
        {
          ...box,
          fill: `hsl(${Math.round(55 - 55 * share)} 90% 50%)`,
          opacity: (0.25 + 0.75 * share).toFixed(2),
        },
        `NoC${noc} (${node.x}, ${node.y}) ${direction}: ${bytes(amount)}`,
      ));
    }
  }
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = `NoC${noc} (${
    noc === 0 ? "to the right and down" : "to the left and up"
  }), fullest link ${bytes(fullest(own))}`;
  figure.append(caption, svg);
  return figure;
}

/** A box with both networks of a step. */
export function showNetwork(box, load) {
  const text = document.createElement("p");
  text.textContent = load.bottleneck === undefined
    ? ""
    : `Most loaded: ${load.bottleneck}, busy for at least ${microseconds(load.us, 0.1)}`;
  const nocs = document.createElement("div");
  nocs.className = "nocs";
  nocs.append(drawNoc(load, 0), drawNoc(load, 1));
  box.replaceChildren(text, nocs);
}
