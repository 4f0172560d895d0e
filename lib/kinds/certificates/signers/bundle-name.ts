import { dnsSubdomain, type Format } from '../../../server/registry/validation/formats.ts';

/** The form of the names of bundles: those of a signer begin with its name. @see pkg/apis/core/validation/names.go @ v1.37.2 */
export function bundleName(signer: string): Format {
  return (name) => {
    if (signer === '') {
      if (!name.includes(':')) return dnsSubdomain(name);
      return ['ClusterTrustBundle without signer name must not have ":" in its name'];
    }
    const prefix = `${signer.replaceAll('/', ':')}:`;
    if (name.startsWith(prefix)) return dnsSubdomain(name.slice(prefix.length));
    return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
  };
}
