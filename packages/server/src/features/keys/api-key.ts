import {
  credentialPreview,
  generateCredential,
  hasChecksum,
} from '../../configuration/database/credential-text.ts';
import type { KeyKind } from '../../configuration/property/property-configuration.ts';

const KEY_PREFIXES: Readonly<Record<KeyKind, string>> = {
  public: 'service_pub_',
  secret: 'service_sec_',
};

const BODY = /^[A-Za-z0-9_-]{16,128}$/;

export function generateApiKey(kind: KeyKind): string {
  return generateCredential(KEY_PREFIXES[kind]);
}

/** The kind and body of a well-formed key; undefined for anything else. */
export function parseApiKey(text: string): { kind: KeyKind; body: string } | undefined {
  for (const kind of ['public', 'secret'] as const) {
    if (!text.startsWith(KEY_PREFIXES[kind])) continue;
    const body = text.slice(KEY_PREFIXES[kind].length);
    return BODY.test(body) ? { kind, body } : undefined;
  }
  return undefined;
}

/** Whether the key has the format of `generateApiKey`; keys from a provision file may differ. */
export function hasKeyChecksum(text: string): boolean {
  const body = parseApiKey(text)?.body;
  return body !== undefined && hasChecksum(body);
}

/** The parts of a key that may be shown: enough to recognise it, too little to use it. */
export const keyPreview = credentialPreview;
