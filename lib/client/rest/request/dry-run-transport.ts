import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { TransportLayer } from '../../transport/contract/transport-layer.ts';
import type { TransportRequest, TransportResponse } from '../../transport/contract/transport.ts';

/**
 * A transport whose writes are all dry runs: the server checks and answers, and stores nothing. It is below the verbs, so that no call
 * and no helper gets around it.
 */
export class DryRunTransport extends TransportLayer {
  /** @throws {ListwatchError} code INVALID_OPTION for a stream into a pod, which a server cannot try without doing it. */
  async send(request: TransportRequest): Promise<TransportResponse> {
    if (request.webSocket !== undefined) {
      const text = `a client with option "dryRun" runs no commands in pods and forwards no ports: ${pathOf(request)}; use one without the option`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    return await this.below.send(request.method === 'GET' ? request : asDryRun(request));
  }
}

function asDryRun(request: TransportRequest): TransportRequest {
  const { method, path, body } = request;
  // A server reads the options of a deletion from the body, and then does not look at the query.
  if (method === 'DELETE' && body !== undefined) {
    const options = JSON.parse(Buffer.from(body).toString('utf8')) as object;
    return { ...request, body: Buffer.from(JSON.stringify({ ...options, dryRun: ['All'] })) };
  }
  if (/[?&]dryRun=All(?:&|$)/.test(path)) return request;
  return { ...request, path: `${path}${path.includes('?') ? '&' : '?'}dryRun=All` };
}

function pathOf({ path }: TransportRequest): string {
  return path.split('?', 1)[0] as string;
}
