import { ListwatchError } from '../../kernel/failure/errors.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import { withDeadline } from '../../kernel/time/wait.ts';
import type { ConditionSequence } from './condition-sequence.ts';
import { checkedTimeout, type UntilEventOptions } from './until-options.ts';

/** Waits for conditions on the events of a stream. It always closes the stream at the end; see `until`. */
export async function untilEvent<E>(
  events: AsyncIterable<E>,
  conditions: ConditionSequence<E>,
  options: UntilEventOptions & { readonly name: string },
): Promise<E> {
  const { name, signal, runtime = realRuntime } = options;
  const timeoutMs = checkedTimeout(options.timeoutMs);
  signal?.throwIfAborted();
  const iterator = events[Symbol.asyncIterator]();
  try {
    return await withDeadline(runtime, firstAccepted(iterator, conditions, name), {
      timeoutMs,
      signal,
      describe: () => `${name}: ${conditions.describe()}`,
    });
  } finally {
    // A stream that hangs may end late; the caller does not wait for it.
    iterator.return?.().then(undefined, () => {});
  }
}

async function firstAccepted<E>(
  iterator: AsyncIterator<E>,
  conditions: ConditionSequence<E>,
  name: string,
): Promise<E> {
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) {
      throw new ListwatchError(
        'WATCH_CLOSED',
        `${name} ended while it was waited for ${conditions.describe()}`,
      );
    }
    if (conditions.accepts(next.value)) return next.value;
  }
}
