import type { RunOptions } from './run-example.ts';

export interface Example {
  readonly script: string;
  /** Lines that it prints in this order, against any server. */
  readonly lines: readonly RegExp[];
  /** For an example that runs until it is interrupted: interrupts it when it has printed this. */
  readonly until?: RegExp | undefined;
  /** Options for a server in its process. */
  readonly embedded?: readonly string[] | undefined;
  /** It needs servers in its process, and refuses another one. */
  readonly inProcess?: true | undefined;
}

/** Every program of `examples`. */
export const EXAMPLES: readonly Example[] = [
  {
    script: 'examples/quickstart.ts',
    lines: [
      /✓ 6 sites wait for an operator/,
      /operator +runs \d+ times: 6 config maps/,
      /✓ both are as they should be/,
      /✓ site-6 was cleaned up/,
      /✓ 3 caches, \d+ objects, 0 differences/,
    ],
  },
  {
    script: 'examples/work-queue.ts',
    lines: [/worked +color green/, /failed +try 2/, /color red, after 2 failures/, /worked +gone/],
  },
  {
    script: 'examples/site-operator/main.ts',
    lines: [
      /created +ready: \d of 2/,
      /page +<h1>good morning<\/h1>/,
      /repaired/,
      /scaled/,
      /deleted +in the directory: no more/,
    ],
  },
  {
    script: 'examples/namespaces.ts',
    lines: [
      /team red +default\/cart kube-public\/cart$/m,
      /team red .*kube-system\/audit$/m,
      /new +kube-system\/backup/,
      /watches +kube-system: \d in the cache/,
    ],
  },
  {
    script: 'examples/events.ts',
    lines: [/Unreachable: attempt 1 found no server \(x50\)/, /24 of 40 parts/, /16 dropped/],
  },
  {
    script: 'examples/webhook.ts',
    lines: [
      /completed +15 percent, in EUR/,
      /converted +as v1: 15 %/,
      /refused .*spec\.percent: must be at most 50, spec\.code: cannot be changed/,
    ],
  },
  {
    script: 'examples/clusters.ts',
    lines: [/copied +color green/, /changed +color red/, /deleted +copies that are left: 0/],
  },
  {
    script: 'examples/failure-patterns/main.ts',
    lines: [
      /crash between writes\n +wrong +without faults: nothing is broken\n +by plan: shop has 2 secrets/,
      /right .*\n +by plan: nothing is broken\n +by seed: broken in 0 of 3/,
      /stale cache\n +wrong +without faults: nothing is broken\n +by plan: the secret of shop was deleted/,
      /right .*\n +by plan: nothing is broken\n +by seed: broken in 0 of 3/,
      /unobserved change\n +wrong +without faults: nothing is broken\n +by plan: shop was not migrated to version 2/,
      /right .*\n +by plan: nothing is broken\n +by seed: broken in 0 of 3/,
    ],
    embedded: ['--seeds', '3'],
    inProcess: true,
  },
  {
    script: 'examples/leader-election.ts',
    lines: [
      /leads +true/,
      /waits +standby with a cache that is filled/,
      /stopped +true/,
      /epoch +1: writes of an earlier one are refused/,
    ],
  },
  {
    script: 'examples/sharded-controller.ts',
    lines: [/shared +by blue, green, red$/m, /left +blue: now by green, red$/m],
  },
  {
    script: 'examples/watch-pods.ts',
    lines: [/pods on \S+: \d+; Ctrl-C ends/],
    until: /Ctrl-C ends/,
    embedded: ['--embedded'],
  },
];

/** How to run it, so that it ends. */
export function endOf({ until }: Example): RunOptions {
  if (until === undefined) return {};
  let notified = false;
  return {
    onOutput: (stdout, child) => {
      // More output may follow, and a second signal would end it at once.
      if (notified || !until.test(stdout)) return;
      notified = true;
      child.kill('SIGINT');
    },
  };
}

/** The first of its lines that is missing, or comes too early. */
export function missingLine({ lines }: Example, stdout: string): RegExp | undefined {
  let rest = stdout;
  for (const line of lines) {
    const found = line.exec(rest);
    if (found === null) return line;
    rest = rest.slice(found.index + found[0].length);
  }
  return undefined;
}
