import { abortable } from '../../../kernel/time/abort.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';

/** The interval of log lines about a full sink, milliseconds. */
const REMINDER_MS = 30_000;

/** Waits while the sink is full, and logs it at intervals; rejects when the signal aborts. */
export async function waitForRoom(
  room: Promise<void>,
  signal: AbortSignal,
  { runtime, logger, name }: { runtime: Runtime; logger: Logger; name: string },
): Promise<void> {
  const sinceMs = runtime.monotonicMs();
  let reminder: Timer;
  const arm = (): Timer =>
    runtime.setTimer(
      REMINDER_MS,
      () => {
        const waitedMs = Math.round(runtime.monotonicMs() - sinceMs);
        const text = `the sink has been full for ${waitedMs} ms; reading goes on when it has room`;
        logger.warn(`reflector ${name}: ${text}`);
        reminder = arm();
      },
      { background: true },
    );
  reminder = arm();
  try {
    await abortable(room, signal);
  } finally {
    reminder.cancel();
  }
}
