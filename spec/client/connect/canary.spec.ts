import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { doctorCommand } from '../../../lib/cli/doctor/doctor-command.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { loadConfig } from '../../../lib/client/config/load-config.ts';
import { connect, type ConnectOptions } from '../../../lib/client/rest/connect.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { capturedHost } from '../../cli/support/captured-host.ts';
import { HANG_MS, until, within } from '../../support/until.ts';
import { rejectionOf } from '../support/failure-of.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import { RecordedMetrics } from '../support/recorded-metrics.ts';
import { ScratchDirectory } from '../support/scratch-directory.ts';
import { badInputs } from './bad-input/bad-inputs.ts';
import { credentialKinds } from './kinds/credential-kinds.ts';
import { PROXY_PASSWORD } from './kinds/proxy-kinds.ts';
import { Canaries } from './support/canaries.ts';
import { FrontCluster } from './support/front-cluster.ts';
import { HurriedRuntime } from './support/hurried-runtime.ts';
import type { WayIn } from './support/trial.ts';

const CONFIG_MAPS = { apiVersion: 'v1', resource: 'configmaps' };

const SECRETS_OF_BAD_INPUTS = [
  'a-constant-token',
  'a-stale-token',
  'a-wrong-password',
  'proxy-secret',
  'canary-plugin-output',
  'canary-plugin-argument',
  'canary-plugin-variable',
];

describe('a secret', () => {
  it('is found by the search, in every form in which it may be printed', () => {
    const canaries = new Canaries();
    canaries.add('the token', 'canary token/1');
    const basic = Buffer.from('canary token/1').toString('base64');
    for (const text of ['canary token/1', basic, 'canary%20token%2F1']) {
      expect(canaries.shownBy({ deep: [{ text }] }), text).to.deep.equal(['the token']);
    }
    const error = new Error('outer', { cause: new Error('canary token/1') });
    expect(canaries.shownBy(error)).to.deep.equal(['the token']);
    expect(canaries.shownBy('Bearer abcdefgh')).to.deep.equal(['a bearer token']);
    expect(canaries.shownBy('Basic amFuZTpwYXNz')).to.deep.equal(['a basic credential']);
    expect(canaries.shownBy('Basic authentication')).to.deep.equal([]);
    expect(canaries.shownBy('-----BEGIN PRIVATE KEY-----')).to.deep.equal(['a private key']);
    expect(canaries.shownBy({ text: 'another' })).to.deep.equal([]);
  });

  for (const kind of credentialKinds) {
    it(`of ${kind.name} is shown by no object, error, log line, metric, trace or doctor`, async () => {
      await using server = new ApiServer();
      await server.listen();
      await using scratch = await ScratchDirectory.make();
      const target = server.clientConfig();
      await using cluster = await FrontCluster.start({ target, namespace: 'default' });
      await using wayIn = await kind.open({ cluster, scratch });
      const shown = await everythingShown(cluster, wayIn);
      const canaries = await canariesOf(cluster, scratch);
      canaries.add('the token of the server', target.token);
      canaries.add('the password of the proxy', PROXY_PASSWORD);
      for (const [place, value] of shown) {
        expect(canaries.shownBy(value), `${place} shows`).to.deep.equal([]);
      }
      expect(canaries.count).to.be.at.least(2);
      expect(canaries.searched).to.be.at.least(10_000);
    });
  }

  for (const input of badInputs) {
    it(`is not shown by the failure of ${input.name}`, async () => {
      await using scratch = await ScratchDirectory.make();
      await using met = await input.open(scratch);
      const runtime = input.waits === true ? new HurriedRuntime(60) : realRuntime;
      const logger = new RecordedLog();
      const call = async (): Promise<void> => {
        await using client = await connect({ ...met.options, runtime, logger });
        await client.resource('v1', 'configmaps', { namespace: 'default' }).get('any');
      };
      const error = await within(rejectionOf(call()), input.name);
      const canaries = await canariesOf(undefined, scratch);
      for (const secret of SECRETS_OF_BAD_INPUTS) {
        canaries.add(secret, secret);
      }
      for (const value of [error, logger.lines, await doctorOutput(met.options)]) {
        expect(canaries.shownBy(value)).to.deep.equal([]);
      }
    });
  }
});

