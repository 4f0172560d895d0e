import { Canaries } from '../client/connect/support/canaries.ts';

/** Every secret that `FrontCluster`, proxies and plug-ins of the specs give out begins like this. */
const CANARY = /canary-[a-z-]+-[0-9a-f]{8,}|canary-(?:proxy|plugin)-\w+/;

const canaries = new Canaries();
/** Lines with a secret, as they were printed; the first are enough to find the spec. */
const shown: string[] = [];
const MOST = 20;

/** Whether a line of output has a secret of the specs, or anything that looks like one. */
export function showsSecret(line: string): boolean {
  return CANARY.test(line) || canaries.foundIn(line).length > 0;
}

function look(chunk: unknown): void {
  if (shown.length >= MOST) return;
  const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString();
  if (showsSecret(text)) shown.push(...text.split('\n').filter(showsSecret));
}

/** In a worker of the suite the hooks run once for each file. */
let isLooking = false;

/** Fails the run when any spec prints a secret to a standard stream of this process. */
export const mochaHooks = {
  beforeAll(): void {
    if (isLooking) return;
    isLooking = true;
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream);
      const looking = (...args: Parameters<typeof write>): boolean => {
        look(args[0]);
        return write(...args);
      };
      stream.write = looking as typeof stream.write;
    }
  },
  afterAll(): void {
    const found = shown.splice(0);
    if (found.length > 0)
      throw new Error(`secrets in the output of the specs:\n${found.join('\n')}`);
  },
};
