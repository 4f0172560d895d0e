import { ListwatchError } from '../../kernel/failure/errors.ts';
import { deriveAbort } from '../../kernel/time/abort.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

/** Limits of one request. */
export interface LeaseCall {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A request that ends within its time: its signal aborts then.
 * @param what it is about, for the error
 * @throws {ListwatchError} code TIMEOUT; what `call` throws.
 */
export async function limitedCall<R>(
  runtime: Runtime,
  what: string,
  { timeoutMs, signal }: LeaseCall,
  call: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const abort = deriveAbort(signal);
  const timer = runtime.setTimer(timeoutMs, () => {
    const text = `no answer about ${what} within ${Math.round(timeoutMs)} ms; check that the API server answers`;
    abort.abort(new ListwatchError('TIMEOUT', text));
  });
  try {
    return await call(abort.signal);
  } finally {
    timer.cancel();
    abort.destroy();
  }
}
