/** Found records: their groups, and the address of each. */

/** @import { FoundRecord } from "workdesk" */
import { addressOf, to } from "../../frame/router.js";

/** The groups in their order on the page. */
export const TYPES = /** @type {const} */ ({
  task: "Tasks",
  service_request: "Requests",
  ticket: "Tickets",
  project: "Projects",
  milestone: "Milestones",
  activity: "Activities",
  comment: "Comments",
  ticket_message: "Messages",
});

/**
 * Returns the address of a found record: its own page, that of its parent, or that of its project, if there is one.
 * @param {Pick<FoundRecord, "type" | "id" | "parent" | "projectId">} row
 */
export function address({ type, id, parent, projectId }) {
  const own = parent ? addressOf(parent.type, parent.recordId) : addressOf(type, id);
  if (own || projectId === null) return own;
  return to(`/projects/${projectId}`, type === "milestone" ? { milestone: String(id) } : undefined);
}

/**
 * Returns the rows by type, in the order of `TYPES`. Types without rows are left out.
 * @param {FoundRecord[]} rows
 */
export function groups(rows) {
  return Object.entries(TYPES)
    .map(([type, title]) => ({ type, title, rows: rows.filter((row) => row.type === type) }))
    .filter((group) => group.rows.length > 0);
}

/**
 * Returns the text in parts. Beginnings of words that the query has are marked, without regard to case and accents.
 * @param {string} text
 * @param {string} query
 * @returns {{text: string, marked: boolean}[]}
 */
export function marked(text, query) {
  const plain = (/** @type {string} */ word) => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain(query).match(/[\p{L}\p{N}]+/gu) ?? [];
  return text.split(/([\p{L}\p{N}\p{M}]+)/u).flatMap((part) => {
    const length = Math.max(0, ...words.filter((word) => plain(part).startsWith(word)).map((word) => word.length));
    return [
      { text: part.slice(0, length), marked: true },
      { text: part.slice(length), marked: false },
    ].filter((piece) => piece.text !== "");
  });
}
