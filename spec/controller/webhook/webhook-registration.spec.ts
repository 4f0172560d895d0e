import { expect } from 'chai';
import { isNotFound, WebhookServer } from '../../../lib/index.ts';
import { RecordedLog } from '../../client/support/recorded-log.ts';
import { until } from '../../support/until.ts';
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
});
