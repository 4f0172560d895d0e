import type { Socket } from 'node:net';

export interface RequestHead {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const END = '\r\n\r\n';

/** Calls back for each request head on a connection. Bodies are not understood: an informer sends none. */
export function readRequests(socket: Socket, onRequest: (head: RequestHead) => void): void {
  let held = '';
  socket.on('data', (piece: Buffer) => {
    held += piece.toString('latin1');
    for (let end = held.indexOf(END); end !== -1; end = held.indexOf(END)) {
      const head = held.slice(0, end);
      held = held.slice(end + END.length);
      onRequest(parseHead(head));
    }
  });
}

function parseHead(text: string): RequestHead {
  const [first = '', ...lines] = text.split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { method, path, headers: Object.fromEntries(headers) as Record<string, string> };
}
