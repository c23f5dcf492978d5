/** One customer: its name and domains, its projects, its open tickets and requests.
 * `#/customers/{id}` */
/** @import { Project } from "workdesk" @import { Context } from "../../kit.js" */
/** @import { Edited } from "../../record/fields.js" */
import {
  attempt, denied, draw, each, empty, everyone, fold, get, link, node, patch, readAfter, record,
  section, SERVICE_OVER, SERVICE_STATUSES, state, store, time, to, watch,
} from "../../kit.js";
import { fact, historyOf, text } from "../../record/record.js";
import { line } from "../requests/requests.js";
import { domainsOf } from "./customers.js";

const PATH = "/api/customers/{id}";
const UNRESOLVED = SERVICE_STATUSES.filter((one) => !SERVICE_OVER.includes(one));
const ROWS = 20; // Of each list.
const SECONDS = 5; // Between two reads after changes of others.

/** @param {Context} context @param {Record<string, string>} parameters */
export async function view({ header, body, title, signal }, { id: number }) {
  const id = Number(number);
  const [{ data }, people] = await Promise.all([get(PATH, { id }, { signal }),
    everyone().catch(() => [])]);
  store("customer", data);
  const known = knownOf(id);
  const heading = text(known, { label: "Name", name: "name", line: true,
    draft: `customer ${id} name` });
  const fields = FIELDS.map((field) => fact(known, field));
  const history = historyOf(PATH, { id }, signal, people);
  const place = node("p.quiet.whole");
  const show = () => {
    const { name, createdAt, updatedAt } = known.read();
    title(name);
    draw(place, "Customer since ", time(createdAt), ", changed ", time(updatedAt));
    for (const part of [heading, ...fields]) part.show();
  };
  header.append(heading.element, place);
  const lists = listsOf(id, people, signal);
  body.append(node("div.task", node("div.column", lists.elements, history.element),
    node("aside.fields", { "aria-label": "Fields" }, fields.map(({ element }) => element),
      known.reason && node("p.quiet", known.reason.replace("do this", "change a customer")))));
  show();
  watch(signal, {
    wants: (change) => {
      const isOwn = change.type === "customer" && change.recordId === id;
      if (isOwn) for (const part of [heading, ...fields]) part.changed(change);
      return isOwn;
    },
    changed: (keys) => {
      if (!keys.has(`customer:${id}`) || !record("customer", id)) return;
      if (history.element.open) void history.read();
      show();
    },
  });
  await lists.read();
}

/** @type {import("../../record/fields.js").Field[]} */
const FIELDS = [
  { label: "Domains", name: "domains", type: "text", shown: ({ domains }) => domains.join(", ") },
  { label: "State", name: "archived", choices: () => [["false", "Present"], ["true", "Archived"]],
    shown: ({ archived }) => (archived ? "Archived: gets no new records" : "Present") },
];

/** The customer as it is edited in place. @param {number} id @returns {Edited} */
function knownOf(id) {
  return { read: () => /** @type {any} */ (record("customer", id)),
    keep: (row) => store("customer", row),
    patch: (change, match) => patch(PATH, { id }, {
      ...change,
      ..."domains" in change && { domains: domainsOf(change.domains) },
      ..."archived" in change && { archived: change.archived === "true" },
    }, { match }),
    reason: denied("manage_directory") };
}

/** The lists of what the customer has. @param {number} id
 * @param {import("workdesk").User[]} people @param {AbortSignal} signal */
function listsOf(id, people, signal) {
  const of = /** @type {any} */ ({ customerId: id, limit: ROWS });
  const open = { ...of, status: UNRESOLVED };
  const rowOf = (/** @type {any} */ row) => line(row, people, () => null, false);
  const lists = [
    listOf("Projects", "/projects", "No projects.", id, projectLine,
      () => get("/api/projects", of, { signal })),
    listOf("Open tickets", "/tickets", "No open tickets.", id, rowOf,
      () => get("/api/managed-services/tickets", open, { signal })),
  ];
  // A view asks for few things at first.
  const requests = listOf("Open requests", "/requests", "No open requests.", id, rowOf,
    () => get("/api/service-requests", open, { signal }));
  const more = fold("requests", "Open requests", requests.parts,
    () => attempt(requests.end, requests.read));
  const read = () => Promise.all([...lists, ...more.open ? [requests] : []]
    .map((list) => list.read()));
  const types = ["project", "ticket", "service_request"];
  readAfter(signal, ({ type }) => types.includes(type), read, SECONDS);
  const sections = lists.map(({ heading, parts }) => section(heading, parts));
  return { elements: [...sections, more], read };
}

/** A list under its heading, with a link to all of it. @param {string} heading
 * @param {string} path @param {string} none @param {number} id of the customer
 * @param {(row: any) => HTMLElement} lineOf @param {() => Promise<{ data: any[] }>} rows */
function listOf(heading, path, none, id, lineOf, rows) {
  const [items, end] = [node("ul.list.columns"), node("div")];
  const all = link(to(path, { customerId: `${id}` }), `All ${path.slice(1)} of the customer`);
  const read = async () => {
    const { data } = await rows();
    draw(items, each(data, (row) => row.id, lineOf));
    draw(end, data.length === 0 ? empty(none) : all);
  };
  return { heading, parts: [items, end], end, read };
}

/** @param {Project} project @returns {HTMLElement} */
const projectLine = ({ id, title, status, updatedAt }) => node("li",
  node("a.grow", { href: to(`/projects/${id}`) }, node("bdi", title)), state(status),
  node("span.quiet.when", time(updatedAt)));
