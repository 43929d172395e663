import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SECRET_KEY } from '../../../server/src/testing/sample-property.ts';
import type { DeliveryResult, SwitchyardOptions } from '../node/node.ts';

const BUILT = new URL('../../dist/esm/node/node.js', import.meta.url).href;

const PROGRAM = `
  import { createSwitchyard } from ${JSON.stringify(BUILT)};
  const { options, sessionId, calls, pauseMs } = JSON.parse(process.argv[1]);
  const { goals } = createSwitchyard({ ...options, onError: (error) => console.log(JSON.stringify({ error })) });
  setInterval(() => {}, 1000);
  for (let call = 0; call < calls; call++) {
    const purchase = { amount: 1, sessionId, metadata: { call: String(call) } };
    goals.increment('revenue', purchase).then((result) => console.log(JSON.stringify({ call, result })));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
`;

interface AppOptions {
  switchyard: Partial<SwitchyardOptions> & { apiUrl: string };
  sessionId: string;
  /** Number of purchases that it records. */
  calls: number;
  /** Between two calls. */
  pauseMs: number;
}

/** An app in a process of its own that records purchases with the built SDK. */
export class AppProcess {
  /** By the number of the call, in the order in which the calls returned. */
  readonly results = new Map<number, DeliveryResult>();
  readonly errors: string[] = [];
  readonly #child: ChildProcess;

  constructor({ switchyard, sessionId, calls, pauseMs }: AppOptions) {
    const options = { secretApiKey: SECRET_KEY, propertyId: 'shop', evaluation: 'remote', ...switchyard };
    const argument = JSON.stringify({ options, sessionId, calls, pauseMs });
    this.#child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM, argument], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const { call, result, error } = JSON.parse(line);
      if (error) this.errors.push(error.code);
      else this.results.set(call, result);
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
