import type { UnstructuredObject } from '../../meta/object.ts';
import type { Admission, AdmittedVersion } from '../registry/contract/admission.ts';
import type {
  ConnectMethods,
  InstalledResource,
  RequestContext,
  ResourceDescription,
  RestStorage,
  WriteOptions,
  ConnectRequest,
} from '../registry/contract/rest-storage.ts';
import { admittedBody } from '../registry/writes/admitted-body.ts';
import { placeInNamespace } from '../registry/writes/create-object.ts';
import { writtenOptions } from '../registry/writes/write-admission.ts';

const FLAGS = ['stdin', 'stdout', 'stderr', 'tty'];

/** The options of a connection as an object: what webhooks see of `exec`, `attach`, `portforward` and `proxy`. */
function connectOptions(
  kind: string,
  { query, path }: Pick<ConnectRequest, 'query' | 'path'>,
): UnstructuredObject {
  const options: Record<string, unknown> = { kind, apiVersion: 'v1' };
  if (kind.endsWith('ProxyOptions')) {
    options['path'] = path === '' ? '/' : path;
    return options;
  }
  if (kind === 'PodPortForwardOptions') {
    const ports = query.getAll('ports').flatMap((text) => text.split(',').map(Number));
    if (ports.length > 0) options['ports'] = ports;
    return options;
  }
  for (const name of FLAGS) {
    const given = query.get(name);
    if (given !== null && given !== 'false' && given !== '0') options[name] = true;
  }
  const container = query.get('container');
  if (container !== null && container !== '') options['container'] = container;
  const command = query.getAll('command');
  if (command.length > 0) options['command'] = command;
  return options;
}

/** A resource whose subresources without stored objects, such as `eviction` and `exec`, are admitted. */
export function admittedSubresources(
  { subresources, ...resource }: InstalledResource,
  admission: Admission,
): InstalledResource {
  const { describe } = resource.main;
  const admitted = [...subresources].map(
    ([name, storage]) => [name, admittedSubresource(describe, name, storage, admission)] as const,
  );
  return { ...resource, subresources: new Map(admitted) };
}

/** A resource without stored objects, such as `tokenreviews`. */
export function admittedVirtual(main: RestStorage, admission: Admission): InstalledResource {
  const subresources = new Map<string, RestStorage>();
  const create = main.create?.bind(main);
  if (create === undefined) return { main, subresources };
  const target = targetOf(main.describe, main.describe);
  const creates: NonNullable<RestStorage['create']> = async (context, object, options) => {
    const name = object.metadata?.name ?? '';
    const body = creation({ target, subresource: '', context, name, object, options });
    return await create(context, await admittedBody(admission, body), options);
  };
  return { main: withMembers(main, { create: creates }), subresources };
}

function admittedSubresource(
  of: ResourceDescription,
  subresource: string,
  storage: RestStorage,
  admission: Admission,
): RestStorage {
  const { connect, describe } = storage;
  const createNamed = storage.createNamed?.bind(storage);
  const target = targetOf(of, describe);
  if (createNamed !== undefined) {
    const creates: NonNullable<RestStorage['createNamed']> = async (
      context,
      name,
      object,
      options,
    ) => {
      const body = creation({ target, subresource, context, name, object, options });
      const admitted = await admittedBody(admission, body);
      return await createNamed(context, name, admitted, options);
    };
    return withMembers(storage, { createNamed: creates });
  }
  // Logs are read, not connected to.
  if (connect === undefined || !describe.kind.endsWith('Options')) return storage;
  return withMembers(storage, {
    connect: admittedConnect(connect, target, subresource, admission),
  });
}

function admittedConnect(
  connect: ConnectMethods,
  target: AdmittedVersion,
  subresource: string,
  admission: Admission,
): ConnectMethods {
  return {
    ...connect,
    handle: async (context, name, request) => {
      await admittedBody(admission, {
        operation: 'CONNECT',
        target,
        subresource,
        context,
        name,
        dryRun: false,
        options: undefined,
        object: connectOptions(target.kind, request),
        oldObject: undefined,
      });
      return await connect.handle(context, name, request);
    },
  };
}

interface Creation {
  readonly target: AdmittedVersion;
  readonly subresource: string;
  readonly context: RequestContext;
  readonly name: string;
  readonly object: UnstructuredObject;
  readonly options: WriteOptions;
}

/** @throws {ApiError} 400 when body and URL name different namespaces. */
function creation({ options, object, ...rest }: Creation): Parameters<typeof admittedBody>[1] {
  const metadata = { ...object.metadata } as { namespace?: string };
  if (rest.context.namespace !== '') placeInNamespace(true, rest.context, { metadata });
  return {
    ...rest,
    object: { ...object, metadata },
    operation: 'CREATE',
    dryRun: options.dryRun === true,
    options: writtenOptions('CreateOptions', options),
    oldObject: undefined,
  };
}

/** The resource of the URL, with the kind of the body. */
function targetOf(
  of: ResourceDescription,
  { group, version, kind }: ResourceDescription,
): AdmittedVersion {
  const target = { group: of.group, version: of.version, resource: of.resource, kind };
  return { ...target, objects: { group, version, kind } };
}

/** The same storage with other methods. Those without stored objects are plain objects. */
function withMembers(storage: RestStorage, members: Partial<RestStorage>): RestStorage {
  return { ...storage, ...members };
}
