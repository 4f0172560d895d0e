/**
 * Sends requests that were drawn at random to the API server in this process, or bytes over the sockets of a process of its own, and
 * checks the answers: `npm run check -- fuzz-api`.
 */
import { parseArgs } from 'node:util';
import { playCourses } from './play-courses.ts';
import { fuzzPort } from './port/fuzz-port.ts';

const USAGE = `npm run check -- fuzz-api [options]

  --inputs n     how many requests (1000000)
  --seed n       draws others (1)
  --from n       the course to begin with (0): a course is 10000 requests to one server; with --port the connection to begin with.
                 A run ends with the number to go on with, so that a million can be sent in parts
  --port         over sockets, to \`listwatch serve\`: HTTP/1.1 and HTTP/2, well formed and malformed
  --server URL   over sockets, to a server that runs already; its token is in the variable FUZZ_TOKEN
  --help         shows this

The progress is on stderr, the figures on stdout.`;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      inputs: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
      port: { type: 'boolean', default: false },
      server: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const { seed, port, server } = values;
  const counts = { seed, inputs: Number(values.inputs), from: Number(values.from) };
  const passed =
    port || server !== undefined
      ? await fuzzPort({ ...counts, server })
      : await playCourses({ ...counts, command: 'npm run check -- fuzz-api' });
  if (!passed) process.exitCode = 1;
}
