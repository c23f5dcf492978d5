/** The user's profile with the password, and the organization's name. */
/** @import { User } from "workdesk" */
/** @import { View } from "../../kit.js" @import { Edited } from "../../record/record.js" */
import {
  ask, button, denied, facts, form, get, input, me, myId, node, number, patch, Problem, put, quiet,
  section, setFault, time, toProvider, words,
} from "../../kit.js";
import { text } from "../../record/record.js";
import { featureName, permissionName } from "./labels.js";

const NEW = { type: "password", required: true, autocomplete: "new-password" };
const CURRENT = { ...NEW, autocomplete: "current-password" };
export const verified = (/** @type {string | null} */ at) => (at ? "verified" : "not verified");

/** A text that is edited in its place. @param {any} known @param {string} name
 * @param {string} reason
 * @param {Edited["patch"]} patch @param {string} [label]
 * @param {string} [none] if it may be empty */
function lineOf(known, name, reason, patch, label = "Name", none = "") {
  const record = { read: () => known, keep: (/** @type {any} */ now) => (known = now), patch,
    reason };
  const shown = (/** @type {string} */ value) => node("span", value);
  const made = text(record, { label, name, line: true, optional: none !== "", none, shown });
  made.show();
  return [made.element, reason && quiet("Admins may change it.")];
}

/** @type {View} */
export async function profile({ body, signal }) {
  const { organization, permissions } = me();
  const [path, on] = [/** @type {const} */ ("/api/users/{id}"), { id: myId() }];
  const { data } = await get(path, on, { signal });
  const name = lineOf(data, "fullName", denied("manage_users"),
    (change, match) => patch(path, on, change, { match }));
  body.append(
    facts({ Name: name, "User name": data.username, "E-mail": emailOf(data),
      Organization: organization.name, Role: words(data.role),
      Permissions: permissions.map(permissionName).join(", ") }),
    section("Company’s provider",
      node("p.quiet", "Connect your account, to sign in by your company’s provider."),
      node("div", button("Connect my account", () => connect(data.username, signal)))),
    section("Password",
      node("p.quiet", "A new password ends your other sessions and all your tokens."),
      passwordForm()));
}

/** The form of a new password, and what says that it is changed. */
function passwordForm() {
  const done = node("p", { role: "status" });
  const made = form({
    fields: [input("Current password", "currentPassword", CURRENT),
      input("New password", "newPassword", { ...NEW, hint: "12 to 128 characters." }),
      input("New password again", "again", NEW)],
    submit: "Change password",
    act: async ({ again, ...passwords }) => {
      const same = passwords["newPassword"] === again;
      const repeated = /** @type {HTMLElement} */ (made.querySelector("[name=again]"));
      done.textContent = "";
      setFault(repeated, same ? "" : "The two are not the same.");
      if (!same) return repeated.focus();
      await put("/api/auth/password", {}, /** @type {any} */ (passwords));
      made.reset();
      done.textContent = "The password is changed.";
    },
  });
  return [made, done];
}

/** The address for mails, with what changes it. @param {User} user */
function emailOf({ email, emailVerifiedAt = null }) {
  const place = node("span.action");
  const show = (asked = "") => place.replaceChildren(email ?? quiet("none"),
    email ? quiet(verified(emailVerifiedAt)) : "",
    button(asked ? "Change again" : "Change", change, { kind: "plain", name: "Change e-mail" }),
    node("span", { role: "status" },
      asked && `A link was sent to ${asked}. Open it to confirm it.`));
  const change = () => ask("Change your e-mail", {
    fields: [input("New e-mail", "email", { type: "email", required: true, maxlength: 254 }),
      input("Your password", "password", CURRENT)],
    submit: "Send a link",
    act: async (values) => {
      await put("/api/auth/email", {}, values);
      show(values.email);
    },
  });
  show();
  return place;
}

/** Connects the account with the provider. @param {string} username @param {AbortSignal} signal */
async function connect(username, signal) {
  const { provider } = (await get("/api/auth/sign-in", { username }, { signal })).data;
  if (!provider) throw new Problem(404, { detail: "Your organization has no provider." });
  const back = encodeURIComponent("/#/settings/profile");
  await toProvider(`${provider}&connect=true&return=${back}`);
}

/** @type {View} */
export async function organization({ body, signal }) {
  const [path, on] = [/** @type {const} */ ("/api/organizations/{id}"),
    { id: me().organization.id }];
  const { data } = await get(path, on, { signal });
  const line = (/** @type {string} */ name, /** @type {string[]} */ ...said) => lineOf(data, name,
    denied("manage_organization"), (change, match) => patch(path, on, change, { match }), ...said);
  body.append(facts({ Name: line("name"),
    "Web address": line("webUrl", "Web address", "the deployment’s own"), Number: data.id,
    Plan: data.planFeatures.map(featureName).join(", ") || "no further features",
    "Rate limit": `${number(data.unitsPerSecond)} units a second; most requests take one to ten`,
    Created: time(data.createdAt) }));
}
