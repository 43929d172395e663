/** In characters, without the schema library, which a start does not have to wait for. */
export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 256;
