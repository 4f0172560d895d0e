import { ApiServer } from '../../../../../lib/cluster/server/api-server.ts';
import { CUSTOM_DEFINITION } from '../../../../applies/custom-kind.ts';
import { essenceOf } from '../../../../applies/sequence-difference.ts';
import { Draw } from '../../../../compare/draw.ts';
import { differences } from '../../../../compare/aspects.ts';
import { isRecord } from '../../../../compare/normalise.ts';
import type { Answer } from '../../../../compare/scenario.ts';
import { readAnswer } from '../../../../compare/target/read-answer.ts';
import { Target, targetOfKubeconfig } from '../../../../compare/target/target.ts';
import { DEFINITIONS } from '../../gadgets.ts';
import type { FuzzRequest } from '../draw-request.ts';
import { FuzzProgress } from '../fuzz-progress.ts';
import { WriteDraw } from './draw-write.ts';
import { silentLogger } from '../../../../../lib/kernel/report/logger.ts';

export interface CompareOptions {
  readonly kubeconfig: string;
  readonly seed: string;
  readonly inputs: number;
  /** Differences to print. */
  readonly most: number;
}

/** The time that a server takes until it validates by a changed schema, and until it is ready for objects of a new definition. Milliseconds. */
const SCHEMA_MS = 1_000;
const MOST_TRIES = 200;
const RETRY_MS = 100;

/**
 * Sends the same writes, one by one, to a real server and to the embedded one, and prints the answers that differ.
 *
 * @returns whether there is no failure (5xx) of the embedded server that the real one does not give, and no difference
 */
export async function compareWrites(options: CompareOptions): Promise<boolean> {
  const { kubeconfig, seed, inputs, most } = options;
  await using server = new ApiServer({ logger: silentLogger });
  await server.listen();
  const { url, token } = server;
  const run = `fuzz-${Date.now().toString(36).slice(-5)}`;
  const real = new Side(new Target(await targetOfKubeconfig(kubeconfig)), run);
  const ours = new Side(new Target({ server: url, token }), run);
  const progress = new FuzzProgress(inputs);
  let failures = 0;
  try {
    await Promise.all([real.prepare(), ours.prepare()]);
    const writes = new WriteDraw(new Draw(seed));
    for (let index = 0; index < inputs; index += 1) {
      const request = writes.next();
      const [one, other] = await Promise.all([real.send(request), ours.send(request)]);
      progress.update(index);
      if (essenceOf(one) === essenceOf(other)) continue;
      progress.alarms += 1;
      if (other.status >= 500 && one.status < 500) failures += 1;
      if (progress.alarms <= most) print(index, request, one, other);
    }
  } finally {
    await real.tidy();
    real.close();
    ours.close();
  }
  console.log(
    `seed ${seed}: ${inputs} requests, ${progress.alarms} differ, ${failures} failures of ours only`,
  );
  return progress.alarms === 0;
}

/** A server, with a namespace and definitions of this run. */
class Side {
  readonly #target: Target;
  readonly #run: string;

  constructor(target: Target, run: string) {
    this.#target = target;
    this.#run = run;
  }

  async prepare(): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#run } };
    await this.#json('POST', '/api/v1/namespaces', namespace);
    await this.#json('POST', DEFINITIONS, CUSTOM_DEFINITION);
    await this.#until('/apis/applies.example.com/v1/namespaces/default/widgets', 200);
  }

  async send(request: FuzzRequest): Promise<Answer> {
    const answer = await this.#answer(request);
    const isDefinition = request.url.startsWith(DEFINITIONS);
    if (!isDefinition || answer.status > 201 || request.method === 'GET') return answer;
    const objects = '/apis/fuzz.example.com/v1/namespaces/default/things';
    if (request.method === 'DELETE') {
      const definition = `${DEFINITIONS}/things.fuzz.example.com`;
      await this.#until(definition, 404);
      await this.#until(objects, 404);
    } else {
      await this.#until(objects, 200);
      await new Promise((resolve) => setTimeout(resolve, SCHEMA_MS));
    }
    return answer;
  }

  /** Deletes what `prepare` and the requests made. */
  async tidy(): Promise<void> {
    for (const name of ['things.fuzz.example.com', 'widgets.applies.example.com']) {
      await this.#json('DELETE', `${DEFINITIONS}/${name}`);
    }
    const path = '/api/v1/namespaces/default';
    await this.#json('DELETE', path);
    const metadata = { name: this.#run };
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers: [] } };
    await this.#json('PUT', `${path}/finalize`, body);
  }

  close(): void {
    this.#target.close();
  }

  async #json(method: string, url: string, body?: object): Promise<Answer> {
    const bytes = body === undefined ? '' : JSON.stringify(body);
    const headers = { 'content-type': 'application/json' };
    return await this.#answer({ method, url, headers, body: Buffer.from(bytes) });
  }

  async #until(url: string, status: number): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const answer = await this.#json('GET', url);
      if (answer.status === status) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    console.log(`${url} was never answered by ${status}`);
  }

  async #answer({ method, url, headers, body }: FuzzRequest): Promise<Answer> {
    const facts = { namespace: this.#run, nowMs: Date.now() };
    const sent = {
      method,
      path: this.#named(url),
      headers,
      body: body.length === 0 ? undefined : this.#named(Buffer.from(body).toString()),
      anonymous: false,
    };
    try {
      return readAnswer(await this.#target.send(sent), facts).answer;
    } catch (error) {
      // A handler of kube-apiserver that panics resets its connection.
      return { status: 0, type: '', body: String(error) };
    }
  }

  #named(text: string): string {
    return text
      .replaceAll('namespaces/default', `namespaces/${this.#run}`)
      .replace(/(fuzz|applies)\.example\.com/g, `${this.#run}.$1.example.com`);
  }
}

function print(index: number, request: FuzzRequest, real: Answer, ours: Answer): void {
  const { method, url, headers, body } = request;
  console.log(`\n${index} ${method} ${url} ${headers['content-type'] ?? ''}`);
  console.log(`  ${Buffer.from(body).toString().slice(0, 3_000)}`);
  console.log(`  real ${real.status} ${messageOf(real)}`);
  console.log(`  ours ${ours.status} ${messageOf(ours)}`);
  for (const line of differences(real.body, ours.body, 6)) console.log(`    ${line}`);
}

function messageOf({ body }: Answer): string {
  const isStatus = isRecord(body) && body['kind'] === 'Status';
  return isStatus ? String(body['message']).slice(0, 600) : '';
}
