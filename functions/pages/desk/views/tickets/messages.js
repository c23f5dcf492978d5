/** The messages of a ticket: support's side told apart, internal notes set off, the reply below. */
/** @import { TicketMessage } from "workdesk" @import { Entry } from "../../record/record.js" */
import {
  ask, denied, draw, get, myId, node, now, patch, Problem, record, remove, store,
} from "../../kit.js";
import { LIMIT, talk, TICKET } from "../../record/record.js";
import { spoke } from "../requests/requests.js";
import { reply } from "./reply.js";

const MESSAGE = "/api/managed-services/ticket/{ticketId}/messages/{messageId}";
const CHANGEABLE_MS = 300_000; // In which its author may change a message.

/** The thread of a ticket, with the reply below. `keepSpeaker` takes the ticket's row.
 * @param {number} ticketId @param {AbortSignal} signal */
export async function messagesOf(ticketId, signal) {
  const read = async () => {
    const newest = { ticketId, sort: /** @type {const} */ ("-createdAt"), limit: LIMIT };
    const page = await get(TICKET, newest, { signal });
    store("ticket", page.data.ticket);
    return page;
  };
  const take = (/** @type {TicketMessage[]} */ rows) => {
    thread.take(rows);
    thread.show();
  };
  const thread = talk(await read(), { type: "ticket_message", on: "ticket", id: ticketId,
    entry: entryOf, write: null, ...(!denied("reply_ticket") && ownActs(ticketId, take)) });
  const below = node("div");
  let wasClosed = /** @type {boolean | undefined} */ (undefined);
  const show = () => {
    const isClosed = record("ticket", ticketId)?.status === "closed";
    if (isClosed !== wasClosed) {
      draw(below, reply(ticketId, isClosed, read, async () => take((await read()).data.messages)));
    }
    wasClosed = isClosed;
    thread.show();
  };
  return { ...thread, element: node("div.threaded", thread.element, below), show,
    keepSpeaker: (/** @type {any} */ ticket) =>
      keepSpeaker(ticket, /** @type {TicketMessage[]} */ (thread.rows())) };
}

/** Keeps who wrote the newest message that the customer sees.
 * @param {any} ticket @param {TicketMessage[]} messages */
function keepSpeaker(ticket, messages) {
  const open = messages.filter(({ internal, deletedAt }) => !internal && !deletedAt);
  const newest = open.sort((one, other) => one.id - other.id).at(-1);
  if (newest) spoke(ticket, newest.sender.isSupport);
}

/** @param {TicketMessage} message @param {TicketMessage[]} all @returns {Entry} */
function entryOf(message, all) {
  const { content, sender, internal, createdAt, editedAt, deletedAt } = message;
  const support = sender.isSupport && !internal;
  const label = internal ? "Internal note" : support ? "Support" : "";
  return { author: sender.name, at: createdAt, text: deletedAt ? null : content, label,
    aside: internal, support, edited: Boolean(editedAt && !deletedAt),
    own: sender.id === myId(), final: isFinal(message, all) };
}

/** Does the service refuse changes of a message? An internal note is no reply to it.
 * @param {TicketMessage} message @param {TicketMessage[]} all */
const isFinal = ({ id, createdAt }, all) => now() - Date.parse(createdAt) > CHANGEABLE_MS
  || all.some((one) => one.id > id && !one.internal);

/** What the author does with a message. @param {number} ticketId
 * @param {(rows: TicketMessage[]) => void} take shows a message as it is now */
const ownActs = (ticketId, take) => ({
  edit: async (/** @type {TicketMessage} */ row, /** @type {string} */ content,
    /** @type {any} */ match) => {
    const on = { ticketId, messageId: row.id };
    const sent = patch(MESSAGE, on, { content }, { match });
    take([(await sent.catch(saysKept)).data]);
  },
  remove: (/** @type {TicketMessage} */ row) => ask("Delete your message?", {
    text: "The others see that it was deleted. Mails that went out keep its text.",
    submit: "Delete", isGrave: true,
    act: async () => {
      await remove(MESSAGE, { ticketId, messageId: row.id }, { match: row }).catch(saysFinal);
      const deletedAt = new Date(now()).toISOString();
      take([{ ...row, content: "", deletedAt, version: row.version + 1 }]);
    } }),
});

/** Trying again does not help with a message that is final. @param {unknown} problem
 * @returns {never} */
function saysFinal(problem) {
  if (problem instanceof Problem && problem.code === "message_final") problem.retry = "";
  throw problem;
}

/** As `saysFinal`, where a text was typed. @param {unknown} problem @returns {never} */
function saysKept(problem) {
  if (problem instanceof Problem && problem.code === "message_final") {
    problem.detail += " What you typed is kept here.";
  }
  return saysFinal(problem);
}
