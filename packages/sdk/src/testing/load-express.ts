import Module, { createRequire } from 'node:module';
import type express from 'express';

/** Express. The test runner makes `require` prefer ES modules, and gives it one where it needs a function. */
export function loadExpress(): typeof express {
  const require = createRequire(import.meta.url);
  const file = require.resolve('is-promise');
  const isPromise = (value: unknown) => typeof (value as Promise<unknown> | undefined)?.then === 'function';
  require.cache[file] = Object.assign(new Module(file), { exports: isPromise, loaded: true });
  return require('express');
}
