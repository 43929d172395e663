import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where the tests keep large programs that they install on demand. */
export const TEST_CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'switchyard-tests');
