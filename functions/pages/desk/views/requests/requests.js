/** Requests: the list, how one is raised, and one: description, comments, fields.
 * `#/requests/{id}` */
/** @import { CreatedSort, JoinedTicket, ServiceRequest, ServiceStatus, User } from "workdesk" */
/** @import { Child, Choice, Context, View } from "../../kit.js" */
/** @import { Filter } from "../../record/record.js" */
import {
  addressOf, all, ask, button, counted, denied, everyCustomer, get, go, input, link, menu, myId,
  named, node, notice, person, post, PRIORITIES, quiet, record, say, SERVICE_NEXT, SERVICE_OVER,
  SERVICE_STATUSES, state, time, to, unreadMark, words,
} from "../../kit.js";
import {
  assignee, changeOne, chips, commented, CUSTOMER, customerChoices, customerFilter, customerName,
  list, page, row, stateField, tagChoices, tagField,
} from "../../record/record.js";

/** @type {[CreatedSort, string][]} */
const ORDERS = [["-createdAt", "Newest"], ["createdAt", "Oldest"]];
const UNRESOLVED = SERVICE_STATUSES.filter((one) => !SERVICE_OVER.includes(one));
const URGENT_FIRST = named(PRIORITIES.toReversed());

/** @type {View} */
export async function view(context, { id }) {
  if (id) return request(context, Number(id));
  context.header.append(raiser("request", raise));
  return list(context, { type: "service_request", list: "/api/service-requests", noun: "request",
    line,
    read: choices, fields: several, orders: () => ORDERS,
    filters: (people, further) => [...filters(people, further), ["Category", "category"]] });
}

/** What the filters need further: the tags and the customers. */
export const choices = async () => {
  const [tags, customers] = await Promise.all([tagChoices(), customerChoices()]);
  return { tags, customers };
};

/** The filters of requests and tickets. @param {Choice[]} people
 * @param {{ tags: Choice[], customers: Choice[] }} [further] @returns {Filter[]} */
export const filters = (people, { tags, customers } = { tags: [], customers: [] }) => [
  ["Status", "status", [["", "Any"], [UNRESOLVED.join(","), "Unresolved"],
    ...named(SERVICE_STATUSES)]],
  ["Priority", "priority", [["", "Any"], ...URGENT_FIRST]],
  ["Assignee", "assigneeId", [["", "Anyone"], ["me", "Me"], ["none", "Nobody"], ...people]],
  ["Raised by", "creatorId", [["", "Anyone"], ["me", "Me"], ...people]],
  customerFilter(customers),
  ["Tag", "tagId", [["", "Any"], ...tags]],
];

/** The fields that the bar of the selected rows changes. @param {() => Choice[]} people
 * @returns {import("../../record/record.js").Fields} */
export const several = (people) => ({ status: () => named(SERVICE_STATUSES),
  priority: () => URGENT_FIRST,
  assigneeId: () => [["0", "Nobody"], ...people()], tagIds: tagChoices });

/** @param {ServiceRequest | JoinedTicket} row @param {User[]} people
 * @param {(row: any) => HTMLElement | null} box @param {boolean} isUnread */
export function line(row, people, box, isUnread) {
  const { id, title, status, priority, assigneeId, customerId, tags } = row;
  const user = people.find((one) => one.id === assigneeId);
  const [path, more, at] = "messageCount" in row
    ? ["tickets", [turnOf(row), counted(row.messageCount, "message")].filter(Boolean).join(", "),
      row.lastMessageAt]
    : ["requests", row.category, null];
  const type = path === "tickets" ? "ticket" : "service_request";
  return node("li", box(row),
    node("div.grow.named", node("a", { href: to(`/${path}/${id}`) }, quiet(`#${id} `),
      node("bdi", title), unreadMark(isUnread)),
      customerId && quiet(customerName(customerId)), chips(tags)),
    statusMenu(type, row, named(statusesFrom(status))), state(priority),
    person(user, assigneeId ? `User ${assigneeId}` : "Unassigned"), quiet(more),
    node("span.quiet.when", time(at ?? row.createdAt)));
}

/** What was read last of a ticket: the number of its messages, and is the newest support's?
 * @type {Map<number, { count: number, isSupport: boolean }>} */
const lastSpeakers = new Map();

/** Keeps who wrote the newest message of a ticket.
 * @param {Pick<JoinedTicket, "id" | "messageCount">} ticket
 * @param {boolean} isSupport */
export const spoke = ({ id, messageCount }, isSupport) =>
  void lastSpeakers.set(id, { count: messageCount, isSupport });

/** Whose turn it is, as its status and its newest message say.
 * @param {Pick<JoinedTicket, "id" | "status" | "messageCount">} ticket */
export function turnOf({ id, status, messageCount }) {
  if (SERVICE_OVER.includes(status)) return "";
  const last = lastSpeakers.get(id);
  const isAnswered = status === "pending" || (last?.count === messageCount && last.isSupport);
  return isAnswered ? "Customer’s turn" : "Support’s turn";
}

