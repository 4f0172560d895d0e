import { expect } from 'chai';
import { EtcdMember, etcdBinaries } from '../../support/etcd.ts';
import { until } from '../../support/until.ts';
import { ServeFixture } from '../support/serve-fixture.ts';
import { UnwritableEtcd } from '../support/unwritable-etcd.ts';

describe('listwatch serve --etcd', () => {
  let fixture: ServeFixture;

  beforeEach(async () => {
    fixture = await ServeFixture.make();
  });

  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it('says when no member of etcd answers, and exits with 1', async () => {
    const { code, err } = await fixture.failure('--etcd', 'http://127.0.0.1:1');
    expect(code).to.equal(1);
    expect(err).to.match(
      /^listwatch: .*127\.0\.0\.1:1.*; check that an etcd serves .* \(STORE_UNAVAILABLE\)\n$/,
    );
  });

  it('ends at once when it is interrupted while its start repeats its writes', async () => {
    await using member = await UnwritableEtcd.start();
    const run = fixture.serve(['--etcd', member.url]);
    await until('a write', () => member.writes > 0);
    run.interrupt();
    const { writes } = member;
    expect(await run.ended()).to.equal(130);
    expect(member.writes - writes).to.be.at.most(1);
  });

  const [etcd] = etcdBinaries();
  it('holds its state in etcd with --etcd URL', async function () {
    if (etcd === undefined) {
      console.log('      skipped: no etcd on PATH; LISTWATCH_ETCD=/path/to/etcd names one');
      this.skip();
    }
    await using member = await EtcdMember.start({ binary: etcd });
    const parameters = ['--etcd', member.url, '--controllers', 'none'];
    const first = fixture.serve(parameters);
    {
      await using client = await first.client();
      await client
        .resource('v1', 'configmaps', { namespace: 'default' })
        .create({ metadata: { name: 'web' } });
    }
    expect(await first.stop()).to.equal(0);
    await using second = fixture.serve(parameters);
    await using client = await second.client();
    const { items } = await client.resource('v1', 'configmaps', { namespace: 'default' }).list();
    expect(items.map(({ metadata }) => metadata?.name)).to.deep.equal(['web']);
  });
});
