// Ends the process with a clear line if Node.js is too old. Even Node.js 12 must be able to run this file.

const [major, minor] = process.versions.node.split('.').map(Number);
// 21 and the first releases of 22 lack functions that 20.19 has.
const required = major <= 20 ? [20, 19] : [22, 2];

if (major < required[0] || (major === required[0] && minor < required[1])) {
  console.error(`Switchyard needs Node.js ${required.join('.')} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
