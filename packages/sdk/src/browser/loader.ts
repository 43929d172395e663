import type { PendingCall, PendingCalls } from './pending-calls.ts';
import type { Switchyard, SwitchyardOptions } from './switchyard.ts';

// The entry of `/sdk-loader.js`, which pages contain: at most 700 bytes. It imports the script that `data-sdk` names,
// which delays neither the page nor its `load` event, and keeps calls until the script replays them.

const page = document;
const now = Date.now;
const script = page.currentScript as HTMLScriptElement;
const none = () => [];
const keepFallback = (_key?: string, fallback?: unknown) => fallback;
const calls: PendingCall[] = [];
const pending: PendingCalls = {
  q: calls,
  t: now() + 1000,
  createSwitchyard(options: SwitchyardOptions) {
    const { antiFlicker } = options;
    // biome-ignore lint/suspicious/noExplicitAny: becomes the client
    const client: any = {
      splitTest: { get: keepFallback, peek: keepFallback, assignments: none, previews: none },
      sessionId: keepFallback,
      visitorId: keepFallback,
      async flush() {},
      ready(timeoutMs?: number) {
        if (timeoutMs! >= 0) pending.t = now() + timeoutMs!;
        return new Promise<void>((resolve) => {
          calls.push([client, resolve]);
          setTimeout(resolve, pending.t - now());
        });
      },
    };
    calls.push([client, options]);
    for (const name of 'track identify page setAttributes setConsent subscribe destroy'.split(' ')) {
      client[name] = (...args: unknown[]) => {
        calls.push([client, name as keyof Switchyard, args]);
        // Ends a subscription.
        return () => args.pop();
      };
    }
    if (antiFlicker) {
      const style = page.createElement('style');
      style.nonce = script.nonce;
      style.append(`${antiFlicker.selector ?? 'body'}{opacity:0!important}`);
      page.head.append(style);
      client.ready(antiFlicker.timeoutMs).then(() => style.remove());
    }
    return client;
  },
};

window.switchyard = pending as never;
import(script.dataset.sdk!).catch(none);
