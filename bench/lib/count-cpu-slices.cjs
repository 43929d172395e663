// Loaded into a server (`--require`): CPU time per request in slices of 50 ms, so that those that other work of the
// machine disturbed can be left out. Appends a line per slice to the file SLICES: requests so far, microseconds each.
const { appendFileSync } = require('node:fs');
const { Server } = require('node:http');
const { isMainThread } = require('node:worker_threads');

const SLICE_MS = 50;
/** In a slice; with fewer requests, the work between them would count. */
const MIN_REQUESTS = 100;

let requests = 0;

function countRequests() {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (name, ...args) {
    if (name === 'request') requests += 1;
    return emit.call(this, name, ...args);
  };
}

function recordSlices(file) {
  let before = { requests, cpu: process.cpuUsage() };
  setInterval(() => {
    const now = { requests, cpu: process.cpuUsage() };
    const served = now.requests - before.requests;
    const microseconds = now.cpu.user + now.cpu.system - before.cpu.user - before.cpu.system;
    if (served >= MIN_REQUESTS) appendFileSync(file, `${requests} ${microseconds / served}\n`);
    before = { requests, cpu: process.cpuUsage() };
  }, SLICE_MS).unref();
}

if (isMainThread && process.env.SLICES !== undefined) {
  countRequests();
  recordSlices(process.env.SLICES);
}
