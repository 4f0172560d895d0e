import type { ByteSource } from '../../../meta/json/json-view.ts';
import type { KnownValueOf } from '../../../meta/json/known-values.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { ListDecoder } from './list-decoder.ts';
import type { ObjectDecoder } from './object-decoder.ts';

/** Passes on a part of each object that another decoder has decoded. */
export class ChangedDecoder<W extends KubernetesObject, T extends KubernetesObject>
  implements ObjectDecoder<T>
{
  readonly accept: ObjectDecoder<T>['accept'];
  readonly #whole: ObjectDecoder<W>;
  readonly #change: (view: ObjectView<W>) => ObjectView<T>;

  constructor(
    whole: ObjectDecoder<W>,
    accept: ObjectDecoder<T>['accept'],
    change: (view: ObjectView<W>) => ObjectView<T>,
  ) {
    this.accept = accept;
    this.#whole = whole;
    this.#change = change;
  }

  decodeEvent(
    source: ByteSource,
    start?: number,
    end?: number,
    knownValueOf?: KnownValueOf,
  ): WatchEvent<ObjectView<T>> {
    const event = this.#whole.decodeEvent(source, start, end, knownValueOf);
    return event.type === 'BOOKMARK'
      ? event
      : { type: event.type, object: this.#change(event.object) };
  }

  beginList(): ListDecoder<T> {
    const whole = this.#whole.beginList();
    const change = this.#change;
    return {
      push: (piece) => whole.push(piece),
      takeItems: () => whole.takeItems().map((view) => change(view)),
      end: () => {
        const page = whole.end();
        return { ...page, items: page.items.map((view) => change(view)) };
      },
    };
  }
}
