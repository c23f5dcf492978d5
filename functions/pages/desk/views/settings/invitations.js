/** Invitations: people who may make an account by a link in a mail. `#/settings/invitations` */
/** @import { Invitation } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, post, remove } from "../../api/client.js";
import { button, input, node, quiet, state, time, words } from "../../elements.js";
import { me } from "../../frame/session.js";
import { asking, listed } from "./parts.js";
import { ROLES } from "./users.js";

export const invitations = (/** @type {Context} */ context) => listed(context, {
  rows: (options) => get("/api/invitations", { limit: 50 }, options), none: "No invitation.",
  create: "Invite a person", reason: me().mail ? "" : "This deployment sends no mail.", line,
  form: () => ({
    fields: [input("E-mail", "email", { type: "email", required: true, maxlength: 254 }),
      input("Full name", "fullName", { maxlength: 255 }),
      input("Role", "role", { options: ROLES, value: "member" })],
    act: async (/** @type {any} */ { fullName, ...values }) =>
      (await post("/api/invitations", {}, { ...values, fullName: fullName || null })).data,
  }),
});

/** @param {Invitation} invitation @param {() => void} gone @param {(row: Invitation) => void} again */
function line({ id, email, fullName, role, sentAt, expiresAt, acceptedAt }, gone, again) {
  const send = () => post("/api/invitations/{id}/send", { id }).then(({ data }) => again(data));
  const drop = () => remove("/api/invitations/{id}", { id }).then(gone);
  const over = Date.parse(expiresAt) < Date.now();
  return node("li",
    node("div.grow", email, node("div.quiet", fullName, fullName && ", ", words(role))),
    acceptedAt ? state("accepted", "Accepted", "check good")
      : state("open", over ? "Expired" : "Open", over ? "cross quiet" : "ring"),
    quiet(acceptedAt ? time(acceptedAt) : ["sent ", time(sentAt), ", ends ", time(expiresAt)]),
    !acceptedAt && button("Send again", send, { kind: "plain", name: `Send again: ${email}` }),
    !acceptedAt && asking("Delete", `Delete the invitation of ${email}?`, "Its link ends at once.", drop,
      { kind: "plain", name: `Delete: ${email}` }));
}
