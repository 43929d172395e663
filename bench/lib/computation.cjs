// Compresses for two seconds, which is compiled code as in the engine; prints how often per second. JavaScript would not
// do: code that is generated while the program runs is emulated many times more slowly.
const { brotliCompressSync, constants } = require('node:zlib');

const MILLISECONDS = 2000;
const text = Buffer.from(Array.from({ length: 8000 }, (_, i) => `${(i * 7919) % 10007}`).join(' '));
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

function perSecond() {
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() - startedAt < MILLISECONDS; count++) brotliCompressSync(text, options);
  return (1000 * count) / (performance.now() - startedAt);
}

// The first time is for the translation of the code.
perSecond();
console.log(perSecond());
