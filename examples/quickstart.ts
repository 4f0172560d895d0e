import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, SharedInformerFactory, type Client, type Controller } from 'listwatch';
import { describeReason } from 'listwatch/controller';
import { errorMessage, silentLogger } from 'listwatch/kernel';
import { serveInspector, type Inspector } from 'listwatch/inspector';
import type { ApiServer } from 'listwatch/server';
import { inProcessTransport } from 'listwatch/testing';
import { siteOperator, type Site, type SiteTypes } from './site-operator/operator.ts';
import {
  type Cluster,
  HANG_MS,
  openCluster,
  runProgram,
  until,
  UsageError,
} from './support/program.ts';
import { Story, wantsColor } from './support/story.ts';

const DEFINITION = join(import.meta.dirname, 'site-operator', 'sites.yaml');
const NAMES = Array.from({ length: 6 }, (_, index) => `site-${index + 1}`);
/** The user that the server knows by the token of `clientConfig()`. */
const OPERATOR = 'listwatch:admin';
const LISTS = ['listing', 'streaming-list'];
/** A person waits here, so the informers retry sooner than they would against a cluster. */
const BACKOFF = { baseMs: 100, capMs: 1000 };

const ABOUT = `The operator of site-operator/operator.ts on a cluster in this process: it serves sites, repairs
what others change, loses its connections twice, the second time with a compacted history, and every
cache has to equal the server at the end. With --kubeconfig, no connection is broken.

  npm start -- [options]

  --keep              keep running until Ctrl-C, and print the address of the live page of the operator,
                      and the kubectl command that shows the sites
  --port N            port of the API server (default: a free one)
  --verbose           print each step of the informers and each run of the operator`;

/** The person and the operator of the story. Each chapter is a method; they follow in the order in which they run. */
class Quickstart implements AsyncDisposable {
  readonly #person: Client<SiteTypes>;
  readonly #informers: SharedInformerFactory<SiteTypes>;
  readonly #operator: Controller<Site, SiteTypes>;
  readonly #story: Story;
  readonly #namespace: string;
  readonly #runsPods: boolean;
  readonly #failed = new AbortController();
  /** Aborts when the program is stopped, and when the operator fails. */
  readonly signal: AbortSignal;
  /** The states that informers have entered. */
  readonly #states: string[] = [];
  #running: Promise<void> | undefined;
  /** The number of runs of the operator that were printed. */
  #printed = 0;
  /** The last failure of the operator. The outage causes some. */
  #failure: string | undefined;

