import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';

/** What snippets use without declaring it: names that any reader understands. Valid as JavaScript and TypeScript. */
export const fixtures = (url: string): Record<string, string> => ({
  apiUrl: `const apiUrl = ${JSON.stringify(url)};`,
  publicApiKey: `const publicApiKey = '${PUBLIC_KEY}';`,
  secretApiKey: `const secretApiKey = '${SECRET_KEY}';`,
  userId: `const userId = 'u-42';`,
  email: `const email = 'ada@shop.example';`,
  sessionId: `const sessionId = 's-documentation';`,
  order: `const order = { id: 1001, total: 49.9 };`,
  request: `const request = new Request('http://shop.example/');`,
  banner: `const banner = JSON.parse('{}');`,
  queue: 'const queue = console.debug;',
  app: `import express from 'express';\nconst app = express();`,
  client: `import { createSwitchyard as createClient } from '@switchyard/sdk/browser';
const client = createClient({ apiUrl: ${JSON.stringify(url)}, publicApiKey: '${PUBLIC_KEY}', propertyId: 'shop' });`,
});
