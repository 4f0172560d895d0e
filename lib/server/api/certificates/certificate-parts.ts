import type { X509Certificate } from 'node:crypto';
import { derElements, derIdentifier, type DerElement } from './der-reader.ts';

/** Facts of a certificate that `node:crypto` does not have. */
export interface CertificateParts {
  /** The identifiers of its critical extensions. */
  readonly critical: readonly string[];
  /** The identifier of the algorithm of its signature. */
  readonly algorithm: string;
  /** The user ids in its subject; undefined for a value that is no text. */
  readonly uids: readonly (string | undefined)[];
}

/** @see k8s.io/apimachinery pkg/util/asn1 X509UID @ v0.36.3 */
const UID = '1.3.6.1.4.1.57683.2';
const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;
const BOOLEAN_TAG = 0x01;
/** UTF8String, PrintableString and IA5String. */
const TEXT_TAGS: ReadonlySet<number> = new Set([0x0c, 0x13, 0x16]);

/** @throws {Error} for a certificate that cannot be read. @see RFC 5280 section 4.1 */
export function certificateParts({ raw }: Pick<X509Certificate, 'raw'>): CertificateParts {
  const [certificate] = derElements(raw);
  const [body, algorithm] = inside(certificate);
  const fields = inside(body);
  const afterVersion = fields[0]?.tag === VERSION_TAG ? fields.slice(1) : fields;
  const [, , , , subject] = afterVersion;
  const extensions = fields.find(({ tag }) => tag === EXTENSIONS_TAG);
  return {
    critical: inside(inside(extensions)[0]).filter(isCritical).map(identifierOf),
    algorithm: identifierOf(algorithm),
    uids: inside(subject)
      .flatMap(inside)
      .filter((attribute) => identifierOf(attribute) === UID)
      .map((attribute) => textOf(inside(attribute)[1])),
  };
}

function inside(element: DerElement | undefined): DerElement[] {
  return element === undefined ? [] : derElements(element.content);
}

/** Of a sequence that begins with one. */
function identifierOf(element: DerElement | undefined): string {
  const [first] = inside(element);
  return first === undefined ? '' : derIdentifier(first.content);
}

function isCritical(extension: DerElement): boolean {
  const [, flag] = inside(extension);
  return flag?.tag === BOOLEAN_TAG && flag.content[0] !== 0;
}

function textOf(value: DerElement | undefined): string | undefined {
  return value !== undefined && TEXT_TAGS.has(value.tag)
    ? value.content.toString('utf8')
    : undefined;
}