  constructor(
    person: Client<SiteTypes>,
    { client: operator, runsPods }: Pick<Cluster<SiteTypes>, 'client' | 'runsPods'>,
    story: Story,
    stop: AbortSignal,
  ) {
    this.signal = AbortSignal.any([stop, this.#failed.signal]);
    const { namespace } = person;
    this.#person = person;
    this.#story = story;
    this.#namespace = namespace;
    this.#runsPods = runsPods;
    const logger = silentLogger;
    this.#informers = new SharedInformerFactory(operator, { namespace, backoff: BACKOFF, logger });
    const options = {
      informers: this.#informers,
      namespace,
      historySize: 1000,
      logger,
      onError: (error: Error): void => {
        this.#failure = error.message;
      },
    };
    this.#operator = siteOperator(operator, options);
  }

  async apply(): Promise<string> {
    await this.#person.applyAll(await readFile(DEFINITION, 'utf8'), { signal: this.signal });
    for (const name of NAMES) await this.#create(name);
    this.#story.say('person', `applies the definition of sites, and creates ${NAMES.length} sites`);
    return `${NAMES.length} sites wait for an operator`;
  }

  async start(): Promise<string> {
    this.#running = this.#operator.run({ signal: this.signal });
    this.#running.catch((error: unknown) => this.#failed.abort(error));
    for (const { name, events } of this.#informers.informers) {
      events.on('transition', ({ from, to, reason }) => {
        this.#states.push(to);
        this.#story.detail(`${name}: ${from} -> ${to}: ${reason}`);
      });
    }
    await this.#operator.whenReady({ timeoutMs: HANG_MS, signal: this.signal });
    const { length } = this.#informers.informers;
    this.#story.say(
      'operator',
      `lists and watches ${length} resources: its own, and two that it owns`,
    );
    await this.#until('all sites to be served', () => this.#served(NAMES));
    const idle = (): boolean => {
      const { queue, history } = this.#operator.inspect();
      return history.length >= NAMES.length && queue.waiting.count + queue.running.count === 0;
    };
    await this.#until('the operator to be idle', idle);
    const { length: runs } = this.#newRuns();
    const made = NAMES.length;
    const text = `runs ${runs} times: ${made} config maps, ${made} deployments, ${made} statuses`;
    this.#story.say('operator', text);
    return this.#runsPods
      ? 'each site has its page, and its deployment a pod that is ready'
      : 'each site has its page, its deployment and its status';
  }

  async disturb(): Promise<string> {
    await this.#maps.delete('site-3');
    await this.#deployments.patch('site-5', { spec: { replicas: 9 } });
    this.#story.say('person', 'deletes the page of site-3, and scales the deployment of site-5');
    await this.#repaired('site-3');
    const scaled = async (): Promise<boolean> =>
      (await this.#deployments.get('site-5')).spec?.replicas === 1;
    await this.#until('the deployment of site-5', scaled);
    await this.#printRuns(['site-3', 'site-5']);
    return 'both are as they should be';
  }

  async cut(server: ApiServer): Promise<string> {
    const before = this.#states.length;
    await server.closeConnections();
    this.#story.say('server', 'cuts every connection');
    await this.#greet('site-1', 'good evening');
    this.#story.say('person', 'changes the greeting of site-1');
    await this.#until('the watches to open again', () => this.#connected(before));
    const lists = this.#states.slice(before).filter((state) => LISTS.includes(state)).length;
    this.#story.say('operator', `opens its watches again where they had been: ${lists} lists`);
    await this.#page('site-1', 'good evening');
    await this.#printRuns(['site-1']);
    return 'no change was missed';
  }

  async outage(server: ApiServer): Promise<string> {
    const before = this.#states.length;
    const verbs = ['list', 'watch'] as const;
    const faults = verbs.map((verb) =>
      server.faults.add({ match: { verb, user: OPERATOR }, reset: true }),
    );
    await server.closeConnections();
    const gone = (): boolean => this.#informers.inspect().every(({ connected }) => !connected);
    await this.#until('the watches to break', gone);
    this.#story.say('server', 'cuts every connection, and breaks each list and each watch');
    await this.#maps.delete('site-2');
    await this.#greet('site-4', 'good night');
    await this.#create('site-7');
    this.#story.say('person', 'deletes the page of site-2, changes site-4, and creates site-7');
    await server.compact();
    this.#story.say('server', 'compacts its history, and answers again');
    for (const fault of faults) fault.remove();
    await this.#until('the informers to list again', () => this.#connected(before));
    const relists = this.#informers.inspect().reduce((sum, { relists: more }) => sum + more, 0);
    this.#story.say('operator', `cannot resume (410), and lists again: ${relists} lists`);
    await this.#repaired('site-2');
    await this.#page('site-4', 'good night');
    await this.#until('site-7 to be served', () => this.#served(['site-7']));
    await this.#printRuns(['site-2', 'site-4', 'site-7']);
    return 'the lists found each change';
  }

  async remove(): Promise<string> {
    await this.#sites.delete('site-6');
    this.#story.say('person', 'deletes site-6, which a finalizer holds');
    const limits = { timeoutMs: HANG_MS, signal: this.signal };
    await this.#sites.wait('site-6', (site) => site === undefined, limits);
    const { data = {} } = await this.#maps.get('sites');
    const isEntered = 'site-6' in data;
    this.#story.say(
      'operator',
      `removes it from the directory: ${Object.keys(data).length} entries`,
    );
    if (isEntered) throw new Error('site-6 is gone, but not from the directory');
    if (this.#runsPods) {
      await this.#maps.wait('site-6', (map) => map === undefined, limits);
      await this.#deployments.wait('site-6', (found) => found === undefined, limits);
      this.#story.say('server', 'collects what it has owned: its page and its deployment');
    }
    return 'site-6 was cleaned up before it was gone';
  }

  async compare(): Promise<string> {
    let objects = 0;
    for (const informer of this.#informers.informers) {
      const report = await informer.audit({ deep: true, signal: this.signal });
      if (!report.consistent) throw new Error(`${informer.name}: ${JSON.stringify(report)}`);
      objects += report.objects;
      this.#story.say('cache', `${informer.name}: ${report.objects} objects, all equal`);
    }
    return `${this.#informers.informers.length} caches, ${objects} objects, 0 differences`;
  }

  /** Removes the sites and what they owned, so that a cluster is left as it was. */
  async cleanUp(): Promise<void> {
    for (const { metadata } of (await this.#sites.list()).items) {
      if (/^site-\d+$/.test(metadata.name)) await this.#sites.delete(metadata.name);
    }
    const none = async (): Promise<boolean> => (await this.#sites.list()).items.length === 0;
    await this.#until('the sites to be gone', none);
    for (const owned of [this.#maps, this.#deployments]) {
      await owned.deleteCollection({ labelSelector: 'site' });
    }
  }

  /** Serves the live page of the operator and of the server. */
  async inspect(client: Client<SiteTypes>, server: ApiServer): Promise<Inspector> {
    const controllers = this.#operator;
    return await serveInspector({ controllers, client, server, title: 'site operator' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator.close();
    await this.#informers.close();
    await this.#running?.catch(() => {});
  }

  async #until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    try {
      await until(what, condition, this.signal);
    } catch (error) {
      if (this.#failure === undefined || this.signal.aborted) throw error;
      throw new Error(`${errorMessage(error)}; the operator: ${this.#failure}`, { cause: error });
    }
  }

  get #sites() {
    return this.#person.resource('example.com/v1', 'sites', { namespace: this.#namespace });
  }

  get #maps() {
    return this.#person.resource('v1', 'configmaps', { namespace: this.#namespace });
  }

  get #deployments() {
    return this.#person.resource('apps/v1', 'deployments', { namespace: this.#namespace });
  }

  async #create(name: string): Promise<void> {
    const spec = { greeting: `welcome to ${name}`, replicas: 1 };
    await this.#sites.create({
      apiVersion: 'example.com/v1',
      kind: 'Site',
      metadata: { name },
      spec,
    });
  }

  async #greet(name: string, greeting: string): Promise<void> {
    await this.#sites.patch(name, { spec: { greeting } });
  }

  async #served(names: readonly string[]): Promise<boolean> {
    const { items } = await this.#sites.list();
    const served = items.filter(
      ({ spec, status }) =>
        status?.conditions !== undefined && (!this.#runsPods || status.ready === spec.replicas),
    );
    return names.every((name) => served.some(({ metadata }) => metadata.name === name));
  }

  async #repaired(name: string): Promise<void> {
    const limits = { timeoutMs: HANG_MS, signal: this.signal };
    await this.#maps.wait(name, (map) => map !== undefined, limits);
  }

  async #page(name: string, greeting: string): Promise<void> {
    const limits = { timeoutMs: HANG_MS, signal: this.signal };
    const shows = `<h1>${greeting}</h1>`;
    await this.#maps.wait(name, (map) => map?.data?.['index.html'] === shows, limits);
  }

  /** Whether each informer has opened a watch since then, and has one now. */
  #connected(since: number): boolean {
    const watches = this.#states.slice(since).filter((state) => state === 'watching').length;
    const now = this.#informers.inspect();
    return watches >= now.length && now.every(({ connected }) => connected);
  }

  /** Prints the runs that ended since the last call as details, and returns them. */
  #newRuns() {
    const { history } = this.#operator.inspect();
    const runs = history.slice(this.#printed);
    this.#printed = history.length;
    for (const { key, startedAtMs, durationMs, result, reasons } of runs) {
      const why = reasons.map(describeReason).join(', ');
      const atMs = startedAtMs - performance.timeOrigin;
      this.#story.detail(`run ${key}: ${result} in ${Math.round(durationMs)} ms: ${why}`, atMs);
    }
    return runs;
  }

  /** Prints why the operator has run for these sites: the first reason of each. */
  async #printRuns(names: readonly string[]): Promise<void> {
    const ended = (): boolean => {
      const keys = this.#operator.inspect().history.slice(this.#printed);
      return names.every((name) => keys.some(({ key }) => key.endsWith(`/${name}`)));
    };
    await this.#until(`the runs for ${names.join(', ')}`, ended);
    const runs = this.#newRuns();
    for (const name of names) {
      const [reason] = runs.find(({ key }) => key.endsWith(`/${name}`))?.reasons ?? [];
      const { type = '', resource = '' } = reason ?? {};
      this.#story.say('operator', `runs for ${name}: ${resource} ${type}`);
    }
  }
}

