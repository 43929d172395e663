import { createSwitchyard, type SwitchyardOptions } from './browser.ts';
import { type PendingCalls, replayCalls } from './pending-calls.ts';

// The entry of `/sdk.js`, for pages with a script element and for the loader, which imports it as a module.

const loader = globalThis.switchyard as unknown as Partial<PendingCalls> | undefined;

/** With the nonce of the loader: this script may arrive before the page creates its client. */
const create = (options: SwitchyardOptions) => {
  const { antiFlicker } = { ...options };
  if (!antiFlicker) return createSwitchyard(options);
  const nonce = document.querySelector<HTMLElement>('[data-sdk]')?.nonce ?? '';
  return createSwitchyard({ ...options, antiFlicker: { nonce, ...antiFlicker } });
};

globalThis.switchyard = { createSwitchyard: create as typeof createSwitchyard };
if (loader?.q) replayCalls(loader as PendingCalls, createSwitchyard);
