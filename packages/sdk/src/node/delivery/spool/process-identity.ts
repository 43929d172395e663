import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { threadId } from 'node:worker_threads';
import { attempt } from '../../../client/attempt.ts';

/** Of a process that has ended, but whose parent has not noticed yet. */
const ENDED = 'ended';

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/**
 * Names the process and thread that a spool file belongs to, as five parts of a file name: host, id space, process id,
 * start of the process, thread. A process id alone is not enough: ids are reused, and in containers each process has
 * the id 1. Id and start name one process within an id space, which is a boot of a machine and a namespace of ids.
 */
export function ownIdentity(): string {
  return [shortHash(hostname()), idSpace(), process.pid, startOf(process.pid) ?? 0, threadId].join('-');
}

/** Whether the process has ended for certain; false for those that cannot be seen from here. */
export function hasEnded(identity: string): boolean {
  const [, space, id, start] = identity.split('-');
  const pid = Number(id);
  if (space !== idSpace() || !Number.isInteger(pid) || pid < 1) return false;
  const currentStart = startOf(pid);
  return currentStart === undefined ? !exists(pid) : currentStart !== start;
}

/** Whether it has the host name, process id and thread of this one: a container before its restart has. */
export function isNamesake(identity: string): boolean {
  const [host, , pid, , thread] = identity.split('-');
  return host === shortHash(hostname()) && pid === String(process.pid) && thread === String(threadId);
}

/** Only Linux has boot ids and namespaces; elsewhere, a host is one id space. */
function idSpace(): string {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return shortHash([hostname(), boot, namespace].join(' '));
}

/** Start of a running process, in ticks since the boot; `undefined` if there is none or it is not known. */
function startOf(pid: number): string | undefined {
  const status = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the name of the program, in parentheses, and may contain anything.
  const fields = status?.slice(status.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? ENDED : fields?.[19];
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
