/** The phases of a project, in their order. */
/** @import { Records } from "../../kit.js" @import { Kept } from "./setup.js" */
import { patch, say, store } from "../../kit.js";

/** @param {Kept} kept */
export const phasesOf = (kept) =>
  kept.phase().sort((one, other) => one.order - other.order || one.id - other.id);

/** Moves a phase before the one above it.
 * @param {Records["phase"]} row @param {number} at @param {Kept} kept */
export async function raise(row, at, kept) {
  const [above, before] = [phasesOf(kept)[at - 1], phasesOf(kept)[at - 2]];
  if (!above) return;
  const order = before ? (before.order + above.order) / 2 : above.order - 1;
  const changed = await patch("/api/phases/{id}", { id: row.id }, { order }, { match: row });
  store("phase", changed.data);
  say(`${row.title}: ${at} of ${phasesOf(kept).length}`);
}
