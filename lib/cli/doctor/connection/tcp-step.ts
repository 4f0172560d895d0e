import { connectionFailure } from '../../../client/transport/connection/connection-failure.ts';
import { isListwatchError } from '../../../kernel/failure/errors.ts';
import { timeText } from '../../terminal/shown-text.ts';
import { failedOutcome } from '../contract/failed-outcome.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { endpointOf } from './endpoint.ts';
import { openConnection } from './open-connection.ts';

/** Opens a TCP connection to the server, and closes it. */
export const tcpStep: Step = {
  id: 'tcp',
  title: 'TCP connection',
  needs: ['address'],
  async run(context: DoctorContext): Promise<Outcome> {
    const { findings, runtime, signal } = context;
    const { host, port } = endpointOf(findings.found);
    if (findings.found.proxy !== undefined) {
      return { status: 'skipped', detail: 'the tunnel of the proxy is used' };
    }
    const startedMs = runtime.monotonicMs();
    try {
      const socket = await openConnection(context);
      const connectMs = runtime.monotonicMs() - startedMs;
      const { remoteAddress = host } = socket;
      socket.destroy();
      const detail = `${remoteAddress} port ${port} in ${timeText(connectMs)}`;
      return { status: 'ok', detail, data: { remoteAddress, port, connectMs } };
    } catch (error) {
      if (signal.aborted || isListwatchError(error)) throw error;
      const target = { server: findings.found.server, method: 'GET', path: '' };
      return failedOutcome(connectionFailure(error, target));
    }
  },
};
