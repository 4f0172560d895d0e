import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { decodeObject } from '../../../lib/meta/protobuf/object-codec.ts';
import { FRAME_LENGTH_BYTES } from '../../../lib/meta/protobuf/watch-event-frame.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { readWatchEvent } from '../../meta/protobuf/read-watch-event.ts';
import { DEFINITIONS, GADGET, GADGETS, gadgets } from './gadgets.ts';
import { apiRequest } from './support.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const GADGET_PATH = `${GADGETS}/namespaces/default/gadgets`;
const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const DROP = ';drop=metadata.managedFields';
const TABLE = ';as=Table;g=meta.k8s.io;v=v1';
const PARTIAL = ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const PARTIAL_LIST = ';as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
}

interface Asked {
  readonly method?: string;
  readonly url: string;
  readonly accept: string;
  readonly body?: object | undefined;
  readonly contentType?: string;
}

type Send = (asked: Asked) => Promise<Answer>;

/** A server with the config maps `one` and `two` and a gadget; two managers have written `one`. */
async function withServer(on: boolean, run: (send: Send) => Promise<void>): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    const featureGates = { ManagedFieldsOptOut: on };
    await using server = new ApiServer({ runtime, featureGates });
    const send: Send = async ({ method = 'GET', url, accept, body, contentType = JSON_TYPE }) => {
      const headers = { accept, 'content-type': contentType };
      const answer = await server.handler(
        apiRequest(method, url, { headers, ...(body === undefined ? {} : { body }) }),
      );
      const pieces: Uint8Array[] = [];
      if (answer.body instanceof Uint8Array) pieces.push(answer.body);
      else for await (const piece of answer.body) pieces.push(piece);
      const type = String(answer.headers['content-type']);
      return { status: answer.status, type, bytes: Buffer.concat(pieces) };
    };
    const post = (url: string, body: object): Promise<Answer> =>
      send({ method: 'POST', url, accept: JSON_TYPE, body });
    await post(DEFINITIONS, gadgets);
    for (const name of ['one', 'two']) await post(MAPS, { metadata: { name }, data: { a: '1' } });
    await post(GADGET_PATH, { ...GADGET, metadata: { name: 'g' }, spec: { replicas: 1 } });
    await send({
      method: 'PATCH',
      url: `${MAPS}/one?fieldManager=second`,
      accept: JSON_TYPE,
      body: { data: { b: 'ü' } },
      contentType: 'application/merge-patch+json',
    });
    await run(send);
  });
}

/** All objects in an answer, with their managed fields or without. */
function contentOf({ type, bytes }: Answer): unknown {
  if (type === PROTOBUF) return decodeObject(bytes);
  if (type.startsWith(`${PROTOBUF};stream`)) return eventsOf(bytes);
  const text = bytes.toString();
  // A watch has one line for each event, and an indented answer many lines.
  const documents = text.startsWith('{"type"') ? text.trimEnd().split('\n') : [text];
  return documents.map((document) => JSON.parse(document) as unknown);
}

function eventsOf(bytes: Buffer): unknown[] {
  const events: unknown[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + FRAME_LENGTH_BYTES + bytes.readUInt32BE(at);
    const { type, object } = readWatchEvent(bytes.subarray(at + FRAME_LENGTH_BYTES, end));
    events.push({ type, object: decodeObject(object) });
    at = end;
  }
  return events;
}

/** The value without any member `managedFields`. */
function bare(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      name === 'managedFields' ? undefined : member,
    ),
  );
}

const has = (value: unknown): boolean => JSON.stringify(value).includes('"managedFields"');

const WATCH = 'watch=true&timeoutSeconds=1&resourceVersion=0';
const ONE = `${MAPS}/one`;
const DRY = 'dryRun=All';

