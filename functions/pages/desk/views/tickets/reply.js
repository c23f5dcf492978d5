/** The reply to a ticket, or an internal note, with what sends it and sets a status. */
import {
  button, denied, draftOf, input, myId, notice, post, quiet, record, say,
} from "../../kit.js";
import { changeOne, TICKET, writer } from "../../record/record.js";

/** Writes a reply or a note. @param {number} ticketId @param {boolean} isClosed
 * @param {() => Promise<unknown>} read the ticket @param {() => unknown} sent */
export function reply(ticketId, isClosed, read, sent) {
  const reason = isClosed ? "The ticket is closed and takes no more replies."
    : denied("reply_ticket");
  if (reason && !draftOf("message")) return quiet(reason);
  const { extra, kind } = kindOf(ticketId);
  let then = ""; // The status that is set after what is sent.
  const made = writer({
    label: "Message", submit: "Send", draft: "message", key: "r", reason, ...(extra && { extra }),
    save: async (content) => {
      const status = then;
      then = "";
      await post(`${TICKET}/reply`, { ticketId }, { content, internal: kind?.value === "note" });
      if (status) await settleAs(ticketId, status, read);
      if (kind) kind.value = "reply";
      mark();
      await sent();
    },
  });
  const mark = () => {
    const isNote = kind?.value === "note";
    made.classList.toggle("note", isNote);
    made.querySelector("button.main")
      ?.replaceChildren(isNote ? "Add internal note" : "Send reply");
  };
  kind?.addEventListener("change", mark);
  mark();
  if (!denied("manage_tickets")) {
    addStatuses(made, (status) => {
      then = status;
      made.requestSubmit();
    });
  }
  return made;
}

/** The choice between a reply and a note. Who raised the ticket is its customer, and writes no
 * notes to support. @param {number} ticketId */
function kindOf(ticketId) {
  if (record("ticket", ticketId)?.creatorId === myId()) return { extra: null, kind: null };
  const extra = input("Send as", "kind", {
    options: [["reply", "Reply, seen by all"], ["note", "Internal note"]],
    hint: "Only users who may answer tickets see an internal note." });
  return { extra, kind: extra.querySelector("select") };
}

/** Sets a status after a message. @param {number} ticketId @param {string} status
 * @param {() => Promise<unknown>} read the ticket @returns {Promise<void>} */
async function settleAs(ticketId, status, read) {
  try {
    await read();
    await changeOne("ticket", ticketId, { status });
  } catch (problem) {
    const { detail } = /** @type {Error & { detail?: string }} */ (problem);
    notice(`It was sent. The status was not changed: ${detail}`, "Try again",
      () => void settleAs(ticketId, status, read));
    return;
  }
  say(`Sent. The ticket is ${status}.`);
  /** @type {HTMLElement | null} */ (document.querySelector(".beside a:last-child"))?.focus();
}

/** Adds what sends the reply and sets a status. @param {HTMLFormElement} made
 * @param {(status: string) => void} sendAs */
function addStatuses(made, sendAs) {
  made.querySelector(".end")?.append(
    button("Send and set pending", () => sendAs("pending")),
    button("Send and resolve", () => sendAs("resolved")));
  made.addEventListener("keydown", ({ key, ctrlKey, metaKey, shiftKey }) => {
    if (key === "Enter" && shiftKey && (ctrlKey || metaKey)) sendAs("resolved");
  });
}
