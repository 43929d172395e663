import { TOTP } from 'otpauth';

/** The code that an authenticator app shows for a secret. Each works once, so a later one can be asked for. */
export const authenticatorCode = (secret: string, secondsFromNow = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + secondsFromNow * 1000 });
