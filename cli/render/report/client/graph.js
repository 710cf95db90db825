// SPDX-License-Identifier: Apache-2.0
// The graph of a function. Boxes and connections of a section are created when it is visible at a readable scale; at
// smaller scales a section is one path per colour, so that thousands of ops stay quick.

import { element, svgElement, svgText, viewport, zoomButtons } from "./dom.js";

/** Least scale, in pixels per pixel of the drawing, at which text is readable. */
const READABLE = 0.4;

/** Most pixels in width of the map of a large graph. */
const MAP = 190;

const SHARES = [0, 0.003, 0.01, 0.02, 0.05];
const heat = (share) => `heat-${share <= 0 ? 0 : SHARES.findLastIndex((least) => share > least) + 1}`;

/** Colour schemes by name: the class of a step, and the meaning of the colours. */
const COLOURS = {
  time: {
    of: (step, fn) => heat((step.us + step.gap) / fn.totalUs),
    legend: ["no time", "up to 0.3 %", "up to 1 %", "up to 2 %", "up to 5 %", "more of the time"].map((
      words,
      index,
    ) => [`heat-${index}`, words]),
  },
  memory: {
    of: (step, fn) => `heat-${Math.min(5, Math.ceil(step.l1 / (fn.l1.top - fn.l1.base) * 5))}`,
    legend: ["nothing in L1", "up to 20 %", "up to 40 %", "up to 60 %", "up to 80 %", "more of L1"].map((
      words,
      index,
    ) => [`heat-${index}`, words]),
  },
  bound: {
    of: (step) => step.us + step.gap === 0 ? "p-other" : `b-${step.bound}`,
    legend: ["DRAM", "FLOP", "BOTH", "NOC", "SLOW", "DISPATCH", "HOST"].map((name) => [`b-${name}`, name]),
  },
};

