import { expect } from 'chai';
import { WriteCauses, type WriteCause } from '../../../../lib/client/rest/request/write-causes.ts';

const object = (resourceVersion: string) => ({
  metadata: { namespace: 'shop', name: 'web', resourceVersion },
});

const write = (key: string): Omit<WriteCause, 'key'> => ({
  verb: 'patch',
  resource: 'v1/configmaps',
  subresource: undefined,
  atMs: 0,
  isMaker: true,
  writer: { controller: 'sites', key },
  span: undefined,
});

describe('WriteCauses', () => {
  let causes: WriteCauses;

  beforeEach(() => {
    causes = new WriteCauses();
    causes.keep();
  });

  it('keeps nothing before it is asked to', () => {
    const idle = new WriteCauses();
    idle.add(object('42'), write('shop/a'));
    expect(idle.count).to.equal(0);
    expect(idle.of('v1/configmaps', 'shop/web', '42')).to.equal(undefined);
  });

  it('finds the write of a version, by its resource in any API version and cluster', () => {
    causes.add(object('42'), write('shop/a'));
    expect(causes.of('v1/configmaps', 'shop/web', '42')?.writer?.key).to.equal('shop/a');
    expect(causes.of('v2/configmaps', 'shop/web', '42')?.writer?.key).to.equal('shop/a');
    expect(causes.of('east:v1/configmaps', 'shop/web', '42')?.writer?.key).to.equal('shop/a');
    expect(causes.of('v1/secrets', 'shop/web', '42')).to.equal(undefined);
    expect(causes.of('v1/configmaps', 'shop/web', '43')).to.equal(undefined);
    expect(causes.of('v1/configmaps', 'shop/web-2', '42')).to.equal(undefined);
  });

  it('keeps the first write of a version, and counts each: a later one has changed nothing', () => {
    causes.add(object('42'), write('shop/a'));
    causes.add(object('42'), write('shop/b'));
    expect(causes.of('v1/configmaps', 'shop/web', '42')?.writer?.key).to.equal('shop/a');
    expect(causes.count).to.equal(2);
  });

  it('keeps the last 5,000 writes, and not more than twice as many', () => {
    for (let version = 1; version <= 12_000; version += 1) {
      causes.add(object(`${version}`), write('shop/a'));
    }
    const known = [1, 2_000, 7_001, 12_000].map(
      (version) => causes.of('v1/configmaps', 'shop/web', `${version}`) !== undefined,
    );
    expect(known).to.deep.equal([false, false, true, true]);
  });

  it('waits for the answers of the writes that may have made a version', async () => {
    const done = [causes.begin('/configmaps', 'shop/web'), causes.begin('/configmaps', undefined)];
    causes.begin('/secrets', 'shop/web');
    const other = causes.whenAnswered('v1/configmaps', 'shop/other');
    const wait = causes.whenAnswered('v1/configmaps', 'shop/web');
    let known = false;
    void wait?.then(() => {
      known = true;
    });
    done[0]?.();
    await Promise.resolve();
    expect(known).to.equal(false);
    done[1]?.();
    await wait;
    await other;
    expect(causes.whenAnswered('v1/configmaps', 'shop/web')).to.equal(undefined);
  });
});
