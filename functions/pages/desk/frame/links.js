/** The links of mails, which need no session: `#/reset?token=`, `#/confirm?token=` and
 * `#/accept?token=`. */
import { post } from "../api/client.js";
import { input } from "../controls.js";
import { button, node } from "../elements.js";
import { dialog, form } from "../forms.js";
import { toProvider } from "./session.js";

const HINT = "12 to 128 characters.";
const PASSWORD = { type: "password", autocomplete: "new-password", required: true, hint: HINT };
const NAME = { autocomplete: "username", autocapitalize: "none", required: true,
  hint: "It never changes." };
/** What each link asks for and says then, and where what is typed is sent.
 * @type {Record<string, { title: string, submit: string, done: string, fields: () => HTMLElement[],
 *   path: "/api/auth/reset" | "/api/auth/email/confirm" | "/api/auth/accept" }>} */
const LINKS = {
  "#/reset": { title: "Set a new password", submit: "Set the password",
    done: "Your password is set. Sign in with it.", path: "/api/auth/reset",
    fields: () => [input("New password", "password", PASSWORD)] },
  "#/confirm": { title: "Confirm your address", submit: "Confirm",
    done: "Your address is confirmed.",
    path: "/api/auth/email/confirm", fields: () => [] },
  "#/accept": {
    title: "Accept the invitation", submit: "Accept", done: "", path: "/api/auth/accept",
    fields: () => [input("User name", "username", NAME),
      input("Full name", "fullName", { autocomplete: "name", required: true, maxlength: 255 }),
      input("Password", "password", PASSWORD)],
  },
};

const named = () => location.hash.split("?")[0] ?? "";

/** Follows a link in the address. Resolves to what is to be said then.
 * @returns {Promise<string>} */
export async function followLink() {
  const parameters = new URLSearchParams(location.hash.split("?")[1]);
  const token = parameters.get("token") ?? "";
  const link = LINKS[named()];
  if (!link) return "";
  return new Promise((resolve) => {
    const end = (said = "") => {
      history.replaceState(null, "", "#/");
      over.close();
      resolve(said);
    };
    const organization = /^[1-9]\d*$/.exec(parameters.get("organization") ?? "")?.[0];
    const byProvider = () => toProvider(`/api/auth/oidc?organization=${organization}`
      + `&invitation=${encodeURIComponent(token)}&return=%2F%23%2F`);
    const act = (/** @type {any} */ values) =>
      post(link.path, {}, { token, ...values }).then(() => end(link.done));
    const made = form({ fields: link.fields(), submit: link.submit, act, cancel: () => end() });
    const offers = link === LINKS["#/accept"] && organization;
    const over = dialog(link.title, [made, offers && node("div.end.offer",
      button("Accept by your company's provider", byProvider))], { stays: true });
  });
}
