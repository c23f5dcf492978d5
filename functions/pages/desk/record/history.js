/** The history of a record: who changed what, from which value to which. It is read when it is
 * opened. */
/** @import { HistoryEntry, User } from "workdesk" @import { Child } from "../kit.js" */
/** @import { Kind } from "./page.js" */
import { attempt, day, draw, empty, fold, get, node, person, quiet, time, words } from "../kit.js";

/** Names of records by the field that has their ids, such as
 * `{ milestoneId: [{ id: 3, title: "Pilot" }] }`.
 * @typedef {Record<string, { id: number, title?: string, name?: string, fullName?: string }[]>}
 * Names */

/** Fields whose values are names of the API. */
const NAMED = ["status", "priority"];
const LABELS = /** @type {Record<string, string>} */ ({ order: "place", tagIds: "tags" });

/** @param {Kind["path"] | "/api/customers/{id}"} path @param {any} on
 * @param {AbortSignal} signal @param {User[]} people
 * @param {() => Promise<Names>} [namesOf] reads the names of further records */
export function historyOf(path, on, signal, people, namesOf = async () => ({})) {
  const place = node("div");
  const read = () => attempt(place, async () => {
    const [{ data }, further] = await Promise.all([
      get(/** @type {const} */ (`${path}/history`), { ...on, limit: 100 }, { signal }), namesOf()]);
    const names = { assigneeId: people, ...further };
    const rows = data.map((entry) => entryOf(entry, names));
    draw(place, rows.length > 0 ? node("ol.list", rows) : empty("No change yet."));
  });
  return { element: /** @type {HTMLDetailsElement} */ (fold("history", "History", place, read)),
    read };
}

/** @param {HistoryEntry} entry @param {Names} names */
function entryOf({ id, actor, at, what, changes }, names) {
  const told = changes.map((change, place) => [place > 0 && "; ", changeOf(change, names)]);
  const texts = changes.filter(({ field }) => field === "description");
  return node("li", { key: id }, node("span.grow", person(actor, "The service"), " ",
    what === "updated" ? ["changed ", told] : `${what} it`), time(at),
  texts.map(({ from, to }) => fold(`text ${id}`, "Show both texts", node("div.versions",
    textOf("Before", from), textOf("After", to)))));
}

const textOf = (/** @type {string} */ label, /** @type {unknown} */ text) =>
  node("section", node("b", label), node("p.text", text ? String(text) : quiet("(empty)")));

/** @param {HistoryEntry["changes"][number]} change @param {Names} names @returns {Child} */
function changeOf({ field, from, to }, names) {
  const label = LABELS[field] ?? words(field.replace(/Id$/, "").replace(/[A-Z]/g, " $&"))
    .toLowerCase();
  if (field === "description" || field === "order") return label;
  if (field === "tagIds") {
    return [label, ": ", tagsOf(idsOf(from), idsOf(to), names["tagIds"] ?? [])];
  }
  const value = (/** @type {unknown} */ one) => (field.endsWith("Id") && one !== null
    ? nameOf(Number(one), label, names[field]) : valueOf(one, NAMED.includes(field)));
  return [label, " from ", value(from), " to ", value(to)];
}

const idsOf = (/** @type {unknown} */ one) => /** @type {number[]} */ (Array.isArray(one) ? one
  : []);

/** The tags that came and went. @param {number[]} from @param {number[]} to
 * @param {Names[string]} names */
function tagsOf(from, to, names) {
  const list = (/** @type {string} */ word, /** @type {number[]} */ ids) => ids.length > 0
    && [word, " ", ids.map((id, at) => [at > 0 && ", ", nameOf(id, "tag", names)])];
  const came = list("added", to.filter((id) => !from.includes(id)));
  const gone = list("removed", from.filter((id) => !to.includes(id)));
  return [came, came && gone && ", ", gone];
}

/** @param {number} id @param {string} label @param {Names[string]} [rows] @returns {Child} */
function nameOf(id, label, rows = []) {
  const row = rows.find((one) => one.id === id);
  return row ? ["“", node("bdi", row.title ?? row.name ?? row.fullName), "”"] : `${label} ${id}`;
}

/** @param {unknown} one @param {boolean} isName a name of the API, and no text of people
 * @returns {Child} */
function valueOf(one, isName) {
  if (typeof one === "boolean") return one ? "yes" : "no";
  if (typeof one !== "string" || one === "") return one ? `“${one}”` : "none";
  if (/^\d{4}-\d\d-\d\dT/.test(one)) return day(new Date(one));
  return isName && /^[a-z_]+$/.test(one) ? words(one) : ["“", node("bdi", one), "”"];
}
