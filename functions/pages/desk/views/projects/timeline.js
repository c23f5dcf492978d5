/** Milestones as bars on a line of time, with the share of their tasks that is done. */

/** @import { JoinedTask, Milestone } from "workdesk" */
import { day, node, state, words } from "../../elements.js";

const DAY_MS = 86_400_000;
const STATES = { pending: "ring", on_hold: "pause warn" };

/**
 * @param {() => Milestone[]} milestones @param {() => JoinedTask[]} tasks those that are shown
 * @returns {{ element: HTMLElement, show: () => void }}
 */
export function timeline(milestones, tasks) {
  const list = node("ol", { class: "timeline" });
  const element = node("details", { open: true, hidden: true }, node("summary", {}, "Milestones"), list);
  const show = () => {
    const dated = milestones().flatMap((milestone) => {
      const end = milestone.dueDate ?? milestone.startDate;
      return end ? [{ milestone, from: Date.parse(milestone.startDate ?? milestone.createdAt), to: Date.parse(end) }] : [];
    });
    element.hidden = dated.length === 0;
    const first = Math.min(Date.now(), ...dated.map(({ from, to }) => Math.min(from, to))) - DAY_MS;
    const last = Math.max(Date.now(), ...dated.map(({ to }) => to)) + DAY_MS;
    const at = (/** @type {number} */ instant) => `${(100 * (instant - first)) / (last - first)}%`;
    dated.sort((one, other) => one.to - other.to);
    list.replaceChildren(...dated.map(({ milestone: { id, title, status }, from, to }) => {
      const own = tasks().filter(({ milestoneId }) => milestoneId === id);
      const done = own.filter((task) => task.status === "done").length;
      const bar = node("div", { class: `bar ${status}` });
      bar.style.setProperty("left", at(Math.min(from, to - DAY_MS)));
      bar.style.setProperty("right", `calc(100% - ${at(to)})`);
      const today = node("div", { class: "today" });
      today.style.setProperty("left", at(Date.now()));
      return node("li", {},
        node("span", { class: "name" }, title), state(status, words(status), STATES[/** @type {"pending"} */ (status)]),
        node("span", { class: "quiet" }, `${day(new Date(from))} – ${day(new Date(to))}, ${done} of ${own.length} done`),
        node("div", { class: "track", "aria-hidden": "true" }, bar, today));
    }));
  };
  return { element, show };
}
