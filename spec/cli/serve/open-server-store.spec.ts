import { expect } from 'chai';
import { SnapshotStore } from '../../../lib/cli/serve/open-server-store.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';

describe('the state in a snapshot file', () => {
  let scratch: ScratchDirectory;
  let warnings: string[];

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
    warnings = [];
  });

  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const open = async (fixedToken: boolean = false): Promise<SnapshotStore> =>
    await SnapshotStore.open(`${scratch.path}/state`, {
      fixedToken,
      runtime: realRuntime,
      logger: { ...silentLogger, warn: (message) => warnings.push(message) },
    });

  const revisionOf = async ({ keyValueStore }: SnapshotStore): Promise<bigint> =>
    (await keyValueStore.status()).revision;

  const write = async ({ keyValueStore }: SnapshotStore, value: string): Promise<void> => {
    await keyValueStore.txn({
      compare: [],
      success: [{ type: 'put', key: '/key', value: Buffer.from(value) }],
    });
  };

  const read = async ({ keyValueStore }: SnapshotStore): Promise<string | undefined> =>
    (await keyValueStore.range({ key: '/key' })).items
      .map(({ value }) => Buffer.from(value).toString())
      .at(0);

  it('continues at the same version after a clean stop', async () => {
    const first = await open();
    await write(first, 'one');
    const revision = await revisionOf(first);
    await first.keep();
    await first.close({ unused: false });
    const second = await open();
    expect([await read(second), await revisionOf(second)]).to.deep.equal(['one', revision]);
    expect(warnings).to.deep.equal([]);
    await second.close({ unused: true });
  });

  it('continues far above the lost versions, with a warning, after a run that did not end cleanly', async () => {
    const first = await open();
    await write(first, 'one');
    await first.keep();
    await first.close({ unused: false });
    const crashed = await open();
    await write(crashed, 'two');
    const lost = await revisionOf(crashed);
    await crashed.close({ unused: false });

    const third = await open();
    expect(await read(third)).to.equal('one');
    expect((await revisionOf(third)) > lost).to.equal(true);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('did not end cleanly');
    await third.keep();
    await third.close({ unused: false });
    const fourth = await open();
    expect(warnings).to.have.length(1);
    await fourth.close({ unused: true });
  });

  it('removes what a killed process has written beside the file, and nothing else', async () => {
    const left = 'state.abcdefgh.tmp';
    const others = ['other.abcdefgh.tmp', 'state.abc.tmp', 'state.tmp'];
    for (const name of [left, ...others]) await scratch.write(name, '');
    await (await open()).close({ unused: false });
    expect(await scratch.has(left), 'the last run ended cleanly').to.equal(true);
    await (await open()).close({ unused: false });
    expect(await scratch.has(left)).to.equal(false);
    for (const name of others) expect(await scratch.has(name), name).to.equal(true);
  });

  it('without a file begins above the versions of earlier runs if clients may know the token', async () => {
    const random = await open(false);
    expect(await revisionOf(random)).to.equal(1n);
    await random.close({ unused: true });
    const fixed = await open(true);
    expect((await revisionOf(fixed)) > BigInt(Date.now() - 3_600_000) * 1000n).to.equal(true);
    await fixed.close({ unused: true });
  });

  it('that no client has seen leaves no mark of a run, but keeps that of another', async () => {
    await (await open()).close({ unused: true });
    expect(await scratch.has('state.running')).to.equal(false);
    await (await open()).close({ unused: false });
    await (await open()).close({ unused: true });
    expect(await scratch.has('state.running')).to.equal(true);
  });
});
