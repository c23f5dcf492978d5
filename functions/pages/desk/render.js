/** The one way in which a place of the page shows something: `draw(place, …)`, again after each
 * change.
 *
 * It compares what was drawn before with what is drawn now, and changes the difference alone. So
 * focus, scroll, open folds, typed text, and what was added by hand, such as a problem beside a
 * button, stay as they are. An element is found again by its key: `key`, the name of a control, the
 * key of a fold; else by its kind, in order. A form is found again only as the same element, since
 * what is typed belongs to it. */

import { heirOf } from "./focus.js";

/** What is nothing is left out. @typedef {string | number | null | undefined | false} Text */
/** A row of a list: it is made again only if its item is another object than before.
 * @typedef {{ key: string, item: unknown, make: () => HTMLElement }} Row */
/** @typedef {Node | Text | Row | readonly any[]} Child */
/** What was drawn of an element. @typedef {object} Drawn
 * @property {Map<string, string>} attributes @property {ChildNode[]} children
 * @property {string} value @property {boolean} checked */
/** @typedef {(event: any) => unknown} Handler */

/** @type {WeakMap<Node, Drawn>} */
const drawings = new WeakMap();
/** @type {WeakMap<EventTarget, Map<string, Handler>>} */
const handlers = new WeakMap();
/** Items that rows were made from. @type {WeakMap<Node, unknown>} */
const sources = new WeakMap();

/** The rows of a list. @template I @param {readonly I[]} items
 * @param {(item: I) => string | number} key
 * @param {(item: I) => HTMLElement} make @returns {Row[]} */
export const each = (items, key, make) =>
  items.map((item) => ({ key: String(key(item)), item, make: () => make(item) }));

/** An element that is found again by a key, if there is one.
 * @template {HTMLElement | null | undefined | false} T
 * @param {string} key @param {T} element */
export function keyed(key, element) {
  if (element) element.dataset["key"] = key;
  return element;
}

/** Hears an event. What is drawn later may bring another handler. @param {EventTarget} element
 * @param {string} type @param {Handler} handler */
export function listen(element, type, handler) {
  const own = handlers.get(element) ?? new Map();
  handlers.set(element, own.set(type, handler));
  element.addEventListener(type, heard);
}

function heard(/** @type {Event} */ event) {
  const target = /** @type {EventTarget} */ (event.currentTarget);
  return handlers.get(target)?.get(event.type)?.(event);
}

/** The nodes of children. @param {Child} child @returns {ChildNode[]} */
export function nodesOf(child) {
  if (Array.isArray(child)) return child.flatMap(nodesOf);
  if ((child ?? false) === false) return [];
  if (child instanceof Node) return [/** @type {ChildNode} */ (child)];
  return [isRow(child) ? made(child) : new window.Text(String(child))];
}

/** Shows children in a place. The focus of a removed one goes to what follows it.
 * @param {Element} place @param {...Child} children */
export function draw(place, ...children) {
  const focused = /** @type {HTMLElement | null} */ (place.contains(document.activeElement)
    ? document.activeElement : null);
  const heir = focused && heirOf(place, focused);
  drawChildren(place, children.flat(Infinity));
  if (!focused || document.activeElement === focused) return;
  if (focused.isConnected) focused.focus({ preventScroll: true });
  else if (document.activeElement === document.body) heir?.();
}

/** @param {Element} place @param {Child[]} wanted */
function drawChildren(place, wanted) {
  const known = drawings.get(place) ?? picture(place);
  const free = new Set(known.children.filter((one) => one.parentNode === place));
  const byKey = new Map([...free].map((one) => [keyOf(one), one]));
  const now = new Set(wanted.filter((one) => (one ?? false) !== false && one !== "")
    .map((child) => drawOne(child, free, byKey)));
  // A text that nobody drew is an older one, such as a time that went on.
  for (const one of [...place.childNodes]) {
    if (free.has(one) || (!now.has(one) && one instanceof Text)) one.remove();
  }
  let at = place.firstChild;
  for (const one of now) {
    while (at && !now.has(at)) at = at.nextSibling;
    if (at === one) at = one.nextSibling;
    else if ("moveBefore" in place && one.isConnected) /** @type {any} */ (place)
      .moveBefore(one, at);
    else place.insertBefore(one, at);
  }
  drawings.set(place, { ...known, children: [...now] });
}

