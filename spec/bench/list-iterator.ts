import { connect } from '../../lib/client/rest/connect.ts';
import { collectGarbage } from './bench.ts';

/** Objects between two looks at the memory. */
const LOOK_EVERY = 50;

export interface Iterated {
  /** The most resident memory while it iterated over all pods, above that of before. */
  readonly peakBytes: number;
  readonly tookMs: number;
}

/** Iterates over pods in a process of its own, so that no earlier iteration has made the process large already. */
export class ListIterator {
  async iterate(url: string, objects: number, prefetchPages: number): Promise<Iterated> {
    await using client = await connect({ server: url });
    const pods = client.resource('v1', 'pods');
    await pods.list({ limit: 1 });
    collectGarbage();
    const idle = process.memoryUsage.rss();
    const began = performance.now();
    let peak = idle;
    let seen = 0;
    for await (const pod of pods.items({ prefetchPages })) {
      if (pod.metadata?.name === undefined) throw new Error('an object came without its name');
      seen += 1;
      if (seen % LOOK_EVERY === 0) peak = Math.max(peak, process.memoryUsage.rss());
    }
    if (seen !== objects) throw new Error(`${seen} of ${objects} objects came`);
    return { peakBytes: peak - idle, tookMs: performance.now() - began };
  }
}
