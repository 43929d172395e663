/** Something that other nodes should know at once. A node that is not connected misses it. */
export type NodeMessage =
  /** Sessions were erased: what is remembered about them is no longer valid. */
  | { type: 'erased' }
  /** Sessions or tokens have ended, or accounts have fewer rights; sent by triggers of the database. */
  | { type: 'access-changed' }
  /** Send the deliveries of this webhook now, or of all webhooks. */
  | { type: 'send-webhooks'; webhook?: { propertyId: string; webhookId: string } };

export type StopWork = () => Promise<void>;

/** The nodes that share a database, as seen by one of them. */
export interface Nodes {
  /** False while the database cannot be reached. */
  readonly isAvailable: boolean;
  readonly isLeader: boolean;
  /**
   * Work for one node at a time: calls `start` when this node becomes the leader, and what it returned when it no longer
   * is. Call the returned function to stop the work and leave it to another node.
   */
  lead(start: () => StopWork): StopWork;
  /** Sends a message to all nodes, also to this one. */
  send(message: NodeMessage): void;
  /** Returns an unsubscribe function. */
  onMessage(listener: (message: NodeMessage) => void): () => void;
  /** Runs work while no other node runs its own. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when the database can be used; never, if the node is closed before. */
  whenAvailable(): Promise<void>;
}

/** A node that has its database for itself: it always leads. */
export function singleNode(): Nodes {
  const listeners = new Set<(message: NodeMessage) => void>();
  return {
    isAvailable: true,
    isLeader: true,
    lead: (start) => start(),
    send: (message) => {
      for (const listener of listeners) listener(message);
    },
    onMessage: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exclusively: (work) => work(),
    whenAvailable: async () => {},
  };
}
