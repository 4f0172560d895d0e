import type { MessageType } from '../../types/message-type.ts';
import { mostMessages, type JsonFields } from './interpreted-decoder.ts';
import { closeInput, expectEnd, input, openInput, openText } from '../wire/wire-input.ts';

/**
 * Reads a message from `input`, up to `end`, into a new object or `json`. It throws for all that is not as Kubernetes writes it.
 */
export type Decoder = (end: number, json?: JsonFields) => JsonFields;

/** Makes a decoder. Those of other messages come from `link`, which makes them when they are first called. */
export type MakeDecoder = (type: MessageType, link: (type: MessageType) => Linked) => Decoder;

/** A decoder that is made when it is first called; `f` is the decoder then. */
export interface Linked {
  f: Decoder;
}

interface DecodeOptions {
  readonly refuseUnknown?: boolean;
  /** Fields that the object has already. @defaultValue none */
  readonly json?: JsonFields;
}

/** Makes and keeps the decoders of messages, one way or the other. */
export class Decoders {
  readonly #make: MakeDecoder;
  readonly #linked = new Map<MessageType, Linked>();

  constructor(make: MakeDecoder) {
    this.#make = make;
  }

  /** The JSON of a message, put into `json`; undefined for bytes that the interpreter has to see. */
  decode(
    type: MessageType,
    bytes: Uint8Array,
    { refuseUnknown = false, json = {} }: DecodeOptions = {},
  ): JsonFields | undefined {
    const { f } = this.#link(type);
    const { byteLength } = bytes;
    openInput(bytes);
    input.budget = mostMessages(byteLength);
    input.depth = 0;
    input.refuseUnknown = refuseUnknown;
    try {
      if (!hasItems(type)) openText(byteLength);
      const decoded = f(byteLength, json);
      expectEnd(byteLength);
      return decoded;
    } catch {
      // The interpreter throws the error that names the place, if it is one.
      return undefined;
    } finally {
      closeInput();
    }
  }

  readonly #link = (type: MessageType): Linked => {
    let linked = this.#linked.get(type);
    if (linked === undefined) {
      const made: Linked = {
        f: (end, json) => {
          made.f = this.#make(type, this.#link);
          return made.f(end, json);
        },
      };
      linked = made;
      this.#linked.set(type, made);
    }
    return linked;
  };
}

/** Whether it is a list of objects: each item has a text of its own then, so that one item does not keep the others in memory. */
export function hasItems(type: MessageType): boolean {
  return type.isKind && type.byName.get('items')?.message !== undefined;
}

/** Whether messages of a type can lie in messages of the same type. */
export function isRecursive(type: MessageType): boolean {
  const seen = new Set<MessageType>();
  const reaches = ({ fields }: MessageType): boolean =>
    fields.some(({ message }) => {
      if (message === undefined || seen.has(message)) return false;
      seen.add(message);
      return message === type || reaches(message);
    });
  return reaches(type);
}
