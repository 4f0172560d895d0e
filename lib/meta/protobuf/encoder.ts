import type { MessageType } from '../types/message-type.ts';

/** Writes the message of an object into `wire`. It throws for a value of another type than its field. */
export type Encoder = (object: unknown) => void;

/** An encoder that is made when it is first called; `f` is the encoder then. */
export interface LinkedEncoder {
  f: Encoder;
}

/** Makes and keeps the encoders of messages. */
export class Encoders {
  readonly #make: (type: MessageType, link: (type: MessageType) => LinkedEncoder) => Encoder;
  readonly #linked = new Map<MessageType, LinkedEncoder>();

  constructor(make: (type: MessageType, link: (type: MessageType) => LinkedEncoder) => Encoder) {
    this.#make = make;
  }

  readonly link = (type: MessageType): LinkedEncoder => {
    let linked = this.#linked.get(type);
    if (linked === undefined) {
      const made: LinkedEncoder = {
        f: (object) => {
          made.f = this.#make(type, this.link);
          made.f(object);
        },
      };
      linked = made;
      this.#linked.set(type, made);
    }
    return linked;
  };
}