/** The node for a child: the one before, changed where it differs, or a new one. It is no longer
 * free then.
 * @param {Child} child @param {Set<ChildNode>} free @param {Map<string, ChildNode>} byKey */
function drawOne(child, free, byKey) {
  if (isRow(child)) {
    const old = byKey.get(child.key);
    if (old && sources.get(old) === child.item && free.delete(old)) return old;
  }
  const [fresh = new window.Text()] = nodesOf(child);
  const key = keyOf(fresh);
  const old = free.has(fresh) ? fresh : key ? byKey.get(key)
    : [...free].find((one) => one.nodeName === fresh.nodeName && !keyOf(one));
  if (old && old !== fresh && old.nodeName === fresh.nodeName && free.has(old) && !isOwn(old)
      && !isOwn(fresh)) {
    change(old, fresh);
    free.delete(old);
    return old;
  }
  if (old === fresh) free.delete(old);
  else remember(fresh);
  return fresh;
}

/** Changes a node to look like a new one, which was not shown. @param {ChildNode} old
 * @param {ChildNode} fresh */
function change(old, fresh) {
  if (!(old instanceof Element && fresh instanceof Element)) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  const [before, now] = [drawings.get(old) ?? picture(old), picture(fresh)];
  for (const name of new Set([...before.attributes.keys(), ...now.attributes.keys()])) {
    const value = now.attributes.get(name);
    if (value === undefined) old.removeAttribute(name);
    else if (value !== before.attributes.get(name)) setAttribute(old, name, value);
  }
  const own = handlers.get(fresh);
  for (const [type, handler] of own ?? []) listen(old, type, handler);
  const known = handlers.get(old);
  for (const type of known?.keys() ?? []) if (!own?.has(type)) known?.delete(type);
  sources.set(old, sources.get(fresh));
  drawChildren(old, now.children);
  const control = /** @type {HTMLInputElement} */ (old);
  if (now.value !== before.value && control.value === before.value) control.value = now.value;
  if (now.checked !== before.checked) control.checked = now.checked;
  drawings.set(old, { ...now, children: drawings.get(old)?.children ?? [] });
}

/** The page's policy lets no attribute set a style. @param {Element} element @param {string} name
 * @param {string} value */
function setAttribute(element, name, value) {
  if (name === "style") /** @type {HTMLElement} */ (element).style.cssText = value;
  else element.setAttribute(name, value);
}

/** Keeps what is drawn of a new node and all in it, to compare with later. @param {Node} fresh */
function remember(fresh) {
  if (!(fresh instanceof Element) || drawings.has(fresh)) return;
  const drawn = picture(fresh);
  drawings.set(fresh, drawn);
  if (!isOwn(fresh)) drawn.children.forEach(remember);
}

/** @param {Element} element @returns {Drawn} */
const picture = (element) => ({
  attributes: new Map([...element.attributes].map(({ name, value }) => [name, value])),
  children: [...element.childNodes],
  value: String(/** @type {HTMLInputElement} */ (element).value ?? ""),
  checked: /** @type {HTMLInputElement} */ (element).checked ?? false,
});

/** Does what is typed or done in an element belong to it alone? @param {Node} one */
const isOwn = (one) => one instanceof HTMLFormElement;
/** @param {Child} child @returns {child is Row} */
const isRow = (child) => typeof child === "object" && child !== null && "make" in child;

/** @param {Row} row */
function made({ key, item, make }) {
  const element = /** @type {HTMLElement} */ (keyed(key, make()));
  sources.set(element, item);
  return element;
}

/** @param {Node} one */
const keyOf = (one) => (one instanceof Element
  ? one.getAttribute("data-key") ?? one.getAttribute("data-fold") ?? one.getAttribute("name") ?? ""
  : "");
