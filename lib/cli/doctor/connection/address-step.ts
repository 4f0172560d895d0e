import { isIP } from 'node:net';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { shownText } from '../../terminal/shown-text.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { endpointOf } from './endpoint.ts';

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
