import { Type } from 'typebox';
import { PropertyId } from './common.ts';

export const PublicKeyQuery = Type.Object({ propertyId: PropertyId });

export const PublicKey = Type.Object(
  { publicApiKey: Type.String() },
  { title: 'PublicKey', examples: [{ publicApiKey: 'service_pub_4f9c2b7d1e6a8053' }] },
);
