import { expect } from 'chai';
import { WriteCauses } from '../../../../lib/client/rest/request/write-causes.ts';

const cause = (key: string) => ({
  resource: 'configmaps',
  deletes: false,
  writer: { controller: 'sites', key },
  span: undefined,
});

describe('WriteCauses', () => {
  it('finds the write of a version, by its resource in any API version', () => {
    const causes = new WriteCauses();
    expect(causes.any).to.equal(false);
    causes.note('shop/web', '42', cause('shop/a'));
    expect(causes.any).to.equal(true);
    expect(causes.of('v1/configmaps', 'shop/web', '42')?.writer?.key).to.equal('shop/a');
    expect(causes.of('east:v1/configmaps', 'shop/web', '42')?.writer?.key).to.equal('shop/a');
    expect(causes.of('v1/secrets', 'shop/web', '42')).to.equal(undefined);
    expect(causes.of('v1/configmaps', 'shop/web', '43')).to.equal(undefined);
    expect(causes.of('v1/configmaps', 'shop/web-2', '42')).to.equal(undefined);
  });

  it('keeps the first write of a version: a later one has changed nothing', () => {
    const causes = new WriteCauses();
    causes.note('shop/web', '42', cause('shop/a'));
    causes.note('shop/web', '42', cause('shop/b'));
    expect(causes.of('v1/configmaps', 'shop/web', '42')?.writer?.key).to.equal('shop/a');
  });

  it('forgets the oldest of many writes', () => {
    const causes = new WriteCauses();
    for (let version = 1; version <= 12_000; version += 1) {
      causes.note('shop/web', `${version}`, cause('shop/a'));
    }
    const known = (version: number): boolean =>
      causes.of('v1/configmaps', 'shop/web', `${version}`) !== undefined;
    expect(known(1)).to.equal(false);
    expect(known(7_500)).to.equal(true);
    expect(known(12_000)).to.equal(true);
  });

  it('waits for the answers of the writes that may have made a version', async () => {
    const causes = new WriteCauses();
    const done = [causes.begin('configmaps', 'shop/web'), causes.begin('configmaps', undefined)];
    causes.begin('secrets', 'shop/web');
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
