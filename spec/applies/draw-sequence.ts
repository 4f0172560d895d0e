import { Draw, del, get, patch, post, put } from '../compare/draw.ts';
import type { Step } from '../compare/scenario.ts';
import {
  collectionOf,
  drawConfiguration,
  type ApplyKind,
  type Configuration,
} from './apply-kind.ts';
import { applyKinds } from './apply-kinds.ts';

/** Writes to one object by several managers. */
export interface Sequence {
  readonly index: number;
  readonly kind: ApplyKind;
  readonly name: string;
  readonly steps: readonly Step[];
}

const MANAGERS = ['alpha', 'beta', 'kubectl'] as const;
const LEAST_STEPS = 5;
const MOST_STEPS = 12;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The sequence of a seed and a number; the same ones give the same requests. */
export function drawSequence(seed: string, index: number): Sequence {
  const draw = new Draw(`applies ${seed} ${index}`);
  const kind = applyKinds[index % applyKinds.length] as ApplyKind;
  const name = `s${String(index).padStart(6, '0')}`;
  const writes = new Writes(draw, kind, name);
  const count = LEAST_STEPS + draw.below(MOST_STEPS - LEAST_STEPS);
  const steps = [writes.first(), ...Array.from({ length: count }, () => writes.next())];
  return { index, kind, name, steps: [...steps, get(writes.path)] };
}

/** Draws the requests for one object. */
class Writes {
  readonly path: string;
  readonly #draw: Draw;
  readonly #kind: ApplyKind;
  readonly #name: string;

  constructor(draw: Draw, kind: ApplyKind, name: string) {
    this.#draw = draw;
    this.#kind = kind;
    this.#name = name;
    this.path = `${collectionOf(kind)}/${name}`;
  }

  first(): Step {
    const draw = this.#draw;
    if (draw.chance(0.6)) return this.#apply();
    const body = draw.chance(0.5) ? this.#lastApplied() : this.#configuration();
    const manager = draw.pick(['kubectl-client-side-apply', 'kubectl-create', 'alpha']);
    return post(`${collectionOf(this.#kind)}?fieldManager=${manager}`, body);
  }

  next(): Step {
    const draw = this.#draw;
    const at = draw.below(100);
    if (at < 56) return this.#apply();
    if (at < 64) return put(`${this.path}?${this.#options()}`, this.#configuration());
    if (at < 76) return this.#patch();
    if (at < 86 && this.#kind.status !== undefined) return this.#status(this.#kind.status);
    if (at < 92 && this.#kind.scale) return this.#scale();
    if (at < 95) {
      return patch(
        'merge',
        `${this.path}?fieldManager=kubectl-client-side-apply`,
        this.#lastApplied(),
      );
    }
    if (at < 97) return patch('merge', this.path, { metadata: { managedFields: [{}] } });
    if (at < 98) return del(this.path);
    return get(this.path);
  }

  #configuration(): Configuration {
    return drawConfiguration(this.#draw, this.#kind, this.#name);
  }

  /** As kubectl sends it: with the annotation of what it applied. */
  #lastApplied(): Configuration {
    const body = this.#configuration();
    const applied = { [LAST_APPLIED]: `${JSON.stringify(body)}\n` };
    const annotations = Object.assign({}, body.metadata['annotations'], applied);
    return {
      ...body,
      metadata: { ...body.metadata, annotations },
    };
  }

  #options(): string {
    const draw = this.#draw;
    const manager = draw.pick(MANAGERS);
    return `fieldManager=${manager}${draw.chance(0.08) ? '&dryRun=All' : ''}`;
  }

  #applyOptions(): string {
    return `${this.#options()}${this.#draw.chance(0.35) ? '&force=true' : ''}`;
  }

  #apply(): Step {
    return patch('apply', `${this.path}?${this.#applyOptions()}`, this.#configuration());
  }

  #patch(): Step {
    const draw = this.#draw;
    const path = `${this.path}?${this.#options()}`;
    if (draw.chance(0.3)) return patch('json', path, [draw.pick(OPERATIONS)]);
    const { metadata, ...content } = this.#configuration();
    const { name: _, ...described } = metadata;
    const type = this.#kind.strategic && draw.chance(0.5) ? 'strategic' : 'merge';
    const body = draw.chance(0.5) ? { metadata: described } : { ...content, metadata: described };
    return patch(type, path, body);
  }

  #status(values: NonNullable<ApplyKind['status']>): Step {
    const draw = this.#draw;
    const status = values(draw);
    const path = `${this.path}/status?${this.#applyOptionsOf('status')}`;
    const { apiVersion, kind } = this.#kind;
    const body = { apiVersion, kind, metadata: { name: this.#name }, status };
    if (path.includes('apply=')) return patch('apply', path.replace('apply=&', ''), body);
    if (draw.chance(0.5)) return patch('merge', path, { status });
    return put(path, { ...this.#configuration(), status });
  }

  #scale(): Step {
    const draw = this.#draw;
    const replicas = draw.pick([0, 1, 2, 5]);
    const path = `${this.path}/scale?${this.#applyOptionsOf('scale')}`;
    const metadata = { name: this.#name, namespace: '{ns}' };
    const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas } };
    if (path.includes('apply=')) return patch('apply', path.replace('apply=&', ''), body);
    return draw.chance(0.5) ? patch('merge', path, { spec: { replicas } }) : put(path, body);
  }

  /** Begins with `apply=&` when the write is an apply. */
  #applyOptionsOf(_subresource: string): string {
    return this.#draw.chance(0.5) ? `apply=&${this.#applyOptions()}` : this.#options();
  }
}

const OPERATIONS: readonly unknown[] = [
  { op: 'add', path: '/metadata/labels', value: { app: '3' } },
  { op: 'add', path: '/metadata/annotations', value: { note: '3' } },
  { op: 'remove', path: '/metadata/labels' },
  { op: 'remove', path: '/metadata/finalizers' },
  { op: 'add', path: '/spec/replicas', value: 4 },
  { op: 'remove', path: '/spec/template/spec/nodeSelector' },
  { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'app:9' },
  { op: 'add', path: '/data', value: { a: '3' } },
];
