import { Command } from 'commander';
import { readVersion } from '../version.ts';
import { applyCommand } from './apply.ts';
import { backupCommand } from './backup.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { forgetCommand } from './forget.ts';
import { keysCommand } from './keys.ts';
import { moveCommand } from './move.ts';
import { personCommand } from './person.ts';
import { planCommand } from './plan.ts';
import { redactCommand } from './redact.ts';
import { restoreCommand } from './restore.ts';
import { serveCommand } from './serve.ts';
import { shipCommand } from './ship.ts';
import { statsCommand } from './stats.ts';
import { suppressionsCommand } from './suppressions.ts';
import { typesCommand } from './types.ts';
import { usersCommand } from './users.ts';
import { verifyCommand } from './verify.ts';

const COMMANDS = [
  serveCommand,
  applyCommand,
  planCommand,
  exportCommand,
  keysCommand,
  usersCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  moveCommand,
  shipCommand,
  forgetCommand,
  personCommand,
  suppressionsCommand,
  redactCommand,
  statsCommand,
  typesCommand,
  verifyCommand,
];

/** Runs one command; sets the exit code of the process. */
export async function runCli(argv: readonly string[]): Promise<void> {
  // A closed pipe (`| head`) is not a failure. A server keeps running when its output is no longer read.
  if (argv[2] !== 'serve') {
    process.stdout.on('error', (error: NodeJS.ErrnoException) =>
      process.exit(error.code === 'EPIPE' ? 0 : 1),
    );
  }
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    console.error(`switchyard: ${error instanceof Error ? error.message : String(error)}`);
    // Handles left open by a failed command would keep the process alive.
    process.exit(1);
  }
}

/** All commands with their help. */
export function createProgram(): Command {
  const program = new Command('switchyard')
    .description('Split testing, feature flags, goals, feedback and sessions, on your own machine.')
    .version(readVersion(), '-v, --version')
    .showHelpAfterError('(use --help for usage)')
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 failure; other codes are listed in the help of a command.',
    );
  for (const create of COMMANDS) addCommand(program, create());
  return program;
}

/** Commander passes settings on only to commands that it created itself. */
function addCommand(parent: Command, command: Command): void {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) child.copyInheritedSettings(command);
  parent.addCommand(command);
}
