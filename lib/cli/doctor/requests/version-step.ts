import { shownText, timeText } from '../../terminal/shown-text.ts';
import { failedOutcome } from '../contract/failed-outcome.ts';
import { RequestProbe, type Answer } from '../contract/request-probe.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';
import { collectionPath } from './collection-path.ts';

/** Asks for `/version`: the first request. Distinguishes an API server from other servers that answer at its address. */
export const versionStep: Step = {
  id: 'version',
  title: 'version',
  needs: ['credentials', 'tls'],
  async run({ findings, network, options, runtime, signal, userAgent }: DoctorContext) {
    const { timeoutMs } = options;
    const settings = { timeoutMs, runtime, userAgent };
    const transport = await network.openTransport(findings.found, settings);
    findings.requests = new RequestProbe(transport, runtime);
    const answer = await findings.requests.answer({ path: '/version', signal });
    findings.versionStatus = answer.status;
    findings.clock = clockOf(answer);
    return outcomeOf(answer);
  },
};

function clockOf({ headers, sentMs, receivedMs }: Answer): DoctorContext['findings']['clock'] {
  const serverMs = Date.parse(headers['date'] ?? '');
  return Number.isNaN(serverMs) ? undefined : { serverMs, sentMs, receivedMs };
}

function outcomeOf({ status, headers, error, json, tookMs }: Answer): Outcome {
  const contentType = headers['content-type'] ?? '';
  const data = { httpStatus: status, tookMs };
  if (status === 401 || (status === 403 && !contentType.startsWith('text/html'))) {
    return { status: 'skipped', detail: `not shown to this user (HTTP ${status})`, data };
  }
  if (status === 400 && /HTTP request to an HTTPS server/i.test(error?.status.message ?? '')) {
    return {
      ...failedOutcome(error, 'write https:// in "server" of the cluster'),
      detail: 'the server speaks TLS at this port, and the address is http://',
      data,
    };
  }
  if (error !== undefined) return { ...failedOutcome(error, ANOTHER_SERVER), data };
  const { gitVersion, platform } = json;
  if (typeof gitVersion !== 'string') {
    return {
      status: 'failed',
      code: 'MALFORMED_RESPONSE',
      detail: 'the answer to /version has no gitVersion: this is not an API server',
      remedy: ANOTHER_SERVER,
      data,
    };
  }
  const on = typeof platform === 'string' && platform !== '' ? ` on ${platform}` : '';
  const detail = shownText(`${gitVersion}${on}, answered in ${timeText(tookMs)}`);
  return { status: 'ok', detail, data: { gitVersion, platform, ...data } };
}

const ANOTHER_SERVER =
  'check "server" of the cluster: open the address with /version in a browser to see what answers there';

/** Says which features of the server informers can use. Each has a fallback, so a missing one is no failure. */
export function featuresStep(name: string): Step {
  return {
    id: 'features',
    title: 'features',
    needs: [`permission/${name}`],
    async run({ findings, options, signal }: DoctorContext): Promise<Outcome> {
      const path = collectionPath(findings.served(name), options.namespace);
      // A server that knows the option refuses an unknown value of it; an older one ignores both.
      const query = '?limit=1&resourceVersion=0&resourceVersionMatch=Unknown';
      const { status } = await findings.opened.answer({ path: path + query, signal });
      const features = {
        watchList: findings.watchList,
        bookmarks: findings.bookmarks,
        resourceVersionMatch: status === 422 || status === 400,
      };
      const texts = [
        featureText('streamed lists', features.watchList, 'informers read pages'),
        featureText('bookmarks', features.bookmarks, 'informers relist more often'),
        featureText(
          'resourceVersionMatch',
          features.resourceVersionMatch,
          'lists read the storage',
        ),
      ];
      return { status: 'ok', detail: texts.join('; '), data: features };
    },
  };
}

function featureText(name: string, has: boolean | undefined, otherwise: string): string {
  if (has === undefined) return `${name}: not seen`;
  return has ? name : `no ${name}: ${otherwise}`;
}

const REQUESTS = 10;

/** A median above it makes each reconcile slow. */
const SLOW_MS = 500;

/** Sends a few small requests over one connection, one after the other. */
export const latencyStep: Step = {
  id: 'latency',
  title: 'latency',
  needs: ['authentication'],
  async run({ findings, signal }: DoctorContext): Promise<Outcome> {
    const times: number[] = [];
    for (let request = 0; request < REQUESTS; request += 1) {
      const { tookMs } = await findings.opened.answer({ path: '/version', signal });
      times.push(tookMs);
    }
    const sorted = times.toSorted((one, other) => one - other);
    const p50Ms = sorted[Math.floor((REQUESTS - 1) / 2)] ?? 0;
    const maxMs = sorted.at(-1) ?? 0;
    const data = { requests: REQUESTS, p50Ms, maxMs };
    const detail = `${REQUESTS} requests: median ${timeText(p50Ms)}, longest ${timeText(maxMs)}`;
    if (p50Ms <= SLOW_MS) return { status: 'ok', detail, data };
    const remedy = 'run nearer to the server, or look at its load: kubectl get --raw /metrics';
    return { status: 'warning', detail, remedy, data };
  },
};
