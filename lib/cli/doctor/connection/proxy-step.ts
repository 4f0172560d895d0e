import { parseProxyAddress } from '../../../client/transport/contract/proxy-address.ts';
import { isLoopback } from '../../../client/transport/contract/server-address.ts';
import { proxyOf } from '../../../client/config/proxy-environment.ts';
import { timeText } from '../../terminal/shown-text.ts';
import { failedOutcome } from '../contract/failed-outcome.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { endpointOf } from './endpoint.ts';
import { openConnection } from './open-connection.ts';

/** Says which proxy is used and why; opens a tunnel through it. */
export const proxyStep: Step = {
  id: 'proxy',
  title: 'proxy',
  needs: ['configuration'],
  async run(context: DoctorContext): Promise<Outcome> {
    const { findings, runtime } = context;
    const { proxy } = findings.found;
    if (proxy === undefined) return { status: 'ok', detail: `none: ${whyNone(context)}` };
    const { text } = parseProxyAddress(proxy);
    const from = sourceOf(proxy, context);
    const startedMs = runtime.monotonicMs();
    try {
      const socket = await openConnection(context);
      socket.destroy();
    } catch (error) {
      if (context.signal.aborted) throw error;
      return { ...failedOutcome(error), data: { proxy: text, from } };
    }
    const tunnelMs = runtime.monotonicMs() - startedMs;
    const detail = `${text} from ${from}, tunnel in ${timeText(tunnelMs)}`;
    return { status: 'ok', detail, data: { proxy: text, from, tunnelMs } };
  },
};

const VARIABLES = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'ALL_PROXY',
  'all_proxy',
];

/** Where the URL is from. A proxy-url of the cluster comes before the environment. */
function sourceOf(proxy: string, { findings, env }: DoctorContext): string {
  const named = proxyOf(findings.found.server, env);
  return named?.url === proxy ? named.source : 'proxy-url of the cluster';
}

function whyNone({ findings, env }: DoctorContext): string {
  const set = VARIABLES.find((name) => Boolean(env[name]?.trim()));
  if (set === undefined) return 'the cluster has no proxy-url, and HTTPS_PROXY is not set';
  const { host } = endpointOf(findings.found);
  if (isLoopback(host)) return `${set} is set, and ${host} is this machine`;
  const except = ['NO_PROXY', 'no_proxy'].find((name) => Boolean(env[name]?.trim()));
  return except === undefined
    ? `${set} is set, and is not for ${findings.found.server}`
    : `${set} is set, and ${except} excludes ${host}`;
}
