/** `npm run check -- definitions`: creates definitions of public projects, and drawn objects of them, on a real server and on the embedded one. */
import { parseArgs } from 'node:util';
import { askEmbedded, askServer } from '../compare/ask-server.ts';
import { isRecord } from '../compare/normalise.ts';
import type { Answer } from '../compare/scenario.ts';
import { compareAll, describeDifference, tableOf } from '../compare/report.ts';
import { Target, targetOfKubeconfig } from '../compare/target/target.ts';
import { definitionsIn, scenarioOf } from './definition-scenarios.ts';

const USAGE = `npm run check -- definitions --kubeconfig FILE [options] DIR...

  --kubeconfig FILE  the real server
  --seed TEXT        draws the objects; 1 unless given
  --count N          objects of each served version: N good ones, N broken ones; 5 unless given
  --only TEXT        only definitions with this text in their names
  --without-rules    leaves out x-kubernetes-validations, which the embedded server does not enforce
  --most N           differences to print; 20 unless given
  --help             shows this

DIR has files of CustomResourceDefinitions in YAML or JSON. Each gets a group of its own on the servers, and is deleted afterwards.`;

/** A server merges its OpenAPI documents for each definition, which takes seconds. */
const DEFINITIONS_AT_A_TIME = 4;
const LONGEST_WAIT_MS = 60_000;

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      kubeconfig: { type: 'string' },
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '5' },
      only: { type: 'string', default: '' },
      'without-rules': { type: 'boolean', default: false },
      most: { type: 'string', default: '20' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.kubeconfig === undefined || positionals.length === 0) {
    console.log(USAGE);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const { seed } = values;
  const options = { seed, count: Number(values.count), withoutRules: values['without-rules'] };
  const scenarios = definitionsIn(positionals)
    .map((definition) => scenarioOf(definition, options))
    .filter(({ id }) => id.includes(values.only));
  console.log(`${scenarios.length} definitions, seed ${seed}`);
  const target = new Target(await targetOfKubeconfig(values.kubeconfig));
  try {
    const prefix = `def-${Date.now().toString(36).slice(-5)}`;
    const real = await askServer(target, scenarios, {
      prefix,
      atATime: DEFINITIONS_AT_A_TIME,
      longestWaitMs: LONGEST_WAIT_MS,
    });
    const embedded = await askEmbedded(scenarios, undefined, {
      atATime: DEFINITIONS_AT_A_TIME,
      longestRequestMs: LONGEST_WAIT_MS,
    });
    const compared = compareAll(scenarios, sorted(real), sorted(embedded));
    for (const line of tableOf(compared)) console.log(line);
    const different = compared.filter(({ same }) => !same.has('body') || !same.has('causes'));
    for (const one of different.slice(0, Number(values.most))) {
      console.log(describeDifference(one, 'body').join('\n'));
    }
    if (different.length > 0) process.exitCode = 1;
  } finally {
    target.close();
  }
}

/** Causes in the order of their texts: kube-apiserver goes over properties in a random order. */
function sorted(answers: readonly (readonly Answer[])[]): readonly (readonly Answer[])[] {
  return answers.map((scenario) =>
    scenario.map((answer) => {
      const { body } = answer;
      if (!isRecord(body) || !isRecord(body['details'])) return answer;
      const { causes } = body['details'];
      if (!Array.isArray(causes)) return answer;
      const inOrder = causes.map((cause) => JSON.stringify(cause)).toSorted();
      const details = {
        ...body['details'],
        causes: inOrder.map((text) => JSON.parse(text) as unknown),
      };
      return { ...answer, body: { ...body, details, message: '' } };
    }),
  );
}
