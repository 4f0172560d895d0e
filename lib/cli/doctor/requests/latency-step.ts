import { timeText } from '../../terminal/shown-text.ts';
import type { DoctorContext, Outcome, Step } from '../contract/step.ts';

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
