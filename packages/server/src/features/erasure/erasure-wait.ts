import { acceptedUntil, type ErasureRequest } from './erasure-store.ts';

/** Nodes usually take this long, so nobody has to know that they are waited for. */
const USUAL_MS = 10_000;

interface Options {
  /** Reads the state of all nodes; the result names those that may have accepted events before a time that are not stored yet. */
  findNodesBehind: () => Promise<(before: number) => string[]>;
  now?: () => number;
  warn: (details: { nodes: string[] }, message: string) => void;
}

/** Erasures wait for events that other nodes have accepted: stored later, they would stay. */
export class ErasureWait {
  readonly #options: Options;
  /** The nodes of the last warning. */
  #named = '';

  constructor(options: Options) {
    this.#options = options;
  }

  /** The requests that need not wait. */
  readonly ready = async (requests: readonly ErasureRequest[]): Promise<ErasureRequest[]> => {
    const { findNodesBehind, now = Date.now } = this.#options;
    const nodesBehind = await findNodesBehind();
    const late = new Set<string>();
    const ready = requests.filter((request) => {
      const nodes = nodesBehind(acceptedUntil(request));
      if (now() - request.requestedAt > USUAL_MS) for (const node of nodes) late.add(node);
      return nodes.length === 0;
    });
    this.#warnOnce([...late].sort());
    return ready;
  };

  #warnOnce(nodes: string[]): void {
    const named = nodes.join();
    if (named !== '' && named !== this.#named) {
      this.#options.warn(
        { nodes },
        'erasures wait for the journals of nodes; ship those of nodes that are gone',
      );
    }
    this.#named = named;
  }
}
