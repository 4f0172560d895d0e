/** Sends patches, applies and schemas that were drawn at random to the API server in this process: `npm run check -- fuzz-writes`. */
import { parseArgs } from 'node:util';
import { playCourses } from '../play-courses.ts';
import { compareWrites } from './compare-writes.ts';
import { writeRequests } from './write-requests.ts';

const USAGE = `npm run check -- fuzz-writes [options]

  --inputs n     how many requests (1000000)
  --seed n       draws others (1)
  --from n       the course to begin with (0): a course is 10000 requests to one server.
                 A run ends with the number to go on with, so that a million can be sent in parts
  --kubeconfig F sends the same requests to the server of this kubeconfig too, one by one, and prints the answers that differ; in a
                 namespace and with definitions of its own, which are deleted afterwards
  --most n       differences to print (20)
  --help         shows this

The progress is on stderr, the figures on stdout.`;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      inputs: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
      kubeconfig: { type: 'string' },
      most: { type: 'string', default: '20' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const { seed, kubeconfig } = values;
  const inputs = Number(values.inputs);
  if (kubeconfig !== undefined) {
    const same = await compareWrites({ kubeconfig, seed, inputs, most: Number(values.most) });
    if (!same) process.exitCode = 1;
    return;
  }
  const passed = await playCourses({
    command: 'npm run check -- fuzz-writes',
    seed,
    inputs,
    from: Number(values.from),
    source: writeRequests,
  });
  if (!passed) process.exitCode = 1;
}
