/**
 * Sends the same requests to the embedded server and to a real one, and counts the answers that are the same: `npm run check -- compare`.
 */
import { parseArgs } from 'node:util';
import { askEmbedded, askServer } from './ask-server.ts';
import { readCorpus, writeCorpus, type Corpus } from './corpus.ts';
import { drawScenarios } from './draw-scenarios.ts';
import { edgeScenarios } from './edge-scenarios.ts';
import { ASPECTS, type Aspect } from './aspects.ts';
import { isRecord } from './normalise.ts';
import { recordAnswers } from './record-answers.ts';
import { checkReplay, CORPUS_FILE } from './replay.ts';
import { compareAll, describeDifference, tableOf, type Compared } from './report.ts';
import { AREAS, type Area } from './scenario.ts';
import { versionNamed } from './version-named.ts';
import { Target, targetOfKubeconfig } from './target/target.ts';

const USAGE = `npm run check -- compare [options]

  --seed TEXT        draws the requests; the same seed draws the same ones. 1 unless given
  --count N          requests, about as many of each area; 1000 unless given
  --edges            the requests of edge-scenarios.ts instead of drawn ones
  --server URL       the real server; the token, if it asks for one, is in the variable COMPARE_TOKEN. Its certificate is not checked
  --kubeconfig FILE  the real server and the credentials: the current context. The user has to be allowed everything
  --version VERSION  of Kubernetes, such as 1.36, that the embedded server serves; the newest unless given
  --area AREA        only this area; may be given several times
  --show AREA        prints the first differences of an area as well; "all" prints those of every area
  --aspect ASPECT    with --show: answers that differ in it: ${ASPECTS.join(', ')}; body unless given
  --accepted         with --show: only requests that the embedded server accepts and the real one refuses
  --most N           differences to print; 10 unless given
  --record FILE      writes the answers of the real server to a file; those that differ when asked again are left out
  --append           with --record: keeps what the file has; the seed has to be another one
  --replay           compares with the recorded answers of spec/compare/corpus instead of a real server
  --update           with --replay: writes the figures of today as the floor; refused where one would fall
  --help             shows this

Areas: ${AREAS.join(', ')}.
Each scenario has a namespace of its own, which is deleted in the end; some create objects outside of namespaces, whose names begin
with cmp-. Best is a server that serves nothing else.`;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '1000' },
      edges: { type: 'boolean', default: false },
      server: { type: 'string' },
      kubeconfig: { type: 'string' },
      version: { type: 'string' },
      area: { type: 'string', multiple: true },
      show: { type: 'string' },
      aspect: { type: 'string', default: 'body' },
      accepted: { type: 'boolean', default: false },
      most: { type: 'string', default: '10' },
      record: { type: 'string' },
      append: { type: 'boolean', default: false },
      replay: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const { seed, accepted } = values;
  const count = wholeNumber('--count', values.count);
  const shown = {
    areas: shownAreas(values.show),
    aspect: aspectNamed(values.aspect),
    accepted,
    most: wholeNumber('--most', values.most),
  };
  if (values.replay) {
    const { compared, problems } = await checkReplay({ update: values.update });
    print(compared, shown);
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
    return;
  }
  const areas = (values.area ?? AREAS).map(areaNamed);
  const served = versionNamed(values.version);
  const scenarios = values.edges ? edgeScenarios() : drawScenarios(seed, count, areas);
  const { signal } = interruptible();
  const target = await targetOf(values.server, values.kubeconfig);
  try {
    const version = await versionOf(target);
    console.log(`kube-apiserver ${version}, seed ${seed}, ${scenarios.length} scenarios`);
    const prefix = `cmp-${Date.now().toString(36).slice(-5)}`;
    if (values.record !== undefined) {
      const date = new Date().toISOString().slice(0, 10);
      const kept = await recordAnswers(target, scenarios, {
        prefix,
        signal,
        onDone: progress(2 * scenarios.length),
      });
      const before = values.append ? await readCorpus(values.record) : undefined;
      await writeCorpus(values.record, appended(before, { version, date, seed, ...kept }));
      const left = scenarios.length - kept.scenarios.length;
      console.log(`${kept.scenarios.length} scenarios recorded, ${left} left out`);
      for (const reason of kept.leftOut) console.log(`  ${reason}`);
      return;
    }
    const onDone = progress(2 * scenarios.length);
    const real = await askServer(target, scenarios, { prefix, signal, onDone });
    const embedded = await askEmbedded(scenarios, onDone, { version: served });
    print(compareAll(scenarios, real, embedded), shown);
  } finally {
    target.close();
  }
}

