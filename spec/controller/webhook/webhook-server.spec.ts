import { expect } from 'chai';
import {
  ApiError,
  connect,
  Manager,
  WebhookServer,
  type WebhookServerOptions,
} from '../../../lib/index.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import { RecordedLog } from '../../client/support/recorded-log.ts';
import { until, within } from '../../support/until.ts';
import {
  failureOf,
  fromHub,
  toHub,
  V2,
  WebhookWorld,
  type CouponTypes,
  type CouponV1,
} from './webhook-world.ts';

const ADMISSION = 'admissionregistration.k8s.io/v1';

function messageOf(error: Error | undefined): string | undefined {
  return error instanceof ApiError ? error.status.message : error?.message;
}

describe('WebhookServer', () => {
  let world: WebhookWorld;
  let logger: RecordedLog;

  beforeEach(async () => {
    world = await WebhookWorld.open();
    logger = new RecordedLog();
  });

  afterEach(async () => {
    await world[Symbol.asyncDispose]();
  });

  function make(options: Partial<WebhookServerOptions> = {}): WebhookServer<CouponTypes> {
    return new WebhookServer(world.client, { name: 'shop', logger, ...options });
  }

  const coupon = (name: string, percent: number) => ({
    ...V2,
    metadata: { name },
    spec: { percent },
  });

  it('changes and refuses objects of a server that it has registered itself at', async () => {
    const webhooks = make()
      .mutate('x.io/v2', 'coupons', ({ object }) => {
        object.spec.currency ??= 'EUR';
      })
      .validate('x.io/v2', 'coupons', ({ object, deny }) => {
        if (object.spec.percent > 50) deny('must be at most 50', { field: 'spec.percent' });
      });
    await world.run(webhooks);
    expect((await world.coupons.create(coupon('a', 5))).spec.currency).to.equal('EUR');
    const refused = await failureOf(world.coupons.create(coupon('b', 60)));
    expect(refused).to.be.instanceOf(ApiError).and.include({ code: 'INVALID' });
    expect(messageOf(refused)).to.equal(
      'admission webhook "coupons.v2.x.io" denied the request: spec.percent: must be at most 50',
    );
    expect(webhooks.inspect()).to.deep.include({
      phase: 'ready',
      webhooks: ['coupons.v2.x.io', 'coupons.v2.x.io'],
      certificateProblem: undefined,
    });
    expect(() => {
      webhooks.check();
    }).to.not.throw();
  });

  it('is asked about built-in objects, deletions and dry runs, and shows warnings', async () => {
    const seen: unknown[] = [];
    const webhooks = make().validate(
      'v1',
      'configmaps',
      ({ oldObject, isDryRun, deny, warn }) => {
        seen.push([oldObject.data?.['keep'], isDryRun]);
        if (oldObject.data?.['keep'] === 'yes') deny('is kept');
        else warn('is gone');
      },
      { operations: ['DELETE'], objectSelector: { matchLabels: { kept: 'asked' } } },
    );
    await world.run(webhooks);
    const maps = world.client.resource('v1', 'configmaps', { namespace: 'default' });
    const labels = { kept: 'asked' };
    await maps.create({ metadata: { name: 'one', labels }, data: { keep: 'yes' } });
    await maps.create({ metadata: { name: 'two', labels }, data: { keep: 'no' } });
    await maps.create({ metadata: { name: 'other' }, data: { keep: 'yes' } });
    const refused = await failureOf(maps.delete('one'));
    expect(messageOf(refused)).to.equal(
      'admission webhook "configmaps.v1.core" denied the request: is kept',
    );
    expect(refused).to.include({ code: 'FORBIDDEN' });
    await maps.delete('two', { dryRun: true });
    await maps.delete('two');
    await maps.delete('other');
    expect(seen).to.deep.equal([
      ['yes', false],
      ['no', true],
      ['no', false],
    ]);
  });

  it('converts lists of objects, and watches, into another version', async () => {
    await world.run(make().convert('x.io/v1', 'coupons', { hub: 'x.io/v2', toHub, fromHub }));
    for (const [name, percent] of [
      ['a', 1],
      ['b', 2],
    ] as const) {
      await world.coupons.create(coupon(name, percent));
    }
    const old = world.client.resource('x.io/v1', 'coupons', { namespace: 'default' });
    const { items } = await old.list();
    expect(items.map(({ spec }) => spec.discount)).to.deep.equal(['1 %', '2 %']);
    const written = await old.create({
      apiVersion: 'x.io/v1',
      kind: 'Coupon',
      metadata: { name: 'c' },
      spec: { discount: '3 %' },
    });
    expect(written.spec).to.deep.equal({ discount: '3 %' });
    expect((await world.coupons.get('c')).spec).to.deep.equal({ percent: 3 });
  });

  it('fails a request with one line when a conversion changes the name of an object', async () => {
    const wrong = (one: Parameters<typeof fromHub>[0]): CouponV1 => ({
      ...fromHub(one),
      metadata: { ...one.metadata, name: 'other' },
    });
    await world.run(
      make().convert('x.io/v1', 'coupons', { hub: 'x.io/v2', toHub, fromHub: wrong }),
    );
    await world.coupons.create(coupon('a', 1));
    const old = world.client.resource('x.io/v1', 'coupons', { namespace: 'default' });
    expect(messageOf(await failureOf(old.get('a')))).to.equal(
      'conversion webhook for x.io/v2, Kind=Coupon failed: coupons.x.io default/a: fromHub of x.io/v1 changed metadata.name from "a" to "other"; return the metadata of the object: a conversion may change labels and annotations only',
    );
  });

  it('lets the failure policy decide when a function throws', async () => {
    const broken = (): never => {
      throw new Error('no database');
    };
    await world.run(
      make()
        .validate('x.io/v2', 'coupons', broken, { name: 'strict.x.io.shop' })
        .validate('v1', 'configmaps', broken, { failurePolicy: 'Ignore' }),
    );
    const error = await failureOf(world.coupons.create(coupon('a', 1)));
    expect(messageOf(error)).to.equal(
      'Internal error occurred: failed calling webhook "strict.x.io.shop": failed to call webhook: the function of strict.x.io.shop failed: no database',
    );
    expect(error?.message).to.match(/; correct the function of the webhook strict\.x\.io\.shop$/);
    const maps = world.client.resource('v1', 'configmaps', { namespace: 'default' });
    await maps.create({ metadata: { name: 'let-through' } });
    expect(logger.lines.filter(({ level }) => level === 'error')).to.have.length(2);
  });

  it('answers before the API server gives up, and aborts the signal of the function', async () => {
    const aborted = deferred<void>();
    await world.run(
      make().validate(
        'x.io/v2',
        'coupons',
        ({ signal }) =>
          new Promise<void>(() => {
            signal.addEventListener('abort', () => {
              aborted.resolve();
            });
          }),
        { timeoutSeconds: 1 },
      ),
    );
    const error = await failureOf(world.coupons.create(coupon('a', 1)));
    expect(messageOf(error)).to.include(
      'failed to call webhook: there was no answer to the webhook within 800 ms; raise timeoutSeconds, or let the function pass on its signal',
    );
    await within(aborted.promise, 'the signal of the function to abort');
  });

  it('holds calls for admission until it is warm, and converts meanwhile', async () => {
    const warm = deferred<void>();
    let asked = 0;
    const webhooks = make({ warmUp: () => warm.promise })
      .validate('v1', 'configmaps', () => {
        asked += 1;
      })
      .convert('x.io/v1', 'coupons', { hub: 'x.io/v2', toHub, fromHub });
    const running = world.run(webhooks);
    await within(webhooks.whenStarted(), 'the webhooks to listen');
    expect(() => {
      webhooks.check();
    }).to.throw('the webhook server is warming up');
    await world.coupons.create(coupon('a', 1));
    const old = world.client.resource('x.io/v1', 'coupons', { namespace: 'default' });
    expect((await old.get('a')).spec.discount).to.equal('1 %');
    // As the registration of an earlier run would have it.
    const { validating } = webhooks.manifests();
    await world.client.resource(ADMISSION, 'validatingwebhookconfigurations').apply(validating!);
    const maps = world.client.resource('v1', 'configmaps', { namespace: 'default' });
    const made = maps.create({ metadata: { name: 'early' } });
    await until('a connection to be open', () => webhooks.inspect().callsInProgress > 0);
    expect(asked).to.equal(0);
    warm.resolve();
    await made;
    expect(asked).to.equal(1);
    await running;
  });

  it('removes its registration of admission when it stops without a service, and leaves conversions', async () => {
    const webhooks = make()
      .validate('v1', 'configmaps', ({ deny }) => {
        deny('no');
      })
      .convert('x.io/v1', 'coupons', { hub: 'x.io/v2', toHub, fromHub });
    await world.run(webhooks);
    const maps = world.client.resource('v1', 'configmaps', { namespace: 'default' });
    expect(await failureOf(maps.create({ metadata: { name: 'a' } }))).to.be.instanceOf(ApiError);
    await webhooks.close();
    const configurations = world.client.resource(ADMISSION, 'validatingwebhookconfigurations');
    expect((await configurations.list()).items).to.deep.equal([]);
    await until('the server to forget the webhook', async () => {
      return (await failureOf(maps.create({ metadata: { name: 'a' } }))) === undefined;
    });
    const { spec } = await world.client
      .resource('apiextensions.k8s.io/v1', 'customresourcedefinitions')
      .get('coupons.x.io');
    expect(spec.conversion?.strategy).to.equal('Webhook');
  });

  it('deletes a configuration that an earlier version of the program left, and none of others', async () => {
    const before = make({ unregister: false }).mutate('x.io/v2', 'coupons', () => {});
    await world.run(before);
    await before.close();
    const mutating = world.client.resource(ADMISSION, 'mutatingwebhookconfigurations');
    const validating = world.client.resource(ADMISSION, 'validatingwebhookconfigurations');
    expect((await mutating.list()).items).to.have.length(1);
    await validating.create({ metadata: { name: 'shop' }, webhooks: [] });
    await world.run(make().convert('x.io/v1', 'coupons', { hub: 'x.io/v2', toHub, fromHub }));
    expect((await mutating.list()).items).to.deep.equal([]);
    expect((await validating.list()).items).to.have.length(1);
  });

  it('waits for a definition that is missing, and says so', async () => {
    const definitions = world.client.resource(
      'apiextensions.k8s.io/v1',
      'customresourcedefinitions',
    );
    const webhooks = new WebhookServer(world.client, { name: 'shop', logger });
    webhooks.convert<CouponV1, CouponV1, string>('x.io/v1', 'vouchers', {
      hub: 'x.io/v2',
      toHub: (one) => one,
      fromHub: (one) => one,
    });
    const running = world.run(webhooks);
    await until('a warning', () => logger.warnings.length > 0);
    expect(logger.warnings[0]).to.match(
      /^webhooks: registration failed .*"the conversion of vouchers\.x\.io cannot be registered yet: .*vouchers\.x\.io/,
    );
    const late = await failureOf(webhooks.whenReady({ timeoutMs: 1 }));
    expect(late?.message).to.match(
      /^gave up after 1 ms waiting for the webhooks to be ready: the conversion of vouchers\.x\.io cannot be registered yet: /,
    );
    await definitions.create({
      metadata: { name: 'vouchers.x.io' },
      spec: {
        group: 'x.io',
        scope: 'Namespaced',
        names: { plural: 'vouchers', kind: 'Voucher' },
        versions: ['v1', 'v2'].map((name) => ({
          name,
          served: true,
          storage: name === 'v2',
          schema: { openAPIV3Schema: { type: 'object' } },
        })),
      },
    });
    await running;
  });

  it('starts before the caches of a manager, which need its conversions, and stops after them', async () => {
    const webhooks = make().convert('x.io/v1', 'coupons', { hub: 'x.io/v2', toHub, fromHub });
    const first = make().convert('x.io/v1', 'coupons', { hub: 'x.io/v2', toHub, fromHub });
    await world.run(first);
    await world.coupons.create(coupon('a', 7));
    await first.close();
    await using manager = new Manager(world.client, {
      signals: false,
      logger: silentLogger,
      endpoints: { port: 0 },
    });
    const coupons = manager.informers.for('x.io/v1', 'coupons');
    manager.add(webhooks);
    const running = manager.run();
    await within(Promise.race([manager.whenReady(), running]), 'the manager to be ready');
    expect(coupons.lister.list().map(({ spec }) => spec.discount)).to.deep.equal(['7 %']);
    expect(manager.inspect().parts.map(({ name, kind }) => [name, kind])).to.deep.equal([
      ['informers', 'cache'],
      ['shop', 'webhooks'],
    ]);
    const page = await fetch(`${manager.url}/readyz?verbose`);
    expect(await page.text()).to.include('[+]shop ok');
    const metrics = await (await fetch(`${manager.url}/metrics`)).text();
    expect(metrics).to.match(
      /^controller_runtime_webhook_requests_total\{code="200",webhook="\/convert\/coupons.x.io"\} [1-9]/m,
    );
    await manager.close();
    await running;
    expect(webhooks.inspect().phase).to.equal('stopped');
  });

  it('ends with the missing rule when it may not register', async () => {
    const impersonate = { user: 'ann', groups: ['system:authenticated'] };
    const client = await connect({ ...world.server.clientConfig(), impersonate });
    try {
      const options = { name: 'shop', logger };
      const webhooks = new WebhookServer(client, options).mutate('v1', 'pods', () => {});
      const error = await failureOf(within(webhooks.run(), 'the run to end'));
      expect(error).to.be.instanceOf(ApiError).and.include({ code: 'FORBIDDEN' });
      expect(error?.message).to.include('mutatingwebhookconfigurations');
      expect(error?.message).to.include('patch');
      expect(webhooks.inspect().phase).to.equal('stopped');
    } finally {
      await client.close();
    }
  });

  it('refuses to run without a webhook', async () => {
    const error = await failureOf(within(make().run(), 'the run to end'));
    expect(error).to.include({
      code: 'INVALID_OPTION',
      message: 'WebhookServer: it has no webhook; call validate, mutate or convert before run',
    });
  });

  const wrong: readonly (readonly [title: string, make: () => unknown, message: string])[] = [
    [
      'a name that is none',
      () => make({ name: 'A b' }),
      'WebhookServer: option "name" must be a DNS label such as "shop-webhooks", not "A b"',
    ],
    [
      'an unknown option',
      () => make({ prot: 1 } as object),
      'WebhookServer: unknown option "prot"; did you mean "port"?',
    ],
    [
      'a URL without HTTPS',
      () => make({ url: 'http://a' }),
      'WebhookServer: option "url" must be an origin such as "https://build-host.example.com:9443", not "http://a"',
    ],
    [
      'the content of a certificate',
      () => make({ certificate: { cert: '-----BEGIN CERTIFICATE-----', key: 'k' } }),
      'WebhookServer: certificate: cert, key and ca must be paths of files, not their content',
    ],
    [
      'two webhooks of one name',
      () =>
        make()
          .mutate('v1', 'pods', () => {})
          .mutate('v1', 'pods', () => {}),
      'WebhookServer.mutate: there is a webhook named pods.v1.core already; give one of them another name by its option "name"',
    ],
    [
      'a short name of a webhook',
      () => make().mutate('v1', 'pods', () => {}, { name: 'pods' }),
      'WebhookServer.mutate: option "name" must be a DNS name of at least three parts, such as pods.v1.example.com, not "pods"',
    ],
    [
      'an operation that there is not',
      () => make().mutate('v1', 'pods', () => {}, { operations: ['PATCH' as 'UPDATE'] }),
      'WebhookServer.mutate: option "operations" must be an array of CREATE, UPDATE, DELETE, CONNECT, not ["PATCH"]',
    ],
    [
      'a hub of another group',
      () =>
        make().convert('x.io/v1', 'coupons', {
          hub: 'y.io/v2',
          toHub: () => ({}),
          fromHub: () => ({ spec: { discount: '' } }),
        }),
      'WebhookServer.convert: option "hub" must be another version of the same group as x.io/v1, not y.io/v2',
    ],
    [
      'a conversion of pods',
      () => make().convert('v1', 'pods', { hub: 'v2', toHub: () => ({}), fromHub: () => ({}) }),
      'WebhookServer.convert: only custom resources are converted by webhooks, not those of v1',
    ],
  ];
  for (const [title, build, message] of wrong) {
    it(`refuses ${title}`, () => {
      expect(build).to.throw(message);
    });
  }
});
