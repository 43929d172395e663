/** The first lines of every snippet for Node.js; quoted like this, they are no imports of the dashboard. */
export const NODE_IMPORTS = [
  "import { env } from 'node:process';",
  "import { createSwitchyard } from '@switchyard/sdk/node';",
].join('\n');
