import type { IncomingHttpHeaders } from 'node:http';
import type { RouteGenericInterface } from 'fastify';
import type { ApiKey } from '../../configuration/property/property-configuration.ts';
import type { Caller } from './caller.ts';

/** What handlers of hot routes know of a request. A request of Fastify has it, and so has one of the fast lane. */
export interface HotRequest<T extends RouteGenericInterface = RouteGenericInterface> {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly ip: string;
  query: T['Querystring'];
  body: T['Body'];
  apiKey: ApiKey;
  /** The key may be in the body, which has not been read yet. */
  awaitsKey: boolean;
  caller: Caller;
}

/** What handlers of hot routes can do with a response, in both lanes. */
export interface HotReply {
  /** The name must be in lower case. */
  header(name: string, value: string): unknown;
  getHeader(name: string): unknown;
  getHeaders(): Record<string, unknown>;
  removeHeader(name: string): unknown;
  type(contentType: string): HotReply;
  code(status: number): HotReply;
  send(body?: string | Buffer): unknown;
}

export type HotHandler<T extends RouteGenericInterface> = (
  request: HotRequest<T>,
  reply: HotReply,
) => unknown;
