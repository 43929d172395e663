import type { Bootstrap } from '../../client/split-tests.ts';

/** The browser client reads this global. */
const BOOTSTRAP_GLOBAL = '__SWITCHYARD__';

/**
 * A script element that passes the bootstrap to the page. The data is escaped so that it cannot end the element, open
 * a comment or end a line of the script.
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
