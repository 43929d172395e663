import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { TrustsProxy } from '../access/client-address.ts';
import { networkOf } from '../access/network-of.ts';
import { beforeRequests } from './before-requests.ts';

/** A property of the socket, because every request needs it. */
const CONNECTION = Symbol('connection');

type TrackedSocket = Socket & { [CONNECTION]?: OpenConnection };

export interface OpenConnection {
  readonly socket: Socket;
  /** Of the client; undefined for a trusted proxy, which has connections of many clients. */
  readonly network: string | undefined;
  /** The response to the last request. */
  response: ServerResponse | undefined;
  /** Input that was received, and when it last became more, at the last check. */
  bytesRead: number;
  lastReadAt: number;
}

/** The open connections of a server, oldest first. */
export class OpenConnections {
  readonly #all = new Set<OpenConnection>();
  readonly #networks = new Map<string, Set<OpenConnection>>();

  constructor({ server }: FastifyInstance, trusts: TrustsProxy | undefined) {
    server.on('connection', (socket: TrackedSocket) => {
      const connection = this.#add(socket, trusts);
      socket[CONNECTION] = connection;
      socket.once('close', () => this.#remove(connection));
    });
    beforeRequests(server, (request, response, next) => {
      const connection = (request.socket as TrackedSocket)[CONNECTION];
      if (connection !== undefined) connection.response = response;
      next(request, response);
    });
  }

  get size(): number {
    return this.#all.size;
  }

  static of(socket: TrackedSocket): OpenConnection | undefined {
    return socket[CONNECTION];
  }

  [Symbol.iterator](): Iterator<OpenConnection> {
    return this.#all.values();
  }

  inNetwork(network: string): ReadonlySet<OpenConnection> {
    return this.#networks.get(network) ?? new Set();
  }

  #add(socket: Socket, trusts: TrustsProxy | undefined): OpenConnection {
    const address = socket.remoteAddress ?? '';
    const network = trusts?.(address, 0) ? undefined : networkOf(address);
    const connection = { socket, network, response: undefined, bytesRead: 0, lastReadAt: performance.now() };
    this.#all.add(connection);
    if (network === undefined) return connection;
    const others = this.#networks.get(network);
    if (others === undefined) this.#networks.set(network, new Set([connection]));
    else others.add(connection);
    return connection;
  }

  #remove(connection: OpenConnection): void {
    this.#all.delete(connection);
    const { network } = connection;
    const others = network === undefined ? undefined : this.#networks.get(network);
    if (network === undefined || others === undefined) return;
    others.delete(connection);
    if (others.size === 0) this.#networks.delete(network);
  }
}

/** No response is being sent or waited for. */
export const isIdle = ({ response }: OpenConnection) => response === undefined || response.writableFinished;
