/** The beginning of a process that `ServerChild` starts: it plays one role, and does what it is asked over IPC. */
import { EventCounter } from './server-counter.ts';
import { OpenPage } from './inspector-load.ts';
import { ListIterator } from './list-iterator.ts';
import { ObjectCreator } from './server-creator.ts';
import { InformerCrowd } from './server-informers.ts';
import { ServedApi } from './server-served.ts';
import { WatchCrowd } from './server-watches.ts';

const roles = {
  server: (): ServedApi => new ServedApi(),
  creator: (): ObjectCreator => new ObjectCreator(),
  informers: (): InformerCrowd => new InformerCrowd(),
  sockets: (): EventCounter => new EventCounter(),
  watches: (): WatchCrowd => new WatchCrowd(),
  iterator: (): ListIterator => new ListIterator(),
  page: (): OpenPage => new OpenPage(),
};

export type Roles = { readonly [name in keyof typeof roles]: ReturnType<(typeof roles)[name]> };

export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

type Method = (...args: readonly unknown[]) => unknown;

const role = roles[process.argv[2] as keyof Roles]() as unknown as Readonly<Record<string, Method>>;

async function reply({ id, method, args }: Call): Promise<Reply> {
  try {
    return { id, result: await role[method]?.(...args) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', (call: Call) => {
  void reply(call).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => {
  process.exit();
});
