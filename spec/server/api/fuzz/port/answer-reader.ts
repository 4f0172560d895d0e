/** A response of HTTP/1.1. */
export interface PortAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
/** Of a body; the rest is dropped. */
const KEPT_BYTES = 64 * 1024;

/** The body that is being read: its answer so far, and where it ends. */
interface Open {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly pieces: Buffer[];
  kept: number;
  readonly chunked: boolean;
  /** Of the body or of the chunk; undefined: up to the end of the connection, or before the size of a chunk. */
  left: number | undefined;
}

/** Reads the answers to requests that were sent one after the other over one connection. */
export class AnswerReader {
  readonly answers: PortAnswer[] = [];
  /** The methods of the requests whose answers are to come. */
  readonly #methods: string[];
  #rest: Buffer = Buffer.alloc(0);
  #open: Open | undefined;
  /** The bytes are those of another protocol now. */
  #switched = false;

  constructor(methods: readonly string[]) {
    this.#methods = [...methods];
  }

  /** Whether the head of an answer has come whose body has not ended. */
  get isWithinBody(): boolean {
    return this.#open !== undefined || this.#switched;
  }

  /** @throws when the bytes are no answer */
  push(bytes: Buffer): void {
    if (this.#switched) return;
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#step());
  }

  /** The connection has ended: a body without a length has too. */
  end(): void {
    const open = this.#open;
    if (open !== undefined && !open.chunked && open.left === undefined) this.#finish(open);
  }

  #step(): boolean {
    if (this.#switched || this.#rest.length === 0) return false;
    if (this.#open === undefined) return this.#readHead();
    return this.#open.chunked ? this.#readChunk(this.#open) : this.#readBody(this.#open);
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf(HEAD_END);
    if (end < 0) return false;
    const [first = '', ...lines] = this.#rest.toString('latin1', 0, end).split('\r\n');
    this.#rest = this.#rest.subarray(end + HEAD_END.length);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    if (!(status >= 100)) throw new Error(`no status line: ${JSON.stringify(first.slice(0, 200))}`);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    if (status === 101) this.#switched = true;
    if (status < 200 && status !== 101) return true;
    this.#begin(status, headers);
    return true;
  }

  #begin(status: number, headers: ReadonlyMap<string, string>): void {
    const bare = this.#methods.shift() === 'HEAD' || status === 204 || status === 304;
    const length = headers.get('content-length');
    const chunked = !bare && headers.get('transfer-encoding') === 'chunked';
    const left = bare || status === 101 ? 0 : length === undefined ? undefined : Number(length);
    const open: Open = { status, headers, pieces: [], kept: 0, chunked, left };
    if (chunked) open.left = undefined;
    this.#open = open;
    if (open.left === 0) this.#finish(open);
  }

  #readBody(open: Open): boolean {
    const size = Math.min(this.#rest.length, open.left ?? this.#rest.length);
    this.#keep(open, size);
    if (open.left === undefined) return false;
    open.left -= size;
    if (open.left === 0) this.#finish(open);
    return true;
  }

  #readChunk(open: Open): boolean {
    if (open.left === undefined) {
      const end = this.#rest.indexOf(LINE_END);
      if (end < 0) return false;
      const size = Number.parseInt(this.#rest.toString('latin1', 0, end), 16);
      if (!(size >= 0)) throw new Error('no size of a chunk');
      // The end of the line, the chunk, and its own end of a line.
      if (this.#rest.length < end + 4 && size === 0) return false;
      this.#rest = this.#rest.subarray(end + 2);
      if (size === 0) {
        this.#rest = this.#rest.subarray(2);
        this.#finish(open);
        return true;
      }
      open.left = size + 2;
    }
    const size = Math.min(this.#rest.length, open.left);
    this.#keep(open, size);
    open.left -= size;
    if (open.left > 0) return false;
    open.left = undefined;
    return true;
  }

  #keep(open: Open, size: number): void {
    const piece = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    if (open.kept < KEPT_BYTES) open.pieces.push(piece);
    open.kept += size;
  }

  #finish({ status, headers, pieces }: Open): void {
    this.#open = undefined;
    this.answers.push({ status, headers, body: Buffer.concat(pieces).toString() });
  }
}
