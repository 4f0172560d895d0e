/**
 * A wait or a child process ends after this time. Only a hang reaches it, on a machine under any load. It is shorter than the
 * timeout of mocha, so that the failure names what did not happen.
 */
export const HANG_MS = 300_000;

/** So long that a busy machine can do other work between two looks at the condition. */
const POLL_MS = 2;

/** Resolves when `condition` holds. Rejects after `HANG_MS` with an error that names `what`. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const giveUpAtMs = performance.now() + HANG_MS;
  while (!(await condition())) {
    if (performance.now() > giveUpAtMs) throw new Error(`gave up after ${HANG_MS} ms: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
}

/** The outcome of `promise`. Rejects after `HANG_MS` with an error that names `what`. */
export async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`gave up after ${HANG_MS} ms: ${what}`));
    }, HANG_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
