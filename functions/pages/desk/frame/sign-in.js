/** The sign-in: a dialog over the page, at the start, at a 401, and where an act asks for a newer
 * one. What waits for it is then repeated; what was typed stays. Another user than before gets a
 * fresh page.
 *
 * `#/sign-in/7` is the address of an organization: its users need no look-up to find their
 * provider. */
/** @import { Problem } from "../api/client.js" */
import { post } from "../api/client.js";
import { input } from "../controls.js";
import { button, node } from "../elements.js";
import { ask, dialog, form } from "../forms.js";
import { brand } from "../marks.js";
import { draw } from "../render.js";
import { stored } from "./drafts.js";
import { lookUp, providerButton, providerOf, remember, remembered } from "./provider.js";
import { me, myId } from "./session.js";
import { tellTabs } from "../api/sharing.js";

/** Faults of a sign-in by the provider, by the code in the address.
 * @type {Record<string, string>} */
const FAULTS = {
  state_invalid: "The sign-in took too long, or was used before. Begin again.",
  provider_unavailable: "Your company's provider does not answer as it should.",
  token_invalid: "What your company's provider said does not verify. Tell an admin.",
  sign_in_again: "Your company's provider did not ask for your credentials.",
  sign_in_not_allowed: "No user may sign in so. Ask an admin.",
  groups_missing: "Your company's provider left out your groups, since they are many. "
    + "Have an admin assign groups to the application there.",
  too_many_attempts: "Too many sign-ins failed. Wait until the quarter of an hour ends.",
};
const REFUSED = "Your company's provider did not sign you in.";
const FORGOTTEN = "A mail is under way, if the account has a confirmed address. Else ask an admin.";
/** Where it remembers names of organizations that users signed in to here, and that there is no
 * mail. */
const [NAME, NO_MAIL] = ["name of organization ", "no mail"];
const KEPT_MS = 10_000; // A 401 this soon after a sign-in: the browser keeps no cookie.
const NO_COOKIE = "You signed in, but this browser kept no cookie. Allow cookies for this page, "
  + "and sign in again.";
let told = "";
let company = ""; // The organization that the address names.
let signedInAt = -Infinity;
let isOther = false;
let open = /** @type {Promise<void> | undefined} */ (undefined);

/** Has the sign-in say a fault that the address tells, or else this. Remembers the address's
 * organization.
 * @param {string} said */
export function begins(said) {
  const [, fault] = /^#sign-in=(\w+)/.exec(location.hash) ?? [];
  const [own, organization] = /^#\/sign-in(?:\/([1-9]\d*))?\/?$/.exec(location.hash) ?? [];
  if (organization) {
    remember(providerOf(organization));
    const known = stored((storage) => storage.getItem(NAME + organization));
    company = known ?? `Organization ${organization}`;
  }
  if (fault || own) history.replaceState(null, "", "#/");
  isOther = fault === "other_user";
  told = isOther ? "" : fault ? FAULTS[fault] ?? REFUSED : said;
}

/** Asks the signed-in user, if the provider has signed another one in, and goes on as the user
 * wants. */
export function settleOther() {
  if (!isOther) return;
  isOther = false;
  ask("Another user", {
    text: `You are ${me().user.username}. Sign out and go on as the other user?`,
    submit: "Sign out and go on",
    act: async () => {
      await post("/api/auth/logout", {});
      tellTabs(0);
      const provider = remembered();
      if (provider) location.assign(`${provider}&return=%2F%23%2F`);
      else location.reload();
    },
  });
}

/** Remembers what the next sign-in in this browser shows. */
export function rememberSession() {
  const { organization: { id, name }, mail } = me();
  stored((storage) => {
    storage.setItem(NAME + id, name);
    if (mail) storage.removeItem(NO_MAIL);
    else storage.setItem(NO_MAIL, "true");
  });
}

/** Has the user signed in on this page? */
export const hasSignedIn = () => signedInAt > 0;

/** What was to be said and was not. */
export function unsaid() {
  const said = told;
  told = "";
  return said;
}

/** Resolves when the user has signed in. All callers share one dialog. @param {Problem} problem */
export function signIn(problem) {
  open ??= new Promise((done, refuse) => over(problem, done, refuse))
    .finally(() => (open = undefined));
  return open;
}

let end = () => {};
/** Ends the open sign-in: the user has signed in in another tab. */
export const signedInElsewhere = () => end();

/** @param {Problem} problem @param {(value?: any) => void} done
 * @param {(problem: Problem) => void} refuse */
function over(problem, done, refuse) {
  const again = myId() !== 0;
  const isNewer = problem.code === "sign_in_again";
  const says = node("p", { role: "status" }, reasonOf(problem, again, isNewer));
  const user = input("User name", "username", { autocomplete: "username", autocapitalize: "none",
    required: true, value: again ? me().user.username : "", onchange: () => look() });
  const password = input("Password", "password",
    { type: "password", autocomplete: "current-password", required: true });
  const further = node("div.end");
  const offer = (/** @type {string | null} */ provider) =>
    draw(further, provider && providerButton(provider, says, again, isNewer));
  const look = () => lookUp(user, password, says, offer);
  const hasMail = again ? me().mail : stored((storage) => storage.getItem(NO_MAIL)) !== "true";
  const shown = dialog([brand(), node("span", "Sign in")], [
    company && node("p.company", company), says,
    form({ fields: [user, password], submit: "Sign in", act: (account) => send(account, again) }),
    further, hasMail && button("Forgot it", () => askForgotten(says), { kind: "plain" }),
  ], { stays: !isNewer });
  shown.classList.add("sign-in");
  shown.classList.toggle("over", again);
  shown.addEventListener("close", () => refuse(problem));
  end = () => {
    done();
    shown.close();
  };
  offer(remembered());
  if (again) void look();
}

/** Why the user signs in. @param {Problem} problem @param {boolean} again
 * @param {boolean} isNewer */
function reasonOf(problem, again, isNewer) {
  if (isNewer) return problem.detail;
  const isCookieless = performance.now() - signedInAt < KEPT_MS;
  return unsaid() || (isCookieless ? NO_COOKIE
    : again && "Your session has ended. Nothing typed is lost.");
}

/** Signs in. @param {any} account @param {boolean} again */
async function send(account, again) {
  const { data } = await post("/api/auth/login", {}, account);
  tellTabs(data.id);
  signedInAt = performance.now();
  // What waits is not repeated as another user.
  if (again && data.id !== myId()) return location.reload();
  end();
}

/** Asks for what finds the account of a forgotten password. @param {HTMLElement} says */
const askForgotten = (says) => ask("Forgotten password", {
  fields: input("User name or e-mail", "name", { required: true, autocomplete: "username" }),
  submit: "Send a link",
  act: async ({ name }) => {
    const by = name.includes("@") ? { email: name } : { username: name };
    await post("/api/auth/forgot", {}, by);
    says.textContent = FORGOTTEN;
  },
});
