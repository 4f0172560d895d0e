import { isIP } from 'node:net';
import { errorMessage, isListwatchError } from '../../../kernel/failure/errors.ts';
import { shownText, timeText } from '../../terminal/shown-text.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { endpointOf } from './endpoint.ts';
import { connectionFailure } from '../../../client/transport/connection/connection-failure.ts';
import { failedOutcome } from '../contract/failed-outcome.ts';
import { openConnection } from './open-connection.ts';

/** Resolves the host name of the server. */
export const addressStep: Step = {
  id: 'address',
  title: 'address',
  needs: ['configuration', 'proxy'],
  async run({ findings, network }: DoctorContext): Promise<Outcome> {
    const { host } = endpointOf(findings.found);
    if (findings.found.proxy !== undefined) {
      return { status: 'skipped', detail: `the proxy resolves ${host}` };
    }
    if (isIP(host) !== 0) {
      return { status: 'ok', detail: `${host}, no name to resolve`, data: { addresses: [host] } };
    }
    try {
      const addresses = await network.lookup(host);
      const detail = `${host} is ${addresses.join(', ')}`;
      return { status: 'ok', detail, data: { host, addresses } };
    } catch (error) {
      return {
        status: 'failed',
        code: 'CONNECTION_FAILED',
        detail: shownText(`the name ${host} cannot be resolved (${errorMessage(error)})`),
        remedy: `check "server" of the cluster for a misspelled name, and DNS and VPN: nslookup ${host}`,
        data: { host },
      };
    }
  },
};

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
