import { expect } from 'chai';
import { isNotFound, WebhookServer } from '../../../lib/index.ts';
import { RecordedLog } from '../../client/support/recorded-log.ts';
import { WebhookRegistration } from '../../../lib/controller/webhook/webhook-registration.ts';
import { until, within } from '../../support/until.ts';
import { hurried } from './hurried.ts';
import { WebhookWorld, type CouponTypes } from './webhook-world.ts';

describe('the registration of two webhook servers with one name and no service', () => {
  let world: WebhookWorld;
  let logger: RecordedLog;

  beforeEach(async () => {
    world = await WebhookWorld.open();
    logger = new RecordedLog();
  });

  afterEach(async () => {
    await world[Symbol.asyncDispose]();
  });

  async function run(): Promise<WebhookServer<CouponTypes>> {
    const webhooks = new WebhookServer(world.client, {
      name: 'shop',
      logger,
      runtime: hurried,
    })
      .mutate('x.io/v2', 'coupons', () => {})
      .validate('x.io/v2', 'coupons', () => {});
    await world.run(webhooks);
    return webhooks;
  }

  /** The origins of both configurations; undefined for one that is gone. */
  function registered(): Promise<readonly (string | undefined)[]> {
    const kinds = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'] as const;
    return Promise.all(
      kinds.map(async (kind) => {
        try {
          const { webhooks = [] } = await world.client
            .resource('admissionregistration.k8s.io/v1', kind)
            .get('shop');
          return new URL(webhooks[0]?.clientConfig.url ?? '').origin;
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      }),
    );
  }

  it('stays when the first one stops, because it has the address of the second one', async () => {
    const first = await run();
    const second = await run();
    await first.close();
    expect(await registered()).to.deep.equal([second.url, second.url]);
    await second.close();
    expect(await registered()).to.deep.equal([undefined, undefined]);
  });

  it('is a problem of the first one, until the second one stops and the first one is registered again', async () => {
    const first = await run();
    const second = await run();
    await until('the first one to see the second one', () => logger.warnings.length > 0);
    expect(logger.warnings).to.deep.equal([
      `webhooks: another server has registered itself by this name; give each another name, or one service {"name":"shop","address":"${second.url}"}`,
    ]);
    expect(() => {
      first.check();
    })
      .to.throw(
        `the webhooks of this server are not called: ${second.url} has registered itself as shop; give each server another name, or all replicas one "service"`,
      )
      .with.property('code', 'NAME_TAKEN');
    second.check();
    await second.close();
    await until('the first one to be registered again', async () => {
      return (await registered()).every((origin) => origin === first.url);
    });
    await until('the check to pass', () => {
      first.check();
      return true;
    });
    expect(logger.warnings.slice(1)).to.deep.equal([
      'webhooks: the registration is gone, and is written again {"name":"shop"}',
    ]);
  });

  it('stays whole when one of them validates, and the other one changes objects', async () => {
    const options = { name: 'shop', logger, runtime: hurried };
    const first = new WebhookServer(world.client, options).validate('x.io/v2', 'coupons', () => {});
    const second = new WebhookServer(world.client, options).mutate('x.io/v2', 'coupons', () => {});
    await world.run(first);
    await world.run(second);
    // The second one has taken that of the first one for one of an earlier version of its program.
    await until('both to be registered', async () => {
      const [validating, mutating] = await registered();
      return validating === first.url && mutating === second.url;
    });
    let looks = 0;
    const stop = world.server.observeRequests(({ method, url }) => {
      if (method === 'GET' && url.includes('webhookconfigurations/shop')) looks += 1;
    });
    await until('each to look at its registration several times', () => looks >= 10);
    stop();
    expect(await registered()).to.deep.equal([first.url, second.url]);
    expect(logger.warnings).to.deep.equal([
      'webhooks: the registration is gone, and is written again {"name":"shop"}',
    ]);
  });

  it('is not left behind by a server that stops before it is complete', async () => {
    world.server.faults.add({
      match: { verb: 'patch', resource: 'validatingwebhookconfigurations' },
      answer: { status: 503 },
    });
    const webhooks = new WebhookServer(world.client, { name: 'shop', logger, runtime: hurried })
      .mutate('x.io/v2', 'coupons', () => {})
      .validate('x.io/v2', 'coupons', () => {});
    const running = world.run(webhooks).catch(() => {});
    await until('the registration to fail', () =>
      logger.warnings.some((line) => line.includes('the validating webhooks cannot be registered')),
    );
    expect(await registered()).to.deep.equal([undefined, webhooks.url]);
    await webhooks.close();
    expect(await registered()).to.deep.equal([undefined, undefined]);
    await running;
  });

  it('is written as it is to be at the time of each attempt', async () => {
    const fault = world.server.faults.add({
      match: { verb: 'patch', resource: 'validatingwebhookconfigurations' },
      answer: { status: 503 },
    });
    const webhooks = new WebhookServer(world.client, {
      name: 'shop',
      url: 'https://build-host.example.com:9443/',
      logger,
    }).validate('x.io/v2', 'coupons', () => {});
    const { validating } = webhooks.manifests();
    const [hook] = validating?.webhooks ?? [];
    expect(hook?.clientConfig.url).to.equal(
      'https://build-host.example.com:9443/validate/coupons.v2.x.io',
    );
    let timeoutSeconds = 1;
    const registration = new WebhookRegistration({
      client: world.client,
      name: 'shop',
      runtime: hurried,
      logger,
    });
    const { signal } = new AbortController();
    const registering = registration.registerAdmission(
      () => ({
        mutating: undefined,
        validating: validating && {
          ...validating,
          webhooks: (validating.webhooks ?? []).map((one) => ({ ...one, timeoutSeconds })),
        },
      }),
      signal,
    );
    await until('the first attempt to fail', () => logger.warnings.length > 0);
    timeoutSeconds = 2;
    fault.remove();
    await within(registering, 'the registration');
    const { webhooks: written = [] } = await world.client
      .resource('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations')
      .get('shop');
    expect(written[0]?.timeoutSeconds).to.equal(2);
    await registration.unregister(signal);
  });
});
