import { createHash } from 'node:crypto';
import { RecentMap } from '../../../kernel/data/recent-map.ts';

/** An image as a container runtime knows it. */
export interface PulledImage {
  /** The whole name, e.g. `docker.io/library/nginx:1.29`. */
  readonly name: string;
  /** The name with a digest. The digest is of the name: there is no content. */
  readonly id: string;
  readonly bytes: number;
}

const REMEMBERED = 500;
const SMALLEST_BYTES = 2_000_000;
const BYTES_RANGE = 200_000_000;

/** Names of images as containerd writes them. Memory: the last 1000 images. */
export class ImageNames {
  readonly #known = new RecentMap<string, PulledImage>(REMEMBERED);

  of(image: string): PulledImage {
    let pulled = this.#known.get(image);
    if (pulled === undefined) {
      pulled = pulledImage(image);
      this.#known.set(image, pulled);
    }
    return pulled;
  }
}

function pulledImage(image: string): PulledImage {
  const name = wholeName(image);
  const hash = createHash('sha256').update(name);
  const digest = hash.digest('hex');
  const repository = name.includes('@') ? name.slice(0, name.indexOf('@')) : withoutTag(name);
  const id = name.includes('@') ? name : `${repository}@sha256:${digest}`;
  const bytes = SMALLEST_BYTES + (Number.parseInt(digest.slice(0, 8), 16) % BYTES_RANGE);
  return { name, id, bytes };
}

/** With the registry, the folder and the tag that Docker's names leave out. */
function wholeName(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const hasRegistry = first.includes('.') || first.includes(':') || first === 'localhost';
  const path = hasRegistry ? image : `docker.io/${slash < 0 ? 'library/' : ''}${image}`;
  return path.includes('@') || withoutTag(path) !== path ? path : `${path}:latest`;
}

function withoutTag(name: string): string {
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name;
}
