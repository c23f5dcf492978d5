/** Milestones as bars on a line of time, with the share of their tasks that is done. */
/** @import { Milestone } from "workdesk" */
import { day, draw, node, now, number, quiet, state, words } from "../../kit.js";

const DAY_MS = 86_400_000;
export const LOOKS = new Map([["pending", "ring"], ["on_hold", "pause warn"]]);

/** @param {() => Milestone[]} milestones
 * @param {(milestone: number) => { done: number, total: number }} counts of all its tasks */
export function timeline(milestones, counts) {
  const list = node("ol.timeline");
  /** Returns false if no milestone has a date. */
  const show = () => {
    const dated = milestones().flatMap((milestone) => {
      const { startDate, dueDate, createdAt } = milestone;
      const end = dueDate ?? startDate;
      return end ? [{ ...milestone, from: Date.parse(startDate ?? createdAt), to: Date.parse(end) }]
        : [];
    }).sort((one, other) => one.to - other.to);
    const first = Math.min(now(), ...dated.map(({ from, to }) => Math.min(from, to))) - DAY_MS;
    const last = Math.max(now(), ...dated.map(({ to }) => to)) + DAY_MS;
    const at = (/** @type {number} */ instant) => `${(100 * (instant - first)) / (last - first)}%`;
    draw(list, dated.map(({ id, title, status, from, to }) => {
      const { done, total } = counts(id);
      const [bar, today] = [node("div", { class: `bar ${status}` }), node("div.today")];
      bar.style.setProperty("left", at(Math.min(from, to - DAY_MS)));
      bar.style.setProperty("right", `calc(100% - ${at(to)})`);
      today.style.setProperty("left", at(now()));
      return node("li", { key: id }, node("span.name", title),
        state(status, words(status), LOOKS.get(status)),
        quiet(`${day(new Date(from))} – ${day(new Date(to))}, `,
          `${number(done)} of ${number(total)} done`),
        node("div.track", { "aria-hidden": "true" }, bar, today));
    }));
    return dated.length > 0;
  };
  return { element: list, show };
}
