import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { isListwatchError } from '../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import type {
  InspectorSnapshot,
  ObjectReport,
} from '../../lib/inspector/contract/inspector-snapshot.ts';
import type { InspectorOptions } from '../../lib/inspector/inspector-options.ts';
import { serveInspector } from '../../lib/inspector/serve-inspector.ts';
import { until } from '../support/until.ts';
import { ask, InspectorWorld } from './support/inspector-world.ts';

const TOKEN = 'a-token-of-the-specs';

async function problemOf(options: InspectorOptions): Promise<string> {
  try {
    await using inspector = await serveInspector(options);
    return `it serves ${inspector.url}`;
  } catch (error) {
    return isListwatchError(error) ? `${error.code}: ${error.message}` : String(error);
  }
}

describe('serveInspector', () => {
  it('listens on loopback and a free port, until it is closed', async () => {
    const inspector = await serveInspector();
    expect(inspector.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(inspector.openUrl).to.equal(inspector.url);
    expect((await ask(inspector.url, '/')).status).to.equal(200);
    await inspector.close();
    await inspector.close();
    const refused = await ask(inspector.url, '/').catch((error: unknown) => String(error));
    expect(refused).to.match(/ECONNREFUSED/);
  });

  it('closes when its signal aborts', async () => {
    const abort = new AbortController();
    const inspector = await serveInspector({ signal: abort.signal });
    abort.abort();
    await until('the port to be closed', async () => {
      const got = await ask(inspector.url, '/').catch(() => undefined);
      return got === undefined;
    });
  });

  it('serves other machines only with a token', async () => {
    expect(await problemOf({ host: '0.0.0.0' })).to.match(
      /^INVALID_OPTION: .*"host" opens it to the network \(0\.0\.0\.0\), so that it needs option "token"/,
    );
    expect(await problemOf({ host: '0.0.0.0', token: 'short' })).to.match(/at least 16 characters/);
    expect(await problemOf({ host: '0.0.0.0', token: TOKEN })).to.match(/^it serves/);
  });

  it('names a port that is taken', async () => {
    await using other = await serveInspector();
    const port = Number(new URL(other.url).port);
    expect(await problemOf({ port })).to.match(/^PORT_IN_USE: port \d+ on 127\.0\.0\.1 is taken/);
  });

  it('names a wrong option', async () => {
    expect(await problemOf({ informer: [] } as InspectorOptions)).to.match(
      /did you mean "informers"/,
    );
    expect(await problemOf({ port: 70_000 })).to.match(/option "port" must be a whole number/);
    expect(await problemOf({ updateIntervalMs: 1 })).to.match(/"updateIntervalMs" must be/);
  });

  const WRONG_PARTS: readonly [given: object, text: string][] = [
    [{ controllers: {} }, '"controllers" takes what controller(…) makes'],
    [{ controllers: 'sites' }, '"controllers" takes'],
    [{ queues: [undefined] }, '"queues" takes a queue'],
    [{ informers: [{}] }, '"informers" takes a SharedInformerFactory'],
    [{ client: {} }, '"client" takes the client that connect() gives'],
    [{ server: {} }, '"server" takes an ApiServer'],
    [{ cluster: {} }, '"cluster" takes what startCluster() gives'],
    [{ metrics: {} }, '"metrics" takes an object with text()'],
    [{ title: 5 }, '"title" must be a string'],
  ];
  for (const [given, text] of WRONG_PARTS) {
    it(`refuses ${JSON.stringify(given)}: ${text}`, async () => {
      expect(await problemOf(given)).to.include(`INVALID_OPTION: serveInspector: option ${text}`);
    });
  }

  it('has a page whose only code and style are its own, for its own origin', async () => {
    await using inspector = await serveInspector();
    const { headers, text } = await ask(inspector.url, '/');
    const policy = String(headers['content-security-policy']);
    expect(policy).to.match(/^default-src 'none';/);
    expect(policy).to.not.match(/unsafe/);
    for (const tag of ['script', 'style']) {
      const [, content = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text) ?? [];
      const digest = createHash('sha256').update(content).digest('base64');
      expect(policy).to.contain(`${tag}-src 'sha256-${digest}'`);
    }
    expect(headers['access-control-allow-origin']).to.equal(undefined);
    expect(headers).to.include({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
  });
});

describe('an inspector with a token', () => {
  const withToken = { token: TOKEN, logger: silentLogger };

  it('refuses a bad token, and does not repeat it', async () => {
    await using inspector = await serveInspector(withToken);
    const bad = 'another-token-that-is-wrong';
    const answers = [
      await ask(inspector.url, '/'),
      await ask(inspector.url, '/metrics'),
      await ask(inspector.url, '/api/events', { headers: { authorization: `Bearer ${bad}` } }),
      await ask(inspector.url, `/?token=${bad}`),
      await ask(inspector.url, '/debug/dump', {
        headers: { cookie: `listwatch-inspector-1=${bad}` },
      }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([401, 401, 401, 401, 401]);
    for (const { text } of answers) {
      expect(text).to.match(/Open the address that the program printed/);
      expect(text).to.not.contain(bad);
    }
  });

  it('lets programs in by a header, and browsers by a cookie that is not the token', async () => {
    await using inspector = await serveInspector(withToken);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await ask(inspector.url, '/metrics', { headers })).status).to.equal(200);
    expect(inspector.openUrl).to.equal(`${inspector.url}/?token=${TOKEN}`);
    const entered = await ask(inspector.url, `/?token=${TOKEN}`);
    expect(entered).to.deep.include({ status: 303 });
    expect(entered.headers['location']).to.equal('/');
    const [cookie = ''] = String(entered.headers['set-cookie']).split(';');
    expect(String(entered.headers['set-cookie'])).to.match(/HttpOnly; SameSite=Strict; Path=\/$/);
    expect(cookie).to.not.contain(TOKEN);
    expect((await ask(inspector.url, '/', { headers: { cookie } })).status).to.equal(200);
  });

  it('shows its token neither in JSON nor when it is printed', async () => {
    await using inspector = await serveInspector(withToken);
    const { inspect } = await import('node:util');
    expect(JSON.stringify(inspector) + inspect(inspector, { depth: 9 })).to.not.contain(TOKEN);
  });
});

describe('a request to an inspector', () => {
  it('is refused when it names a foreign host, in words', async () => {
    await using inspector = await serveInspector();
    for (const path of ['/', '/api/events', '/metrics', '/debug/dump', '/no-such-page']) {
      const got = await ask(inspector.url, path, { headers: { host: 'evil.example:80' } });
      expect(got.status, path).to.equal(403);
      expect(got.text).to.equal(
        'The Host header names "evil.example:80", which is not this inspector. Open it by its own address, or give serveInspector this name in "allowedHosts".\n',
      );
    }
    const local = { headers: { host: 'localhost' } };
    expect((await ask(inspector.url, '/', local)).status).to.equal(200);
  });

  it('may name a host that is allowed', async () => {
    await using inspector = await serveInspector({ allowedHosts: ['Inspector.Shop'] });
    const headers = { host: 'inspector.shop:9000' };
    expect((await ask(inspector.url, '/', { headers })).status).to.equal(200);
  });

  it('is refused when a page of another site makes it', async () => {
    await using inspector = await serveInspector();
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    const audit = await ask(inspector.url, '/api/audit?informer=pods', { method: 'POST', headers });
    expect(audit).to.include({ status: 403 });
    expect(audit.text).to.match(/page of another site/);
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await ask(inspector.url, '/', { headers: link })).status).to.equal(200);
  });

  it('gets the pages and methods that there are', async () => {
    await using inspector = await serveInspector();
    expect((await ask(inspector.url, '/nothing')).text).to.match(/^No such page; there are \/, /);
    const audit = await ask(inspector.url, '/api/audit');
    expect(audit).to.include({ status: 405, text: 'Only POST is answered here.\n' });
    expect((await ask(inspector.url, '/', { method: 'DELETE' })).status).to.equal(405);
    const head = await ask(inspector.url, '/', { method: 'HEAD' });
    expect(head).to.include({ status: 200, text: '' });
  });
});

describe('the pages of an inspector', () => {
  it('show the state of informers, controllers and server', async () => {
    await using world = await InspectorWorld.start();
    await world.createPage('front');
    const { url } = await world.inspect();
    await until('a run', () => world.pages.inspect().runs.done > 0);
    const { text } = await ask(url, '/debug/snapshot');
    const state = JSON.parse(text) as InspectorSnapshot;
    expect(state.title).to.equal('shop operator');
    expect(state.informers.map(({ name }) => name)).to.have.members(['configmaps', 'secrets']);
    expect(state.informers[0]).to.include({ phase: 'running', connected: true, relists: 0 });
    expect(state.controllers[0]?.history[0]).to.include({ key: 'shop/front', result: 'done' });
    expect(state.client?.streams).to.equal(2);
    const maps = state.server?.resources.find(({ resource }) => resource === 'configmaps');
    expect(maps?.cache).to.include({ objectCount: 1, watcherCount: 1, readiness: 'ready' });
  });

  it('compare an informer with the server', async () => {
    await using world = await InspectorWorld.start();
    const { url } = await world.inspect();
    const path = '/api/audit?informer=secrets';
    const { text } = await ask(url, path, { method: 'POST' });
    expect(JSON.parse(text)).to.have.nested.include({
      'report.consistent': true,
      'report.objects': 1,
    });
    const unknown = await ask(url, '/api/audit?informer=pods', { method: 'POST' });
    expect(unknown).to.include({ status: 404, text: 'There is no such informer now.\n' });
  });

  it('show where a key is, and why', async () => {
    await using world = await InspectorWorld.start({
      work: async (name) => {
        if (name === 'bad') throw new Error('the page has no title');
      },
    });
    await world.createPage('bad');
    const { url } = await world.inspect();
    await until('a failure', () => world.pages.inspect().runs.failed > 4);
    const { text } = await ask(url, '/api/key?key=shop%2Fbad');
    const report = JSON.parse(text) as { queues: object[]; runs: object[]; caches: object[] };
    expect(report.caches[0]).to.include({ informer: 'configmaps', deleting: false });
    expect(report.queues[0]).to.include({ queue: 'pages', reason: 'the page has no title' });
    expect(report.runs[0]).to.include({ controller: 'pages', result: 'failed' });
    const nowhere = JSON.parse((await ask(url, '/api/key?key=shop%2Fnone')).text) as typeof report;
    expect(nowhere).to.deep.include({ caches: [], runs: [] });
    expect(nowhere.queues[0]).to.include({ state: 'idle', text: 'not in the queue' });
  });

  it('find keys, and show an object with its difference to the server, without its secrets', async () => {
    await using world = await InspectorWorld.start();
    const { url } = await world.inspect();
    const found = JSON.parse(
      (await ask(url, '/api/keys?informer=secrets&text=DATA')).text,
    ) as object;
    expect(found).to.deep.equal({ total: 1, matched: 1, searched: 1, keys: ['shop/database'] });
    const path = '/api/object?informer=secrets&key=shop%2Fdatabase&server=1';
    const report = JSON.parse((await ask(url, path)).text) as ObjectReport;
    expect(report.yaml).to.match(/password: \(masked, \d+ characters\)/);
    expect(report.notes).to.deep.equal(['1 value is masked.']);
    expect(report.difference).to.include({ equal: true, resourceVersion: report.resourceVersion });
    const gone = await ask(url, '/api/object?informer=secrets&key=shop%2Fnone');
    expect(gone).to.include({ status: 404, text: 'The cache has no shop/none now.\n' });
  });

  it('show an object of 1 MB truncated, with a note', async () => {
    await using world = await InspectorWorld.start();
    const { url } = await world.inspect();
    const lines = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`part-${index}`, 'x'.repeat(10_000)]),
    );
    await world.createPage('large', lines);
    const maps = world.informers.informers.find(({ name }) => name === 'configmaps');
    await until('the object', () => maps?.indexer.has('shop/large') === true);
    const { text } = await ask(url, '/api/object?informer=configmaps&key=shop%2Flarge');
    const report = JSON.parse(text) as ObjectReport;
    expect(text.length).to.be.lessThan(100_000);
    expect(report.notes[0]).to.match(
      /^Truncated to 64 KiB: \d+ long texts are cut, by \d+ characters; \d+ fields and items are left out\.$/,
    );
  });

  it('are metrics in the text of Prometheus, or those that were given', async () => {
    await using world = await InspectorWorld.start();
    const { url } = await world.inspect();
    const { text, headers } = await ask(url, '/metrics');
    expect(headers['content-type']).to.match(/^text\/plain; version=0\.0\.4/);
    expect(text).to.contain('listwatch_informer_connected{name="secrets"} 1\n');
    expect(text).to.contain('listwatch_informer_store_objects{name="secrets"} 1\n');
    expect(text).to.contain('workqueue_depth{name="pages",priority=""} 0\n');
    await using other = await serveInspector({ metrics: { text: () => 'own 1\n' } });
    expect((await ask(other.url, '/metrics')).text).to.equal('own 1\n');
  });

  it('are probes that answer any host without the token, and show nothing else', async () => {
    await using world = await InspectorWorld.start();
    const { url } = await world.inspect({ token: TOKEN });
    const headers = { host: '10.0.0.7:8080' };
    expect(await ask(url, '/healthz', { headers })).to.include({ status: 200, text: 'ok\n' });
    expect(await ask(url, '/readyz', { headers })).to.include({ status: 200, text: 'ok\n' });
    world.informers.for('v1', 'pods', { missingResource: 'wait' });
    const fault = world.server.faults.add({ match: { resource: 'services' }, reset: true });
    world.informers.for('v1', 'services');
    expect(await ask(url, '/readyz', { headers })).to.include({ status: 500, text: 'failed\n' });
    const authorized = { headers: { authorization: `Bearer ${TOKEN}` } };
    expect((await ask(url, '/debug/health', authorized)).text).to.match(/\[-\]services failed: /);
    fault.remove();
  });

  it('are a dump of the caches, in which secrets are masked unless a token lets them be shown', async () => {
    await using world = await InspectorWorld.start();
    await world.createPage('front');
    const maps = world.informers.informers.find(({ name }) => name === 'configmaps');
    await until('the object', () => maps?.indexer.has('shop/front') === true);
    const { url } = await world.inspect();
    const masked = await ask(url, '/debug/dump');
    const lines = masked.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines.filter((line) => 'dump' in line)).to.have.length(2);
    expect(lines.filter((line) => 'kind' in line)).to.have.length(2);
    expect(lines.filter((line) => 'end' in line)).to.have.length(2);
    const encoded = Buffer.from('correct-horse').toString('base64');
    expect(masked.text).to.not.contain(encoded);
    expect(await ask(url, '/debug/dump?secrets=show')).to.include({ status: 403 });
    const unknown = await ask(url, '/debug/dump?informer=pods');
    expect(unknown.status).to.equal(404);
    expect(unknown.text).to.match(/^There is no such informer now; there are: .*configmaps/);
    await using other = await serveInspector({ informers: world.informers, token: TOKEN });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const path = '/debug/dump?secrets=show&informer=secrets';
    expect((await ask(other.url, path, { headers })).text).to.contain(encoded);
  });

  it('are a saved page that connects to nothing and holds the keys that fail', async () => {
    await using world = await InspectorWorld.start({
      work: async () => {
        throw new Error('</script><b>no</b>');
      },
    });
    await world.createPage('bad');
    const { url } = await world.inspect();
    await until('a failure', () => world.pages.inspect().runs.failed > 0);
    const { text, headers } = await ask(url, '/saved.html');
    expect(headers['content-disposition']).to.match(/^attachment; filename="listwatch-.*\.html"$/);
    expect(text).to.contain("connect-src 'none'");
    const [, data = ''] = /id="saved">([^]*?)<\/script>/.exec(text) ?? [];
    const saved = JSON.parse(data) as { keys: { key: string }[]; snapshot: InspectorSnapshot };
    expect(saved.keys[0]?.key).to.equal('shop/bad');
    expect(saved.snapshot.controllers[0]?.queue.failing.keys[0]?.reason).to.equal(
      '</script><b>no</b>',
    );
  });

  it('stay small when thousands of keys are worked on', async () => {
    await using world = await InspectorWorld.start();
    const { url } = await world.inspect();
    const keys = 5000;
    for (let index = 0; index < keys; index += 1) {
      world.pages.enqueue({ name: `page-${index}`, namespace: 'shop' });
    }
    const during = await ask(url, '/debug/snapshot');
    await until('all runs', () => world.pages.inspect().runs.gone >= keys);
    const after = await ask(url, '/debug/snapshot');
    const [state] = (JSON.parse(after.text) as InspectorSnapshot).controllers;
    expect(state?.runs.gone).to.equal(keys);
    expect(state?.history).to.have.length(60);
    expect(during.text.length).to.be.lessThan(100_000);
    expect(after.text.length).to.be.lessThan(100_000);
  });
});
