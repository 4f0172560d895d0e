import type { ServerHttp2Session } from 'node:http2';
import { expect } from 'chai';
import {
  AxiosTransport,
  type AxiosTransportOptions,
} from '../../../../../lib/client/transport/axios-transport.ts';
import type { BodyReader } from '../../../../../lib/client/transport/contract/transport.ts';
import { until } from '../../../../support/until.ts';
import { Http2Server, watchScript } from '../../../support/http2-server.ts';
import { RecordedMetrics } from '../../../support/recorded-metrics.ts';

describe('a session of HTTP/2', () => {
  let transport: AxiosTransport;
  let server: Http2Server;

  const open = (options: Partial<AxiosTransportOptions> = {}): void => {
    const tls = { ca: Http2Server.ca };
    transport = new AxiosTransport({ server: server.url, tls, http2: true, ...options });
  };
  /** Opens a watch and reads its first event. */
  const watch = async (): Promise<BodyReader> => {
    const path = '/api/v1/pods?watch=1';
    const { body } = await transport.send({ method: 'GET', path, stream: true });
    const reader = body[Symbol.asyncIterator]();
    expect(String((await reader.next()).value)).to.equal('first');
    return reader;
  };
  const sessions = (): ReturnType<AxiosTransport['inspect']>['sessions'] =>
    transport.inspect().sessions;
  const onlySession = (): ServerHttp2Session => [...server.sessions][0]!;

  beforeEach(async () => {
    server = await Http2Server.start({ script: watchScript });
  });

  afterEach(async () => {
    await transport.close();
    await server[Symbol.asyncDispose]();
  });

  it('reports each change of the number of sessions and streams', async () => {
    const metrics = new RecordedMetrics();
    open({ metrics });
    const labels = { host: `127.0.0.1:${server.port}` };
    /** The last report: sessions and streams. */
    const reported = (): (number | undefined)[] =>
      ['sessions', 'streams'].map((unit) =>
        metrics.values(`listwatch_client_http2_${unit}`, labels).at(-1),
      );
    const first = await watch();
    expect(reported()).to.deep.equal([1, 1]);
    const second = await watch();
    expect(reported()).to.deep.equal([1, 2]);
    await first.return?.();
    expect(reported()).to.deep.equal([1, 1]);
    await second.return?.();
    expect(reported()).to.deep.equal([1, 0]);
    onlySession().destroy();
    await until('no session is left', () => sessions().length === 0);
    expect(reported()).to.deep.equal([0, 0]);
  });

  it('announces no push, windows of 256 KiB and 16 MiB, and headers of at most 16 KiB', async () => {
    open();
    await watch();
    expect(onlySession().remoteSettings).to.include({
      enablePush: false,
      initialWindowSize: 256 * 1024,
      maxHeaderListSize: 16 * 1024,
    });
    await until('the window of the session is enlarged', () => {
      const { remoteWindowSize = 0 } = onlySession().state;
      return remoteWindowSize > 1 << 20;
    });
    const { remoteWindowSize } = onlySession().state;
    // The bytes of the first event are not given back before half of the window is used.
    expect(remoteWindowSize).to.be.within((16 << 20) - 1024, 16 << 20);
  });
});
