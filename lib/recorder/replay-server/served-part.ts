import { isApiError, isExpired } from '../../meta/failure/failures.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { ServedObject } from './served-object.ts';
import type { ServedStage } from './served-stage.ts';

/** The calls of a part to its collection. */
export interface PartOwner {
  listed(part: ServedPart, items: readonly ObjectView[], resourceVersion: string): void;
  changed(part: ServedPart, batch: readonly WatchEvent<ObjectView>[]): void;
  ended(error: Error | undefined): void;
  refused(): void;
}

/** The records of one reader, as a part of a served collection. */
export class ServedPart {
  /** Empty: all. */
  readonly namespace: string;
  objects: Map<string, ServedObject> = new Map();
  /** It was listed. */
  isListed = false;
  /** It has a list before time begins. */
  isExpected = false;
  /** The Status that the recorded program got in place of an answer. */
  refusal: Error | undefined;
  readonly #owner: PartOwner;
  readonly #stage: ServedStage;

  constructor(namespace: string, owner: PartOwner, stage: ServedStage) {
    this.namespace = namespace;
    this.#owner = owner;
    this.#stage = stage;
  }

  /** Whether it has objects of a namespace. Empty: of all. */
  has(namespace: string): boolean {
    return this.namespace === '' || namespace === '' || this.namespace === namespace;
  }

  expect(): void {
    this.isExpected = true;
  }

  /** A list is complete: its objects take the place of all. */
  listed(items: readonly ObjectView[], resourceVersion: string): void {
    this.#owner.listed(this, items, resourceVersion);
  }

  changed(batch: readonly WatchEvent<ObjectView>[]): void {
    this.#owner.changed(this, batch);
  }

  /** The recorded watch has ended, with the error if it failed. */
  ended(error?: Error): void {
    if (error === undefined || isApiError(error)) this.#owner.ended(error);
    else {
      this.#owner.ended(undefined);
      this.#stage.cut();
    }
  }

  /** Requests fail with the error; undefined: they succeed again, and the network is there. */
  refuse(error: Error | undefined): void {
    // 410 sends a program on to a list, which the recording has next.
    if (!isExpired(error)) {
      this.refusal = isApiError(error) ? error : undefined;
      this.#stage.outage = this.refusal === undefined ? error : undefined;
    }
    if (error !== undefined) this.#owner.refused();
  }
}
