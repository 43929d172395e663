// Preloaded by a server that works in the past: shifts its wall clock by the offset in the file.
import { readFileSync } from 'node:fs';

const RealDate = Date;
const now = () => RealDate.now() + Number(readFileSync(process.env.DEMO_CLOCK_FILE, 'utf8'));

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args));
  }

  static now() {
    return now();
  }
};
