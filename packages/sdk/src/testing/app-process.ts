import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import type { DeliveryResult, Result, SwitchyardOptions } from '../node/node.ts';

const BUILT = new URL('../../dist/esm/node/node.js', import.meta.url).href;

const PROGRAM = `
  import { createSwitchyard } from ${JSON.stringify(BUILT)};
  const { options, sessionId, calls, pauseMs, isShort } = JSON.parse(process.argv[1]);
  const print = (line) => console.log(JSON.stringify(line));
  const { goals, flush } = createSwitchyard({ ...options, onError: (error) => print({ error }) });
  if (!isShort) setInterval(() => {}, 1000);
  for (let call = 0; call < calls; call++) {
    const purchase = { amount: 1, sessionId, metadata: { call: String(call) } };
    goals.increment('revenue', purchase).then((result) => print({ call, result }));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (isShort) print({ flushed: await flush() });
`;

interface AppOptions {
  switchyard: Partial<SwitchyardOptions> & { apiUrl: string };
  sessionId: string;
  /** Number of purchases that it records. */
  calls: number;
  /** Between two calls. */
  pauseMs: number;
  /** It flushes after its calls, and ends. */
  isShort?: boolean;
  /** Runs it as in a container with this host name: with the process id 1, in a namespace of its own. */
  container?: string;
}

const CONTAINER = ['unshare', '--fork', '--pid', '--mount-proc', '--kill-child', '--uts', 'sh', '-c'];
const inContainer = (host: string, command: string[]) => [
  ...CONTAINER,
  'hostname "$0" && exec "$@"',
  host,
  ...command,
];

/** Takes Linux, and root in most cases. */
export function canStartContainers(): boolean {
  const [program, ...args] = inContainer('shop', ['true']);
  return spawnSync(program!, args).status === 0;
}

/** An app in a process of its own that records purchases with the built SDK. */
export class AppProcess {
  /** By the number of the call, in the order in which the calls returned. */
  readonly results = new Map<number, DeliveryResult>();
  readonly errors: string[] = [];
  /** The result of its flush. */
  readonly flushed: Promise<Result>;
  readonly #child: ChildProcess;

  constructor({ switchyard, sessionId, calls, pauseMs, isShort, container }: AppOptions) {
    const options = { secretApiKey: SECRET_KEY, propertyId: 'shop', evaluation: 'remote', ...switchyard };
    const argument = JSON.stringify({ options, sessionId, calls, pauseMs, isShort });
    const command = [process.execPath, '--input-type=module', '--eval', PROGRAM, argument];
    const [program, ...args] = container ? inContainer(container, command) : command;
    this.#child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.flushed = new Promise((resolve) => {
      createInterface({ input: this.#child.stdout! }).on('line', (line) => {
        const { call, result, error, flushed } = JSON.parse(line);
        if (error) this.errors.push(error.code);
        else if (flushed) resolve(flushed);
        else this.results.set(call, result);
      });
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }
}
