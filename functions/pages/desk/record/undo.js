/** Deleting with five seconds to take it back: the request is sent after them, or as the page is
 * left. */
/** @import { Child, Records } from "../kit.js" */
import { drop, hide, notice, remove } from "../kit.js";

/** @template {keyof Records} T @param {object} deletion
 * @param {T} deletion.type @param {any} deletion.row as it was read
 * @param {Child} deletion.name of the record
 * @param {any} deletion.path @param {any} deletion.on parameters of the path
 * @param {() => void} [deletion.open] leads to the record, if it was not deleted
 * @param {() => void} [deletion.gone] if more is to be done than to drop the record */
export function deleteLater({ type, row, name, path, on, open = () => {}, gone = () =>
    drop(type, row.id) }) {
  const restore = () => hide(type, row.id, false);
  const failed = (/** @type {any} */ { detail }) => {
    restore();
    notice([name, ` was not deleted. ${detail}`], "Open it", open);
  };
  const done = () => {
    gone();
    restore();
  };
  hide(type, row.id, true);
  notice(["Deleted ", name instanceof Node ? name.cloneNode(true) : name, "."], "Undo", restore,
    (keepalive) => void remove(path, on, { match: row, keepalive }).then(done, failed));
}
