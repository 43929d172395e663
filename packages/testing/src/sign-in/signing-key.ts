import { constants, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

export type SigningAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA';

/** A key of an OpenID Connect provider. */
export class SigningKey {
  readonly id = randomUUID();
  readonly algorithm: SigningAlgorithm;
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };

  constructor(algorithm: SigningAlgorithm) {
    this.algorithm = algorithm;
    this.#keys = generateKeys(algorithm);
  }

  get publicJwk(): object {
    const key = this.#keys.publicKey.export({ format: 'jwk' });
    return { ...key, kid: this.id, alg: this.algorithm, use: 'sig' };
  }

  sign(content: string): Buffer {
    const key = this.#keys.privateKey;
    const data = Buffer.from(content);
    if (this.algorithm === 'EdDSA') return sign(null, data, key);
    if (this.algorithm === 'ES256') return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
    if (this.algorithm === 'RS256') return sign('sha256', data, key);
    return sign('sha256', data, {
      key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    });
  }
}

function generateKeys(algorithm: SigningAlgorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}
