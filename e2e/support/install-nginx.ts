import { installInCi } from '@switchyard/testing/programs/apt';
import { findNginx } from './nginx.ts';

/** Runs once before all tests. */
export function setup(): void {
  if (findNginx() === undefined) installInCi('nginx', 'nginx-light', 'deploy/nginx.conf');
}
