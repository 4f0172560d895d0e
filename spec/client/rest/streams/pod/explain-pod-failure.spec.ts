import { expect } from 'chai';
import { connect } from '../../../../../lib/client/rest/connect.ts';
import { silentLogger } from '../../../../../lib/kernel/report/logger.ts';
import type { ListwatchError } from '../../../../../lib/kernel/failure/errors.ts';
import { RawServer } from '../../../support/raw-server.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { inProcessTransport } from '../../../../../lib/client/transport/in-process/in-process-transport.ts';
import { podCluster } from '../support.ts';

const PATH = '/api/v1/namespaces/default/pods/web/exec';

/** The failure of a call that gets this answer to its handshake, and reads this pod. */
async function refusedWith(
  status: number,
  body: object | string,
  pod: object = {},
): Promise<ListwatchError> {
  const send = async (request: { readonly url?: string | undefined }): Promise<[number, string]> =>
    request.url?.includes('/exec') === true
      ? [status, typeof body === 'string' ? body : JSON.stringify(body)]
      : [200, JSON.stringify(pod)];
  await using server = await RawServer.start(async (request, response) => {
    const [code, text] = await send(request);
    const type = text.startsWith('{') ? 'application/json' : 'text/plain';
    response.writeHead(code, { 'content-type': type }).end(text);
  });
  await using client = await connect({ server: server.url, logger: silentLogger });
  const pods = client.resource('v1', 'pods', { namespace: 'default' });
  return await failureOf(pods.exec('web', ['ls'], { container: 'app' }));
}

function failure(code: number, reason: string, message: string, details: object = {}): object {
  const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return { ...head, code, reason, message, details };
}

describe('failures of pod streams', () => {
  it('name the containers that exist when one does not, or none was named', async () => {
    await using cluster = await podCluster({ exec: () => 0, log: () => '' }, ['app', 'proxy']);
    const { pods } = cluster;
    const calls: readonly (() => Promise<unknown>)[] = [
      () => pods.exec('web', ['ls']),
      () => pods.exec('web', ['ls'], { container: 'ap' }),
      () => pods.spawn('web', ['ls'], { container: 'ap' }),
      () => pods.attach('web', { container: 'ap' }),
      () => pods.logs('web', { container: 'ap' }),
    ];
    for (const call of calls) {
      const error = await failureOf(call());
      expect(error).to.include({ code: 'CONTAINER_UNKNOWN', name: 'PodStreamError' });
      expect(error.message).to.match(/set the option "container" to one of "app", "proxy"$/);
      expect(error.message).to.not.include('\n');
    }
  });

  it('say that a pod has ended, has no node, or does not exist', async () => {
    await using cluster = await podCluster({ portForward: () => {} });
    const { pods } = cluster;
    const early = await failureOf(pods.exec('web', ['ls']));
    expect(early).to.include({ code: 'POD_NOT_RUNNING' });
    expect(early.message).to.include('the pod has no node yet; wait until the pod is Ready');
    await pods.patch(
      'web',
      { status: { phase: 'Failed', reason: 'Evicted' } },
      { subresource: 'status' },
    );
    const late = await failureOf(pods.exec('web', ['ls']));
    expect(late).to.include({ code: 'POD_NOT_RUNNING' });
    expect(late.message).to.include('the pod has ended: its phase is Failed (Evicted)');
    expect(await failureOf(pods.exec('none', ['ls']))).to.include({ code: 'NOT_FOUND' });
  });

  it('say that a container has ended or has not started, as the pod says', async () => {
    const words = failure(500, 'InternalError', 'container not found ("app")');
    const spec = { nodeName: 'n1', containers: [{ name: 'app' }] };
    for (const [state, expected] of [
      [
        { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        'ended with exit code 137 (OOMKilled)',
      ],
      [{ waiting: { reason: 'ImagePullBackOff' } }, 'has not started (ImagePullBackOff)'],
    ] as const) {
      const containerStatuses = [
        { name: 'sidecar', state: {} },
        { name: 'app', state },
      ];
      const error = await refusedWith(500, words, { spec, status: { containerStatuses } });
      expect(error).to.include({ code: 'POD_NOT_RUNNING' });
      expect(error.message).to.include(`container "app" has`).and.include(expected);
    }
    const ended = await refusedWith(
      404,
      failure(404, 'NotFound', 'pods "n1" not found', { name: 'n1', kind: 'pods' }),
      { spec, status: { phase: 'Succeeded' } },
    );
    expect(ended).to.include({ code: 'POD_NOT_RUNNING' });
  });

  it('name both verbs that a role needs', async () => {
    for (const verb of ['get', 'create']) {
      const message = `pods "web" is forbidden: User "dev" cannot ${verb} resource "pods/exec" in API group "" in the namespace "default"`;
      const error = await refusedWith(403, failure(403, 'Forbidden', message));
      expect(error).to.include({ code: 'FORBIDDEN' });
      expect(error.message).to.include('resources: ["pods/exec"]');
      expect(error.message).to.include('verbs: ["get","create"]');
    }
  });

  it('are those of any request for other answers, also for pods that are no pods', async () => {
    for (const [status, body, code] of [
      [400, failure(400, 'BadRequest', 'no'), 'BAD_REQUEST'],
      [404, '404 page not found', 'NOT_FOUND'],
      [500, failure(500, 'InternalError', 'dial tcp: no route'), 'INTERNAL_ERROR'],
      [502, '<html><title>Bad Gateway</title>', 'UNKNOWN_STATUS'],
    ] as const) {
      const odd = {
        spec: { nodeName: 'n', containers: 7 },
        status: { containerStatuses: [null, 3] },
      };
      const error = await refusedWith(status, body, odd);
      expect(error, String(status)).to.include({ code });
      expect(error.message).to.include(PATH).and.not.include('command=');
    }
  });

  it('say that an in-process transport has no sockets', async () => {
    await using cluster = await podCluster({ exec: () => 0, log: () => 'hello\n' });
    const transport = inProcessTransport(cluster.server.handler);
    await using client = await connect({ transport, logger: silentLogger });
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    expect(await pods.logs('web')).to.equal('hello\n');
    const error = await failureOf(pods.exec('web', ['ls']));
    expect(error).to.include({ code: 'SUBPROTOCOL' });
    expect(error.message).to.include('a server that listens, not in process');
  });
});
