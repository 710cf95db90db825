// SPDX-License-Identifier: Apache-2.0
// A report page. It contains all of its data; this file connects its parts: a selection, search result or followed tensor
// of one part is marked in all.

import { fillDetail, fillFollowed, tensorStory } from "./detail.js";
import { graphView } from "./graph.js";
import { showNetwork } from "./network.js";
import { l1Plot, timelinePlot } from "./plots.js";
import { filtering, sortable } from "./tables.js";

/** The data of the page: JSON, packed. */
async function pageData() {
  const packed = Uint8Array.from(
    atob(document.getElementById("data").textContent),
    (letter) => letter.charCodeAt(0),
  );
  return await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

const data = await pageData();

/** The graph of the other plan beside that of this one: it shows what this one shows, and both mark what differs. */
function compared(section, fn, graph) {
  const drawn = fn.beside?.drawn;
  const part = (name) => section.querySelector(`[data-part="${name}"]`);
  const box = part("other");
  const isOn = part("compare");
  if (drawn === undefined || box === null || isOn === null) return undefined;
  const others = new Map(drawn.pairs);
  const own = new Map(drawn.pairs.map(([mine, theirs]) => [theirs, mine]));
  let view;
  let isFollowing = false;
  let chosen;
  const follow = (from, to, partners) => {
    if (isFollowing) return;
    const at = from.middle((step) => partners.has(step));
    if (at === undefined) return;
    isFollowing = true;
    to.meet({ ...at, step: partners.get(at.step) });
    isFollowing = false;
  };
  const made = () => {
    const made = graphView(box, { ...drawn, totalUs: fn.beside.totalUs, l1: fn.l1 }, null);
    if (part("unfold")?.checked) made.unfold(true);
    made.paint(part("colour").value);
    made.mark("changed", drawn.changed.other);
    made.onMove(() => follow(made, graph, own));
    return made;
  };
  const choose = (step) => {
    chosen = step;
    const partner = others.get(step);
    if (isOn.checked) view.mark("chosen", partner === undefined ? [] : [partner]);
  };
  isOn.addEventListener("change", () => {
    box.hidden = !isOn.checked;
    box.parentElement.classList.toggle("two", isOn.checked);
    view ??= made();
    graph.mark("changed", isOn.checked ? drawn.changed.own : []);
    graph.onMove(isOn.checked ? () => follow(graph, view, others) : () => {});
    if (!isOn.checked) return;
    choose(chosen);
    follow(graph, view, others);
  });
  return {
    choose,
    ownOf: (step) => own.get(step),
    paint: (name) => view?.paint(name),
    unfold: (isOpen) => {
      view?.unfold(isOpen);
      if (isOn.checked) follow(graph, view, others);
    },
  };
}

/** One function: its graph, its plots, its tables. */
function connect(section, fn) {
  const part = (name) => section.querySelector(`[data-part="${name}"]`);
  part("ops").innerHTML = fn.ops;
  const graph = graphView(part("graph"), fn, part("paper"));
  const l1 = l1Plot(part("l1"), fn);
  const timeline = timelinePlot(part("time"), fn);
  for (const [name, { buttons }] of Object.entries({ graph, l1, time: timeline })) {
    part(`${name}-zoom`).append(buttons);
  }
  const mark = (name, steps) => [graph, l1, timeline].forEach((shown) => shown.mark(name, steps));

  const other = compared(section, fn, graph);
  let chosen = -1;
  const detail = part("detail");
  const network = part("network");
  const networks = part("networks");

  function choose(index, isShown = false) {
    if (fn.steps[index] === undefined) return;
    chosen = index;
    for (const row of section.querySelectorAll("tr[aria-selected]")) row.removeAttribute("aria-selected");
    section.querySelector(`tr[data-step="${index}"]`)?.setAttribute("aria-selected", "true");
    mark("chosen", [index]);
    other?.choose(index);
    if (isShown) graph.show(index);
    fillDetail(detail, fn, index, follow);
    const load = fn.network.findIndex(({ step }) => step === index);
    if (load >= 0 && networks !== null) {
      networks.value = String(load);
      showNetwork(network, fn.network[load]);
    }
  }

  function follow(name) {
    const story = tensorStory(fn, name);
    l1.follow(story.tensors);
    mark("followed", story.steps);
    fillFollowed(part("followed"), name, story, (step) => choose(step, true), stopFollowing);
  }

  function stopFollowing() {
    l1.follow([]);
    mark("followed", []);
    part("followed").replaceChildren();
  }

  networks?.addEventListener("change", () => showNetwork(network, fn.network[Number(networks.value)]));
  if (fn.network.length > 0) showNetwork(network, fn.network[0]);

  // Search: the texts of a step must contain every word.
  const find = part("find");
  const said = part("found");
  const known = fn.steps.map(({ title, facts, reads, makes }) =>
    [
      title,
      facts.Inputs,
      facts.Outputs,
      facts.Location,
      ...[...reads, ...makes].map((id) => fn.tensors[id]?.name),
    ]
      .join(" ").toLowerCase()
  );
  let found = [];
  let at = -1;
  const goTo = (next) => {
    if (found.length === 0) return;
    at = (next + found.length) % found.length;
    said.textContent = `${at + 1} of ${found.length}`;
    choose(found[at], true);
  };
  find.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    found = words.length === 0
      ? []
      : known.flatMap((text, step) => words.every((word) => text.includes(word)) ? [step] : []);
    at = -1;
    mark("found", found);
    said.textContent = words.length === 0 ? "" : `${found.length} found`;
    if (found.length > 0) graph.show(found[0]);
  });
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter") goTo(at + (event.shiftKey ? -1 : 1));
  });

  part("colour").addEventListener("change", ({ target }) => {
    graph.paint(target.value);
    other?.paint(target.value);
  });
  const unfold = part("unfold");
  unfold?.addEventListener("change", () => {
    graph.unfold(unfold.checked);
    other?.unfold(unfold.checked);
  });
  part("graph").addEventListener("click", ({ target }) => {
    // Folded layers are opened in place.
    const folded = target.closest(".node.k-layers");
    if (folded === null || unfold === null) return;
    unfold.checked = true;
    graph.unfold(true);
    other?.unfold(true);
    graph.show(Number(folded.dataset.step));
  });

  section.addEventListener("click", ({ target }) => {
    const step = target.closest("[data-step]");
    if (step !== null && step.closest("[data-part=other]") !== null) {
      const own = other.ownOf(Number(step.dataset.step));
      if (own !== undefined) choose(own);
      return;
    }
    const tensor = fn.tensors[target.closest("[data-tensor]")?.dataset.tensor];
    if (tensor !== undefined) follow(tensor.name);
    if (step !== null) choose(Number(step.dataset.step));
  });
  section.addEventListener("keydown", (event) => {
    const row = event.target.closest("tr[data-step]");
    const isForward = event.key === "ArrowDown" || event.key === "ArrowRight";
    if (row !== null && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      choose(Number(row.dataset.step), true);
    } else if (row !== null && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      (isForward ? row.nextElementSibling : row.previousElementSibling)?.focus();
    } else if (event.target.matches(".viewbox") && /^Arrow/.test(event.key)) {
      event.preventDefault();
      const steps = graph.steps();
      const next = isForward ? steps.find((step) => step > chosen) : steps.findLast((step) => step < chosen);
      if (next !== undefined) choose(next, true);
    }
  });
}

document.querySelectorAll("section[data-fn]").forEach((section) =>
  connect(section, data.functions[Number(section.dataset.fn)])
);
document.querySelectorAll("table[id]").forEach(sortable);
document.querySelectorAll("input[data-filter]").forEach(filtering);

document.documentElement.dataset.ready = "true";
