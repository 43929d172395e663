import { Command } from 'commander';
import { readVersion } from '../platform/version.ts';

interface CommandEntry {
  name: string;
  description: string;
  /** Imports the module of the command only when it is called, because most of them load databases. */
  load: () => Promise<(command: Command) => void>;
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    description: 'Start the server. Settings come from environment variables; these options override them.',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    name: 'apply',
    description: 'Apply a provision file (YAML or JSON). If anything in it is wrong, nothing is changed.',
    load: async () => (await import('./apply.ts')).applyCommand,
  },
  {
    name: 'plan',
    description: 'Show what "apply" would change, without changing anything.',
    load: async () => (await import('./plan.ts')).planCommand,
  },
  {
    name: 'export',
    description: 'Print the configuration as a provision file that "apply" accepts.',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  {
    name: 'keys',
    description: 'Create, list and delete API keys.',
    load: async () => (await import('./keys.ts')).keysCommand,
  },
  {
    name: 'users',
    description: 'Create, list, disable and delete accounts, and reset passwords.',
    load: async () => (await import('./users.ts')).usersCommand,
  },
  {
    name: 'doctor',
    description: 'Check the installation and the data directory, and say how to fix problems.',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'backup',
    description: 'Copy all data into an empty directory and verify the copy. The server can keep running.',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    description: 'Put a backup into an empty data directory.',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    name: 'move',
    description: 'Copy all data to PostgreSQL and ClickHouse, or back into a directory, and compare both.',
    load: async () => (await import('./move.ts')).moveCommand,
  },
  {
    name: 'ship',
    description: 'Store the requests that are left in the journal of a node that does not run any more.',
    load: async () => (await import('./ship.ts')).shipCommand,
  },
  {
    name: 'forget',
    description: 'Erase everything about a visitor, a user or a session, or single entries, for good.',
    load: async () => (await import('./forget.ts')).forgetCommand,
  },
  {
    name: 'person',
    description: 'What is stored about one person.',
    load: async () => (await import('./person.ts')).personCommand,
  },
  {
    name: 'suppressions',
    description: 'The list of who was erased: nothing more is stored about them.',
    load: async () => (await import('./suppressions.ts')).suppressionsCommand,
  },
  {
    name: 'redact',
    description: 'Remove text, such as an e-mail address, from the history of a property, for good.',
    load: async () => (await import('./redact.ts')).redactCommand,
  },
  {
    name: 'stats',
    description: 'Analyze the numbers of any split test, read from a file.',
    load: async () => (await import('./stats.ts')).statsCommand,
  },
  {
    name: 'types',
    description:
      'Write a TypeScript declaration of the tests, flags, goals and feedback types of a property.',
    load: async () => (await import('./types.ts')).typesCommand,
  },
  {
    name: 'verify',
    description: 'Recompute the results in an exported bundle, offline, and check that they match.',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
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
    // Before it come options of the program at most, or "help".
    const called = argv.slice(2).find((argument) => argument !== 'help' && !argument.startsWith('-'));
    const program = await createProgram((name) => name === called);
    await program.parseAsync(argv);
  } catch (error) {
    console.error(`switchyard: ${error instanceof Error ? error.message : String(error)}`);
    // Handles left open by a failed command would keep the process alive.
    process.exit(1);
  }
}

/** All commands by name; those that are used also with their options, help and action. */
export async function createProgram(isUsed: (name: string) => boolean): Promise<Command> {
  const program = new Command('switchyard')
    .description('Split testing, feature flags, goals, feedback and sessions, on your own machine.')
    .version(readVersion(), '-v, --version')
    .showHelpAfterError('(use --help for usage)')
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 failure; other codes are listed in the help of a command.',
    );
  for (const { name, description, load } of COMMANDS) {
    const command = program.command(name).description(description);
    if (!isUsed(name)) continue;
    (await load())(command);
    // Commander passes settings on only to commands that it created itself.
    for (const child of command.commands) child.copyInheritedSettings(command);
  }
  // Arguments are known of commands in use only.
  return program.configureHelp({ subcommandTerm: (command) => command.name() });
}