async function keepRunning(server: ApiServer, page: Inspector, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'listwatch-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await server.writeKubeconfig(kubeconfig);
    console.log(`\nThe operator runs until Ctrl-C. Look at it in a browser: ${page.openUrl}`);
    console.log('Look at the server from another terminal:');
    console.log(`  kubectl --kubeconfig ${kubeconfig} get sites,configmaps`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await rm(folder, { recursive: true });
  }
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--port must be a number from 0 to 65535, not ${text}`);
}

await runProgram({
  name: 'quickstart',
  about: ABOUT,
  options: {
    keep: { type: 'boolean' },
    port: { type: 'string' },
    verbose: { type: 'boolean' },
  },
  main: async ({ keep = false, port, verbose = false, kubeconfig, context }, stop) => {
    const write = (text: string): boolean => process.stdout.write(text);
    const story = new Story({ write, color: wantsColor(process.stdout), verbose });
    const startedAtMs = performance.now();
    const fieldManager = 'site-operator';
    const settings = { kubeconfig, context, port: portOf(port), fieldManager, runsPods: true };
    await using cluster = await openCluster<SiteTypes>(settings);
    const { client, server } = cluster;
    // The client of the person uses no socket, so the server cannot cut its connection.
    const address =
      server === undefined
        ? { kubeconfig, context }
        : { transport: inProcessTransport(server.handler) };
    await using person = await connect<SiteTypes>({ ...address, fieldManager: 'person' });
    await using quickstart = new Quickstart(person, cluster, story, stop);

    const where = server === undefined ? 'A cluster' : 'A cluster in this process';
    await story.chapter(where, async () => {
      story.say('server', `listens on ${client.server}`);
      return await quickstart.apply();
    });
    await story.chapter('An operator starts', () => quickstart.start());
    await story.chapter('A person disturbs its work', () => quickstart.disturb());
    if (server !== undefined) {
      await story.chapter('Every connection is cut', () => quickstart.cut(server));
      await story.chapter('An outage, and its history is lost', () => quickstart.outage(server));
    }
    await story.chapter('A site goes', () => quickstart.remove());
    await story.chapter('Every cache is compared with the server', () => quickstart.compare());
    story.end(performance.now() - startedAtMs);
    if (server === undefined) await quickstart.cleanUp();
    else if (keep) {
      await using page = await quickstart.inspect(client, server);
      await keepRunning(server, page, quickstart.signal);
    }
    // The work ends with Ctrl-C, or with a failure of the operator.
    if (!stop.aborted) quickstart.signal.throwIfAborted();
  },
});
