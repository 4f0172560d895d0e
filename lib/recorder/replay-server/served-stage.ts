import { abortable } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';

/** Where a served recording is: at its first lists until clients need what follows, and with or without a network. */
export class ServedStage {
  /** Why no connection succeeds at this place of the recording. */
  outage: Error | undefined;
  /** Whether the first lists are there. */
  stands = false;
  readonly #onCut: () => void;
  readonly #wanted = new Latch('a watch of the served recording');
  /** Requests for what is not there yet. */
  #waiting = 0;

  /** `onCut`: the recorded connection was lost. */
  constructor(onCut: () => void) {
    this.#onCut = onCut;
  }

  cut(): void {
    this.#onCut();
  }

  /** A client has opened a watch. */
  watched(): void {
    this.#wanted.open();
  }

  /** Waits for what is not there yet; what follows is wanted then too. */
  async waitFor(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
    this.#waiting += 1;
    if (this.stands) this.#wanted.open();
    try {
      await abortable(work, signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** The first lists are there. Resolves when what follows is wanted. */
  async stand(signal: AbortSignal | undefined): Promise<void> {
    this.stands = true;
    // Those that have got a first list are about to go on.
    await Promise.resolve();
    if (this.#waiting > 0) this.#wanted.open();
    await abortable(this.#wanted.opened, signal);
  }
}
