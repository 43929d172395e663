import type { Bootstrap } from '../../client/split-tests.ts';

/** Where the browser part looks for it. */
const BOOTSTRAP_GLOBAL = '__SWITCHYARD__';

/**
 * A script element that hands the bootstrap to the page. No character of the data can end the element, open a comment
 * in it, or end a line of the script.
 */
export function bootstrapScript(bootstrap: Bootstrap, nonce?: string): string {
  const json = JSON.stringify(bootstrap).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const attribute = nonce ? ` nonce="${escapeAttribute(nonce)}"` : '';
  return `<script${attribute}>window.${BOOTSTRAP_GLOBAL}=${json}</script>`;
}

function escapeAttribute(text: string): string {
  return String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
