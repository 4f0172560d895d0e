import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { ownFile, packageFolder } from '../../../lib/kernel/failure/own-file.ts';
import { withoutOwnFrames } from '../../../lib/kernel/failure/user-frames.ts';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { until } from '../../../lib/cache/wait/until.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';

/** The line of a program. */
function wrongCall(): unknown {
  return new ApiServer({ stroage: 1 } as object);
}

function thrownBy(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  return expect.fail('nothing was thrown');
}

function framesOf({ stack = '' }: Error): readonly string[] {
  return stack.split('\n').filter((line) => /^ +at /.test(line));
}

describe('the stack of a wrong call', () => {
  it('begins with the line of the program, below name and message', () => {
    const { stack = '' } = thrownBy(wrongCall);
    const [title, first] = stack.split('\n');
    expect(title).to.match(/^ListwatchError: ApiServer: unknown option "stroage"/);
    expect(first).to.match(/^ {4}at wrongCall \(.*user-frames\.spec\.ts:\d+:\d+\)$/);
  });

  it('stays whole where Error is frozen, as with --frozen-intrinsics', () => {
    const names = ['stackTraceLimit', 'prepareStackTrace'] as const;
    const before = names.map((name) => Object.getOwnPropertyDescriptor(Error, name));
    try {
      for (const name of names) {
        const value: unknown = Error[name];
        Object.defineProperty(Error, name, { configurable: true, writable: false, value });
      }
      const { stack = '' } = thrownBy(wrongCall);
      expect(stack).to.match(/^ListwatchError: ApiServer: unknown option "stroage"/);
      expect(ownFile()).to.equal(undefined);
    } finally {
      for (const [at, name] of names.entries()) {
        Reflect.deleteProperty(Error, name);
        if (before[at] !== undefined) Object.defineProperty(Error, name, before[at]);
      }
    }
  });

  it('begins with it where more frames of the package are above than a stack has', () => {
    const { stackTraceLimit } = Error;
    try {
      Error.stackTraceLimit = 1;
      const frames = framesOf(thrownBy(wrongCall));
      expect(frames.length).to.equal(1);
      expect(frames[0]).to.include('at wrongCall ');
      expect(Error.stackTraceLimit).to.equal(1);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  });

  it('begins with the line that awaits an asynchronous function', async () => {
    const error = await connect({ kubeconfig: '/not/there' }).catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(ListwatchError).with.property('code', 'CONFIG_NOT_FOUND');
    expect(framesOf(error as Error)[0]).to.include('user-frames.spec.ts');
  });

  it('begins with the line that awaits a request which fails', async () => {
    await using client = await connect({ server: 'http://127.0.0.1:1' });
    const pods = client.resource('v1', 'pods');
    const error = await pods.list().catch((thrown: Error) => thrown);
    const atList = async (): Promise<unknown> => await pods.get('web', { namespace: 'default' });
    const deep = async (): Promise<unknown> => await atList();
    for (const one of [error, await deep().catch((thrown: Error) => thrown)]) {
      expect(one).to.be.instanceOf(ListwatchError).with.property('code', 'CONNECTION_REFUSED');
      expect(framesOf(one as Error)[0]).to.include('user-frames.spec.ts');
    }
  });

  it('begins with the line that waits for informers and objects in vain', async () => {
    await using client = await connect({ server: 'http://127.0.0.1:1' });
    await using informers = new SharedInformerFactory(client, { logger: silentLogger });
    const pods = informers.for('v1', 'pods');
    informers.start();
    const waits = [
      async () => await informers.whenSynced({ timeoutMs: 1 }),
      async () => await pods.whenSynced({ timeoutMs: 1 }),
      async () => await until(pods, { key: 'default/web', gone: true, timeoutMs: 1 }),
    ];
    for (const wait of waits) {
      const error = await wait().catch((thrown: Error) => thrown);
      expect(error).to.be.instanceOf(ListwatchError).with.property('code', 'TIMEOUT');
      expect(framesOf(error as Error)[0]).to.include('user-frames.spec.ts');
    }
  });

  it('can be replaced, and shows in no list of properties', () => {
    const error = thrownBy(wrongCall);
    expect(Object.keys(error)).to.not.include('stack');
    error.stack = 'another';
    expect(error.stack).to.equal('another');
  });

  it('stays as it is when no frame is of a program', () => {
    const frames = ['at one (/app/node_modules/listwatch/dist/index.js:1:1)', 'at node:events:1:1'];
    expect(withoutOwnFrames(frames)).to.equal(frames);
  });

  it('leaves out frames of the package and of Node above the program, and none below it', () => {
    const user = [
      'at reconcile (/app/main.js:3:4)',
      'at run (/app/node_modules/listwatch/dist/a.js:1:2)',
    ];
    const above = [
      'at checked (file:///app/node_modules/listwatch/dist/chunks/a.js:1:2)',
      'at C:\\app\\node_modules\\listwatch\\lib\\kernel\\a.ts:1:2',
      'at new Promise (<anonymous>)',
      'at async node:internal/process/task_queues:1:2',
      'at drainTicks (ext:core/01_core.js:432:5)',
    ];
    expect(withoutOwnFrames([...above, ...user])).to.deep.equal(user);
  });
});

describe('the folder of the package', () => {
  it('is above dist of a published module, above lib of a source, and unknown for a bundle', () => {
    const published = '/app/node_modules/listwatch/dist/chunks/errors-ABC.js';
    expect(packageFolder(published)).to.equal('/app/node_modules/listwatch/');
    const windows = 'C:\\app\\node_modules\\listwatch\\dist\\index.js';
    expect(packageFolder(windows)).to.equal('C:/app/node_modules/listwatch/');
    expect(packageFolder('/app/lib/out.cjs')).to.equal(undefined);
    expect(packageFolder('/app/dist/main.js')).to.equal(undefined);
    // In the repository, a folder with the name and the manifest of the package.
    const root = packageFolder() ?? '';
    expect(root).to.match(/\/$/);
    expect(packageFolder(`${root}dist/chunks/errors-ABC.js`)).to.equal(root);
    expect(packageFolder(`${root}spec/dist/main.js`)).to.equal(undefined);
  });
});
