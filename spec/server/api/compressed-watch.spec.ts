import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { constants, createGunzip } from 'node:zlib';
import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { until } from '../../support/until.ts';

const PATH = '/api/v1/namespaces/default/configmaps?watch=true';
const STREAMING_LIST = `${PATH}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;

interface Line {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name?: string } };
}

/** A watch over a connection of its own: its head, and its events as they come. */
async function open(
  server: ApiServer,
  path: string,
  encoding: string | undefined,
): Promise<{ readonly response: IncomingMessage; readonly lines: () => Line[] }> {
  const { server: url, token } = server.clientConfig();
  const request = httpRequest(url + path, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
    },
  });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const isPacked = response.headers['content-encoding'] === 'gzip';
  const sync = { finishFlush: constants.Z_SYNC_FLUSH };
  const plain = isPacked ? response.pipe(createGunzip(sync)) : response;
  let text = '';
  plain.on('data', (piece: Buffer) => void (text += piece.toString()));
  response.on('error', () => {});
  const lines = (): Line[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  return { response, lines };
}

describe('a compressed watch', () => {
  let server: ApiServer;

  beforeEach(async () => {
    server = new ApiServer({ logger: silentLogger });
    await server.listen();
  });

  afterEach(() => server.close());

  const create = async (name: string): Promise<void> => {
    await using client = await connect({ ...server.clientConfig(), logger: silentLogger });
    await client.resource('v1', 'configmaps', { namespace: 'default' }).create({
      metadata: { name },
    });
  };

  it('brings the state and later events at once, each part as it comes', async () => {
    await create('a');
    const { response, lines } = await open(server, STREAMING_LIST, 'gzip');
    expect(response.headers).to.include({ 'content-encoding': 'gzip' });
    expect(response.headers['transfer-encoding']).to.equal('chunked');
    expect(response.headers['vary']).to.match(/(?:^|, )Accept-Encoding$/);
    const ended = (): boolean => lines().some(({ type }) => type === 'BOOKMARK');
    await until('the end of the initial events', ended);
    expect(lines().map(({ object }) => object.metadata.name)).to.include('a');
    for (const name of ['b', 'c']) {
      await create(name);
      await until(name, () => lines().some(({ object }) => object.metadata.name === name));
    }
    response.destroy();
  });

  it('is one that begins with the state, for a client that names gzip', async () => {
    const cases: readonly (readonly [path: string, encoding: string | undefined])[] = [
      [`${PATH}&resourceVersion=1&allowWatchBookmarks=true`, 'gzip'],
      [STREAMING_LIST, 'identity'],
      [STREAMING_LIST, undefined],
    ];
    for (const [index, [path, encoding]] of cases.entries()) {
      const { response, lines } = await open(server, path, encoding);
      expect(response.headers, encoding).to.not.have.property('content-encoding');
      await create(`x${index}`);
      await until('a plain event', () => lines().length > 0);
      response.destroy();
    }
  });
});
