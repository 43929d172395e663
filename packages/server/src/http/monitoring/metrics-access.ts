import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors/errors.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** A request from a proxy on this machine may come from a remote client. */
const FORWARDING_HEADER = /^(forwarded|via|x-real-ip|x-forwarded-.*|.*-connecting-ip|true-client-ip)$/;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Rejects requests without the token or, if no token is set, requests from other machines. */
export function metricsAccess(token: string | undefined): (request: FastifyRequest) => void {
  if (token === undefined) {
    return (request) => {
      if (!isLocal(request)) throw new ApiError('metrics_local_only');
    };
  }
  const expected = digest(`Bearer ${token}`);
  return ({ headers }) => {
    // Digests have a fixed length, so that the comparison does not reveal the length of the token.
    if (timingSafeEqual(digest(headers.authorization ?? ''), expected)) return;
    throw new ApiError('metrics_token_required', { headers: { 'www-authenticate': 'Bearer' } });
  };
}

function isLocal({ raw }: FastifyRequest): boolean {
  const peer = raw.socket.remoteAddress;
  if (peer === undefined || !LOOPBACK.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4')) return false;
  return !Object.keys(raw.headers).some((name) => FORWARDING_HEADER.test(name));
}
