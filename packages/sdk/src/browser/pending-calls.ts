import { attempt } from '../client/attempt.ts';
import type { Switchyard, SwitchyardOptions } from './switchyard.ts';

/** What the page holds before the script has arrived; it then becomes the client. */
type StubClient = Switchyard;

/** A client that was created, somebody who waits for `ready`, or a call without a result. */
export type PendingCall =
  | [client: StubClient, options: SwitchyardOptions]
  | [client: StubClient, resolve: () => void]
  | [client: StubClient, name: keyof Switchyard, args: unknown[]];

/** The global `switchyard` of the loader. The names are short because pages contain them. */
export interface PendingCalls {
  q: PendingCall[];
  /** When the page shows its fallbacks. */
  t: number;
  createSwitchyard(options: SwitchyardOptions): StubClient;
}

/** Replays what the loader has collected, and from then on everything that functions of the loader are called with. */
export function replayCalls(
  { q: calls, t: shownAt }: PendingCalls,
  createSwitchyard: (options: SwitchyardOptions) => Switchyard,
): void {
  const clients = new Map<StubClient, Switchyard>();
  const replay = ([stub, what, args]: PendingCall) => {
    const client = clients.get(stub);
    if (typeof what === 'object') {
      // The loader has already hidden the page.
      const created = createSwitchyard({ ...what, antiFlicker: undefined });
      clients.set(stub, created);
      const timeLeft = shownAt - Date.now();
      const { splitTest, ...others } = created;
      void created.ready(Math.max(timeLeft, 0));
      Object.assign(stub, others);
      // A page that has shown its fallbacks keeps them.
      if (timeLeft > 0) Object.assign(stub.splitTest, splitTest);
    } else if (typeof what === 'function') void client?.ready().then(what);
    else if (what === 'subscribe') {
      // The loader ends a subscription by removing the listener.
      const listener = () => (args as [(() => void)?])[0]?.();
      client?.subscribe(listener);
      // Definitions may be in the cache, so that nothing else would call it.
      listener();
    } else (client?.[what] as ((...args: unknown[]) => void) | undefined)?.(...(args ?? []));
  };
  for (const call of calls.splice(0)) attempt(() => replay(call));
  calls.push = (call: PendingCall) => {
    attempt(() => replay(call));
    return 0;
  };
}
