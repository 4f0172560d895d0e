import { plainCause } from '../../../../kernel/text/plain-text.ts';
import type { FailedRequest } from '../../../../meta/api-call.ts';
import { PodStreamError } from '../pod/pod-stream-error.ts';

/** A longer result is no Status; bytes. */
const LONGEST_STATUS_BYTES = 64 * 1024;
const LONGEST_WORDS = 190;

/** Reads the Status that ends a command. It may come in several messages. */
export class ExitStatus {
  readonly #request: FailedRequest;
  #text: Buffer = Buffer.alloc(0);

  constructor(request: FailedRequest) {
    this.#request = request;
  }

  /** The exit code when the Status is complete; undefined before. @throws {PodStreamError} code POD_STREAM. */
  take(content: Buffer): number | undefined {
    this.#text = Buffer.concat([this.#text, content]);
    const status = parsed(this.#text);
    if (status === undefined) {
      if (this.#text.length > LONGEST_STATUS_BYTES) throw this.#failed('the result is no Status');
      return undefined;
    }
    if (status['status'] === 'Success') return 0;
    const code = exitCode(status['details']);
    if (code !== undefined) return code;
    const { message, reason } = status;
    throw this.#failed(typeof message === 'string' ? message : String(reason));
  }

  /** The error of a socket that ends before the Status is complete. */
  unfinished(): PodStreamError {
    const words = plainCause(this.#text.toString('utf8'), LONGEST_WORDS);
    return this.#failed(words === '' ? 'the connection ended without a result' : words);
  }

  #failed(words: string): PodStreamError {
    const problem = `the node did not carry it out: ${plainCause(words, LONGEST_WORDS)}`;
    const remedy = 'check that the container has this program and still runs';
    return new PodStreamError({ code: 'POD_STREAM', problem, remedy }, this.#request);
  }
}

function parsed(text: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.toString('utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.hasOwn(value, 'status') ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function exitCode(details: unknown): number | undefined {
  const { causes } = (details ?? {}) as { readonly causes?: unknown };
  if (!Array.isArray(causes)) return undefined;
  for (const cause of causes as readonly unknown[]) {
    const { reason, message } = (cause ?? {}) as { reason?: unknown; message?: unknown };
    if (reason === 'ExitCode' && typeof message === 'string' && /^\d{1,10}$/.test(message)) {
      return Number(message);
    }
  }
  return undefined;
}
