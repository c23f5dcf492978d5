/** Invitations: people who may make an account by a link in a mail. `#/settings/invitations` */
/** @import { Context } from "../../kit.js" */
import {
  asking, button, input, me, node, now, post, quiet, remove, state, time, words,
} from "../../kit.js";
import { listed } from "./parts.js";
import { EMAIL, FULL_NAME, ROLE } from "./users.js";

export const invitations = (/** @type {Context} */ context) => listed(context, {
  path: "/api/invitations", none: "No invitation.",
  create: "Invite a person", reason: me().mail ? "" : "This deployment sends no mail.",
  form: () => ({
    fields: [input("E-mail", "email", { ...EMAIL, required: true }),
      input("Full name", "fullName", FULL_NAME), input("Role", "role", ROLE)],
    act: (values) => post("/api/invitations", {}, values),
  }),
  line: ({ id, email, fullName, role, sentAt, expiresAt, acceptedAt }, gone, again) => {
    const send = () => post("/api/invitations/{id}/send", { id }).then(({ data }) => again(data));
    const drop = () => remove("/api/invitations/{id}", { id }).then(gone);
    const over = Date.parse(expiresAt) < now();
    return node("li",
      node("div.grow", email, node("div.quiet", fullName, fullName && ", ", words(role))),
      acceptedAt ? state("accepted", "Accepted", "check good")
        : state("open", over ? "Expired" : "Open", over ? "cross quiet" : "ring"),
      quiet(acceptedAt ? time(acceptedAt) : ["sent ", time(sentAt), ", ends ", time(expiresAt)]),
      !acceptedAt && [button("Send again", send, { kind: "plain", name: `Send again: ${email}` }),
        asking("Delete", `Delete the invitation of ${email}?`, "Its link ends at once.", drop,
          { kind: "plain", name: `Delete: ${email}` })]);
  },
});
