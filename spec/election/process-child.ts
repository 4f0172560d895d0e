import { LeaderElector } from '../../lib/controller/election/leader-elector.ts';
import type { WriteFence } from '../../lib/client/transport/contract/write-fence.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import { errorMessage, isListwatchError } from '../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';

/**
 * A process that campaigns, leads and writes, until it is killed. It prints what happens to it, a JSON object a line, and compares each
 * write that it sends with the traces of its renewals.
 */
const [, , kubeconfig, identity = '', fencing, leaseText = '15'] = process.argv;
const leaseDurationMs = Number(leaseText) * 1000;
const renewDeadlineMs = (leaseDurationMs * 2) / 3;
const retryMs = leaseDurationMs / 8;

let renewedMs = -Infinity;
const client = await connect({
  kubeconfig,
  fieldManager: 'election',
  logger: silentLogger,
  onRequest: ({ startMs, attributes }) => {
    const { 'listwatch.resource': resource, 'http.response.status_code': status = 0 } = attributes;
    const isLease = resource.startsWith('leases') && attributes['http.request.method'] !== 'GET';
    if (isLease && status >= 200 && status < 300) renewedMs = Math.max(renewedMs, startMs);
  },
});
const report = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
const elector = new LeaderElector(client, {
  name: 'election',
  namespace: 'default',
  identity,
  fencing: fencing === 'strict' ? 'strict' : 'local',
  leaseDurationMs,
  renewDeadlineMs,
  retryMs,
  logger: silentLogger,
});

const counts = { sent: 0, late: 0 };
process.on('SIGTERM', () => stop.abort());
const stop = new AbortController();
try {
  await elector.run({
    signal: stop.signal,
    lead: async ({ lease, signal }) => {
      report({ leads: lease.epoch });
      let checks = 0;
      const checked: WriteFence = {
        lost: lease.lost,
        headers: lease.headers,
        get validUntilMs() {
          return lease.validUntilMs;
        },
        refused: () => lease.refused(),
        check: () => {
          lease.check();
          checks += 1;
          // The second check of a write is that before its bytes leave.
          if (checks % 2 === 1) return;
          counts.sent += 1;
          if (Date.now() > renewedMs + renewDeadlineMs) counts.late += 1;
        },
      };
      const maps = client.fencedBy(checked).resource('v1', 'configmaps', { namespace: 'default' });
      for (let count = 0; !signal.aborted; count += 1) {
        checks = 0;
        const data = { by: identity, count: String(count) };
        await maps.patch('election', { data }, { signal }).catch(() => {});
        report(counts);
        await new Promise((resolve) => {
          setTimeout(resolve, 20);
        });
      }
    },
  });
  report({ ended: 'stopped' });
} catch (error) {
  report({ ended: isListwatchError(error) ? error.code : 'failed', error: errorMessage(error) });
}
await client.close();
