/** The user's profile and password. `#/settings/profile` */

/** @import { User } from "workdesk" */
/** @import { Context } from "../../frame/router.js" */
import { get, patch, put } from "../../api/client.js";
import { facts, field, form, node, quiet, setFault, words } from "../../elements.js";
import { denied, me, myId } from "../../frame/session.js";
import { textOf } from "../requests/fields.js";

/** @param {Context} context */
export async function profile({ body, signal }) {
  const { organization, permissions } = me();
  /** @type {User} */
  let user = (await get("/api/users/{id}", { id: myId() }, { signal })).data;
  const reason = denied("manage_users");
  const name = textOf({
    reason, read: () => user, keep: () => {},
    save: async (change, match) => (user = (await patch("/api/users/{id}", { id: user.id }, change, { match })).data),
  }, { label: "Name", name: "fullName", line: true, shown: (text) => node("span", {}, text) });
  body.append(
    facts({
      Name: node("div", {}, name.element, reason && quiet("Admins may change it.")), "User name": user.username,
      Organization: organization.name, Role: words(user.role), Permissions: permissions.map((one) => words(one)).join(", "),
    }),
    node("section", { class: "stack" }, node("h2", {}, "Password"),
      node("p", { class: "quiet" }, "A new password ends your other sessions and all your tokens."), password()),
  );
}

function password() {
  const one = (/** @type {string} */ name, /** @type {string} */ complete) =>
    node("input", { name, type: "password", required: true, autocomplete: complete });
  const [current, wanted, again] = [one("currentPassword", "current-password"), one("newPassword", "new-password"),
    one("again", "new-password")];
  const repeated = field("New password again", again);
  const done = node("p", { role: "status" });
  const made = form({
    fields: [field("Current password", current), field("New password", wanted, { hint: "12 to 128 characters." }),
      repeated],
    submit: "Change password",
    act: async () => {
      done.textContent = "";
      setFault(repeated, wanted.value === again.value ? "" : "The two are not the same.");
      if (wanted.value !== again.value) return again.focus();
      await put("/api/auth/password", {}, { currentPassword: current.value, newPassword: wanted.value });
      made.reset();
      done.textContent = "The password is changed.";
    },
  });
  return node("div", {}, made, done);
}
