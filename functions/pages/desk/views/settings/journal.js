/** The audit log, oldest first: who changed what of the organization, users, rights, policy and
 * connections. Entries are chained by hashes, which the check goes through.
 * `#/settings/journal?subject=user:7&from=2026-11-01` */
/** @import { OrganizationJournalCheck, OrganizationJournalEntry, User } from "workdesk" */
/** @import { Choice, Context } from "../../kit.js" */
import {
  button, clock, counted, draw, each, ending, everyone, get, input, more, node, now, quiet, state,
  words,
} from "../../kit.js";

/** @typedef {{ subject?: string, from?: string, to?: string }} Filters */
const ROWS = 50;
const DAYS = 7; // Without a beginning, the list has the last days.
const EXPORTED = 200; // Rows of a request of the export.
/** @type {Record<OrganizationJournalEntry["actor"]["type"], string>} */
const ACTORS = { user: "A user", operator: "The operator", service: "The service" };

/** @param {Context} context */
export async function journal({ body, query: asked, signal, filter }) {
  const people = await everyone().catch(() => []);
  const [filters, items, end] = [node("div.filters", { role: "group", "aria-label": "Filters" }),
    node("ul.list.entries", { "aria-label": "Entries" }), node("div")];
  let question = 0;
  const wanted = () => filtersOf(asked);

  const showFilters = () => {
    const changed = (/** @type {any} */ { target }) =>
      filter({ [target.name]: target.value || null });
    draw(filters, fieldsOf(asked, people, changed));
  };
  const read = async () => {
    const mine = (question += 1);
    showFilters();
    const page = await get("/api/journal", { ...wanted(), limit: ROWS }, { signal });
    if (mine === question) show(page.data, page.next);
  };
  /** @param {OrganizationJournalEntry[]} rows @param {string | null} next */
  const show = (rows, next) => {
    draw(items, each(rows, ({ hash }) => hash, (entry) => line(entry, people)));
    items.hidden = rows.length === 0;
    draw(end, ending(rows.length === 0 && "No entry matches.", next, async (path) => {
      const page = await more(path, { signal });
      show([...rows, .../** @type {OrganizationJournalEntry[]} */ (page.data)], page.next);
    }, "Show more"));
  };
  const result = node("p.checked", { role: "status" });
  body.append(node("div.entries-head", filters,
    node("div.end", checked(result, signal), exported(wanted, signal))), result, items, end);
  await read();
  return (/** @type {URLSearchParams} */ changed) => {
    asked = changed;
    void read();
  };
}

/** The fields of the filters. @param {URLSearchParams} query @param {User[]} people
 * @param {(event: any) => void} onchange */
function fieldsOf(query, people, onchange) {
  const subjects = people.map(({ id, fullName }) =>
    /** @type {[string, string]} */ ([`user:${id}`, fullName]));
  const options = [["", "Everything"], ["organization:1", "The organization"], ...subjects];
  const day = { type: "date", max: "9998-12-31", onchange };
  return [
    input("About", "subject", { options: /** @type {Choice[]} */ (options),
      value: query.get("subject"), onchange }),
    input("From", "from", { value: firstDay(query), ...day }),
    input("To", "to", { value: query.get("to"), ...day })];
}

/** The beginning of the period: a day of the address, or a week ago.
 * @param {URLSearchParams} query */
function firstDay(query) {
  const ago = new Date(now() - DAYS * 86_400_000);
  return query.get("from") ?? new Date(+ago - 60_000 * ago.getTimezoneOffset()).toISOString().slice(
    0, 10);
}

/** Filters of the address as the API has them: whole days of the reader.
 * @param {URLSearchParams} query
 * @returns {Filters} */
function filtersOf(query) {
  const day = (/** @type {string | null} */ text, /** @type {number} */ later) => {
    const date = new Date(`${text}T00:00:00`);
    date.setDate(date.getDate() + later);
    return Number.isNaN(+date) ? undefined : date.toISOString();
  };
  const [subject, from, to] = [query.get("subject"), day(firstDay(query), 0), day(query.get("to"),
    1)];
  return { ...(subject && { subject }), ...(from && { from }), ...(to && { to }) };
}

/** @param {OrganizationJournalEntry} entry @param {User[]} people */
function line({ at, actor, event, subjects, seq, before, after, credential }, people) {
  const name = (/** @type {number | null} */ id) => people.find((one) => one.id === id)?.fullName
    ?? `user ${id}`;
  const who = actor.userId ? node("bdi", name(actor.userId)) : ACTORS[actor.type] ?? actor.type;
  const about = subjects.map((one) => (one.startsWith("user:") ? name(Number(one.slice(5)))
    : words(one)));
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const value = (/** @type {any} */ of) => (of === undefined || of === null ? "none"
    : typeof of === "object" ? JSON.stringify(of) : String(of));
  return node("li", clock(at), node("span.grow", node("strong", words(event)), " ",
    about.join(", "),
    fields.map((field) => node("div.quiet",
      `${words(field.replace(/[A-Z]/g, " $&").toLowerCase())}: `,
      before && [node("span.prose", value(/** @type {any} */ (before)[field])), " → "],
      node("span.prose", value(/** @type {any} */ (after ?? {})[field]))))),
  quiet("by ", who, credential?.tokenName && [" with the token ",
    node("bdi", credential.tokenName)]),
  quiet(seq === null ? "sign-in" : `#${seq}`));
}

/** What checks the whole chain, part by part: each entry has the hash of the entry before it.
 * @param {HTMLElement} result @param {AbortSignal} signal */
function checked(result, signal) {
  const check = async () => {
    let entries = 0;
    for (let from = /** @type {string | null | undefined} */ (undefined); from !== null; ) {
      const { data } = await get("/api/journal/check", { ...(from && { from }) }, { signal });
      entries += data.entries;
      draw(result, resultOf({ ...data, entries }));
      from = data.verified ? data.next : null;
    }
  };
  return button("Check the journal", check);
}

/** @param {OrganizationJournalCheck} check */
function resultOf({ verified, entries, breaks, head }) {
  if (!verified) {
    const why = breaks.map((one) => `entry ${one.seq}: ${words(one.why)}`).join("; ");
    return state("broken", `The journal was changed. ${why}`, "stop bad");
  }
  return [state("verified", `${counted(entries, "entry", "entries")}, complete and unchanged`,
    "check good"),
    head && node("small.whole", ` Newest: ${head.seq}, `, node("code", head.hash))];
}

/** Saves the entries that the filters leave as a file of lines of JSON, oldest first.
 * @param {() => Filters} wanted @param {AbortSignal} signal */
function exported(wanted, signal) {
  const done = node("span.quiet", { role: "status" });
  const save = async () => {
    const rows = [];
    let page = await get("/api/journal", { ...wanted(), limit: EXPORTED }, { signal });
    for (;;) {
      rows.push(...page.data);
      draw(done, `${counted(rows.length, "entry", "entries")} …`);
      if (!page.next) break;
      page = await more(page.next, { signal });
    }
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    const href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
    node("a", { href, download: "journal.ndjson" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    draw(done, `Saved ${counted(rows.length, "entry", "entries")}.`);
  };
  return node("div.end", button("Export", save), done);
}
