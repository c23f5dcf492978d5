/** Tickets: the list, how one is raised, and one: its fields and its messages, support's side told apart and
 * internal notes set off. `#/tickets/{id}` */
/** @import { TicketMessage, TicketSort } from "workdesk" @import { Context, View } from "../../kit.js" */
import {
  all, button, denied, draftOf, draw, get, input, myId, node, notice, person, post, quiet, record, say, store, time, to,
} from "../../kit.js";
import {
  changeOne, LIMIT, list, neighbors, page, tagChoices, tagField, talk, TICKET, writer,
} from "../../record/record.js";
import { dialog, fieldsOf, filters, line, raiser, several, spoke, turnOf } from "../requests/requests.js";

/** @type {[TicketSort, string][]} */
const ORDERS = [["-lastMessageAt", "Last message"], ["-createdAt", "Newest"], ["createdAt", "Oldest"]];

/** @type {View} */
export async function view(context, { id }) {
  if (id) return ticket(context, Number(id));
  const send = (/** @type {any} */ content) => post("/api/managed-services/tickets", {}, content);
  context.header.append(raiser("ticket", () => dialog("ticket", null, send)));
  return list(context, { type: "ticket", list: "/api/managed-services/tickets", noun: "ticket", filters, line,
    read: tagChoices, fields: several, orders: () => ORDERS });
}

function ticket(/** @type {Context} */ context, /** @type {number} */ ticketId) {
  const read = async () => {
    const order = { ticketId, sort: /** @type {const} */ ("-createdAt"), limit: LIMIT };
    const page = await get(TICKET, order, { signal: context.signal });
    store("ticket", page.data.ticket);
    return page;
  };
  const below = node("div");
  let written = /** @type {() => TicketMessage[]} */ (() => []);
  /** Keeps who wrote the newest message that the customer sees. @param {any} row */
  const keepSpeaker = (row) => {
    const open = written().filter(({ internal }) => !internal);
    const newest = open.sort((one, other) => one.id - other.id).at(-1);
    if (newest) spoke(row, newest.sender.isSupport);
  };
  context.header.append(beside(ticketId));
  let closed = /** @type {boolean | undefined} */ (undefined);
  return page(context, {
    type: "ticket", noun: "ticket", id: ticketId, path: TICKET, on: { ticketId },
    permission: "manage_tickets", said: "Messages",
    fields: (people) => [...fieldsOf(people), tagField("ticket")],
    names: async () => ({ tagIds: await all("/api/tags", {}) }),
    talk: async () => {
      const messages = talk(await read(),
        { type: "ticket_message", on: "ticket", id: ticketId, entry, write: null });
      written = /** @type {typeof written} */ (messages.rows);
      const sent = async () => {
        messages.take((await read()).data.messages);
        messages.show();
      };
      const show = () => {
        const now = record("ticket", ticketId)?.status === "closed";
        if (now !== closed) draw(below, reply(ticketId, now, read, sent));
        closed = now;
        messages.show();
      };
      return { ...messages, element: node("div.threaded", messages.element, below), show };
    },
    about: ({ creator, createdAt, ...row }) => {
      keepSpeaker(row);
      const turn = turnOf(row);
      return [`Ticket ${ticketId}, raised by `, person(creator, "a former user"), " ", time(createdAt),
        turn && [", ", node("strong.turn", turn)]];
    },
  });
}

/** Links to the tickets beside one in the list that was shown last. @param {number} id */
function beside(id) {
  const { previous, next } = neighbors("ticket", id);
  const one = (/** @type {number | undefined} */ other, /** @type {string} */ label, /** @type {string} */ key) =>
    other && node("a.link", { href: to(`/tickets/${other}`), "aria-keyshortcuts": key }, label);
  return node("nav.beside", { "aria-label": "Tickets of the list" }, one(previous, "Previous", "k"),
    one(next, "Next", "j"));
}

function entry(/** @type {TicketMessage} */ { content, sender, internal, createdAt }) {
  const support = sender.isSupport && !internal;
  const label = internal ? "Internal note" : support ? "Support" : "";
  return { author: sender.name, at: createdAt, text: content, label, aside: internal, support };
}

/** Writes a reply or a note. @param {number} ticketId @param {boolean} closed @param {() => Promise<unknown>} read the ticket
 * @param {() => unknown} sent */
function reply(ticketId, closed, read, sent) {
  const reason = closed ? "The ticket is closed and takes no more replies." : denied("reply_ticket");
  if (reason && !draftOf("message")) return quiet(reason);
  // Who raised the ticket is its customer, and writes no notes to support.
  const extra = record("ticket", ticketId)?.creatorId === myId() ? null : input("Send as", "kind", {
    options: [["reply", "Reply, seen by all"], ["note", "Internal note"]],
    hint: "Only users who may answer tickets see an internal note." });
  const kind = extra?.querySelector("select");
  const made = writer({
    label: "Message", submit: "Send", draft: "message", key: "r", reason, ...(extra && { extra }),
    save: async (content) => {
      const status = then;
      then = "";
      await post(`${TICKET}/reply`, { ticketId }, { content, internal: kind?.value === "note" });
      if (status) await settleAs(status);
      if (kind) kind.value = "reply";
      mark();
      await sent();
    },
  });
  /** Sends it, and sets a status after it. */
  let then = "";
  const settleAs = (/** @type {string} */ status) => read().then(() => changeOne("ticket", ticketId, { status }))
    .then(() => {
      say(`Sent. The ticket is ${status}.`);
      /** @type {HTMLElement | null} */ (document.querySelector(".beside a:last-child"))?.focus();
    }, (problem) =>
      notice(`It was sent. The status was not changed: ${problem.detail}`, "Try again", () => void settleAs(status)));
  const sendAs = (/** @type {string} */ status) => {
    then = status;
    made.requestSubmit();
  };
  if (!denied("manage_tickets")) {
    made.querySelector(".end")?.append(
      button("Send and set pending", () => sendAs("pending")), button("Send and resolve", () => sendAs("resolved")));
    made.addEventListener("keydown", ({ key, ctrlKey, metaKey, shiftKey }) => {
      if (key === "Enter" && shiftKey && (ctrlKey || metaKey)) sendAs("resolved");
    });
  }
  const mark = () => {
    const note = kind?.value === "note";
    made.classList.toggle("note", note);
    made.querySelector("button.main")?.replaceChildren(note ? "Add internal note" : "Send reply");
  };
  kind?.addEventListener("change", mark);
  mark();
  return made;
}
