import { expect } from 'chai';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { ApiError } from '../../../../lib/meta/failure/api-error.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { rejectionOf } from '../../support/failure-of.ts';
import { ANSWERS } from './recorded-answers.ts';
import { DISCOVERY, RecordedServer } from './recorded-server.ts';

const MISSING = ANSWERS['noResource']!;
const GUESS =
  'correct apiVersion, plural name and namespace, or install the CustomResourceDefinition';

describe('the questions behind an explanation', () => {
  let runtime: VirtualRuntime;

  beforeEach(() => {
    runtime = new VirtualRuntime();
  });

  function serverWith(discovery?: (path: string) => Promise<unknown>): RecordedServer {
    return new RecordedServer({ ...MISSING, runtime, discovery });
  }

  /** The error of a list of a resource that is not served. */
  async function refusal(
    { client }: RecordedServer,
    resource: string = 'deploymnets',
    signal?: AbortSignal,
  ): Promise<ApiError> {
    const list = client.resource<UnstructuredObject>('apps/v1', resource).list({ signal });
    return (await runtime.run(rejectionOf(list))) as ApiError;
  }

  it('are requested once in 30 seconds for any number of failed calls', async () => {
    const server = serverWith();
    for (let call = 0; call < 20; call += 1) {
      expect((await refusal(server)).remedy).to.equal('did you mean "deployments"?');
    }
    expect(server.lookUps).to.deep.equal(['/apis/apps/v1']);
    await runtime.advance(30_001);
    await refusal(server);
    expect(server.lookUps).to.deep.equal(['/apis/apps/v1', '/apis/apps/v1']);
  });

  it('are shared by calls that fail together', async () => {
    const server = serverWith();
    const { client } = server;
    const calls = Array.from({ length: 50 }, () =>
      rejectionOf(client.resource<UnstructuredObject>('apps/v1', 'deploymnets').list()),
    );
    await runtime.run(Promise.all(calls));
    expect(server.lookUps).to.deep.equal(['/apis/apps/v1']);
  });

  it('delay an error for at most a second each', async () => {
    const server = serverWith(() => new Promise(() => {}));
    const error = await refusal(server);
    expect(error.remedy).to.equal(GUESS);
    expect(runtime.monotonicMs()).to.equal(1_000);
  });

  it('that had no answer are not asked again for 30 seconds', async () => {
    const server = serverWith(() => new Promise(() => {}));
    await refusal(server);
    await refusal(server);
    expect(runtime.monotonicMs()).to.equal(1_000);
    expect(server.lookUps).to.have.length(1);
  });

  it('leave the error as it is when they fail', async () => {
    const server = serverWith(() => Promise.reject(new Error('connection lost')));
    const error = await refusal(server);
    expect(error).to.include({ code: 'NOT_FOUND', remedy: GUESS });
    expect(server.lookUps).to.deep.equal(['/apis/apps/v1']);
  });

  it('lead to no further questions when they are refused themselves', async () => {
    const server = serverWith(() => Promise.resolve(undefined));
    const error = await refusal(server);
    expect(error.problem).to.equal('the server has no Kubernetes API at this address');
    expect(server.lookUps).to.have.members(['/apis/apps/v1', '/api', '/apis']);
  });

  const ODD: readonly (readonly [string, unknown])[] = [
    ['text', 'hello'],
    ['null', null],
    ['a list', []],
    ['an object', {}],
    ['a list of resources without resources', { kind: 'APIResourceList' }],
    ['resources of another shape', { kind: 'APIResourceList', resources: [null, 5, { name: {} }] }],
  ];
  for (const [title, document] of ODD) {
    it(`accept ${title} in place of a document`, async () => {
      const error = await refusal(serverWith(() => Promise.resolve(document)));
      expect(error).to.include({ code: 'NOT_FOUND' });
      expect(error.remedy).to.not.equal('');
    });
  }

  it('are answered by servers that list groups without resources', async () => {
    const plain: Record<string, unknown> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': { kind: 'APIGroupList', groups: [{ name: 'apps', versions: [{ version: 'v1' }] }] },
    };
    const server = new RecordedServer({
      ...MISSING,
      runtime,
      discovery: (path) => Promise.resolve(plain[path]),
    });
    const list = server.client.resource('apps/v1beta1', 'deployments').list();
    const error = (await runtime.run(rejectionOf(list))) as ApiError;
    expect(error.problem).to.equal('the server does not serve apps/v1beta1');
    expect(error.remedy).to.equal('use apps/v1');
  });

  it('are not asked for an object that does not exist', async () => {
    const server = new RecordedServer({ ...ANSWERS['noObject']!, runtime });
    await runtime.run(
      rejectionOf(server.client.resource('v1', 'configmaps', { namespace: 'default' }).get('nope')),
    );
    expect(server.lookUps).to.deep.equal([]);
  });

  it('end with the call when its signal aborts', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const server = serverWith(async (path) => {
      await sleep(runtime, 500);
      return DISCOVERY[path];
    });
    runtime.setTimer(100, () => stop.abort(reason));
    expect(await refusal(server, 'deploymnets', stop.signal)).to.equal(reason);
    expect(runtime.monotonicMs()).to.equal(100);
    await runtime.advance(1_000);
  });
});