/** The status of a row; a menu of others if the user may change it.
 * @param {"ticket" | "service_request"} type
 * @param {any} row @param {Choice[]} choices */
function statusMenu(type, row, choices) {
  const { id, title, status } = row;
  if (denied(type === "ticket" ? "manage_tickets" : "update_service_request")) return state(status);
  const open = () => menu(/** @type {Element} */ (place.querySelector("button")),
    `Status of ${title}`,
    choices.filter(([value]) => value !== status), (value) => changeStatus(type, id, value));
  const place = button(state(status), open,
    { kind: "plain", key: "s", name: `Status of ${title}: ${words(status)}` });
  return place;
}

/** @param {"ticket" | "service_request"} type @param {number} id @param {string} status */
const changeStatus = (type, id, status) => changeOne(type, id, { status }).then(
  () => say(`${words(status)}.`),
  (problem) => notice(problem.detail ?? "It was not changed.", "Try again",
    () => void changeStatus(type, id, status)));

/** A status and those that it may change to: all, if a later version made it.
 * @param {ServiceStatus} now */
function statusesFrom(now) {
  const next = SERVICE_NEXT[now] ?? SERVICE_STATUSES;
  return SERVICE_STATUSES.filter((one) => one === now || next.includes(one));
}

/** The fields of a request or a ticket. @param {User[]} people */
export const fieldsOf = (people) => [
  stateField("status", ({ status }) => named(statusesFrom(status))),
  stateField("priority", () => URGENT_FIRST), assignee(people), CUSTOMER,
];

/** @type {import("../../record/fields.js").Field} */
const CATEGORY = { label: "Category", name: "category", type: "text",
  shown: ({ category }) => category };

export const raiser = (/** @type {string} */ noun, /** @type {() => unknown} */ act) =>
  button(`Raise a ${noun}`, act, { kind: "main", key: "c",
    reason: denied("create_service_request") });

/** The dialog in which a request or a ticket is raised. What is typed stays when it is closed.
 * @param {string} noun @param {Child} further fields
 * @param {(values: any) => Promise<{ data: { id: number } }>} send */
export async function dialog(noun, further, send) {
  const customers = await customerChoices().catch(() => []);
  ask(`Raise a ${noun}`, {
    fields: [input("Title", "title", { required: true, maxlength: 255 }),
      input("Description", "description", { rows: 3 }),
      input("Priority", "priority", { options: URGENT_FIRST, value: "medium" }),
      customers.length > 0
        && input("Customer", "customerId", { options: [["", "None"], ...customers] }), further],
    submit: `Raise a ${noun}`, draft: "raise",
    act: async ({ customerId, ...values }) => {
      const of = customerId ? { customerId: Number(customerId) } : {};
      go(`/${noun}s/${(await send({ ...values, ...of })).data.id}`);
    },
  });
}

async function raise() {
  const { data } = await get("/api/managed-services/search-references", { limit: 50 });
  const references = data.map(({ type, id, title }) => /** @type {Choice} */ (
    [`${type} ${id}`, title]));
  dialog("request", [
    input("Category", "category", { maxlength: 100 }),
    input("About", "reference", { options: [["", "Nothing in particular"], ...references] }),
  ], ({ reference, ...content }) => {
    const [type, id] = reference?.split(" ") ?? [];
    const about = type && { referenceType: type, referenceId: Number(id) };
    return post("/api/managed-services/request", {}, { ...content, ...about });
  });
}

function request(/** @type {Context} */ context, /** @type {number} */ id) {
  const list = "/api/service-requests/{serviceRequestId}/comments";
  const of = { serviceRequestId: id };
  return page(context, {
    type: "service_request", noun: "request", id, path: "/api/service-requests/{id}", on: { id },
    permission: "update_service_request", said: "Comments", described: true,
    talk: async () => {
      await everyCustomer().catch(() => []);
      return commented("service_request", id, list, of, "comment_service_request", context.signal);
    },
    fields: (people) => [...fieldsOf(people), CATEGORY, tagField("service_request")],
    names: async () => ({ tagIds: await all("/api/tags", {}), customerId: await everyCustomer() }),
    about: ({ creatorId, createdAt }, people) => [`Request ${id}, raised by `,
      person(people.find((user) => user.id === creatorId), `user ${creatorId}`), " ",
      time(createdAt)],
    further: ({ referenceType, referenceId, agentAction }) => {
      const project = referenceType === "project" && referenceId;
      const name = project && (record("project", project)?.title ?? `Project ${project}`);
      const session = agentAction && addressOf("agent_session", agentAction.sessionId);
      return [project && row("About", link(to(`/projects/${project}`), name)),
        session && row("From", link(session, "the agent’s session"))];
    },
    erase: ({ creatorId }) =>
      ({ reason: creatorId === myId() ? "" : denied("delete_service_request"), path: "/requests" }),
  });
}
