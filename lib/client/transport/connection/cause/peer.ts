/** The machine at the other end of a connection, in the words of messages. */
export interface Peer {
  readonly noun: 'server' | 'proxy';
  /** The program that has to run there. */
  readonly program: string;
  /** Where its address is written. */
  readonly address: string;
  /** How the authority of its certificate is given. */
  readonly trust: string;
  /** How a certificate for another name is used. */
  readonly rename: string;
}

export const SERVER: Peer = {
  noun: 'server',
  program: 'the API server',
  address: 'the server address',
  trust: "give the cluster's certificate-authority",
  rename: 'use one of these names in the server address, or set tls-server-name to one',
};

export const PROXY: Peer = {
  noun: 'proxy',
  program: 'the proxy',
  address: 'the proxy URL',
  trust: 'give its authority with NODE_EXTRA_CA_CERTS or certificate-authority',
  rename: 'use one of these names in the proxy URL',
};
