import { failure, type Result } from '../client/result.ts';
import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
import { ApiClient } from './api-client.ts';
import { createConversions, type Feedback, type Goals } from './conversions.ts';
import { DeliveryQueue } from './delivery/delivery-queue.ts';
import { createFlagEvaluations } from './flags/flag-evaluations.ts';
import { FlagSource } from './flags/flag-source.ts';
import { createFlags, type Flags } from './flags/flags.ts';
import { RemoteFlags } from './flags/remote-flags.ts';
import { UsageCounter } from './flags/usage-counter.ts';
import { readOptions, type SwitchyardOptions } from './options.ts';
import { createRelay, type Relay } from './relay/relay.ts';
import type { RelayOptions } from './relay/relay-options.ts';
import { createReporter } from './reporter.ts';
import { bindRequest, type RequestClient, type RequestOptions } from './request-client.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { ExposureMemory } from './split-tests/exposure-memory.ts';
import { PublicKey } from './split-tests/public-key.ts';
import {
  type RequestSplitTestOptions,
  type RequestSplitTests,
  splitTestsForRequest,
} from './split-tests/request-split-tests.ts';
import { SplitTestDefinitions } from './split-tests/split-test-definitions.ts';

/** The client for servers. Nothing here throws or rejects: calls return a `Result` or the fallback. */
export interface Switchyard<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Resolves when the flags have been loaded, or with an error if that failed; loading is retried in the background.
   * With remote evaluation, it tells whether the service can be reached.
   */
  ready(): Promise<Result>;
  readonly flags: Flags<Schema>;
  readonly goals: Goals<Schema>;
  readonly feedback: Feedback<Schema>;
  readonly sessions: Sessions<Schema>;
  /** The same calls, with session and visitor filled in from the cookies of a request. */
  forRequest(request: unknown, options?: RequestOptions): RequestClient<Schema>;
  /**
   * Lets pages use the listed flags, feedback types and goals, without a key and on their own origin.
   *
   * @example app.use('/sy', switchyard.relay({ flags: ['new-checkout'], feedback: ['nps'], goals: [] }));
   */
  relay(options: RelayOptions<Schema>): Relay;
  readonly splitTest: {
    /**
     * Assigns the visitor of a request to variations, for server rendering.
     *
     * @example
     * const tests = await switchyard.splitTest.forRequest(req);
     * const title = tests.get('hero', 'Buy');
     * res.append('Set-Cookie', tests.setCookie);
     * res.send(`<h1>${title}</h1>${tests.script()}<script src="…/sdk.js"></script>`);
     */
    forRequest(request: unknown, options?: RequestSplitTestOptions): Promise<RequestSplitTests<Schema>>;
  };
  /**
   * Sends everything that is pending, also what processes that are gone have left in the spool directory. Success means
   * that all of it is stored.
   */
  flush(): Promise<Result>;
  /**
   * Flushes, then stops all background work; later calls fail with `closed`. What could not be sent is left in the
   * spool directory, or lost without one.
   */
  close(): Promise<Result>;
}

/**
 * Creates a client for servers. Use one for the whole process.
 *
 * @example
 * const switchyard = createSwitchyard({ apiUrl, secretApiKey, propertyId: 'shop' });
 * await switchyard.ready();
 * if (switchyard.flags.boolean('new-checkout', false, { userId })) …
 */
export function createSwitchyard<Schema extends SwitchyardSchema = AnySchema>(
  options: SwitchyardOptions,
): Switchyard<Schema> {
  throwInBrowsers();
  const { settings, problem } = readOptions(options);
  const reporter = createReporter(options);
  if (problem) reporter.misuse(problem.error.message);
  const api = new ApiClient(settings.apiUrl, reporter, problem);
  const source = new FlagSource(settings, api, reporter);
  const remote = settings.evaluation === 'remote' ? new RemoteFlags(settings, api, reporter) : undefined;
  const usage = new UsageCounter(settings, api, reporter);
  const publicKey = new PublicKey(settings, api);
  const queue = new DeliveryQueue({ settings, api, publicKey, reporter });
  const definitions = new SplitTestDefinitions({ settings, api, publicKey, reporter });
  const memory = new ExposureMemory();
  source.listeners.change.add((keys) => usage.flagsChanged(keys));
  const flagDependencies = { source, remote, usage, reporter, timeoutMs: settings.timeoutMs };
  const evaluations = createFlagEvaluations(flagDependencies);
  const flags = createFlags(evaluations, flagDependencies);
  const { goals, feedback } = createConversions(settings, queue, reporter);
  const relayed = createConversions(settings, queue, reporter, { isRelayed: true });
  let closing: Promise<Result> | undefined;

  const flush = (): Promise<Result> => queue.flush(settings.timeoutMs);
  const close = async (): Promise<Result> => {
    const [result] = await Promise.all([flush(), usage.close()]);
    source.close();
    await queue.close();
    api.close();
    return result;
  };

  if (!remote) source.start();
  // The parts are untyped: a schema constrains the arguments, not the behavior.
  return {
    async ready() {
      if (!remote) return source.ready(settings.timeoutMs);
      const result = await remote.evaluate({}, []);
      return result.success ? { success: true } : result;
    },
    flags,
    goals,
    feedback,
    sessions: createSessions(settings, api),
    forRequest: (request: unknown, requestOptions?: RequestOptions) =>
      bindRequest(request, requestOptions, { flags, goals, feedback, settings }),
    splitTest: {
      forRequest: (request: unknown, requestOptions?: RequestSplitTestOptions) =>
        splitTestsForRequest(request, closing ? { consent: false } : requestOptions, {
          settings,
          definitions,
          queue,
          memory,
          reporter,
        }),
    },
    relay: (relayOptions: RelayOptions) =>
      createRelay(relayOptions, {
        settings,
        evaluations,
        ...relayed,
        publicKey,
        reporter,
        isClosed: () => closing !== undefined,
      }),
    flush: () => (closing ? Promise.resolve(failure('closed', 'The client is closed.')) : flush()),
    close: () => (closing ??= close()),
  } as unknown as Switchyard<Schema>;
}

function throwInBrowsers(): void {
  const { window, document } = globalThis as { window?: unknown; document?: unknown };
  if (window === undefined || document === undefined) return;
  throw new Error(
    '[switchyard] `@switchyard/sdk/node` uses a secret key, which must never reach a browser: anyone could read and change your data with it. Use `@switchyard/sdk/browser` with the public key in pages, and delete any secret key that was exposed.',
  );
}
