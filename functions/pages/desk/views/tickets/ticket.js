/** A ticket: its messages, support's side told apart and internal notes set off, and its fields. `#/tickets/{id}` */

/** @import { JoinedTicket, Ticket, TicketMessage, TicketUpdate } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, more, patch, post } from "../../api/client.js";
import { everyone, put, record, watch } from "../../api/records.js";
import { button, field, node, person, select, time } from "../../elements.js";
import { draftOf, keepDraft } from "../../frame/drafts.js";
import { say } from "../../frame/frame.js";
import { denied, myId } from "../../frame/session.js";
import { thread, writer } from "../../thread.js";
import { fieldsOf, textOf } from "../requests/fields.js";
import { historyOf } from "../tasks/history.js";

const PATH = "/api/managed-services/ticket/{ticketId}";
const LIMIT = 50;

/** @param {Context} context @param {Record<string, string>} parameters */
export async function view({ header, body, title, signal }, parameters) {
  const ticketId = Number(parameters["id"]);
  const newest = () => get(PATH, { ticketId, sort: "-createdAt", limit: LIMIT }, { signal });
  const [page, people] = await Promise.all([newest(), everyone().catch(() => [])]);
  /** @type {Map<number, TicketMessage>} */
  const messages = new Map();
  let earlier = page.next;

  const known = {
    read: () => record("ticket", ticketId) ?? page.data.ticket,
    save: async (/** @type {TicketUpdate} */ change, /** @type {{ version: number }} */ match) =>
      known.keep((await patch(PATH, { ticketId }, change, { match })).data),
    keep: (/** @type {Ticket} */ ticket) => void put("ticket", { ...known.read(), ...ticket }),
    reason: denied("manage_tickets"),
  };
  const heading = textOf(known, { label: "Title", name: "title", line: true });
  const fields = fieldsOf(known, people, known.reason
    ? [node("p", { class: "quiet" }, known.reason.replace("do this", "change a ticket"))] : []);
  const history = historyOf(signal, () => get(`${PATH}/history`, { ticketId, limit: 100 }, { signal }));
  const place = node("p", { class: "quiet whole" });
  const { element: list, show: showMessages } = thread({ entry, write: null });
  const above = node("div");
  const below = node("div");

  /** @param {{ ticket: JoinedTicket, messages: TicketMessage[] }} data */
  const take = (data) => {
    put("ticket", data.ticket);
    for (const message of data.messages) messages.set(message.id, message);
  };
  const readEarlier = async () => {
    const before = await more(earlier ?? "", { signal });
    earlier = before.next;
    take(before.data);
    show();
  };
  const show = () => {
    const ticket = known.read();
    title(ticket.title);
    place.replaceChildren(`Ticket ${ticketId}, raised by `, person(ticket.creator, "a former user"), " ",
      time(ticket.createdAt), ", changed ", time(ticket.updatedAt));
    heading.show();
    fields.show();
    showMessages([...messages.values()]);
    above.replaceChildren(...(earlier ? [button("Earlier messages", readEarlier)] : []));
    showWriter(ticket.status === "closed");
  };
  let closed = /** @type {boolean | undefined} */ (undefined);
  const showWriter = (/** @type {boolean} */ now) => {
    if (now !== closed) below.replaceChildren(reply(ticketId, now, async () => (take((await newest()).data), show())));
    closed = now;
  };

  /** Messages of this ticket that came since it was opened. @type {Set<number>} */
  const news = new Set();
  watch(signal, {
    wants: ({ type, recordId, parent }) => {
      const message = type === "ticket_message" && parent?.recordId === ticketId;
      if (message) news.add(recordId);
      return message || (type === "ticket" && recordId === ticketId);
    },
    changed: (keys) => {
      const fresh = [...news].flatMap((id) => (messages.has(id) ? [] : record("ticket_message", id) ?? []));
      for (const message of fresh) messages.set(message.id, message);
      const others = fresh.filter(({ sender }) => sender.id !== myId());
      if (others.length > 0) say(`New message from ${others.map(({ sender }) => sender.name).join(", ")}.`);
      if (keys.has(`ticket:${ticketId}`)) history.changed();
      show();
    },
  });
  take(page.data);
  header.append(heading.element, place);
  body.append(node("div", { class: "task" },
    node("div", { class: "column" },
      node("section", { class: "threaded", "aria-label": "Messages" }, above, list, below), history.element),
    fields.element));
  show();
}

/** @param {TicketMessage} message */
function entry({ content, sender, internal, createdAt }) {
  const support = sender.isSupport && !internal;
  const label = internal ? "Internal note" : support ? "Support" : "";
  return { author: sender.name, at: createdAt, text: content, label, aside: internal, support };
}

/**
 * @param {number} ticketId @param {boolean} closed
 * @param {() => Promise<unknown>} sent
 */
function reply(ticketId, closed, sent) {
  const reason = closed ? "The ticket is closed and takes no more replies." : denied("reply_ticket");
  if (reason && !draftOf("message")) return node("p", { class: "quiet" }, reason);
  const kind = select("kind", [["reply", "Reply, seen by all"], ["note", "Internal note"]], "reply");
  const drop = keepDraft(kind, "kind");
  const extra = field("Send as", kind, { hint: "Only users who may answer tickets see an internal note." });
  const made = writer({
    label: "Message", submit: "Send", draft: "message", extra, reason,
    save: async (content) => {
      await post(`${PATH}/reply`, { ticketId }, { content, internal: kind.value === "note" });
      drop();
      kind.value = "reply";
      mark();
      await sent();
    },
  });
  const mark = () => {
    made.classList.toggle("note", kind.value === "note");
    const send = made.querySelector("button.main");
    if (send) send.textContent = kind.value === "note" ? "Add internal note" : "Send reply";
  };
  kind.addEventListener("change", mark);
  mark();
  return made;
}
