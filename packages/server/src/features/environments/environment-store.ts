import { keyedRows } from '../../configuration/definitions/keyed-rows.ts';
import type { Environment } from '../../configuration/property/property-configuration.ts';

export const environmentRows = keyedRows('environments', {
  toItem: ({ id, name, protected: isProtected, version }): Environment => ({
    id,
    name,
    protected: isProtected === 1,
    version,
  }),
  toColumns: ({ name, protected: isProtected, version }) => ({
    name,
    protected: isProtected ? 1 : 0,
    version,
  }),
});
