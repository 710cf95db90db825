// SPDX-License-Identifier: Apache-2.0
// L1 over the schedule, and the steps over time: marks in the units of their axes; axes and text in pixels above them.

import { bytes, count, microseconds, svgElement, svgText, ticks, viewport, zoomButtons } from "./dom.js";

/** Room for text left of a plot and below it, in pixels. */
const LEFT = 76;
const BELOW = 20;

/** Pixels between labels of an axis. */
const APART = 90;

/** A text cut to a width in pixels. */
const fitting = (words, width) => {
  const letters = Math.floor(width / 6.2);
  return words.length <= letters ? words : letters < 4 ? "" : `${words.slice(0, letters - 1)}…`;
};

/** A plot that zooms; `axes` draws axes and labels of the visible part. */
function plot(box, { full, height, zoomsY, label, axes }) {
  const outer = svgElement("svg", {
    class: "plot",
    role: "img",
    "aria-label": label,
    height: height + BELOW,
  });
  const inner = svgElement("svg", { x: LEFT, y: 0, height, preserveAspectRatio: "none" });
  const over = svgElement("g", { class: "axes" });
  outer.append(inner, over);
  box.append(outer);
  const area = () => {
    const { left, top, width } = outer.getBoundingClientRect();
    return { left: left + LEFT, top, width: width - LEFT, height };
  };
  const view = viewport(
    box,
    full,
    { zoomsY, area },
    (seen) => {
      const width = Math.max(1, box.clientWidth - LEFT);
      outer.setAttribute("viewBox", `0 0 ${width + LEFT} ${height + BELOW}`);
      inner.setAttribute("width", String(width));
      inner.setAttribute("viewBox", `${seen.x} ${seen.y} ${seen.width} ${seen.height}`);
      const across = (x) => LEFT + (x - seen.x) / seen.width * width;
      const down = (y) => (y - seen.y) / seen.height * height;
      over.replaceChildren(
        svgElement("line", { x1: LEFT, x2: LEFT + width, y1: height, y2: height }),
        ...axes({ seen, across, down, width, height }),
      );
    },
  );
  view.open();
  return { inner, view, buttons: zoomButtons(view) };
}

/** A tick with its label, which ends at the right edge where it would stick out. */
const below = (x, { width, height }, words) => [
  svgElement("line", { x1: x, x2: x, y1: height, y2: height + 4 }),
  svgText(words, {
    x: Math.min(x, LEFT + width - words.length * 3.1 - 2),
    y: height + 16,
    "text-anchor": "middle",
  }),
];

/** Addresses of one core upwards, the schedule to the right. */
export function l1Plot(box, fn) {
  const { l1, steps } = fn;
  const y = (end) => l1.top - end;
  const from = Math.min(l1.firstWork, ...l1.clashes.map(({ step }) => step));
  const full = { x: from, y: 0, width: Math.max(1, l1.steps - from), height: Math.max(1, l1.top - l1.base) };
  let followed = new Set();
  const axes = ({ seen, across, down, width, height }) => {
    const addresses = ticks(l1.top - seen.y - seen.height, l1.top - seen.y, height / 40, true);
    const places = ticks(seen.x, seen.x + seen.width, width / APART);
    const words = l1.rectangles.flatMap((rectangle) => {
      const wide = across(Math.min(rectangle.to + 1, seen.x + seen.width)) -
        across(Math.max(rectangle.from, seen.x));
      const high = rectangle.bytes / seen.height * height;
      if (wide < 34 || high < 12 || rectangle.kind !== "tensor") return [];
      const at = {
        x: across(Math.max(rectangle.from, seen.x)) + 3,
        y: down(y(rectangle.address + rectangle.bytes / 2)) + 4,
      };
      return at.y < 8 || at.y > height
        ? []
        : [svgText(fitting(rectangle.label, wide - 4), { ...at, class: "inside light" })];
    });
    const budget = down(y(l1.budgetLine));
    return [
      ...addresses.at.flatMap((address) => [
        svgElement("line", {
          class: "grid",
          x1: LEFT,
          x2: LEFT + width,
          y1: down(y(address)),
          y2: down(y(address)),
        }),
        svgText(bytes(address), { x: LEFT - 6, y: down(y(address)) + 4, "text-anchor": "end" }),
      ]),
      ...places.at.filter((step) => Number.isInteger(step) && step < l1.steps).flatMap((step) =>
        below(across(step), { width, height }, `op ${steps[step].op}`)
      ),
      ...budget < 0 || budget > height
        ? []
        : [svgText("budget", { class: "over", x: LEFT + width - 4, y: budget - 4, "text-anchor": "end" })],
      ...words,
    ];
  };
  const { inner, view, buttons } = plot(box, {
    full,
    height: 340,
    zoomsY: true,
    label: "L1 of one core: addresses over steps",
    axes,
  });
  const rectangles = l1.rectangles.map((rectangle, index) => {
    const { kind, label, madeBy, from, to, address, bytes: size } = rectangle;
    const when = from === to ? `step ${from}` : `steps ${from} to ${to}`;
    const what = kind === "circular_buffers"
      ? `circular buffers of ${madeBy}`
      : `${label}${madeBy === "" ? "" : `, made by ${madeBy}`}`;
    return svgElement("rect", {
      class: `${kind} s${index % 6}`,
      x: from,
      y: y(address + size),
      width: to - from + 1,
      height: size,
      "data-step": from,
      ...rectangle.tensor === undefined ? {} : { "data-tensor": rectangle.tensor },
    }, `${what}: ${bytes(size)} at ${count(address)} to ${count(address + size)}, ${when}`);
  });
  const clashes = l1.clashes.map(({ step, kind, shortBytes, start, end }) =>
    svgElement("rect", {
      class: "clash",
      x: step,
      y: y(end),
      width: 1,
      height: Math.max(end - start, full.height / 200),
      "data-step": step,
    }, `step ${step} does not fit: ${bytes(shortBytes)} per core are missing (${kind})`)
  );
  const cursor = svgElement("rect", { class: "cursor", y: 0, height: full.height, x: 0, width: 0 });
  const budget = svgElement("line", {
    class: "budget",
    x1: 0,
    x2: l1.steps,
    y1: y(l1.budgetLine),
    y2: y(l1.budgetLine),
  });
  inner.append(...rectangles, budget, ...clashes, cursor);
  return {
    buttons,
    view,
    mark: (name, marked) => {
      if (name !== "chosen" || marked.length === 0) return;
      cursor.setAttribute("x", String(marked[0]));
      cursor.setAttribute("width", "1");
    },
    /** Highlights the buffers of some tensors. */
    follow: (tensors) => {
      followed = new Set(tensors);
      inner.classList.toggle("following", followed.size > 0);
      l1.rectangles.forEach(({ tensor }, index) =>
        rectangles[index].classList.toggle("followed", followed.has(tensor))
      );
    },
  };
}

