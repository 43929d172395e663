import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@switchyard/core/api/limits/password-limits';
import { CliError } from '../output/cli-error.ts';

interface NewPassword {
  password: string;
  /** Generated here, so it has to be shown. */
  generated: boolean;
}

/** Never as an option: command lines are visible to other users, and stay in the history of the shell. */
export async function readNewPassword(fromStdin: boolean | undefined): Promise<NewPassword> {
  const { stdin } = process;
  if (!fromStdin && !stdin.isTTY) return generate();
  if (fromStdin) return checked(await firstLine());
  const password = await askHidden('Password (empty: generate one): ');
  if (password === '') return generate();
  if ((await askHidden('Again: ')) !== password) throw new CliError('The passwords differ.');
  return checked(password);
}

/** 120 bits. */
const generate = (): NewPassword => ({ password: randomBytes(15).toString('base64url'), generated: true });

function checked(password: string): NewPassword {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) {
    throw new CliError(
      `The password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters; it has ${length}.`,
    );
  }
  return { password, generated: false };
}

async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return line;
  throw new CliError('Standard input is empty. It must contain the password.');
}

/** Reads a line from the terminal without showing it. */
function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = (settle: () => void) => {
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      settle();
    };
    const onData = (chunk: string) => {
      for (const character of chunk) {
        if (character === '\r' || character === '\n') return finish(() => resolve(text));
        if (character === '\u0003' || character === '\u0004') {
          return finish(() => reject(new CliError('Cancelled.')));
        }
        if (character === '\u007f' || character === '\b') text = [...text].slice(0, -1).join('');
        else text += character;
      }
    };
    stdin.setEncoding('utf8');
    stdin.setRawMode(true);
    stdin.resume();
    stdin.on('data', onData);
  });
}
