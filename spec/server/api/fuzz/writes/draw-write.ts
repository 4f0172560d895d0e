import { collectionOf, drawConfiguration, type ApplyKind } from '../../../../applies/apply-kind.ts';
import { applyKinds } from '../../../../applies/apply-kinds.ts';
import type { Draw } from '../../../../compare/draw.ts';
import { breakValue, drawValue, recordOf } from '../../../../definitions/draw-object.ts';
import { DEFINITIONS } from '../../gadgets.ts';
import { changeValue } from '../change-value.ts';
import type { FuzzRequest } from '../draw-request.ts';
import { drawJsonPatch, drawMergePatch, drawStrategicPatch } from './draw-patch.ts';
import { drawSchema } from './draw-schema.ts';

const NAMES = ['a', 'b', 'c'];
const MANAGERS = ['alpha', 'beta', 'kubectl'];
const GROUP = 'fuzz.example.com';
const DEFINITION = `things.${GROUP}`;
const JSON_TYPE = 'application/json';
const MERGE = 'application/merge-patch+json';

/** Draws patches, applies and other writes of built-in kinds, and definitions with objects of theirs. */
export class WriteDraw {
  readonly #draw: Draw;
  /** Of the definition that was sent last. */
  #schema: Record<string, unknown> = {};
  /** Since then; a definition has some objects before the next one. */
  #objects = 0;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  next(): FuzzRequest {
    const draw = this.#draw;
    if (draw.chance(0.35)) return this.#custom();
    const kind = draw.pick(applyKinds);
    const path = collectionOf(kind).replace('{ns}', 'default');
    return this.#write(path, drawNamed(draw, kind), kind);
  }

  #write(collection: string, body: NamedObject, kind: WrittenKind): FuzzRequest {
    const draw = this.#draw;
    const { name } = body.metadata;
    const path = `${collection}/${encodeURIComponent(name)}`;
    const at = draw.below(100);
    if (at < 8) return request('POST', `${collection}${this.#options()}`, this.#damaged(body));
    if (at < 10) return request('DELETE', path);
    if (at < 17) return request('PUT', `${path}${this.#options()}`, this.#damaged(body));
    if (at < 20) return this.#release(path);
    const subresource = this.#subresource(kind);
    const url = `${path}${subresource}${this.#options()}`;
    if (at < 60) return this.#apply(url, this.#damaged(body));
    if (at < 75) return patchOf('application/json-patch+json', url, drawJsonPatch(draw, body));
    if (at < 85 || !kind.strategic) return patchOf(MERGE, url, drawMergePatch(draw, body));
    return patchOf('application/strategic-merge-patch+json', url, drawStrategicPatch(draw, body));
  }

  /** Objects with finalizers would stay deleted for ever. */
  #release(path: string): FuzzRequest {
    return patchOf(MERGE, path, { metadata: { finalizers: null, ownerReferences: null } });
  }

  #subresource({ status, scale }: WrittenKind): string {
    const draw = this.#draw;
    if (status !== undefined && draw.chance(0.1)) return '/status';
    if (scale && draw.chance(0.05)) return '/scale';
    return draw.chance(0.005) ? '/nothing' : '';
  }

  #apply(url: string, body: unknown): FuzzRequest {
    const force = this.#draw.chance(0.4) ? `${url.includes('?') ? '&' : '?'}force=true` : '';
    return patchOf('application/apply-patch+yaml', `${url}${force}`, body);
  }

  #options(): string {
    const draw = this.#draw;
    const options = [`fieldManager=${draw.pick(MANAGERS)}`];
    if (draw.chance(0.1)) options.push('dryRun=All');
    if (draw.chance(0.2)) {
      options.push(`fieldValidation=${draw.pick(['Strict', 'Warn', 'Ignore'])}`);
    }
    return draw.chance(0.02) ? '' : `?${options.join('&')}`;
  }

  #damaged(body: object): unknown {
    const draw = this.#draw;
    if (draw.chance(0.6)) return body;
    const copy = structuredClone(body) as Record<string, unknown>;
    for (let count = 1 + draw.below(2); count > 0; count -= 1) changeValue(draw, copy);
    return copy;
  }

  #custom(): FuzzRequest {
    const draw = this.#draw;
    this.#objects += 1;
    if (this.#objects > 30 || draw.chance(0.05)) {
      this.#objects = 0;
      return draw.chance(0.2) ? request('DELETE', `${DEFINITIONS}/${DEFINITION}`) : this.#define();
    }
    const object = recordOf(drawValue(draw, { ...this.#schema, type: 'object' }));
    const metadata = { ...recordOf(object['metadata']), name: draw.pick(NAMES) };
    const body = { ...object, apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata };
    if (draw.chance(0.3)) breakValue(draw, body);
    body.metadata = metadata;
    const collection = `/apis/${GROUP}/v1/namespaces/default/things`;
    return this.#write(collection, body, { strategic: draw.chance(0.05), scale: true, status: {} });
  }

  #define(): FuzzRequest {
    const draw = this.#draw;
    const schema = drawSchema(draw);
    this.#schema = schema;
    const body = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: DEFINITION },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: schema },
            ...(draw.chance(0.5) ? { subresources: this.#subresources() } : {}),
            ...(draw.chance(0.2) ? { selectableFields: [{ jsonPath: this.#path() }] } : {}),
            ...(draw.chance(0.2)
              ? {
                  additionalPrinterColumns: [{ name: 'X', type: 'string', jsonPath: this.#path() }],
                }
              : {}),
          },
        ],
      },
    };
    const url = `${DEFINITIONS}/${DEFINITION}`;
    if (draw.chance(0.3)) return request('POST', DEFINITIONS, body);
    // A PUT and a merge patch need a definition; this creates it too.
    return patchOf('application/apply-patch+yaml', `${url}?fieldManager=fuzz&force=true`, body);
  }

  #subresources(): object {
    const scale = { specReplicasPath: this.#path(), statusReplicasPath: '.status.a' };
    return { status: {}, ...(this.#draw.chance(0.3) ? { scale } : {}) };
  }

  #path(): string {
    return this.#draw.pick([
      '.spec.a',
      '.spec.b',
      '.spec.name',
      '.spec',
      'a',
      '.spec["a"]',
      '.x[0]',
    ]);
  }
}

type WrittenKind = Pick<ApplyKind, 'strategic' | 'scale'> & { readonly status?: unknown };

type NamedObject = object & { readonly metadata: { readonly name: string } };

function drawNamed(draw: Draw, kind: ApplyKind): NamedObject {
  const name = draw.pick(NAMES);
  const configuration = drawConfiguration(draw, kind, name);
  const metadata = { ...configuration.metadata, name };
  const status = draw.chance(0.1) ? kind.status?.(draw) : undefined;
  return { ...configuration, metadata, ...(status === undefined ? {} : { status }) };
}

function request(method: string, url: string, body?: unknown): FuzzRequest {
  const headers = { 'content-type': JSON_TYPE };
  if (body === undefined) return { method, url, headers: {}, body: new Uint8Array() };
  return { method, url, headers, body: Buffer.from(JSON.stringify(body)) };
}

function patchOf(type: string, url: string, body: unknown): FuzzRequest {
  return { ...request('PATCH', url, body), headers: { 'content-type': type } };
}