const READS: readonly (readonly [what: string, url: string, type: string])[] = [
  ['an object', ONE, JSON_TYPE],
  ['an object, indented', `${ONE}?pretty=true`, JSON_TYPE],
  ['a list', MAPS, JSON_TYPE],
  ['a list, indented', `${MAPS}?pretty=true`, JSON_TYPE],
  ['a watch', `${MAPS}?${WATCH}`, JSON_TYPE],
  ['a custom object', `${GADGET_PATH}/g`, JSON_TYPE],
  ['custom objects', GADGET_PATH, JSON_TYPE],
  ['a watch of custom objects', `${GADGET_PATH}?${WATCH}`, JSON_TYPE],
  ['metadata', ONE, JSON_TYPE + PARTIAL],
  ['metadata of a list', MAPS, JSON_TYPE + PARTIAL_LIST],
  ['a watch of metadata', `${MAPS}?${WATCH}`, JSON_TYPE + PARTIAL],
  ['a table', MAPS, JSON_TYPE + TABLE],
  ['a table with objects', `${MAPS}?includeObject=Object`, JSON_TYPE + TABLE],
  ['a watch of tables', `${MAPS}?${WATCH}&includeObject=Object`, JSON_TYPE + TABLE],
  ['an object in protobuf', ONE, PROTOBUF],
  ['a list in protobuf', MAPS, PROTOBUF],
  ['a watch in protobuf', `${MAPS}?${WATCH}`, PROTOBUF],
  ['metadata in protobuf', ONE, PROTOBUF + PARTIAL],
  ['metadata of a list in protobuf', MAPS, PROTOBUF + PARTIAL_LIST],
  ['a watch of metadata in protobuf', `${MAPS}?${WATCH}`, PROTOBUF + PARTIAL],
];

describe('answers without managed fields', () => {
  for (const [what, url, type] of READS) {
    it(`differ in nothing else: ${what}`, async () => {
      await withServer(true, async (send) => {
        // At the same time, so that the ages in a table are the same.
        const [whole, dropped, again] = await Promise.all([
          send({ url, accept: type }),
          send({ url, accept: type + DROP }),
          send({ url, accept: type }),
        ]);
        expect(dropped.status).to.equal(200);
        expect(dropped.type).to.equal(whole.type);
        expect(contentOf(again)).to.deep.equal(contentOf(whole));
        expect(has(contentOf(whole))).to.equal(true);
        expect(has(contentOf(dropped))).to.equal(false);
        expect(contentOf(dropped)).to.deep.equal(bare(contentOf(whole)));
      });
    });
  }

  it('are those of writes too', async () => {
    const writes: readonly Asked[] = [
      {
        method: 'POST',
        url: `${MAPS}?${DRY}`,
        accept: JSON_TYPE,
        body: { metadata: { name: 'n' }, data: { a: '1' } },
      },
      {
        method: 'PUT',
        url: `${ONE}?${DRY}`,
        accept: JSON_TYPE,
        body: { metadata: { name: 'one' }, data: { d: '4' } },
      },
      {
        method: 'PATCH',
        url: `${ONE}?${DRY}`,
        accept: JSON_TYPE,
        body: { data: { c: '3' } },
        contentType: 'application/merge-patch+json',
      },
      { method: 'DELETE', url: `${MAPS}?${DRY}`, accept: JSON_TYPE },
    ];
    await withServer(true, async (send) => {
      for (const write of writes) {
        expect(has(contentOf(await send(write))), write.method).to.equal(true);
        const answer = await send({ ...write, accept: JSON_TYPE + DROP });
        expect(answer.status, write.method).to.be.oneOf([200, 201]);
        expect(has(contentOf(answer)), write.method).to.equal(false);
      }
    });
  });

  it('are not given for another part: the alternative is skipped', async () => {
    await withServer(true, async (send) => {
      const refused = await send({ url: ONE, accept: 'application/json;drop=spec' });
      expect(refused.status).to.equal(406);
      for (const accept of ['application/json;drop=spec,application/json', `${JSON_TYPE};drop=`]) {
        const answer = await send({ url: ONE, accept });
        expect(answer.status, accept).to.equal(200);
        expect(has(contentOf(answer)), accept).to.equal(true);
      }
    });
  });

  it('are not given while the gate is off, as by kube-apiserver 1.37: the parameter is ignored', async () => {
    await withServer(false, async (send) => {
      for (const accept of [JSON_TYPE + DROP, 'application/json;drop=spec', PROTOBUF + DROP]) {
        const answer = await send({ url: ONE, accept });
        expect(answer.status, accept).to.equal(200);
        expect(has(contentOf(answer)), accept).to.equal(true);
      }
    });
  });

  it('leave the stored objects as they are', async () => {
    await withServer(true, async (send) => {
      await send({ url: MAPS, accept: JSON_TYPE + DROP });
      const { items } = (
        contentOf(await send({ url: MAPS, accept: JSON_TYPE })) as unknown[]
      )[0] as {
        items: readonly UnstructuredObject[];
      };
      expect(items.every(has)).to.equal(true);
    });
  });
});
