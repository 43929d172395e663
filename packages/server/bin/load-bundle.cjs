// Loads a bundle of `dist`, and keeps what V8 compiled of it in `dist/code-cache`. This takes 30 % of the CPU time from a
// start (Node.js 24: also 30 %); `module.enableCompileCache`, built in since Node.js 22, only 16 %.
const { isAscii } = require('node:buffer');
const fs = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');
const { threadId } = require('node:worker_threads');

const DIST = join(__dirname, '..', 'dist');
const requirePackage = createRequire(join(DIST, 'bundle.cjs'));

/** Runs the entry and returns its exports. Each process and thread loads one. */
function loadBundle(entry) {
  // Node.js does not read the source map of a script.
  if (process.sourceMapsEnabled) return requirePackage(`./${entry}.cjs`);
  const file = join(DIST, 'code-cache', `${process.version}-${process.arch}`, entry);
  const cache = readCache(file);
  const scripts = new Map();
  const modules = new Map();
  let isComplete = true;

  function load(name) {
    const loaded = modules.get(name);
    if (loaded !== undefined) return loaded.exports;
    const filename = join(DIST, name);
    const script = new Script(wrap(readText(filename)), {
      filename,
      cachedData: cache.get(name),
    });
    scripts.set(name, script);
    // V8 rejects what another version or other options of it have compiled.
    if (script.cachedDataRejected !== false) isComplete = false;
    const module = { exports: {} };
    modules.set(name, module);
    const require = (id) => (id.startsWith('./') ? load(id.slice(2)) : requirePackage(id));
    script.runInThisContext().call(module.exports, module.exports, require, module, filename, DIST);
    return module.exports;
  }

  // At the end, because the cache then contains the functions that were called.
  process.on('exit', () => {
    if (!isComplete) writeCache(file, cache, scripts);
  });
  return load(`${entry}.cjs`);
}

/** Decoding UTF-8 takes longer, and the build leaves only ASCII characters. */
function readText(filename) {
  const content = fs.readFileSync(filename);
  return isAscii(content) ? content.latin1Slice() : content.toString();
}

/** Compiled code by name of the file; empty if there is none. */
function readCache(file) {
  try {
    const content = fs.readFileSync(file);
    const start = content.indexOf('\n') + 1;
    let end = start;
    return new Map(
      JSON.parse(content.toString('utf8', 0, start)).map(([name, length]) => {
        end += length;
        return [name, content.subarray(end - length, end)];
      }),
    );
  } catch {
    return new Map();
  }
}

function writeCache(file, cache, scripts) {
  const parts = new Map(cache);
  for (const [name, script] of scripts) {
    if (script.cachedDataRejected !== false) parts.set(name, script.createCachedData());
  }
  const header = JSON.stringify([...parts].map(([name, data]) => [name, data.length]));
  try {
    writeDurably(file, Buffer.concat([Buffer.from(`${header}\n`), ...parts.values()]));
  } catch {
    // No space left, or the program belongs to another user.
  }
}

/** V8 does not recognize damaged code: after a power failure, there must be all of it or nothing. */
function writeDurably(file, content) {
  // Several threads of a process may run the same entry.
  const temporary = `${file}.${process.pid}.${threadId}`;
  fs.mkdirSync(dirname(file), { recursive: true });
  try {
    fs.writeFileSync(temporary, content, { flush: true });
    // The server creates files that only its user can read; this one is for all who run the program.
    for (const path of [dirname(dirname(file)), dirname(file)]) fs.chmodSync(path, 0o755);
    fs.chmodSync(temporary, 0o644);
    fs.renameSync(temporary, file);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

module.exports = { loadBundle };
