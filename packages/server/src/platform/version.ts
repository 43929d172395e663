import manifest from '../../package.json' with { type: 'json' };

/** The version of this package. */
export const readVersion = (): string => manifest.version;
