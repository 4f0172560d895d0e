/** Changes whenever a seed means another run than before. Plans carry it. */
export const SIMULATOR_VERSION = '1';