export function graphView(box, fn, paper) {
  const svg = svgElement("svg", {
    class: "graph",
    role: "img",
    "aria-label": box.getAttribute("aria-label"),
  });
  const [overview, details, marks] = ["overview", "details", "marks"].map((name) =>
    svgElement("g", { class: name })
  );
  svg.append(overview, details, marks);
  const map = svgElement("svg", { class: "minimap", "aria-hidden": "true" });
  const seen = svgElement("rect", { class: "seen" });
  const mapped = svgElement("g", {});
  map.append(mapped, seen);
  box.append(svg, map);

  let drawing = fn.graph;
  let moved = () => {};
  let colour = "layout";
  let made = new Map();
  const marked = new Map();
  const colourOf = (drawn) => {
    const how = COLOURS[colour];
    const step = fn.steps[drawn.step];
    if (
      how === undefined || step === undefined ||
      /k-(argument|const_eval|elsewhere|layers)/.test(drawn.classes)
    ) {
      return drawn.classes;
    }
    return `${drawn.classes.split(" ").filter((name) => !/^(p-|spilled)/.test(name)).join(" ")} ${
      how.of(step, fn)
    }`;
  };
  /** The drawing, with room for the map to its right. */
  const full = () => ({
    x: 0,
    y: 0,
    width: Math.max(1, drawing.width + mapRoom()),
    height: Math.max(1, drawing.height),
  });
  const view = viewport(box, full(), {
    isUniform: true,
    start: ({ width, height }) => {
      const first = drawing.sections[0]?.boxes[0];
      const middle = first === undefined ? 0 : first.x + first.width / 2;
      return { x: middle - (width - mapRoom()) / 2, y: 0, width, height };
    },
  }, (seenNow) => {
    svg.setAttribute("viewBox", `${seenNow.x} ${seenNow.y} ${seenNow.width} ${seenNow.height}`);
    const width = box.clientWidth;
    const isReadable = width / seenNow.width >= READABLE;
    drawing.sections.forEach((section, index) => {
      const isSeen = isReadable && section.x < seenNow.x + seenNow.width &&
        section.x + section.width > seenNow.x;
      if (isSeen) detailsOf(section, index);
      else made.get(index)?.remove();
      overview.children[index]?.classList.toggle("needless", isSeen);
    });
    sizeMap();
    map.classList.toggle("needless", seenNow.width >= drawing.width && seenNow.height >= drawing.height);
    for (const [key, value] of Object.entries(seenNow)) seen.setAttribute(key, String(value));
    moved();
  });

  /** All text and connections of a section. */
  function detailsOf(section, index) {
    let group = made.get(index);
    if (group === undefined) {
      group = svgElement("g", {
        class: "drawing",
        id: `${box.id}-${index}`,
        transform: `translate(${section.x} 0)`,
      });
      for (const { x, y, d, words } of section.frames) {
        const frame = svgElement("g", { class: "layer" });
        frame.append(
          svgElement("path", { d }),
          svgText(words, { x: x + 6, y: y + 11 }),
        );
        group.append(frame);
      }
      for (const { classes, d, title } of section.lines) {
        group.append(svgElement("path", { class: `edge ${classes}`, d }, title));
      }
      for (const drawn of section.boxes) group.append(boxOf(drawn));
      made.set(index, group);
    }
    if (!group.isConnected) details.append(group);
    return group;
  }

  function boxOf(drawn) {
    const { x, y, width, height, lines, title, step } = drawn;
    const node = svgElement("g", {
      class: `node ${colourOf(drawn)}`,
      ...step === undefined ? {} : { "data-step": step },
    }, title);
    const isSmall = lines.length === 1;
    node.append(
      svgElement("rect", { x, y, width, height, rx: isSmall ? height / 2 : 4 }),
      ...lines.map((line, index) =>
        svgText(line, {
          x: x + width / 2,
          y: y + height / 2 + (isSmall ? 3.5 : index * 14 - 3),
          ...index > 0 ? { class: "about" } : {},
        })
      ),
    );
    return node;
  }

  /** One path per colour and section. */
  function drawOverview() {
    overview.replaceChildren(...drawing.sections.map((section) => {
      const paths = new Map();
      for (const drawn of section.boxes) {
        if (drawn.step === undefined) continue;
        const { x, y, width, height } = drawn;
        const name = colourOf(drawn).split(" ").filter((part) => /^(p-|b-|heat-|spilled)/.test(part)).join(
          " ",
        );
        paths.set(name, `${paths.get(name) ?? ""}M${section.x + x} ${y}h${width}v${height}h${-width}Z`);
      }
      const group = svgElement("g", {});
      group.append(...[...paths].map(([name, d]) => svgElement("path", { class: name, d })));
      return group;
    }));
    mapped.replaceChildren(overview.cloneNode(true));
  }

  /** Width of the map beside the drawing; none where the box shows all of it. */
  function mapRoom() {
    const fits = drawing.width <= box.clientWidth && drawing.height <= box.clientHeight;
    return fits ? 0 : Math.min(MAP, box.clientWidth / 5);
  }

  function sizeMap() {
    const across = Math.min(MAP, box.clientWidth / 5);
    const scale = Math.min(across / drawing.width, 0.9 * box.clientHeight / drawing.height);
    map.setAttribute("width", String(Math.max(24, drawing.width * scale)));
    map.setAttribute("height", String(Math.max(24, drawing.height * scale)));
  }

  function redraw() {
    made = new Map();
    details.replaceChildren();
    view.replace(full());
    map.setAttribute("viewBox", `0 0 ${drawing.width} ${drawing.height}`);
    sizeMap();
    drawOverview();
    drawMarks();
  }

  /** The box of a step: its own, or that of the folded layers. */
  function placeOf(step) {
    for (const section of drawing.sections) {
      const drawn = section.boxes.find((candidate) =>
        (candidate.step === step && !/k-(elsewhere|constant)/.test(candidate.classes)) ||
        (candidate.last !== undefined && candidate.step <= step && step <= candidate.last)
      ) ?? section.boxes.find((candidate) =>
        candidate.step === step
      );
      if (drawn !== undefined) return { ...drawn, x: section.x + drawn.x };
    }
    return undefined;
  }

  function drawMarks() {
    marks.replaceChildren(...[...marked].flatMap(([name, steps]) => {
      const places = new Map(
        steps.map(placeOf).filter((place) => place !== undefined).map((
          place,
        ) => [`${place.x} ${place.y}`, place]),
      );
      return [...places.values()].map(({ x, y, width, height }) =>
        svgElement("rect", {
          class: `mark ${name}`,
          x: x - 3,
          y: y - 3,
          width: width + 6,
          height: height + 6,
          rx: 6,
        })
      );
    }));
    mapped.querySelector(".marks")?.remove();
    mapped.append(marks.cloneNode(true));
  }

  map.addEventListener("pointerdown", (press) => {
    press.preventDefault();
    press.stopPropagation();
    const go = (event) => {
      const { left, top, width, height } = map.getBoundingClientRect();
      view.centre(
        (event.clientX - left) / width * drawing.width,
        (event.clientY - top) / height * drawing.height,
      );
    };
    const end = () => {
      document.removeEventListener("pointermove", go);
      document.removeEventListener("pointerup", end);
    };
    document.addEventListener("pointermove", go);
    document.addEventListener("pointerup", end);
    go(press);
  });

  // For printing every section is drawn, in strips of one sheet each.
  matchMedia("print").addEventListener("change", ({ matches }) => {
    if (paper === null) return;
    if (!matches) return paper.replaceChildren();
    paper.replaceChildren(...drawing.sections.flatMap((section, index) => {
      const { id } = detailsOf(section, index);
      return section.strips.map(({ x, y, width, height }) => {
        const strip = svgElement("svg", {
          class: "graph",
          viewBox: `${section.x + x} ${y} ${width} ${height}`,
          width: Math.round(width * 0.7),
          height: Math.round(height * 0.7),
        });
        strip.append(svgElement("use", { href: `#${id}` }));
        return strip;
      });
    }));
  });

  const legend = document.querySelector(`[data-legend="${box.id}"] .colours`);
  const ofLayouts = legend?.innerHTML;
  redraw();
  view.open();
  return {
    buttons: zoomButtons(view),
    /** Draws repeated layers in full, or folds them. */
    unfold: (isOpen) => {
      drawing = isOpen ? fn.openGraph ?? fn.graph : fn.graph;
      redraw();
      view.open();
    },
    paint: (name) => {
      colour = name;
      const how = COLOURS[name];
      if (legend !== null && how === undefined) legend.innerHTML = ofLayouts;
      else if (legend !== null) {
        legend.replaceChildren(
          ...how.legend.map(([className, words]) => element("span", {}, element("i", { className }), words)),
        );
      }
      redraw();
      view.show(view.view());
    },
    /** Marks steps as selected, found or followed. */
    mark: (name, steps) => {
      marked.set(name, steps);
      drawMarks();
    },
    show: (step) => {
      const place = placeOf(step);
      if (place === undefined) return;
      const width = Math.min(view.view().width, box.clientWidth / 0.8);
      view.centre(place.x + place.width / 2, place.y + place.height / 2, width);
    },
    /** Calls a function whenever the view moves. */
    onMove: (act) => {
      moved = act;
    },
    /** The step of those wanted whose box is nearest to the middle of the view, how far the middle is from it, and the scale. */
    middle: (isWanted) => {
      const { x, y, width, height } = view.view();
      let best;
      for (const section of drawing.sections) {
        for (const drawn of section.boxes) {
          if (
            drawn.step === undefined || !/k-(op|move|layers)/.test(drawn.classes) || !isWanted(drawn.step)
          ) continue;
          const right = x + width / 2 - (section.x + drawn.x + drawn.width / 2);
          const down = y + height / 2 - (drawn.y + drawn.height / 2);
          const distance = right * right + down * down;
          if (best === undefined || distance < best.distance) {
            best = { step: drawn.step, right, down, width, distance };
          }
        }
      }
      return best;
    },
    /** Shows a step where another graph shows its own. */
    meet: ({ step, right, down, width }) => {
      const place = placeOf(step);
      if (place === undefined) return;
      view.centre(place.x + place.width / 2 + right, place.y + place.height / 2 + down, width);
    },
    /** Steps with a box of their own, in order. */
    steps: () =>
      [
        ...new Set(drawing.sections.flatMap(({ boxes }) =>
          boxes.filter(({ classes }) => /k-(op|move|layers)/.test(classes)).map(({ step }) => step)
        )),
      ].sort((a, b) =>
        a - b
      ),
  };
}
