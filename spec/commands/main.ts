/**
 * `npm run check` and `npm run generate`: list the programs of `commands.ts`, each with a line of help; with a name, start that program
 * in this process.
 */
import { nearName } from '../../lib/kernel/text/near-name.ts';
import { CHECKS, GENERATORS } from './commands.ts';

const [script = 'check', name, ...parameters] = process.argv.slice(2);
const groups = script === 'generate' ? GENERATORS : CHECKS;
const commands = groups.flatMap((group) => group.commands);

function list(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = groups.flatMap((group) => [
    `\n${group.title}`,
    ...group.commands.map((command) => `  ${command.name.padEnd(width)}  ${command.about}`),
  ]);
  return [`npm run ${script} -- NAME [options]; -- NAME --help lists the options`, ...lines].join(
    '\n',
  );
}

const command = commands.find((one) => one.name === name);
if (name === undefined || name === '--help') {
  console.log(list());
} else if (command === undefined) {
  const near = nearName(
    name,
    commands.map((one) => one.name),
  );
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  console.error(
    `npm run ${script}: there is no ${name}${hint} "npm run ${script}" lists all names.`,
  );
  process.exitCode = 2;
} else if (parameters.includes('--help') && command.usage !== undefined) {
  console.log(`npm run ${script} -- ${name}: ${command.about}\n\n${command.usage}`);
} else {
  process.argv.splice(2, process.argv.length, ...parameters);
  await command.start();
}
