import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { runCommandLine } from '../../../lib/cli/run-command-line.ts';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { until } from '../../support/until.ts';
import { capturedHost, type CapturedHost } from '../support/captured-host.ts';
import { ServeRun } from '../support/serve-fixture.ts';

describe('listwatch record, replay and dump', () => {
  let directory: ScratchDirectory;
  let server: ServeRun;
  let kubeconfig: string;

  beforeEach(async () => {
    directory = await ScratchDirectory.make();
    server = new ServeRun(directory.path, ['--port', '0', '--json']);
    ({ kubeconfig } = await server.readyDocument());
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  async function run(
    words: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ readonly code: number; readonly host: CapturedHost }> {
    const host = capturedHost({
      homeDir: directory.path,
      ...(signal === undefined ? {} : { signal }),
    });
    return { code: await runCommandLine(words, host), host };
  }

  const recordWords = (file: string): readonly string[] => {
    const where = ['-n', 'default', '--kubeconfig', kubeconfig];
    return ['record', 'cm', ...where, '--out', file];
  };

  /** `listwatch record`, which has begun. */
  async function startRecording(file: string): Promise<{
    readonly recording: Promise<number>;
    readonly interruption: AbortController;
    readonly host: CapturedHost;
  }> {
    const interruption = new AbortController();
    const host = capturedHost({ homeDir: directory.path, signal: interruption.signal });
    const recording = runCommandLine(recordWords(file), host);
    await until('the recording', () => host.stderr.text.startsWith('recording configmaps'));
    return { recording, interruption, host };
  }

  it('record until they are interrupted, and replay the notifications of handlers', async () => {
    const file = join(directory.path, 'maps.listwatch');
    await using client = await connect({ kubeconfig, env: {} });
    const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
    const { recording, interruption, host } = await startRecording(file);
    const made = await maps.create({ metadata: { name: 'one' } });
    await maps.patch('one', { data: { a: 'b' } });
    await maps.delete('one');
    const key = `default/one`;
    await until('the deletion', () => readFileSync(file).includes(`"a":"b"`));
    interruption.abort();
    expect(await recording, host.stderr.text).to.equal(0);
    expect(host.stdout.text).to.match(/maps\.listwatch: \d+ records, \d+ bytes\n$/);
    expect(lstatSync(file).mode & 0o777).to.equal(0o600);

    const played = await run(['replay', file]);
    expect(played.code, played.host.stderr.text).to.equal(0);
    const { lines } = played.host.stdout;
    expect(lines.map((line) => line.trim().replace(/^[\d.]+ /, ''))).to.include(
      `+ ${key} ${made.metadata?.resourceVersion}`,
    );
    expect(
      lines.filter((line) => line.includes(key)).map((line) => line.trim().split(' ')[1]),
    ).to.deep.equal(['+', '~', '-']);
    expect(played.host.stderr.text).to.match(
      /configmaps in namespace default: \d+ records of [\d.]+ s from 20/,
    );

    const cut = join(directory.path, 'cut.listwatch');
    writeFileSync(cut, readFileSync(file).subarray(0, -7));
    const refused = await run(['replay', cut]);
    expect(refused.code).to.equal(1);
    expect(refused.host.stderr.text).to.include('cut short').and.to.include('RECORDING_INVALID');
    expect((await run(['replay', cut, '--partial'])).code).to.equal(0);
    expect((await run(['replay', file, '--port', '1'])).host.stderr.text).to.include('--serve');
    expect((await run(['replay', file, '--speed', 'step'])).code).to.equal(2);
    const taken = await run(recordWords(file));
    expect(taken.code).to.equal(1);
    expect(taken.host.stderr.text).to.include('(RECORDING_FILE)');
  });

  it('keep the last minutes in memory, and write them at the end', async () => {
    const file = join(directory.path, 'kept.listwatch');
    const words = [
      'record',
      'namespaces',
      '--kubeconfig',
      kubeconfig,
      '--out',
      file,
      '--keep',
      '5m',
      '--for',
      '200ms',
    ];
    const { code, host } = await run(words);
    expect(code, host.stderr.text).to.equal(0);
    expect(host.stdout.text).to.match(/kept\.listwatch: the last [1-9]\d* records\n$/);
    const played = await run(['replay', file, '--dump']);
    expect(played.host.stdout.text).to.include('"name":"kube-system"');
  });

  it('dump a cache with masked Secrets, to standard output or a file for its owner', async () => {
    await using client = await connect({ kubeconfig, env: {} });
    const secret = { metadata: { name: 'hidden' }, stringData: { a: 'not to be seen' } };
    await client.resource('v1', 'secrets', { namespace: 'default' }).create(secret);
    const { code, host } = await run(['dump', 'secrets', '--kubeconfig', kubeconfig]);
    expect(code, host.stderr.text).to.equal(0);
    expect(host.stdout.text).to.include('"name":"hidden"').and.to.include('bWFza2Vk');
    expect(host.stdout.text).not.to.include(Buffer.from('not to be seen').toString('base64'));
    expect(host.stdout.lines.at(-1)).to.match(/^\{"end":true,"objects":\d+\}$/);
    const file = join(directory.path, 'secrets.jsonl');
    expect((await run(['dump', 'secrets', '--kubeconfig', kubeconfig, '-o', file])).code).to.equal(
      0,
    );
    expect(lstatSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(directory.path).filter((name) => name.endsWith('.tmp'))).to.deep.equal([]);
  });

  it('refuse arguments that cannot be used with exit code 2, and unknown resources with 1', async () => {
    for (const words of [
      ['record'],
      ['replay', 'a', 'b'],
      ['replay', 'a', '--speed', 'fast'],
      ['record', 'pods', '--max-bytes', 'many'],
      ['record', 'pods', '--for', 'ever'],
      ['record', 'pods', '--mask', 'all'],
      ['dump', 'secrets', '--mask', 'data,Everything'],
      ['dump', 'namespaces', '-n', 'default', '--kubeconfig', kubeconfig],
    ]) {
      expect((await run(words)).code, words.join(' ')).to.equal(2);
    }
    const { code, host } = await run(['dump', 'pdos', '--kubeconfig', kubeconfig]);
    expect(code).to.equal(1);
    expect(host.stderr.text).to.include('RESOURCE_UNKNOWN');
  });

  it('replay --serve serves the recording to clients, and a line of input gives a step', async () => {
    const file = join(directory.path, 'maps.listwatch');
    await using client = await connect({ kubeconfig, env: {} });
    const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
    const { recording, interruption } = await startRecording(file);
    await maps.create({ metadata: { name: 'one' } });
    await until('the object', () => readFileSync(file).includes('"one"'));
    interruption.abort();
    await recording;

    const stop = new AbortController();
    const input = new PassThrough();
    const served = capturedHost({
      homeDir: directory.path,
      signal: stop.signal,
      stdin: () => input,
    });
    const running = runCommandLine(['replay', file, '--serve', '--speed', 'step'], served);
    await until('the address', () => served.stdout.text.includes('http://'));
    const [, url = ''] =
      /serving configmaps in namespace default on (\S+),/.exec(served.stdout.text) ?? [];
    await using reader = await connect({ server: url, env: {} });
    const events = reader.resource('v1', 'configmaps', { namespace: 'default' });
    await using informers = new SharedInformerFactory(reader);
    const informer = informers.for('v1', 'configmaps', { namespace: 'default' });
    informers.start();
    const isOver = (): boolean => served.stderr.text.includes('the last record');
    for (let steps = 1; !isOver(); steps += 1) {
      input.write('\n');
      const notified = (): number => served.stderr.text.match(/^\d+\.\d{3} /gm)?.length ?? 0;
      await until('a step', () => notified() === steps || isOver());
    }
    await until('the object', () => informer.lister.list().length > 0);
    expect((await events.list()).items.map(({ metadata }) => metadata?.name)).to.include('one');
    stop.abort();
    expect(await running, served.stderr.text).to.equal(0);
  });

  it('record several resources, say which a recording has, and serve all of them', async () => {
    const file = join(directory.path, 'incident.listwatch');
    const words = ['record', 'cm', 'ns', '-n', 'default', '--kubeconfig', kubeconfig];
    const made = await run([...words, '--out', file, '--for', '200ms']);
    expect(made.code, made.host.stderr.text).to.equal(0);
    expect(made.host.stderr.text).to.match(/recording configmaps in .*; namespaces, 4 objects, to/);
    const played = await run(['replay', file]);
    expect(played.code, played.host.stderr.text).to.equal(0);
    expect(played.host.stdout.text).to.match(/ \+ namespaces kube-system \d+\n/);
    expect(played.host.stderr.text)
      .to.match(/^2 collections, \d+ records of /)
      .and.to.include('configmaps in namespace default: 1 objects at the end')
      .and.to.include('namespaces: 4 objects at the end');
    const minutes = join(directory.path, 'minutes.listwatch');
    const kept = await run([...words, '--out', minutes, '--keep', '1m', '--for', '200ms']);
    expect(kept.code, kept.host.stderr.text).to.equal(0);
    const again = await run(['replay', minutes]);
    expect(again.host.stderr.text)
      .to.match(/^2 collections, /)
      .and.to.include('namespaces: 4 objects at the end');

    const stop = new AbortController();
    const served = capturedHost({ homeDir: directory.path, signal: stop.signal });
    const running = runCommandLine(['replay', file, '--serve', '--speed', 'instant'], served);
    await until('the address', () => served.stdout.text.includes('http://'));
    const [, url = ''] = /serving .*; namespaces on (\S+),/.exec(served.stdout.text) ?? [];
    await using reader = await connect({ server: url, env: {} });
    expect((await reader.resource('v1', 'namespaces').list()).items).to.have.length(4);
    const maps = reader.resource('v1', 'configmaps', { namespace: 'default' });
    expect((await maps.list()).items.map(({ metadata }) => metadata?.name)).to.deep.equal([
      'kube-root-ca.crt',
    ]);
    stop.abort();
    expect(await running, served.stderr.text).to.equal(0);
  });
});
