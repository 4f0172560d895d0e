import type { Client } from '../../../lib/index.ts';
import { isAlreadyExists } from '../../../lib/meta/failure/failures.ts';
import type { Invariant } from '../../../lib/simulator/contract/world.ts';

const PREFIX = 'complaint-of-';

/** Observations of a controller that its documentation excludes, as a config map. */
export class Complaints {
  readonly #client: Client;
  readonly #name: string;
  readonly #onFirst: () => void;
  #text: string | undefined;

  /** `onFirst` is called when there is something to write. */
  constructor(client: Client, name: string, onFirst: () => void) {
    this.#client = client;
    this.#name = name;
    this.#onFirst = onFirst;
  }

  add(text: string): void {
    if (this.#text !== undefined) return;
    this.#text = text;
    this.#onFirst();
  }

  /** Writes the first complaint. */
  async write(): Promise<void> {
    if (this.#text === undefined) return;
    const maps = this.#client.resource('v1', 'configmaps', { namespace: 'default' });
    try {
      await maps.create({ metadata: { name: PREFIX + this.#name }, data: { text: this.#text } });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

export const noComplaints: Invariant = {
  name: 'no controller complains',
  always: (state) => {
    const complaint = state
      .list('v1', 'configmaps', 'default')
      .find(({ metadata }) => metadata?.name?.startsWith(PREFIX) === true);
    return complaint && `${complaint.metadata?.name}: ${complaint.data?.['text']}`;
  },
};
