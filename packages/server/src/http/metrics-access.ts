import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** A proxy on this machine is a local peer that speaks for somebody else. */
const FORWARDING_HEADER = /^(forwarded|via|x-real-ip|x-forwarded-.*|.*-connecting-ip|true-client-ip)$/;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Throws at requests for metrics that do not carry the token or, when none is set, come from elsewhere. */
export function metricsAccess(token: string | undefined): (request: FastifyRequest) => void {
  if (token === undefined) {
    return (request) => {
      if (!isLocal(request)) throw new ApiError('metrics_local_only');
    };
  }
  const expected = digest(`Bearer ${token}`);
  return ({ headers }) => {
    // Digests have one length, so that the comparison tells nothing of the token, not even its length.
    if (timingSafeEqual(digest(headers.authorization ?? ''), expected)) return;
    throw new ApiError('metrics_token_required', { headers: { 'www-authenticate': 'Bearer' } });
  };
}

function isLocal({ raw }: FastifyRequest): boolean {
  const peer = raw.socket.remoteAddress;
  if (peer === undefined || !LOOPBACK.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4')) return false;
  return !Object.keys(raw.headers).some((name) => FORWARDING_HEADER.test(name));
}
