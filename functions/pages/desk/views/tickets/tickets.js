/** Tickets: the list, how one is raised, and one: its fields and its messages. `#/tickets/{id}` */
/** @import { TicketSort } from "workdesk" @import { Context, View } from "../../kit.js" */
import { all, everyCustomer, node, person, post, time, to } from "../../kit.js";
import { list, neighbors, page, tagField, TICKET } from "../../record/record.js";
import {
  choices, dialog, fieldsOf, filters, line, raiser, several, turnOf,
} from "../requests/requests.js";
import { messagesOf } from "./messages.js";

/** @type {[TicketSort, string][]} */
const ORDERS = [["-lastMessageAt", "Last message"], ["-createdAt", "Newest"],
  ["createdAt", "Oldest"]];

/** @type {View} */
export async function view(context, { id }) {
  if (id) return ticket(context, Number(id));
  const send = (/** @type {any} */ content) => post("/api/managed-services/tickets", {}, content);
  context.header.append(raiser("ticket", () => dialog("ticket", null, send)));
  return list(context, { type: "ticket", list: "/api/managed-services/tickets", noun: "ticket",
    filters, line,
    read: choices, fields: several, orders: () => ORDERS });
}

/** The page of a ticket. @param {Context} context @param {number} ticketId */
function ticket(context, ticketId) {
  const { header, signal } = context;
  let keepSpeaker = (/** @type {any} */ _row) => {};
  header.append(beside(ticketId));
  return page(context, {
    type: "ticket", noun: "ticket", id: ticketId, path: TICKET, on: { ticketId },
    permission: "manage_tickets", said: "Messages",
    fields: (people) => [...fieldsOf(people), tagField("ticket")],
    names: async () => ({ tagIds: await all("/api/tags", {}), customerId: await everyCustomer() }),
    talk: async () => {
      const customers = everyCustomer().catch(() => []);
      const [messages] = await Promise.all([messagesOf(ticketId, signal), customers]);
      ({ keepSpeaker } = messages);
      return messages;
    },
    about: ({ creator, createdAt, ...row }) => {
      keepSpeaker(row);
      const turn = turnOf(row);
      return [`Ticket ${ticketId}, raised by `, person(creator, "a former user"), " ",
        time(createdAt), turn && [", ", node("strong.turn", turn)]];
    },
  });
}

/** Links to the tickets beside one in the list that was shown last. @param {number} id */
function beside(id) {
  const { previous, next } = neighbors("ticket", id);
  const one = (/** @type {number | undefined} */ other, /** @type {string} */ label,
    /** @type {string} */ key) =>
    other && node("a.link", { href: to(`/tickets/${other}`), "aria-keyshortcuts": key }, label);
  return node("nav.beside", { "aria-label": "Tickets of the list" }, one(previous, "Previous", "k"),
    one(next, "Next", "j"));
}
