/** A proxy whose every use throws, `instanceof` and `typeof value.then` included. */
export function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Values that cannot be asked whether they are promises, by name. */
export function unreadableThenables(): [string, unknown][] {
  const promise: Promise<unknown> = Promise.resolve();
  void Object.defineProperty(promise, 'constructor', {
    get: () => {
      throw new Error('no constructor');
    },
  });
  // oxlint-disable-next-line unicorn/no-thenable
  const getter = Object.defineProperty({}, 'then', {
    get: () => {
      throw new Error('no then');
    },
  });
  return [
    ['a revoked proxy', revokedProxy()],
    ['a getter of then that throws', getter],
    ['a promise whose constructor cannot be read', promise],
  ];
}
