// Runs the checks that need no tests, side by side; prints the output of each one when it has ended.
// Usage: npm run check [CHECK...]
import { spawn } from 'node:child_process';

const CHECKS = ['types', 'lint', 'dead-code', 'size'];

function run(name) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], { shell: true });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data));
    child.on('close', (status) => {
      process.stdout.write(Buffer.concat(output));
      console.log(`${name}: ${status === 0 ? 'passed' : 'FAILED'}`);
      resolve(status === 0);
    });
  });
}

const chosen = process.argv.slice(2);
const passed = await Promise.all((chosen.length > 0 ? chosen : CHECKS).map(run));
if (passed.includes(false)) process.exitCode = 1;
