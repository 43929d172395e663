import { failure, type Result } from '../client/result.ts';
import type { AnySchema, SwitchyardSchema } from '../client/schema.ts';
import { ApiClient } from './api-client.ts';
import { createConversions, type Feedback, type Goals } from './conversions.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { FlagSource } from './flags/flag-source.ts';
import { createFlags, type Flags } from './flags/flags.ts';
import { RemoteFlags } from './flags/remote-flags.ts';
import { readOptions, type SwitchyardOptions } from './options.ts';
import { PublicKey } from './public-key.ts';
import { createReporter } from './reporter.ts';
import { bindRequest, type RequestClient } from './request-client.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { ExposureMemory } from './split-tests/exposure-memory.ts';
import {
  type RequestSplitTestOptions,
  type RequestSplitTests,
  splitTestsForRequest,
} from './split-tests/request-split-tests.ts';
import { SplitTestDefinitions } from './split-tests/split-test-definitions.ts';

/** The service, as a server uses it. Nothing here throws or rejects: calls end in a `Result` or in the fallback. */
export interface Switchyard<Schema extends SwitchyardSchema = AnySchema> {
  /**
   * Resolves when the first flags are here, or with the reason why not; they are tried for on and on all the same.
   * With remote evaluation: whether the service answers.
   */
  ready(): Promise<Result>;
  readonly flags: Flags<Schema>;
  readonly goals: Goals<Schema>;
  readonly feedback: Feedback<Schema>;
  readonly sessions: Sessions<Schema>;
  /** The same calls with session and visitor of a request filled in, as its cookies name them. */
  forRequest(request: unknown): RequestClient<Schema>;
  readonly splitTest: {
    /**
     * Assigns the visitor of a request, so that the page is rendered with the right variations.
     *
     * @example
     * const tests = await switchyard.splitTest.forRequest(req);
     * const title = tests.get('hero', 'Buy');
     * res.append('Set-Cookie', tests.setCookie);
     * res.send(`<h1>${title}</h1>${tests.script()}<script src="…/sdk.js"></script>`);
     */
    forRequest(request: unknown, options?: RequestSplitTestOptions): Promise<RequestSplitTests<Schema>>;
  };
  /** Sends what waits and waits for what is under way; a success once all of it is stored. */
  flush(): Promise<Result>;
  /** `flush`, then ends everything; later calls answer `closed`. */
  close(): Promise<Result>;
}

/**
 * Connects a server with the service. One for the whole process is enough.
 *
 * @example
 * const switchyard = createSwitchyard({ apiUrl, secretApiKey, propertyId: 'shop' });
 * await switchyard.ready();
 * if (switchyard.flags.boolean('new-checkout', false, { userId })) …
 */
export function createSwitchyard<Schema extends SwitchyardSchema = AnySchema>(
  options: SwitchyardOptions,
): Switchyard<Schema> {
  refuseBrowsers();
  const { settings, problem } = readOptions(options);
  const reporter = createReporter(options);
  if (problem) reporter.misuse(problem.error.message);
  const api = new ApiClient(settings.apiUrl, problem);
  const source = new FlagSource(settings, api, reporter);
  const remote = settings.evaluation === 'remote' ? new RemoteFlags(settings, api) : undefined;
  const publicKey = new PublicKey(settings, api);
  const queue = new DeliveryQueue({ settings, api, publicKey, reporter });
  const definitions = new SplitTestDefinitions({ settings, api, publicKey, reporter });
  const memory = new ExposureMemory();
  const flags = createFlags({ source, remote, reporter, timeoutMs: settings.timeoutMs });
  const { goals, feedback, settled } = createConversions(settings, api);
  let closing: Promise<Result> | undefined;

  const flush = async (): Promise<Result> => {
    const [result] = await Promise.all([queue.flush(settings.timeoutMs), settled()]);
    return result;
  };
  const close = async (): Promise<Result> => {
    const result = await flush();
    source.close();
    queue.close();
    api.close();
    return result;
  };

  if (!remote) source.start();
  // The parts know no schema: it constrains what may be asked, not what happens.
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
    forRequest: (request: unknown) => bindRequest(request, { flags, goals, feedback }),
    splitTest: {
      forRequest: (request: unknown, given?: RequestSplitTestOptions) =>
        splitTestsForRequest(request, closing ? { consent: false } : given, {
          settings,
          definitions,
          queue,
          memory,
        }),
    },
    flush: () => (closing ? Promise.resolve(failure('closed', 'The client is closed.')) : flush()),
    close: () => (closing ??= close()),
  } as unknown as Switchyard<Schema>;
}

function refuseBrowsers(): void {
  const { window, document } = globalThis as { window?: unknown; document?: unknown };
  if (window === undefined || document === undefined) return;
  throw new Error(
    '[switchyard] `@switchyard/sdk/node` holds a secret key, which must never reach a browser: anyone could read and change your data with it. Use `@switchyard/sdk/browser` with the public key in pages, and delete a secret key that was shipped to one.',
  );
}