/** The output of a program while it uses a credential, while it rotates, and when everything fails; by its place. */
async function everythingShown(
  cluster: FrontCluster,
  wayIn: WayIn,
): Promise<ReadonlyMap<string, unknown>> {
  const shown = new Map<string, unknown>();
  const logger = new RecordedLog();
  const metrics = new RecordedMetrics();
  const traces: unknown[] = [];
  const { timeouts: _timeouts, ...config } = wayIn.options;
  const loaded = await loadConfig({ ...config, logger });
  shown.set('the configuration', loaded);
  shown.set('its credentials', await loaded.credentials?.current());
  shown.set('the source of its credentials', loaded.credentials);
  shown.set('the doctor', await doctorOutput(wayIn.options));
  await using client = await connect({
    ...wayIn.options,
    logger,
    metrics,
    onRequest: (trace) => traces.push(trace),
  });
  await using informer = new SharedIndexInformer({
    listerWatcher: client.listerWatcher(CONFIG_MAPS, { namespace: 'default' }),
    backoff: { baseMs: 5, capMs: 50 },
    logger,
    metrics,
  });
  const errors: unknown[] = [];
  informer.events.on('watch-error', (error, context) => errors.push(error, context));
  void informer.run().catch((error: unknown) => errors.push(error));
  await informer.whenSynced({ timeoutMs: HANG_MS });
  await wayIn.rotate?.();
  const { watches } = cluster.front.counts;
  cluster.cut('reset');
  await until('the informer watches again', () => cluster.front.counts.watches > watches);
  const configMaps = client.resource('v1', 'configmaps', { namespace: 'default' });
  const fail = async (work: Promise<unknown>): Promise<void> => {
    errors.push(await within(rejectionOf(work), 'the failure'));
  };
  await fail(configMaps.get('missing'));
  await fail(configMaps.list({ labelSelector: 'a in (' }));
  await fail(configMaps.get('missing', { signal: AbortSignal.abort() }));
  cluster.front.accept(() => false);
  await fail(configMaps.get('refused'));
  cluster.cut('reset');
  await until('the informer is refused', () =>
    errors.some((error) => (error as { code?: unknown }).code === 'UNAUTHORIZED'),
  );
  const { front } = cluster;
  front.present(cluster.foreignCertificate());
  front.cut();
  await fail(configMaps.get('foreign'));
  shown.set('the client', client);
  shown.set('the informer', informer);
  shown.set('its inspection', informer.inspect());
  await informer.close();
  await client.close();
  await fail(configMaps.get('closed'));
  for (const [index, error] of errors.entries()) shown.set(`error ${index}`, error);
  shown.set('the log', logger.lines);
  shown.set('metrics', metrics.all);
  shown.set('traces', traces);
  expect(traces.length).to.be.at.least(5);
  expect(metrics.all.length).to.be.at.least(5);
  return shown;
}

/** Its report as text and as JSON, with all that it has measured. */
async function doctorOutput({ kubeconfig, env = {} }: ConnectOptions): Promise<string> {
  if (typeof kubeconfig !== 'string') return '';
  let output = '';
  for (const format of [['--verbose'], ['--json']]) {
    const host = capturedHost({ env });
    const parameters = ['--kubeconfig', kubeconfig, '--timeout', '2s', ...format];
    await within(doctorCommand().run(parameters, host), 'listwatch doctor');
    output += host.stdout.text + host.stderr.text;
  }
  return output;
}

/** All secrets that were issued or presented, and those in the files of the configuration. */
async function canariesOf(
  cluster: FrontCluster | undefined,
  scratch: ScratchDirectory,
): Promise<Canaries> {
  const canaries = new Canaries();
  for (const [name, secret] of cluster?.secrets() ?? []) {
    if (secret.includes('PRIVATE KEY')) canaries.addKey(name, secret);
    else canaries.add(name, secret);
  }
  for (const name of await readdir(scratch.path, { recursive: true })) {
    if (!/\.key$|token$/.test(name)) continue;
    const text = await readFile(join(scratch.path, name), 'utf8');
    if (text.includes('PRIVATE KEY')) canaries.addKey(name, text);
    else canaries.add(name, text);
  }
  return canaries;
}