/** Heights: arcs of layout changes, the steps, and the steps of the other plan below. */
const ARCS = 40;
const STEPS = 34;
const BETWEEN = 8;

/** When a step is drawn: its kernel, and of one that waits for the host the wait. */
function shownTime({ start, us, gap, bound }) {
  return bound === "HOST" ? { start: start - gap, us: us + gap } : { start, us };
}

/** Steps over time, coloured by bottleneck; arcs lead from producers over layout changes to readers. */
export function timelinePlot(box, fn) {
  const { steps, edges, beside } = fn;
  const total = Math.max(fn.totalUs, beside?.totalUs ?? 0, 1e-6);
  const height = ARCS + STEPS + (beside === undefined ? 0 : BETWEEN + STEPS);
  const lanes = [
    {
      name: fn.policy,
      y: ARCS,
      bars: steps.map((step) => ({ ...shownTime(step), title: step.title, tone: `b-${step.bound}` })),
    },
    ...beside === undefined ? [] : [{ name: beside.name, y: ARCS + STEPS + BETWEEN, bars: beside.bars }],
  ];
  const axes = ({ seen, across, width, height }) => {
    const times = ticks(seen.x, seen.x + seen.width, width / APART);
    const words = lanes.flatMap(({ bars, y }) =>
      bars.flatMap(({ start, us, title, tone = "other" }) => {
        const [left, right] = [
          across(Math.max(start, seen.x)),
          across(Math.min(start + us, seen.x + seen.width)),
        ];
        const text = right - left < 30 ? "" : fitting(title.replace(/^op /, ""), right - left - 4);
        return text === ""
          ? []
          : [svgText(text, { x: left + 3, y: y + STEPS / 2 + 4, class: `inside ${tone}` })];
      })
    );
    return [
      ...lanes.map(({ name, y }) =>
        svgText(fitting(name, LEFT), { x: LEFT - 6, y: y + STEPS / 2 + 4, "text-anchor": "end" })
      ),
      ...times.at.flatMap((us) => below(across(us), { width, height }, microseconds(us, times.step))),
      ...words,
    ];
  };
  const { inner, view, buttons } = plot(box, {
    full: { x: 0, y: 0, width: total, height },
    height,
    zoomsY: false,
    label: box.getAttribute("aria-label"),
    axes,
  });
  const middle = (index, otherwise) =>
    steps[index] === undefined ? otherwise : steps[index].start + steps[index].us / 2;
  const arcs = edges.map(({ step, producer, consumer, reason, value, from, to }) => {
    const [left, right] = [middle(producer, 0), middle(consumer, fn.totalUs)];
    const at = middle(step, (left + right) / 2);
    const isSpill = reason === "spill" || reason === "to dram";
    return svgElement("path", {
      class: `arc${isSpill ? " spill" : ""}`,
      d: `M${left} ${ARCS} Q${(left + at) / 2} 0 ${at} ${ARCS} Q${(at + right) / 2} 0 ${right} ${ARCS}`,
      "data-step": step,
    }, `${reason} of ${value}: ${from} to ${to}`);
  });
  const bars = steps.flatMap((step, index) => {
    const { start, us } = shownTime(step);
    const { title, bound, facts } = step;
    return us === 0 ? [] : [svgElement(
      "rect",
      { class: `bar b-${bound}`, x: start, y: ARCS, width: us, height: STEPS, "data-step": index },
      `${title}: ${facts.Time}`,
    )];
  });
  const others = (lanes[1]?.bars ?? []).map(({ start, us, title, layout }) =>
    svgElement(
      "rect",
      { class: "other", x: start, y: lanes[1].y, width: us, height: STEPS },
      `${title}: ${us.toFixed(1)} µs, ${layout}`,
    )
  );
  const marks = svgElement("g", {});
  inner.append(...arcs, ...bars, ...others, marks);
  const marked = new Map();
  return {
    buttons,
    view,
    mark: (name, indices) => {
      marked.set(name, indices);
      marks.replaceChildren(
        ...[...marked].flatMap(([name, indices]) =>
          indices.map((index) =>
            svgElement("rect", {
              class: `mark ${name}`,
              x: shownTime(steps[index]).start,
              y: ARCS,
              width: shownTime(steps[index]).us,
              height: STEPS,
            })
          )
        ),
      );
    },
  };
}
