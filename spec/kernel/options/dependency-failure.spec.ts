import { expect } from 'chai';
import { dependencyFailure } from '../../../lib/kernel/options/dependency-failure.ts';

describe('a package that cannot be loaded', () => {
  it('gives DEPENDENCY in one line, with the banner that a bundle of ESM needs', () => {
    const { code, message } = dependencyFailure(
      'axios',
      new Error('Dynamic require of "util" is not supported'),
    );
    expect(code).to.equal('DEPENDENCY');
    expect(message).to.equal(
      'the package axios cannot be loaded (Dynamic require of "util" is not supported): let the bundler put this line at the head of the file, ' +
        "as option banner of esbuild does: import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    );
  });

  it('gives DEPENDENCY with the line that installs it, and only the first line of the cause', () => {
    const cause = new Error("Cannot find module 'axios'\nRequire stack:\n- /app/out.cjs");
    const error = dependencyFailure('axios', cause);
    expect(error.message).to.equal(
      "the package axios cannot be loaded (Cannot find module 'axios'): npm install axios, or let the bundler take it into the file",
    );
    expect(error.cause).to.equal(cause);
  });
});