/** The answers of both; the seeds are named in their order. */
function appended(before: Corpus | undefined, added: Corpus): Corpus {
  if (before === undefined) return added;
  if (before.version !== added.version) {
    throw new Error(`the file has answers of ${before.version}, these are of ${added.version}`);
  }
  const known = new Set(before.scenarios.map(({ id }) => id));
  const again = added.scenarios.find(({ id }) => known.has(id));
  if (again !== undefined) throw new Error(`the file has ${again.id} already: take another seed`);
  return {
    ...added,
    seed: `${before.seed}, ${added.seed}`,
    scenarios: [...before.scenarios, ...added.scenarios],
    answers: [...before.answers, ...added.answers],
  };
}

/** Which differences are printed. */
interface Shown {
  readonly areas: readonly Area[];
  readonly aspect: Aspect;
  readonly accepted: boolean;
  readonly most: number;
}

function print(compared: readonly Compared[], { areas, aspect, accepted, most }: Shown): void {
  for (const line of tableOf(compared)) console.log(line);
  for (const area of areas) {
    const different = compared.filter(
      (one) => one.area === area && !one.same.has(aspect) && (!accepted || isWronglyAccepted(one)),
    );
    const what = accepted ? 'requests are accepted wrongly' : 'answers differ';
    console.log(`\n${area}: ${different.length} ${what} (real | embedded)`);
    for (const one of different.slice(0, most)) {
      console.log(describeDifference(one, aspect).join('\n'));
    }
  }
}

function isWronglyAccepted({ real, embedded }: Compared): boolean {
  return embedded.status < 300 && real.status >= 400;
}

function shownAreas(show: string | undefined): readonly Area[] {
  if (show === undefined) return [];
  return show === 'all' ? AREAS : [areaNamed(show)];
}

function aspectNamed(name: string): Aspect {
  const aspect = ASPECTS.find((one) => one === name);
  if (aspect !== undefined) return aspect;
  throw new Error(`no aspect is called ${name}; there are ${ASPECTS.join(', ')}`);
}

function areaNamed(name: string): Area {
  const area = AREAS.find((one) => one === name);
  if (area === undefined)
    throw new Error(`no area is called ${name}; there are ${AREAS.join(', ')}`);
  return area;
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`${option} takes a number above 0, not ${JSON.stringify(text)}`);
}

async function targetOf(
  server: string | undefined,
  kubeconfig: string | undefined,
): Promise<Target> {
  if (kubeconfig !== undefined) return new Target(await targetOfKubeconfig(kubeconfig));
  if (server !== undefined) return new Target({ server, token: process.env['COMPARE_TOKEN'] });
  throw new Error(
    `--server or --kubeconfig names the real server; --replay needs none and takes ${CORPUS_FILE}`,
  );
}

async function versionOf(target: Target): Promise<string> {
  const { status, bytes } = await target.send({
    method: 'GET',
    path: '/version',
    headers: {},
    body: undefined,
    anonymous: false,
  });
  const answer: unknown = status === 200 ? JSON.parse(bytes.toString()) : undefined;
  if (isRecord(answer) && typeof answer['gitVersion'] === 'string') return answer['gitVersion'];
  throw new Error(
    `the server does not report its version: ${status} ${bytes.toString().slice(0, 300)}`,
  );
}

/** After Ctrl-C the scenarios that have begun end and clean up; a second one ends at once. */
function interruptible(): AbortController {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    console.error('cleaning up; interrupt again to end at once');
    controller.abort(new Error('interrupted'));
  });
  return controller;
}

/** A run takes minutes, so its progress is shown. */
function progress(total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (process.stderr.isTTY)
      process.stderr.write(`\r${done} of ${total}${done === total ? '\n' : ''}`);
    else if (done % 50 === 0) console.error(`${done} of ${total} scenarios`);
  };
}
