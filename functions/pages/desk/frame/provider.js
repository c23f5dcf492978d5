/** The provider of an organization at the sign-in: where it is, and what leads to it. */
/** @import { Problem } from "../api/client.js" */
import { get } from "../api/client.js";
import { button } from "../elements.js";
import { stored } from "./drafts.js";
import { toProvider } from "./session.js";

/** Where the browser remembers the organization's provider: the beginning of its address. */
const PROVIDER = "sign-in provider";
/** The address to which a provider sends the browser back in a tab of its own. */
export const SIGNED_IN = "#/signed-in";

export const providerOf = (/** @type {string} */ organization) =>
  `/api/auth/oidc?organization=${organization}`;
export const remember = (/** @type {string} */ provider) =>
  stored((storage) => storage.setItem(PROVIDER, provider));
export const remembered = () => stored((storage) => storage.getItem(PROVIDER)) ?? null;

/** Offers a provider. What is open stays open: the provider has a tab of its own then.
 * @param {string} provider @param {HTMLElement} says @param {boolean} again
 * @param {boolean} isNewer */
export function providerButton(provider, says, again, isNewer) {
  const back = again ? `/${SIGNED_IN}` : `/${location.hash}`;
  const newer = isNewer ? "&again=true" : "";
  const address = `${provider}&return=${encodeURIComponent(back)}${newer}`;
  const leave = () => {
    remember(provider);
    if (!again) location.assign(address);
    else if (!window.open(address)) says.textContent = "The browser opened no tab. Allow it to.";
  };
  return button("Sign in by your company's provider", () => toProvider(address, leave));
}

/** Looks up how a user signs in: by a provider, if the user's organization has one.
 * @param {Element} user @param {HTMLElement} password @param {HTMLElement} says
 * @param {(provider: string | null) => void} offer */
export async function lookUp(user, password, says, offer) {
  const username = user.querySelector("input")?.value.trim() ?? "";
  if (!username) return;
  try {
    const { data } = await get("/api/auth/sign-in", { username }, { quiet: true });
    password.hidden = !data.passwords;
    password.querySelector("input")?.toggleAttribute("required", data.passwords);
    offer(data.provider);
  } catch (problem) {
    // An office behind one address: who knows the organization's address needs no look-up.
    const { status, detail } = /** @type {Problem} */ (problem);
    if (status === 429) says.textContent = `The way to sign in was not found. ${detail}`;
  }
}
